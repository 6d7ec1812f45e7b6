import type { EventBody } from '../../src/event/model/fields.ts';
import {
  alice,
  bad,
  bob,
  hour,
  many,
  popup,
  startEvents,
  text,
  zoned,
  type Controls,
  type EventGateway,
  type Shown,
} from './event.harness.ts';

const both: Controls = { supportsAttachments: true, conferenceDataVersion: 1 };

/** Puts into the store what no operation would let in: the only place of these tests that knows the form of what is stored. */
async function disturb(
  { stores }: EventGateway,
  eventId: string,
  core: EventBody,
  own: EventBody,
): Promise<void> {
  await stores.events.changeEvent({ calendar: { id: alice }, eventId, guests: [] }, ({ event }) => {
    const copy = event?.copies[alice];
    if (!event || !copy) throw new Error(`there is no event ${eventId}`);
    const copies = { ...event.copies, [alice]: { ...copy, own: { ...copy.own, ...own } } };
    return {
      next: { ...event, version: event.version + 1, core: { ...event.core, ...core }, copies },
      result: undefined,
    };
  });
}

/** What an older version or an operator's hand could have left behind. */
const oddities: readonly (readonly [name: string, core: object, copy?: object])[] = [
  ['long strings', { description: text(9000), summary: text(9000) }],
  ['half a surrogate pair', { location: 'half \ud83d' }],
  [
    '26 attachments, one of them a script, one without fileUrl',
    {
      attachments: [
        { title: 'Plan' },
        { fileUrl: 'javascript:alert(1)' },
        ...many(24, (index) => ({ fileUrl: `https://a.example/${index}` })),
      ],
    },
  ],
  ['201 guests', { attendees: many(201, (index) => ({ email: `guest${index}@example.org` })) }],
  [
    'odd guests',
    {
      attendees: [
        { displayName: 'Nobody' },
        { email: 'nowhere', comment: text(9000) },
        { email: bob },
        { email: 'BOB@example.com', additionalGuests: -3 },
      ],
    },
  ],
  [
    'an odd gadget and source',
    { gadget: { height: 0, link: 'http://a.example' }, source: { url: 'ftp://a.example' } },
  ],
  ['a zone that does not exist', { start: { ...hour.start, timeZone: 'Mars/Olympus' } }],
  ['an end before the start', { end: { dateTime: '2026-12-01T09:00:00+01:00' } }],
  ['an end of another kind', { end: { date: '2026-12-02' } }],
  ['no end', { end: undefined }],
  ['a rule that is none', { recurrence: ['RRULE:FREQ=NEVER'] }],
  ['a series without a zone', { recurrence: ['RRULE:FREQ=DAILY'] }],
  ['a sequence below zero', { sequence: -5 }],
  [
    'an odd conference',
    {
      conferenceData: {
        entryPoints: many(2, (index) => ({ entryPointType: 'video', uri: `ftp://${index}` })),
        notes: text(3000),
      },
    },
  ],
  [
    'properties beyond all limits',
    {
      extendedProperties: {
        shared: Object.fromEntries(many(400, (index) => [`${text(60)}${index}`, text(100)])),
      },
    },
    { extendedProperties: { private: { key: text(2000) } } },
  ],
  ['a colour that does not exist', {}, { colorId: '99' }],
];

const odd = {
  call: (type: string, conferenceId: string) => ({
    conferenceData: {
      conferenceId,
      conferenceSolution: { key: { type } },
      entryPoints: [{ entryPointType: 'video', uri: 'ftp://call.example' }],
    },
  }),
  preferences: {
    gadget: { preferences: Object.fromEntries(many(40, (index) => [`key${index}`, text(1000)])) },
  },
  twice: { attendees: [{ email: bob }, { email: bob }] },
};

describe('what is odd in the store', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    gateway = await startEvents();
  });
  afterAll(() => gateway.close());
  const made = async (core: object, copy: object = {}, body: object = {}): Promise<Shown> => {
    const { id } = await gateway.make({ summary: 'Plain', ...body });
    await disturb(gateway, id, core, copy);
    return gateway.on(alice, id);
  };

  test.each(oddities.map(([name, core, copy]) => ({ name, core, copy })))(
    'goes back in as it was read, and never blocks an unrelated change: $name',
    async ({ core, copy }) => {
      const before = await made(core, copy);
      expect(await gateway.change(before.id, before, both)).toEqual(before);
      const { etag, updated, ...after } = await gateway.change(before.id, { ...before, colorId: '1' }, both);
      expect({ ...after, etag, updated }).toEqual({ ...before, colorId: '1', etag, updated });
      expect((await gateway.change(before.id, { location: 'Room 1' })).location).toBe('Room 1');
    },
  );

  const never = { recurrence: ['RRULE:FREQ=NEVER'], ...zoned };
  test.each<[string, object, object]>([
    ['a move, of a rule that is none', never, { start: { dateTime: '2026-12-01T10:30:00+01:00' } }],
    ['a rule more beside one that is none', never, { recurrence: ['RRULE:FREQ=NEVER', 'RRULE:FREQ=DAILY'] }],
    ['the title of an odd gadget', { gadget: { height: 0 } }, { gadget: { title: 'Count' } }],
    ['the title of an odd source', { source: { url: 'ftp://a.example' } }, { source: { title: 'Tracker' } }],
    [
      'a file more beside a script',
      { attachments: [{ fileUrl: 'javascript:alert(1)' }] },
      { attachments: [{ fileUrl: 'https://a.example' }, { fileUrl: 'javascript:alert(1)' }] },
    ],
    [
      'a guest more beside odd ones',
      { attendees: [{ email: 'nowhere' }, { email: bob }] },
      { attendees: [{ email: 'new@example.org' }, { email: bob }, { email: 'nowhere' }] },
    ],
    [
      'the notes of a conference with an odd id and an odd entry point',
      odd.call('hostedCall', 'abc'),
      { conferenceData: { notes: 'Dial in early' } },
    ],
    ['fewer preferences, of too many', odd.preferences, { gadget: { preferences: { key0: 'short' } } }],
    [
      'a guest more beside one that is there twice',
      odd.twice,
      { attendees: [...odd.twice.attendees, { email: 'new@example.org' }] },
    ],
    [
      'an end, where the start has no zone that exists',
      { start: { ...hour.start, timeZone: 'Mars/Olympus' } },
      { end: { dateTime: '2026-12-01T15:30:00+01:00' } },
    ],
  ])('does not block %s', async (_name, core, body) => {
    const before = await made(core);
    expect((await gateway.change(before.id, body, both)).etag).not.toBe(before.etag);
  });

  test.each<[string, object, object, string]>([
    ['another long string', { description: text(9000) }, { description: text(8999) }, 'description tooLong'],
    [
      'the same half pair elsewhere',
      { location: 'half \ud83d' },
      { summary: 'half \ud83d' },
      'summary invalid',
    ],
    [
      'a start that still is not before the end',
      { end: { dateTime: '2026-12-01T09:00:00+01:00' } },
      { start: { dateTime: '2026-12-01T09:30:00+01:00' } },
      'end timeRangeEmpty',
    ],
    [
      'a start of another kind than the end',
      { end: { date: '2026-12-02' } },
      { start: { dateTime: '2026-12-01T09:30:00+01:00' } },
      'end invalid',
    ],
    [
      'a start, where there is no end',
      { end: undefined },
      { start: { dateTime: '2026-12-01T09:30:00+01:00' } },
      'end required',
    ],
    ['another wrong rule', never, { recurrence: ['RRULE:FREQ=EVER'] }, 'recurrence.0 invalid'],
    [
      'an odd guest’s other comment',
      { attendees: [{ email: 'nowhere', comment: text(9000) }] },
      { attendees: [{ email: 'nowhere', comment: text(9001) }] },
      'attendees.0.comment tooLong',
    ],
    [
      'another reminder too many',
      {},
      { reminders: { useDefault: false, overrides: many(6, popup) } },
      'reminders.overrides eventRemindersCountExceedsLimit',
    ],
    [
      'more preferences, where there are too many',
      odd.preferences,
      { gadget: { preferences: { key0: text(1001) } } },
      'gadget.preferences tooLong',
    ],
    [
      'a guest a third time, where it is there twice',
      odd.twice,
      { attendees: [...odd.twice.attendees, { email: 'Bob@example.com' }] },
      'attendees.2.email invalid',
    ],
  ])('does not excuse %s', async (_name, core, body, problem) => {
    const before = await made(core);
    expect((await gateway.patch(before.id, body, both)).problems).toEqual([
      bad(...(problem.split(' ') as [string, string])),
    ]);
    expect(await gateway.on(alice, before.id)).toEqual(before);
  });
});
