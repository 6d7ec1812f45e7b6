import {
  alice,
  bob,
  carol,
  eve,
  hour,
  popup,
  zoned,
  type Controls,
  type EventGateway,
} from '../../event/event.harness.ts';
import { sameMeaning } from '../../../src/upstream/calendar/same-meaning.ts';
import { startFront, startService, type Front } from './writes.harness.ts';

describe('what the calendar service leaves out without a word', () => {
  let service: EventGateway, front: Front;
  beforeAll(async () => {
    service = await startService();
    front = await startFront(service);
  });
  afterAll(() => Promise.all([service, front].map((gateway) => gateway.close())));
  afterEach(() => front.between(undefined));

  const guests = { attendees: [{ email: alice }, { email: bob }, { email: eve }] };
  const open = { ...guests, guestsCanModify: true };
  const accepted = { attendeesOmitted: true, attendees: [{ email: bob, responseStatus: 'accepted' }] };
  const own = { reminders: { useDefault: false, overrides: [popup(5)] } };
  const only = 'forbiddenForNonOrganizer';
  /** Writes come without these fields, or with them otherwise. */
  const leaving = (taken: readonly string[], put: object = {}) =>
    front.between((call, through) => {
      const { body } = call as { body?: object };
      if (body)
        Object.assign(call, {
          body: {
            ...Object.fromEntries(Object.entries(body).filter(([name]) => !taken.includes(name))),
            ...put,
          },
        });
      return through();
    });

  interface Case {
    readonly of?: object;
    readonly body: object;
    readonly options?: Controls;
    readonly taken: readonly string[];
    readonly put?: object;
    readonly problems?: readonly string[];
    readonly notes?: readonly string[];
  }
  const asBob = { as: bob };
  const cases: Readonly<Record<string, Case>> = {
    "a guest's answer": {
      body: accepted,
      options: asBob,
      taken: ['attendees', 'attendeesOmitted'],
      problems: [`FORBIDDEN event.attendees.0.responseStatus ${only}`],
    },
    "a guest's answer beside something else": {
      body: { ...accepted, colorId: '5' },
      options: asBob,
      taken: ['attendees', 'attendeesOmitted'],
      notes: ['event.attendees.0.responseStatus ignored'],
    },
    "a guest's change of guests": {
      of: open,
      body: {},
      options: { as: bob, attendeeChanges: { add: [{ email: carol }], remove: [eve] } },
      taken: ['attendees'],
      problems: [`FORBIDDEN attendeeChanges.add.0 ${only}`, `FORBIDDEN attendeeChanges ${only}`],
    },
    "half of a guest's change of guests": {
      of: open,
      body: {},
      options: { as: bob, attendeeChanges: { add: [{ email: carol }], remove: [eve] } },
      taken: [],
      put: { attendees: guests.attendees.slice(0, 2) },
      notes: ['attendeeChanges.add.0 ignored'],
    },
    "a guest's text where guests may": {
      of: open,
      body: { summary: 'S' },
      options: asBob,
      taken: ['summary'],
      problems: [`FORBIDDEN event.summary ${only}`],
    },
    "a guest's reminders": {
      body: own,
      options: asBob,
      taken: ['reminders'],
      problems: [
        `FORBIDDEN event.reminders.useDefault ${only}`,
        `FORBIDDEN event.reminders.overrides ${only}`,
      ],
    },
    "a guest's going": {
      body: { status: 'cancelled' },
      options: asBob,
      taken: ['status'],
      problems: [`FORBIDDEN event.status ${only}`],
    },
    'a place': {
      body: { location: 'There', summary: 'S' },
      taken: ['location'],
      notes: ['event.location ignored'],
    },
    'all that was sent': {
      body: { location: 'There' },
      taken: ['location'],
      notes: ['event.location ignored'],
    },
    'a place beside guests': {
      body: { location: 'There', attendees: [{ email: bob }] },
      taken: ['location'],
      notes: ['event.location ignored'],
    },
    'a guest list': {
      body: { attendees: [{ email: bob }, { email: carol, optional: true }] },
      taken: ['attendees'],
      notes: ['event.attendees.1 ignored', 'event.attendees ignored'],
    },
    'no guests': {
      body: { attendees: null, summary: 'S' },
      taken: ['attendees'],
      notes: ['event.attendees ignored'],
    },
    'what is said of guests': {
      body: { attendees: [{ email: alice }, { email: bob, optional: true }, { email: eve }] },
      taken: ['attendees'],
      notes: ['event.attendees.1.optional ignored'],
    },
    'a property': {
      body: { extendedProperties: { private: { a: '1' } } },
      taken: ['extendedProperties'],
      notes: ['event.extendedProperties.private.a ignored'],
    },
    'nothing: the organizer is a guest again': {
      body: { attendees: [{ email: bob }] },
      taken: [],
      put: { attendees: [{ email: alice }, { email: bob }] },
    },
    'nothing: a text that it cleans': {
      body: { description: 'A <b>b</b> ', attendees: [{ email: bob }] },
      taken: [],
      put: { description: 'A b' },
    },
    'nothing: a text that it makes another one of': {
      body: { description: 'A', attendees: [{ email: bob }] },
      taken: [],
      put: { description: 'C' },
    },
    'nothing: a rule that it orders': {
      of: zoned,
      body: { recurrence: ['RRULE:FREQ=WEEKLY;INTERVAL=1;BYDAY=MO,TU'] },
      taken: [],
      put: { recurrence: ['RRULE:BYDAY=TU,MO;FREQ=WEEKLY;WKST=MO'] },
    },
  };

  test.each(Object.entries(cases))(
    'is told: %s',
    async (_name, { of = guests, body, options = {}, taken, put, problems = [], notes = [] }) => {
      const { id } = await service.make({ ...hour, ...of });
      leaving(taken, put);
      const outcome = await front.patch(id, body, options);
      expect([outcome.problems, outcome.errors ? [] : outcome.notes]).toEqual([problems, notes]);
    },
  );

  test('is told of an insert', async () => {
    leaving(['location', 'attendees']);
    expect((await front.insert({ ...hour, ...guests, summary: 'S', location: 'There' })).notes).toEqual([
      'event.location ignored',
      'event.attendees.0 ignored',
      'event.attendees.1 ignored',
      'event.attendees.2 ignored',
    ]);
  });

  test.each<[unknown, unknown, boolean]>([
    ['A  b.', 'a b', true],
    ['A', 'B', false],
    ['!', '?', false],
    ['', null, true],
    [[], undefined, true],
    [1, 2, false],
    [['RRULE:FREQ=DAILY;UNTIL=20270101'], ['RRULE:UNTIL=20270101T225959Z;FREQ=DAILY'], true],
    [['RRULE:FREQ=DAILY'], ['RRULE:FREQ=DAILY;COUNT=2'], false],
    [['EXDATE;TZID=Europe/Berlin:20270101T090000'], ['EXDATE:20270101T080000Z'], true],
    [['EXDATE:20270101'], ['EXDATE:20270102'], false],
    [
      [
        { method: 'popup', minutes: 1 },
        { method: 'email', minutes: 2 },
      ],
      [
        { minutes: 2, method: 'email' },
        { method: 'popup', minutes: 1 },
      ],
      true,
    ],
    [[{ fileUrl: 'https://a.example' }], [{ fileUrl: 'https://a.example', title: 'A' }], true],
  ])('is nothing that is only spelled otherwise: %j, %j', (one, other, same) => {
    expect(sameMeaning(one, other)).toBe(same);
  });
});
