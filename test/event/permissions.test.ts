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
  sten,
  wanda,
  withEntry,
  zoned,
  type Shown,
  useEvents,
} from './event.harness.ts';
import { guestListWays } from './guest-list-ways.ts';

/**
 * Who may change what. Carl made each event on Alice's calendar, Bob and Carol are guests with calendars here, Eve is a guest
 * without one, and Wanda writes to all calendars. A row names a field and the rule it is under; a rule says for each role
 * what comes of a change. Readers and strangers are refused whatever they send.
 */
const carl = 'carl@example.com';
const newcomer = 'newcomer@elsewhere.example';
interface Caller {
  readonly as: string;
  readonly calendarId: string;
  readonly event?: { readonly guestsCanModify?: boolean; readonly guestsCanInviteOthers?: boolean };
  readonly locked?: boolean;
}
const modify = { guestsCanModify: true, guestsCanInviteOthers: false };
const callers = {
  organizer: { as: alice, calendarId: alice },
  guest: { as: bob, calendarId: bob },
  'guest who can modify': { as: bob, calendarId: bob, event: modify },
  'guest who cannot invite others': { as: bob, calendarId: bob, event: { guestsCanInviteOthers: false } },
  "writer on a guest's calendar": { as: wanda, calendarId: bob },
  "writer on the organizer's calendar": { as: wanda, calendarId: alice },
  'creator who is not the organizer': { as: carl, calendarId: alice },
  'guest who can modify, with a locked copy': { as: bob, calendarId: bob, event: modify, locked: true },
  reader: { as: rita, calendarId: alice },
  'free/busy reader': { as: fritz, calendarId: alice },
  stranger: { as: sten, calendarId: alice },
} satisfies Readonly<Record<string, Caller>>;
type Role = keyof typeof callers;

/**
 * Outcome of a change: it is applied, dropped with a warning, no change at all, or refused: for a field that is
 * immutable, for all but the organizer, for the role, or since the event is not seen.
 */
type Outcome = 'applied' | 'dropped' | 'unchanged' | keyof typeof refusals;
const refusals = {
  immutable: ['BAD_USER_INPUT', 'immutable'],
  'organizer only': ['FORBIDDEN', 'forbiddenForNonOrganizer'],
  forbidden: ['FORBIDDEN', 'forbidden'],
  'not found': ['NOT_FOUND', 'notFound'],
} as const;
const roles = Object.keys(callers) as Role[];
const outsiders: Readonly<Partial<Record<Role, Outcome>>> = {
  reader: 'forbidden',
  'free/busy reader': 'forbidden',
  stranger: 'not found',
};
const guestRoles: Role[] = ['guest', 'guest who cannot invite others', "writer on a guest's calendar"];
type Rule = Readonly<Record<Role, Outcome>>;
/** Gives all roles one outcome, but for the roles that are named. */
const allRoles = (outcome: Outcome, others: Readonly<Partial<Record<Role, Outcome>>> = {}): Rule =>
  Object.fromEntries(roles.map((role) => [role, outsiders[role] ?? others[role] ?? outcome])) as Rule;
const allBut = (named: readonly Role[], outcome: Outcome, locked: Outcome = 'applied'): Rule =>
  allRoles('applied', {
    'guest who can modify, with a locked copy': locked,
    ...Object.fromEntries(named.map((role) => [role, outcome])),
  });
const [applied, dropped, unchanged, immutable] = (
  ['applied', 'dropped', 'unchanged', 'immutable'] as const
).map((outcome) => allRoles(outcome)) as [Rule, Rule, Rule, Rule];
/** For the organizer's calendar. */
const organizers = allBut([...guestRoles, 'guest who can modify'], 'organizer only', 'organizer only');
/** Adds guests who can modify the event to those above. */
const modifiers = allBut(guestRoles, 'organizer only');
/** Restricts those above to copies that are not locked. */
const modifiersUnlocked = allBut(guestRoles, 'organizer only', 'forbidden');
/** For guests too, unless they cannot invite others. */
const inviters = allBut(['guest who cannot invite others'], 'organizer only');
const creators = allRoles('forbidden', { 'creator who is not the organizer': 'applied' });

/** Where a change is seen: on all copies, on this copy by all its users, or by the caller only. */
type Scope = 'shared' | 'copy' | 'caller';
type Body = object | ((seen: Shown, own: string) => object);
interface Row {
  readonly scope?: Scope;
  /** Whether an event shows that it is done; the body unless told. */
  readonly shows?: (event: Shown, own: string) => boolean;
}
const at = (time: string) => ({ dateTime: `2026-12-01T${time}:00+01:00`, timeZone: berlin });
const [copy, caller]: Row[] = [{ scope: 'copy' }, { scope: 'caller' }];
const answer =
  (change: object): Body =>
  (seen, own) =>
    withEntry(seen, own, change);
const toggled =
  (field: string): Body =>
  (seen) => ({ [field]: !seen[field] });
const entry =
  (email: string, change: object): Body =>
  (seen) =>
    withEntry(seen, email, change);
const showsEntry = (email: string, name: string, value: unknown): Row => ({
  shows: (event) => entryOf(event, email)?.[name] === value,
});
const showsAnswer = (name: string, value: unknown): Row => ({
  shows: (event, own) => entryOf(event, own)[name] === value,
});
const [point, file] = [
  { entryPointType: 'phone', uri: 'tel:+49-30-5550100', regionCode: 'DE' },
  { fileUrl: 'https://files.example/plan', fileId: 'plan' },
];

type Line = readonly [name: string, rule: Rule, body: Body, row?: Row];
const longAgo = '2001-01-01T00:00:00Z';
const readOnly = { created: longAgo, updated: longAgo, etag: '"other"', kind: 'calendar#other' };
const links = { htmlLink: 'https://x.example', callLink: 'https://x.example' };
const others = { creator: { email: sten }, organizer: { email: sten } };
const ids = { id: 'another', iCalUID: 'another@x.example', recurringEventId: 'another' };
const unset = { recurringEventId: null, originalStartTime: null, privateCopy: false };
const otherFile = { ...file, fileId: 'other', iconLink: 'https://x.example/icon' };
const failed = {
  createRequest: { status: { statusCode: 'failure' } },
  entryPoints: [{ ...point, regionCode: 'US' }],
};
const source = { title: 'New', url: 'https://tracker.example/2' };
const always: Row = { shows: () => true };
const rows: readonly Line[] = [
  ['read-only fields', dropped, ({ locked }) => ({ ...readOnly, ...links, ...others, locked: !locked })],
  ['attachments[].fileId and iconLink', dropped, { attachments: [otherFile] }],
  ['createRequest.status and entryPoints[].regionCode', dropped, { conferenceData: failed }],
  ['immutable fields', immutable, { ...ids, originalStartTime: at('10:00'), privateCopy: true }],
  ['immutable fields as they are', unchanged, ({ id, iCalUID }) => ({ id, iCalUID, ...unset })],
  ['source', creators, { source }, { shows: ({ source: seen }) => seen === null || seen.title === 'New' }],
  ['reminders', applied, { reminders: { useDefault: false, overrides: [popup(5)] } }, caller],
  ['extendedProperties.private', applied, { extendedProperties: { private: { mine: '1' } } }, copy],
  ['colorId', applied, { colorId: '5' }, copy],
  ['transparency', applied, { transparency: 'transparent' }, copy],
  ['visibility', applied, { visibility: 'confidential' }, copy],
  ['guestsCanInviteOthers', organizers, toggled('guestsCanInviteOthers'), always],
  ['guestsCanModify', organizers, toggled('guestsCanModify'), always],
  ['guestsCanSeeOtherGuests', organizers, { guestsCanSeeOtherGuests: false }],
  ['anyoneCanAddSelf', organizers, { anyoneCanAddSelf: true }],
  ['summary', modifiersUnlocked, { summary: 'New' }],
  ['description', modifiersUnlocked, { description: null }],
  ['location', modifiersUnlocked, { location: 'New' }],
  ['start', modifiersUnlocked, { start: at('09:30') }],
  ['end', modifiersUnlocked, { end: at('11:30') }],
  ['recurrence', modifiersUnlocked, { recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] }],
  ['endTimeUnspecified', modifiers, { endTimeUnspecified: true }],
  ['sequence', modifiers, { sequence: 9 }],
  ['gadget', modifiers, { gadget: { title: 'New' } }],
  ['extendedProperties.shared', modifiers, { extendedProperties: { shared: { ours: '1' } } }],
  ['attachments', modifiers, { attachments: [{ fileUrl: 'https://files.example/new' }] }],
  ['conferenceData', modifiers, { conferenceData: { notes: 'New' } }],
  ['status: tentative', modifiers, { status: 'tentative' }],
  ['status: cancelled', applied, { status: 'cancelled' }, always],
];

/** What is sent of the guest list is said in each way. */
const carolsAnswer = { responseStatus: 'accepted', comment: 'Not mine', additionalGuests: 7 };
const accepted = { responseStatus: 'accepted' };
const invited = { email: newcomer, resource: true };
const guestRows: readonly Line[] = [
  [
    'attendees[].self and organizer',
    dropped,
    (seen, own) => withEntry(seen, own, { self: false, organizer: own !== alice }),
  ],
  ['everything as it was shown', unchanged, (seen) => seen],
  ['resource of a listed guest', dropped, entry(eve, { resource: true })],
  ['own answer', applied, answer({ responseStatus: 'declined' }), showsAnswer('responseStatus', 'declined')],
  ['own comment', applied, answer({ comment: 'Sorry' }), showsAnswer('comment', 'Sorry')],
  ['own additionalGuests', applied, answer({ additionalGuests: 2 }), showsAnswer('additionalGuests', 2)],
  ['the answer of a guest with a calendar here', dropped, entry(carol, carolsAnswer)],
  ['the answer of a guest', organizers, entry(eve, accepted), showsEntry(eve, 'responseStatus', 'accepted')],
  [
    'one guest more',
    inviters,
    ({ attendees }) => ({ attendees: [...attendees, invited] }),
    showsEntry(newcomer, 'resource', true),
  ],
  [
    'one guest less',
    modifiers,
    ({ attendees }) => ({ attendees: attendees.filter(({ email }: Shown) => email !== eve) }),
    { shows: (event) => !emails(event).includes(eve) },
  ],
  ["another's name", modifiers, entry(eve, { displayName: 'Eve' }), showsEntry(eve, 'displayName', 'Eve')],
  ['own optional', modifiers, answer({ optional: true }), showsAnswer('optional', true)],
];

const [listWay] = guestListWays;
const sent = [
  ...rows.map((line) => ({ line, ways: listWay ? [listWay] : [] })),
  ...guestRows.map((line) => ({ line, ways: guestListWays })),
].flatMap(({ line, ways }) => ways.map(([way, patchBy]) => ({ line, way, patchBy })));
const cells = sent.flatMap(({ line: [name, rule, body, row = {}], patchBy, way }, index) =>
  roles.map((role, column) => {
    const by: Caller = callers[role];
    return { name, role, by, body, row, way, patchBy, outcome: rule[role], id: `cell${index}x${column}` };
  }),
);
const key = { type: 'hostedCall' };
const createRequest = { requestId: 'first', conferenceSolutionKey: key, status: { statusCode: 'success' } };
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
    conferenceSolution: { key },
    entryPoints: [point],
    createRequest,
  },
});

describe('who may change what', () => {
  const locked = cells.filter(({ by }) => by.locked).map((cell) => ({ ...eventOf(cell), locked: true }));
  const [first, ...others] = people(cells.map(eventOf), locked);
  const calendars = [{ ...first, acl: [...(first?.acl ?? []), { email: carl, role: 'writer' }] }, ...others];
  const gateway = useEvents({ seed: { calendars } });

  test.each(cells)('$name, $way: $outcome, $role', async ({ id, name, by, body, row, patchBy, ...cell }) => {
    const { as, calendarId } = by;
    const views = () => Promise.all([gateway.on(alice, id), gateway.on(bob, id)]);
    const before = await views();
    const shown = await gateway.on(calendarId, id, cell.role in outsiders ? alice : as);
    const sent = typeof body === 'function' ? body(shown, calendarId) : body;
    const options = { as, calendarId, conferenceDataVersion: 1, supportsAttachments: true };
    const { problems, notes, event, errors } = await patchBy(gateway)(id, sent, options);
    const after = await views();
    const fields = Object.keys(sent).sort();

    if (cell.outcome in refusals) {
      const [code, reason] = refusals[cell.outcome as keyof typeof refusals];
      expect(errors).toMatchObject([{ extensions: { code, reason } }]);
      if (cell.outcome === 'immutable')
        expect(problems.toSorted()).toEqual(fields.map((field) => `${code} event.${field} ${reason}`));
      expect([event, after]).toEqual([null, before]);
      return;
    }
    expect(problems).toEqual([]);
    if (cell.outcome === 'dropped') {
      expect(notes).not.toEqual([]);
      expect(notes).toEqual(notes.filter((note) => /^event\.\S+ (readOnly|ignored)$/.test(note)));
      if (name === 'read-only fields')
        expect(notes.toSorted()).toEqual(fields.map((field) => `event.${field} readOnly`));
    } else expect(notes).toEqual([]);
    if (cell.outcome !== 'applied') {
      expect([event, after]).toEqual([shown, before]);
      return;
    }
    const expectDone = (view: Shown): void => {
      if (row.shows) expect(row.shows(view, calendarId)).toBe(true);
      else expect(view).toMatchObject(sent);
    };
    expectDone(event);
    expect(event.etag).not.toBe(shown.etag);
    for (const [index, owner] of [alice, bob].entries()) {
      const isHere = owner === calendarId && (row.scope !== 'caller' || as === owner);
      if ((row.scope ?? 'shared') !== 'shared' && !isHere) expect(after[index]).toEqual(before[index]);
      else if (name !== 'status: cancelled') expectDone(after[index]);
    }
    if (name === 'status: cancelled') {
      const organizers = calendarId === alice ? 'cancelled' : 'confirmed';
      expect(after.map(({ status }) => status)).toEqual([organizers, 'cancelled']);
    }
  });
});
