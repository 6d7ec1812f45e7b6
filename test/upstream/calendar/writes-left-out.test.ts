import { isEquivalent } from '../../../src/upstream/calendar/event-form.ts';
import { alice, bob, carol, eve, hour, popup, zoned } from '../../event/event.harness.ts';
import { useFront, type Between } from './upstream.harness.ts';

describe('what the calendar service leaves out without a word', () => {
  const { service, front } = useFront();

  const guests = { attendees: [{ email: alice }, { email: bob }, { email: eve }] };
  const open = { ...guests, guestsCanModify: true };
  const accepted = { attendeesOmitted: true, attendees: [{ email: bob, responseStatus: 'accepted' }] };
  const reminders = { useDefault: false, overrides: [popup(5)] };
  const change = { add: [{ email: carol }], remove: [eve] };
  const properties = { private: { a: '1' }, shared: { b: '1' } };
  const notOrganizer = (...paths: readonly string[]) =>
    paths.map((path) => `FORBIDDEN ${path} forbiddenForNonOrganizer`);
  const ignored = (...paths: readonly string[]) => paths.map((path) => `${path} ignored`);
  /** Writes something else than is sent. */
  const writing =
    (instead: object): Between =>
    (call, through) => {
      if (call.body) Object.assign(call, { body: { ...call.body, ...instead } });
      return through();
    };

  /** A name, what is sent, what the service writes instead, what is told of it, and the event before. */
  type Row = [name: string, sent: object, instead: object, told: readonly string[], of?: object];
  const expectTold = async (
    sent: object,
    instead: object,
    told: readonly string[],
    of: object,
    as: string,
  ) => {
    const { id } = await service.make({ ...hour, ...of });
    front.between(writing(instead));
    const { attendeeChanges, ...body } = sent as { readonly attendeeChanges?: object };
    const { problems, notes } = await front.patch(id, body, { as, attendeeChanges });
    expect(problems.length > 0 ? problems : notes).toEqual(told);
  };

  const noGuests = { attendees: undefined, attendeesOmitted: undefined };
  test.each<Row>([
    ['a response', accepted, noGuests, notOrganizer('event.attendees.0.responseStatus')],
    ['a response too', { ...accepted, colorId: '5' }, noGuests, ignored('event.attendees.0.responseStatus')],
    [
      'a change of guests',
      { attendeeChanges: change },
      noGuests,
      notOrganizer('attendeeChanges.add.0', 'attendeeChanges'),
      open,
    ],
    [
      'half of a change of guests',
      { attendeeChanges: change },
      { attendees: guests.attendees.slice(0, 2) },
      ignored('attendeeChanges.add.0'),
      open,
    ],
    ['a text', { summary: 'S' }, { summary: undefined }, notOrganizer('event.summary'), open],
    [
      'a property of a map',
      { extendedProperties: properties },
      { extendedProperties: { private: properties.private } },
      ignored('event.extendedProperties.shared.b'),
      open,
    ],
    [
      'reminders',
      { reminders },
      { reminders: undefined },
      notOrganizer('event.reminders.useDefault', 'event.reminders.overrides'),
    ],
    ['a status', { status: 'cancelled' }, { status: undefined }, notOrganizer('event.status')],
  ])('a guest is told of %s', async (_name, sent, instead, told, of = guests) =>
    expectTold(sent, instead, told, of, bob),
  );

  const place = { location: 'There' };
  const [noPlace, noList] = [{ location: undefined }, { attendees: undefined }];
  const justBob = { attendees: [{ email: bob }] };
  const optional = (email: string) => ({ email, optional: true });
  test.each<Row>([
    ['a place', { ...place, summary: 'S' }, noPlace, ignored('event.location')],
    ['all that was sent', place, noPlace, ignored('event.location')],
    ['a place beside guests', { ...place, ...justBob }, noPlace, ignored('event.location')],
    [
      'a guest list',
      { attendees: [{ email: bob }, optional(carol)] },
      noList,
      ignored('event.attendees.1', 'event.attendees'),
    ],
    ['no guests', { attendees: null, summary: 'S' }, noList, ignored('event.attendees')],
    [
      'a member of a guest',
      { attendees: [{ email: alice }, optional(bob), { email: eve }] },
      noList,
      ignored('event.attendees.1.optional'),
    ],
    [
      'a property',
      { extendedProperties: properties },
      { extendedProperties: undefined },
      ignored('event.extendedProperties.private.a', 'event.extendedProperties.shared.b'),
    ],
    ['nothing where the organizer is a guest', justBob, { attendees: guests.attendees.slice(0, 2) }, []],
    ['nothing of a text that it cleans', { description: '<b>B</b> ' }, { description: 'B' }, []],
    ['nothing of a text that it changes', { description: 'A', ...justBob }, { description: 'C' }, []],
    [
      'nothing of a rule that it orders',
      { recurrence: ['RRULE:FREQ=WEEKLY;INTERVAL=1;BYDAY=MO,TU'] },
      { recurrence: ['RRULE:BYDAY=TU,MO;FREQ=WEEKLY;WKST=MO'] },
      [],
      zoned,
    ],
  ])('an organizer is told of %s', async (_name, sent, instead, told, of = guests) =>
    expectTold(sent, instead, told, of, alice),
  );

  test('nobody is told of an event that is cancelled, which shows little', async () => {
    const { id } = await service.make(guests);
    front.between(async (_call, through) => {
      await through();
      return { status: 200, body: { id, status: 'cancelled', etag: '"x"', organizer: { email: alice } } };
    });
    const { problems, notes } = await front.patch(id, { status: 'cancelled', summary: 'S' });
    expect([problems, notes]).toEqual([[], []]);
  });

  test('is told after an insert', async () => {
    front.between(writing({ ...noPlace, ...noList }));
    expect((await front.insert({ ...hour, ...guests, summary: 'S', location: 'There' })).notes).toEqual(
      ignored('event.location', 'event.attendees.0', 'event.attendees.1', 'event.attendees.2'),
    );
  });

  const [first, second] = [popup(1), { method: 'email', minutes: 2 }];
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
    [[first, second], [second, first], true],
    [[{ fileUrl: 'https://a.example' }], [{ fileUrl: 'https://a.example', title: 'A' }], true],
  ])('%j and %j have the same meaning: %j', (one, other, same) => {
    expect(isEquivalent(one, other)).toBe(same);
  });
});
