import {
  alice,
  berlin,
  bob,
  carol,
  emails,
  entryOf,
  eve,
  fritz,
  people,
  popup,
  rita,
  startEvents,
  sten,
  wanda,
  withEntry,
  zoned,
  type EventGateway,
  type Shown,
} from './event.harness.ts';
import { guestListWays } from './guest-list-ways.ts';

/**
 * Who may change what. Carl made each event on Alice's calendar, Bob and Carol are guests with calendars here, Eve is a guest
 * without one, and Wanda writes to all calendars. One letter for each of the first eight callers says what comes of a change:
 * D it is done, K everything is kept with a warning, S it is no change, I immutable, O for the organizer only, F forbidden.
 */
const carl = 'carl@example.com';
const newcomer = 'newcomer@elsewhere.example';
interface Caller {
  readonly as: string;
  readonly calendarId: string;
  readonly event?: { readonly guestsCanModify?: boolean; readonly guestsCanInviteOthers?: boolean };
  readonly locked?: boolean;
  /** The outcome whatever is sent. */
  readonly always?: string;
}
const modify = { guestsCanModify: true, guestsCanInviteOthers: false };
const callers: Readonly<Record<string, Caller>> = {
  'the organizer': { as: alice, calendarId: alice },
  'a guest': { as: bob, calendarId: bob },
  'a guest where guests can modify': { as: bob, calendarId: bob, event: modify },
  'a guest where guests cannot invite others': {
    as: bob,
    calendarId: bob,
    event: { guestsCanInviteOthers: false },
  },
  "a writer on a guest's calendar": { as: wanda, calendarId: bob },
  "a writer on the organizer's calendar": { as: wanda, calendarId: alice },
  'the creator, who is not the organizer': { as: carl, calendarId: alice },
  'a guest with a locked copy, where guests can modify': {
    as: bob,
    calendarId: bob,
    event: modify,
    locked: true,
  },
  'a reader': { as: rita, calendarId: alice, always: 'FORBIDDEN forbidden' },
  'a free/busy reader': { as: fritz, calendarId: alice, always: 'FORBIDDEN forbidden' },
  'a stranger': { as: sten, calendarId: alice, always: 'NOT_FOUND notFound' },
};

/** Where a change is seen: on all copies, on this copy by all its users, or by the caller only. */
type Scope = 'shared' | 'copy' | 'caller';
type Body = object | ((seen: Shown, own: string) => object);
interface Row {
  readonly scope?: Scope;
  /** What an event shows when it is done; the body unless told. */
  readonly shows?: (event: Shown, own: string) => boolean;
}
const at = (time: string) => ({ dateTime: `2026-12-01T${time}:00+01:00`, timeZone: berlin });
const [copy, caller]: Row[] = [{ scope: 'copy' }, { scope: 'caller' }];
const answer =
  (change: object): Body =>
  (seen, own) =>
    withEntry(seen, own, change);
const showsAnswer = (name: string, value: unknown): Row => ({
  shows: (event, own) => entryOf(event, own)[name] === value,
});
const [point, file] = [
  { entryPointType: 'phone', uri: 'tel:+49-30-5550100', regionCode: 'DE' },
  { fileUrl: 'https://files.example/plan', fileId: 'plan' },
];

type Line = readonly [name: string, verdicts: string, body: Body, row?: Row];
const rows: readonly Line[] = [
  [
    'read-only fields',
    'KKKKKKKK',
    ({ locked }) => ({
      created: '2001-01-01T00:00:00Z',
      updated: '2001-01-01T00:00:00Z',
      creator: { email: sten },
      organizer: { email: sten },
      etag: '"other"',
      htmlLink: 'https://x.example',
      callLink: 'https://x.example',
      kind: 'calendar#other',
      locked: !locked,
    }),
  ],
  [
    'attachments[].fileId and iconLink',
    'KKKKKKKK',
    { attachments: [{ ...file, fileId: 'other', iconLink: 'https://x.example/icon' }] },
  ],
  [
    'createRequest.status and entryPoints[].regionCode',
    'KKKKKKKK',
    {
      conferenceData: {
        createRequest: { status: { statusCode: 'failure' } },
        entryPoints: [{ ...point, regionCode: 'US' }],
      },
    },
  ],
  [
    'immutable fields',
    'IIIIIIII',
    {
      id: 'another',
      iCalUID: 'another@x.example',
      recurringEventId: 'another',
      originalStartTime: at('10:00'),
      privateCopy: true,
    },
  ],
  [
    'immutable fields as they are',
    'SSSSSSSS',
    ({ id, iCalUID }) => ({
      id,
      iCalUID,
      recurringEventId: null,
      originalStartTime: null,
      privateCopy: false,
    }),
  ],
  [
    'source',
    'FFFFFFDF',
    { source: { title: 'New', url: 'https://tracker.example/2' } },
    { shows: ({ source }) => source === null || source.title === 'New' },
  ],
  ['reminders', 'DDDDDDDD', { reminders: { useDefault: false, overrides: [popup(5)] } }, caller],
  ['extendedProperties.private', 'DDDDDDDD', { extendedProperties: { private: { mine: '1' } } }, copy],
  ['colorId', 'DDDDDDDD', { colorId: '5' }, copy],
  ['transparency', 'DDDDDDDD', { transparency: 'transparent' }, copy],
  ['visibility', 'DDDDDDDD', { visibility: 'confidential' }, copy],
  [
    'guestsCanInviteOthers',
    'DOOOODDO',
    ({ guestsCanInviteOthers: was }) => ({ guestsCanInviteOthers: !was }),
    { shows: () => true },
  ],
  [
    'guestsCanModify',
    'DOOOODDO',
    ({ guestsCanModify: was }) => ({ guestsCanModify: !was }),
    { shows: () => true },
  ],
  ['guestsCanSeeOtherGuests', 'DOOOODDO', { guestsCanSeeOtherGuests: false }],
  ['anyoneCanAddSelf', 'DOOOODDO', { anyoneCanAddSelf: true }],
  ['summary', 'DODOODDF', { summary: 'New' }],
  ['description', 'DODOODDF', { description: null }],
  ['location', 'DODOODDF', { location: 'New' }],
  ['start', 'DODOODDF', { start: at('09:30') }],
  ['end', 'DODOODDF', { end: at('11:30') }],
  ['recurrence', 'DODOODDF', { recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] }],
  ['endTimeUnspecified', 'DODOODDD', { endTimeUnspecified: true }],
  ['sequence', 'DODOODDD', { sequence: 9 }],
  ['gadget', 'DODOODDD', { gadget: { title: 'New' } }],
  ['extendedProperties.shared', 'DODOODDD', { extendedProperties: { shared: { ours: '1' } } }],
  ['attachments', 'DODOODDD', { attachments: [{ fileUrl: 'https://files.example/new' }] }],
  ['conferenceData', 'DODOODDD', { conferenceData: { notes: 'New' } }],
  ['status: tentative', 'DODOODDD', { status: 'tentative' }],
  ['status: cancelled', 'DDDDDDDD', { status: 'cancelled' }, { shows: () => true }],
];

/** What is sent of the guest list is said in each way. */
const guestRows: readonly Line[] = [
  [
    'attendees[].self and organizer',
    'KKKKKKKK',
    (seen, own) => withEntry(seen, own, { self: false, organizer: own !== alice }),
  ],
  ['everything as it was shown', 'SSSSSSSS', (seen) => seen],
  ['resource of a listed guest', 'KKKKKKKK', (seen) => withEntry(seen, eve, { resource: true })],
  [
    'own responseStatus',
    'DDDDDDDD',
    answer({ responseStatus: 'declined' }),
    showsAnswer('responseStatus', 'declined'),
  ],
  ['own comment', 'DDDDDDDD', answer({ comment: 'Sorry' }), showsAnswer('comment', 'Sorry')],
  ['own additionalGuests', 'DDDDDDDD', answer({ additionalGuests: 2 }), showsAnswer('additionalGuests', 2)],
  [
    'the answer of a guest with a calendar here',
    'KKKKKKKK',
    (seen) =>
      withEntry(seen, carol, { responseStatus: 'accepted', comment: 'Not mine', additionalGuests: 7 }),
  ],
  [
    'the answer of a guest without one',
    'DOOOODDO',
    (seen) => withEntry(seen, eve, { responseStatus: 'accepted' }),
    {
      shows: (event) => entryOf(event, eve).responseStatus === 'accepted',
    },
  ],
  [
    'one guest more',
    'DDDODDDD',
    ({ attendees }) => ({ attendees: [...attendees, { email: newcomer, resource: true }] }),
    {
      shows: (event) => entryOf(event, newcomer)?.resource,
    },
  ],
  [
    'one guest less',
    'DODOODDD',
    ({ attendees }) => ({ attendees: attendees.filter(({ email }: Shown) => email !== eve) }),
    { shows: (event) => !emails(event).includes(eve) },
  ],
  [
    "another guest's displayName",
    'DODOODDD',
    (seen) => withEntry(seen, eve, { displayName: 'Eve' }),
    { shows: (event) => entryOf(event, eve).displayName === 'Eve' },
  ],
  ['own optional', 'DODOODDD', answer({ optional: true }), showsAnswer('optional', true)],
];

const refusals: Readonly<Record<string, string>> = {
  I: 'BAD_USER_INPUT immutable',
  O: 'FORBIDDEN forbiddenForNonOrganizer',
  F: 'FORBIDDEN forbidden',
};
const said = [
  ...rows.flatMap((row) => guestListWays.slice(0, 1).map(([way, patchBy]) => ({ row, way, patchBy }))),
  ...guestRows.flatMap((row) => guestListWays.map(([way, patchBy]) => ({ row, way, patchBy }))),
];
const cells = said.flatMap(({ row: [name, verdicts, body, row = {}], patchBy, way }, line) =>
  Object.entries(callers).map(([who, by], column) => ({
    name,
    who,
    by,
    body,
    row,
    way,
    patchBy,
    verdict: by.always ?? refusals[verdicts[column] as string] ?? (verdicts[column] as string),
    id: `cell${line}x${column}`,
  })),
);
const eventOf = ({ id, by }: (typeof cells)[number]) => ({
  id,
  iCalUID: `${id}@x.example`,
  summary: 'Plan',
  description: 'Old',
  location: 'Room 1',
  sequence: 3,
  ...zoned,
  ...by.event,
  organizer: { email: alice },
  creator: { email: carl },
  source: { title: 'Tracker', url: 'https://tracker.example/1' },
  attendees: [
    { email: alice, responseStatus: 'accepted' },
    { email: bob, comment: 'Maybe' },
    { email: carol },
    { email: eve },
  ],
  attachments: [file],
  conferenceData: {
    conferenceId: 'abcdefghij',
    conferenceSolution: { key: { type: 'hostedCall' } },
    entryPoints: [point],
    createRequest: {
      requestId: 'first',
      conferenceSolutionKey: { type: 'hostedCall' },
      status: { statusCode: 'success' },
    },
  },
});

describe('who may change what', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    const locked = cells.filter(({ by }) => by.locked).map((cell) => ({ ...eventOf(cell), locked: true }));
    const [first, ...others] = people(cells.map(eventOf), locked);
    const calendars = [
      { ...first, acl: [...(first?.acl ?? []), { email: carl, role: 'writer' }] },
      ...others,
    ];
    gateway = await startEvents({ seed: { calendars } });
  });
  afterAll(() => gateway.close());

  test.each(cells)('$name ($way): $who: $verdict', async ({ id, name, by, body, row, patchBy, verdict }) => {
    const { as, calendarId } = by;
    const views = () => Promise.all([gateway.on(alice, id), gateway.on(bob, id)]);
    const before = await views();
    const shown = await gateway.on(calendarId, id, by.always === undefined ? as : alice);
    const sent = typeof body === 'function' ? body(shown, calendarId) : body;
    const answered = await patchBy(() => gateway)(id, sent, {
      as,
      calendarId,
      conferenceDataVersion: 1,
      supportsAttachments: true,
    });
    const { problems, notes, event } = answered;
    const after = await views();

    if (verdict.length > 1) {
      const [code, reason] = verdict.split(' ');
      expect(answered.errors).toMatchObject([{ extensions: { code, reason } }]);
      if (name === 'immutable fields' && by.always === undefined)
        expect(problems.toSorted()).toEqual(
          Object.keys(sent)
            .sort()
            .map((field) => `${code} event.${field} ${reason}`),
        );
      expect([event, after]).toEqual([null, before]);
      return;
    }
    expect(problems).toEqual([]);
    if (verdict !== 'D') {
      expect([event, after]).toEqual([shown, before]);
      if (verdict === 'S') expect(notes).toEqual([]);
      else expect(notes).toEqual(notes.filter((note) => /^event\.\S+ (readOnly|ignored)$/.test(note)));
      if (name === 'read-only fields')
        expect(notes.toSorted()).toEqual(
          Object.keys(sent)
            .sort()
            .map((field) => `event.${field} readOnly`),
        );
      expect(notes.length > 0).toBe(verdict === 'K');
      return;
    }
    expect(notes).toEqual([]);
    const done = (view: Shown): void => {
      if (row.shows) expect(row.shows(view, calendarId)).toBe(true);
      else expect(view).toMatchObject(sent);
    };
    done(event);
    expect(event.etag).not.toBe(shown.etag);
    for (const [index, owner] of [alice, bob].entries()) {
      const isHere = owner === calendarId && (row.scope !== 'caller' || as === owner);
      if ((row.scope ?? 'shared') !== 'shared' && !isHere) expect(after[index]).toEqual(before[index]);
      else if (name !== 'status: cancelled') done(after[index]);
    }
    if (name === 'status: cancelled')
      expect(after.map(({ status }) => status)).toEqual([
        calendarId === alice ? 'cancelled' : 'confirmed',
        'cancelled',
      ]);
  });
});
