import type { EventBody } from '../../src/event/model/fields.ts';
import {
  alice,
  bob,
  hour,
  many,
  popup,
  text,
  zoned,
  type Controls,
  type EventGateway,
  type Shown,
  useEvents,
} from './event.harness.ts';

const both: Controls = { supportsAttachments: true, conferenceDataVersion: 1 };

/** Puts into the store what no operation would let in: the only place of these tests that knows the form of what is stored. */
async function disturb(
  gateway: EventGateway,
  eventId: string,
  core: EventBody,
  own: EventBody,
): Promise<void> {
  await gateway.stores.events.changeEvent({ calendar: { id: alice }, eventId, guests: [] }, ({ event }) => {
    const copy = event?.copies[alice];
    if (!event || !copy) throw new Error(`there is no event ${eventId}`);
    const copies = { ...event.copies, [alice]: { ...copy, own: { ...copy.own, ...own } } };
    const next = { ...event, version: event.version + 1, core: { ...event.core, ...core }, copies };
    return { next, result: undefined };
  });
}

const script = { fileUrl: 'javascript:alert(1)' };
const attachments = [
  { title: 'Plan' },
  script,
  ...many(24, (index) => ({ fileUrl: `https://a.example/${index}` })),
];
const below = { email: 'BOB@example.com', additionalGuests: -3 };
const properties = (map: string, entries: object) => ({ extendedProperties: { [map]: entries } });
const wrongCall = { entryPoints: many(2, (index) => ({ entryPointType: 'video', uri: `ftp://${index}` })) };
const nowhere = { email: 'nowhere', comment: text(9000) };
const tooMany = Object.fromEntries(many(400, (index) => [`${text(60)}${index}`, text(100)]));
const nowhereOnEarth = { start: { ...hour.start, timeZone: 'Mars/Olympus' } };
const early = { end: { dateTime: '2026-12-01T09:00:00+01:00' } };
const lateEnd = { end: { dateTime: '2026-12-01T15:30:00+01:00' } };
const later = { start: { dateTime: '2026-12-01T09:30:00+01:00' } };
const [gadget, source] = [{ height: 0, link: 'http://a.example' }, { url: 'ftp://a.example' }];
const preferences = {
  gadget: { preferences: Object.fromEntries(many(40, (index) => [`key${index}`, text(1000)])) },
};
const longer = { gadget: { preferences: { key0: text(1001) } } };
const thirdBob = { email: 'Bob@example.com' };
const twice = [{ email: bob }, { email: bob }];
const newcomer = { email: 'new@example.org' };

/** What an older version or an operator's hand could have left behind. */
const oddities: readonly (readonly [name: string, core: object, copy?: object])[] = [
  ['long strings', { description: text(9000), summary: text(9000) }],
  ['half a surrogate pair', { location: 'half \ud83d' }],
  ['26 attachments, one of them a script, one without fileUrl', { attachments }],
  ['201 guests', { attendees: many(201, (index) => ({ email: `guest${index}@example.org` })) }],
  ['odd guests', { attendees: [{ displayName: 'Nobody' }, nowhere, { email: bob }, below] }],
  ['an odd gadget and source', { gadget, source }],
  ['a zone that does not exist', nowhereOnEarth],
  ['an end before the start', early],
  ['an end of another kind', { end: { date: '2026-12-02' } }],
  ['no end', { end: undefined }],
  ['a rule that is none', { recurrence: ['RRULE:FREQ=NEVER'] }],
  ['a series without a zone', { recurrence: ['RRULE:FREQ=DAILY'] }],
  ['a sequence below zero', { sequence: -5 }],
  ['an odd conference', { conferenceData: { ...wrongCall, notes: text(3000) } }],
  ['properties beyond all limits', properties('shared', tooMany), properties('private', { key: text(2000) })],
  ['a colour that does not exist', {}, { colorId: '99' }],
];

describe('what is odd in the store', () => {
  const gateway = useEvents();
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
  const oddCall = {
    conferenceId: 'abc',
    conferenceSolution: { key: { type: 'hostedCall' } },
    entryPoints: [{ entryPointType: 'video', uri: 'ftp://call.example' }],
  };
  const withMore = (list: object[], one: object) => ({ attendees: [...list, one] });
  test.each<[string, object, object]>([
    ['a move, of a rule that is none', never, { start: { dateTime: '2026-12-01T10:30:00+01:00' } }],
    ['a rule more beside one that is none', never, { recurrence: ['RRULE:FREQ=NEVER', 'RRULE:FREQ=DAILY'] }],
    ['the title of an odd gadget', { gadget: { height: 0 } }, { gadget: { title: 'Count' } }],
    ['the title of an odd source', { source }, { source: { title: 'Tracker' } }],
    ['a file more', { attachments: [script] }, { attachments: [{ fileUrl: 'https://a.example' }, script] }],
    ['a guest more beside odd ones', withMore([{ email: bob }], nowhere), withMore([newcomer], nowhere)],
    ['the notes of an odd conference', { conferenceData: oddCall }, { conferenceData: { notes: 'Dial' } }],
    ['fewer preferences, of too many', preferences, { gadget: { preferences: { key0: 'short' } } }],
    ['a guest more beside one that is there twice', { attendees: twice }, withMore(twice, newcomer)],
    ['an end, where the start has no zone that exists', nowhereOnEarth, lateEnd],
  ])('does not block %s', async (_name, core, body) => {
    const before = await made(core);
    expect((await gateway.change(before.id, body, both)).etag).not.toBe(before.etag);
  });

  test.each<[string, object, object, string]>([
    ['another long string', { description: text(9000) }, { description: text(8999) }, 'description tooLong'],
    ['half a pair elsewhere', { location: 'half \ud83d' }, { summary: 'half \ud83d' }, 'summary invalid'],
    ['a start that still is not before the end', early, later, 'end timeRangeEmpty'],
    ['a start of another kind than the end', { end: { date: '2026-12-02' } }, later, 'end invalid'],
    ['a start, where there is no end', { end: undefined }, later, 'end required'],
    ['another wrong rule', never, { recurrence: ['RRULE:FREQ=EVER'] }, 'recurrence.0 invalid'],
    [
      'an odd guest’s other comment',
      withMore([], nowhere),
      withMore([], { ...nowhere, comment: text(9001) }),
      'attendees.0.comment tooLong',
    ],
    [
      'another reminder too many',
      {},
      { reminders: { overrides: many(6, popup) } },
      'reminders.overrides eventRemindersCountExceedsLimit',
    ],
    ['more of too many preferences', preferences, longer, 'gadget.preferences tooLong'],
    ['a guest a third time', { attendees: twice }, withMore(twice, thirdBob), 'attendees.2.email invalid'],
  ])('does not excuse %s', async (_name, core, body, problem) => {
    const before = await made(core);
    await gateway.refusesPatch(before.id, body, [problem], both);
    expect(await gateway.on(alice, before.id)).toEqual(before);
  });
});
