import type { EventBody } from '../../src/event/model/fields.ts';
import {
  alice,
  bob,
  oneHour,
  makeMany,
  textOfLength,
  zonedHour,
  type Controls,
  type EventGateway,
  type EventJson,
  useEventGateway,
} from './event.harness.ts';
import { withGuests } from './list.harness.ts';

const allControls: Controls = { supportsAttachments: true, conferenceDataVersion: 1 };

/** Writes values that no operation accepts into a stored record. */
async function storeInvalidValues(
  gateway: EventGateway,
  eventId: string,
  coreFields: EventBody,
  copyFields: EventBody,
) {
  await gateway.stores.events.changeEvent({ calendar: { id: alice }, eventId, guests: [] }, ({ event }) => {
    const copy = event?.copies[alice];
    if (!event || !copy) throw new Error(`there is no event ${eventId}`);
    const copies = { ...event.copies, [alice]: { ...copy, own: { ...copy.own, ...copyFields } } };
    const next = { ...event, version: event.version + 1, core: { ...event.core, ...coreFields }, copies };
    return { next, result: undefined };
  });
}

const scriptAttachment = { fileUrl: 'javascript:alert(1)' };
const attachments = [
  { title: 'Plan' },
  scriptAttachment,
  ...makeMany(24, (index) => ({ fileUrl: `https://a.example/${index}` })),
];
const negativeGuests = { email: 'BOB@example.com', additionalGuests: -3 };
const createPropertyMap = (map: string, entries: object) => ({ extendedProperties: { [map]: entries } });
const entryPoints = makeMany(2, (index) => ({ entryPointType: 'video', uri: `ftp://${index}` }));
const invalidGuest = { email: 'nowhere', comment: textOfLength(9000) };
const tooManyProperties = Object.fromEntries(
  makeMany(400, (index) => [`${textOfLength(60)}${index}`, textOfLength(100)]),
);
const unknownZone = { start: { ...oneHour.start, timeZone: 'Mars/Olympus' } };
const endBeforeStart = { end: { dateTime: '2026-12-01T09:00:00+01:00' } };
const lateEnd = { end: { dateTime: '2026-12-01T15:30:00+01:00' } };
const laterStart = { start: { dateTime: '2026-12-01T09:30:00+01:00' } };
const [gadget, source] = [{ height: 0, link: 'http://a.example' }, { url: 'ftp://a.example' }];
const tooManyPreferences = {
  gadget: { preferences: Object.fromEntries(makeMany(40, (index) => [`key${index}`, textOfLength(1000)])) },
};
const longerPreference = { gadget: { preferences: { key0: textOfLength(1001) } } };
const guestListedTwice = withGuests(bob, bob);
const newGuest = 'new@example.org';

/** Values that an older version or an operator could have stored, in the shared core or in Alice's copy. */
const invalidEvents: readonly (readonly [name: string, core: object, copy?: object])[] = [
  ['long strings', { description: textOfLength(9000), summary: textOfLength(9000) }],
  ['half a surrogate pair', { location: 'half \ud83d' }],
  ['26 attachments, one of them a script, one without fileUrl', { attachments }],
  ['201 guests', { attendees: makeMany(201, (index) => ({ email: `guest${index}@example.org` })) }],
  ['invalid guests', { attendees: [{ displayName: 'No' }, invalidGuest, { email: bob }, negativeGuests] }],
  ['an invalid gadget and source', { gadget, source }],
  ['an unknown time zone', unknownZone],
  ['an end before the start', endBeforeStart],
  ['an all-day end of a timed event', { end: { date: '2026-12-02' } }],
  ['no end', { end: undefined }],
  ['an invalid rule', { recurrence: ['RRULE:FREQ=NEVER'] }],
  ['a series without a time zone', { recurrence: ['RRULE:FREQ=DAILY'] }],
  ['a negative sequence', { sequence: -5 }],
  ['an invalid conference', { conferenceData: { entryPoints, notes: textOfLength(3000) } }],
  [
    'properties beyond limits',
    createPropertyMap('shared', tooManyProperties),
    createPropertyMap('private', { key: textOfLength(2000) }),
  ],
  ['an unknown colour', {}, { colorId: '99' }],
];

describe('invalid stored values', () => {
  const gateway = useEventGateway();
  const makeInvalidEvent = async (core: object, copy: object = {}, body: object = {}): Promise<EventJson> => {
    const { id } = await gateway.makeEvent({ summary: 'Plain', ...body });
    await storeInvalidValues(gateway, id, core, copy);
    return gateway.readOn(alice, id);
  };

  test.each(invalidEvents.map(([name, core, copy]) => ({ name, core, copy })))(
    'may be sent back as read, and do not block an unrelated change: $name',
    async ({ core, copy }) => {
      const before = await makeInvalidEvent(core, copy);
      expect(await gateway.changeEvent(before.id, before, allControls)).toEqual(before);
      const { etag, updated, ...after } = await gateway.changeEvent(
        before.id,
        { ...before, colorId: '1' },
        allControls,
      );
      expect({ ...after, etag, updated }).toEqual({ ...before, colorId: '1', etag, updated });
      expect((await gateway.changeEvent(before.id, { location: 'Room 1' })).location).toBe('Room 1');
    },
  );

  const invalidRule = { recurrence: ['RRULE:FREQ=NEVER'], ...zonedHour };
  const conferenceSolution = { key: { type: 'hostedCall' } };
  const invalidConference = { conferenceData: { conferenceId: 'abc', conferenceSolution, entryPoints } };
  const planAttachment = { fileUrl: 'https://a.example' };
  const createGuestList = (email: string, guest: object) => ({ attendees: [{ email }, guest] });
  test.each<[string, object, object]>([
    [
      'another start of a series with an invalid rule',
      invalidRule,
      { start: { dateTime: '2026-12-01T10:30:00+01:00' } },
    ],
    ['a rule beside an invalid one', invalidRule, { recurrence: ['RRULE:FREQ=NEVER', 'RRULE:FREQ=DAILY'] }],
    ['the title of an invalid gadget', { gadget: { height: 0 } }, { gadget: { title: 'Count' } }],
    ['the title of an invalid source', { source }, { source: { title: 'Tracker' } }],
    [
      'another attachment',
      { attachments: [scriptAttachment] },
      { attachments: [planAttachment, scriptAttachment] },
    ],
    [
      'another guest beside invalid ones',
      createGuestList(bob, invalidGuest),
      createGuestList(newGuest, invalidGuest),
    ],
    ['the notes of an invalid conference', invalidConference, { conferenceData: { notes: 'Dial' } }],
    [
      'a shorter value among too many preferences',
      tooManyPreferences,
      { gadget: { preferences: { key0: 'short' } } },
    ],
    ['another guest beside a duplicate', guestListedTwice, withGuests(bob, bob, newGuest)],
    ['an end while the start has an unknown zone', unknownZone, lateEnd],
  ])('do not block an improvement: %s', async (_name, core, body) => {
    const before = await makeInvalidEvent(core);
    expect((await gateway.changeEvent(before.id, body, allControls)).etag).not.toBe(before.etag);
  });

  test.each<[string, object, object, string]>([
    [
      'a long string',
      { description: textOfLength(9000) },
      { description: textOfLength(8999) },
      'description tooLong',
    ],
    [
      'half a surrogate pair elsewhere',
      { location: 'half \ud83d' },
      { summary: '\ud83d' },
      'summary invalid',
    ],
    ['a start that is still after the end', endBeforeStart, laterStart, 'end timeRangeEmpty'],
    [
      'another timed start while the end is all-day',
      { end: { date: '2026-12-02' } },
      laterStart,
      'end invalid',
    ],
    ['a start without an end', { end: undefined }, laterStart, 'end required'],
    ['another invalid rule', invalidRule, { recurrence: ['RRULE:FREQ=EVER'] }, 'recurrence.0 invalid'],
    [
      'an invalid guest’s longer comment',
      { attendees: [invalidGuest] },
      { attendees: [{ ...invalidGuest, comment: textOfLength(9001) }] },
      'attendees.0.comment tooLong',
    ],
    [
      'a longer value among too many preferences',
      tooManyPreferences,
      longerPreference,
      'gadget.preferences tooLong',
    ],
    [
      'a third entry of a guest',
      guestListedTwice,
      withGuests(bob, bob, 'Bob@example.com'),
      'attendees.2.email invalid',
    ],
  ])('do not permit a new violation: %s', async (_name, core, body, problem) => {
    const before = await makeInvalidEvent(core);
    await gateway.expectPatchRefused(before.id, body, [problem], allControls);
    expect(await gateway.readOn(alice, before.id)).toEqual(before);
  });
});
