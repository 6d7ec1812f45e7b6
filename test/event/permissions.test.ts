import {
  alice,
  berlin,
  bob,
  carol,
  emailsOf,
  guestEntryOf,
  eve,
  sampleCalendars,
  popupOverride,
  withChangedGuest,
  zonedHour,
  type EventJson,
  useEventGateway,
  fritz,
  rita,
  sten,
  wanda,
} from './event.harness.ts';
import { guestListMethods } from './guest-list-methods.ts';

/**
 * Permissions by field and role. Carl created each event on Alice's calendar. Bob and Carol are guests with calendars
 * here, Eve is a guest without one, and Wanda writes to all calendars. A row has a field and its rule; a rule has the
 * outcome of a change by each role. Readers and strangers are always refused.
 */
const carl = 'carl@example.com';
const newcomer = 'newcomer@elsewhere.example';
interface Caller {
  readonly as: string;
  readonly calendarId: string;
  readonly event?: { readonly guestsCanModify?: boolean; readonly guestsCanInviteOthers?: boolean };
  readonly locked?: boolean;
}
const modifyWithoutInviting = { guestsCanModify: true, guestsCanInviteOthers: false };
const callers = {
  organizer: { as: alice, calendarId: alice },
  guest: { as: bob, calendarId: bob },
  'guest who can modify': { as: bob, calendarId: bob, event: modifyWithoutInviting },
  'guest who cannot invite others': { as: bob, calendarId: bob, event: { guestsCanInviteOthers: false } },
  "writer on a guest's calendar": { as: wanda, calendarId: bob },
  "writer on the organizer's calendar": { as: wanda, calendarId: alice },
  'creator who is not the organizer': { as: carl, calendarId: alice },
  'guest who can modify, with a locked copy': {
    as: bob,
    calendarId: bob,
    event: modifyWithoutInviting,
    locked: true,
  },
  reader: { as: rita, calendarId: alice },
  'free/busy reader': { as: fritz, calendarId: alice },
  stranger: { as: sten, calendarId: alice },
} satisfies Readonly<Record<string, Caller>>;
type Role = keyof typeof callers;

/** Outcome of a change: applied, dropped with a warning, without effect, or refused. */
type ChangeOutcome = 'applied' | 'dropped' | 'unchanged' | keyof typeof refusals;
const refusals = {
  immutable: ['BAD_USER_INPUT', 'immutable'],
  'organizer only': ['FORBIDDEN', 'forbiddenForNonOrganizer'],
  forbidden: ['FORBIDDEN', 'forbidden'],
  'not found': ['NOT_FOUND', 'notFound'],
} as const;
const roles = Object.keys(callers) as Role[];
const outsiderOutcomes: Readonly<Partial<Record<Role, ChangeOutcome>>> = {
  reader: 'forbidden',
  'free/busy reader': 'forbidden',
  stranger: 'not found',
};
const guestRoles: Role[] = ['guest', 'guest who cannot invite others', "writer on a guest's calendar"];
type Rule = Readonly<Record<Role, ChangeOutcome>>;
/** Makes a rule with one outcome for all roles except the given ones. */
const createRule = (
  outcome: ChangeOutcome,
  exceptions: Readonly<Partial<Record<Role, ChangeOutcome>>> = {},
): Rule =>
  Object.fromEntries(
    roles.map((role) => [role, outsiderOutcomes[role] ?? exceptions[role] ?? outcome]),
  ) as Rule;
const createAppliedRule = (
  exceptedRoles: Role[],
  outcome: ChangeOutcome,
  lockedOutcome: ChangeOutcome = 'applied',
): Rule =>
  createRule('applied', {
    'guest who can modify, with a locked copy': lockedOutcome,
    ...Object.fromEntries(exceptedRoles.map((role) => [role, outcome])),
  });
const [appliedForAll, droppedForAll, unchangedForAll, immutableForAll] = (
  ['applied', 'dropped', 'unchanged', 'immutable'] as const
).map((outcome) => createRule(outcome)) as [Rule, Rule, Rule, Rule];
const allGuestRoles: Role[] = [...guestRoles, 'guest who can modify'];
/** Applied on the organizer's calendar only. */
const organizerOnly = createAppliedRule(allGuestRoles, 'organizer only', 'organizer only');
/** Applied for guests who can modify the event, too. */
const guestsWhoCanModify = createAppliedRule(guestRoles, 'organizer only');
/** Applied for guests who can modify the event, but not on locked copies. */
const guestsWhoCanModifyUnlessLocked = createAppliedRule(guestRoles, 'organizer only', 'forbidden');
/** Applied for guests who can invite others, too. */
const guestsWhoCanInvite = createAppliedRule(['guest who cannot invite others'], 'organizer only');
const creatorOnly = createRule('forbidden', { 'creator who is not the organizer': 'applied' });

/** Reach of a change: all copies of the event, this copy, or the caller's view only. */
type Scope = 'shared' | 'copy' | 'caller';
/** A body, or a function that makes it from the event the caller sees and the calendar owner's address. */
type Body = object | ((seen: EventJson, own: string) => object);
interface RowOptions {
  readonly scope?: Scope;
  /** Whether an event shows the change; by default, whether it matches the body. */
  readonly shows?: (event: EventJson, ownAddress: string) => boolean;
}
const berlinTime = (time: string) => ({ dateTime: `2026-12-01T${time}:00+01:00`, timeZone: berlin });
const [copyScope, callerScope]: RowOptions[] = [{ scope: 'copy' }, { scope: 'caller' }];
const changeOwnRoles: Body = (seen, own) =>
  withChangedGuest(seen, own, { self: false, organizer: own !== alice });
const toggleField =
  (field: string): Body =>
  (seen) => ({ [field]: !seen[field] });
const changeEntry =
  (email: string, change: object): Body =>
  (seen) =>
    withChangedGuest(seen, email, change);
const phoneEntryPoint = { entryPointType: 'phone', uri: 'tel:+49-30-5550100', regionCode: 'DE' };
const planFile = { fileUrl: 'https://files.example/plan', fileId: 'plan' };

type TableRow = readonly [name: string, rule: Rule, body: Body, row?: RowOptions];
/** Rows that change one field of the caller's own entry in the guest list, or of Eve's. */
const changeOwnEntry = (field: string, value: unknown, rule: Rule): TableRow => [
  `own ${field}`,
  rule,
  (seen, own) => withChangedGuest(seen, own, { [field]: value }),
  { shows: (event, own) => guestEntryOf(event, own)[field] === value },
];
const changeEvesEntry = (field: string, value: unknown, rule: Rule): TableRow => [
  `${field} of a guest without a calendar`,
  rule,
  changeEntry(eve, { [field]: value }),
  { shows: (event) => guestEntryOf(event, eve)?.[field] === value },
];
const longAgo = '2001-01-01T00:00:00Z';
const readOnlyFields = { created: longAgo, updated: longAgo, etag: '"other"', kind: 'calendar#other' };
const otherLinks = { htmlLink: 'https://x.example', callLink: 'https://x.example' };
const otherPeople = { creator: { email: sten }, organizer: { email: sten } };
const otherIds = { id: 'another', iCalUID: 'another@x.example', recurringEventId: 'another' };
const unsetFields = { recurringEventId: null, originalStartTime: null, privateCopy: false };
const otherFile = { ...planFile, fileId: 'other', iconLink: 'https://x.example/icon' };
const failedConference = {
  createRequest: { status: { statusCode: 'failure' } },
  entryPoints: [{ ...phoneEntryPoint, regionCode: 'US' }],
};
const source = { title: 'New', url: 'https://tracker.example/2' };
const alwaysShown: RowOptions = { shows: () => true };
const rows: readonly TableRow[] = [
  [
    'read-only fields',
    droppedForAll,
    ({ locked }) => ({ ...readOnlyFields, ...otherLinks, ...otherPeople, locked: !locked }),
  ],
  ['attachments[].fileId and iconLink', droppedForAll, { attachments: [otherFile] }],
  ['createRequest.status and entryPoints[].regionCode', droppedForAll, { conferenceData: failedConference }],
  [
    'immutable fields',
    immutableForAll,
    { ...otherIds, originalStartTime: berlinTime('10:00'), privateCopy: true },
  ],
  ['immutable fields as they are', unchangedForAll, ({ id, iCalUID }) => ({ id, iCalUID, ...unsetFields })],
  ['source', creatorOnly, { source }, { shows: ({ source: seen }) => seen === null || seen.title === 'New' }],
  [
    'reminders',
    appliedForAll,
    { reminders: { useDefault: false, overrides: [popupOverride(5)] } },
    callerScope,
  ],
  [
    'extendedProperties.private',
    appliedForAll,
    { extendedProperties: { private: { mine: '1' } } },
    copyScope,
  ],
  ['colorId', appliedForAll, { colorId: '5' }, copyScope],
  ['transparency', appliedForAll, { transparency: 'transparent' }, copyScope],
  ['visibility', appliedForAll, { visibility: 'confidential' }, copyScope],
  ['guestsCanInviteOthers', organizerOnly, toggleField('guestsCanInviteOthers'), alwaysShown],
  ['guestsCanModify', organizerOnly, toggleField('guestsCanModify'), alwaysShown],
  ['guestsCanSeeOtherGuests', organizerOnly, { guestsCanSeeOtherGuests: false }],
  ['anyoneCanAddSelf', organizerOnly, { anyoneCanAddSelf: true }],
  ['summary', guestsWhoCanModifyUnlessLocked, { summary: 'New' }],
  ['description', guestsWhoCanModifyUnlessLocked, { description: null }],
  ['location', guestsWhoCanModifyUnlessLocked, { location: 'New' }],
  ['start', guestsWhoCanModifyUnlessLocked, { start: berlinTime('09:30') }],
  ['end', guestsWhoCanModifyUnlessLocked, { end: berlinTime('11:30') }],
  ['recurrence', guestsWhoCanModifyUnlessLocked, { recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] }],
  ['endTimeUnspecified', guestsWhoCanModify, { endTimeUnspecified: true }],
  ['sequence', guestsWhoCanModify, { sequence: 9 }],
  ['gadget', guestsWhoCanModify, { gadget: { title: 'New' } }],
  ['extendedProperties.shared', guestsWhoCanModify, { extendedProperties: { shared: { ours: '1' } } }],
  ['attachments', guestsWhoCanModify, { attachments: [{ fileUrl: 'https://files.example/new' }] }],
  ['conferenceData', guestsWhoCanModify, { conferenceData: { notes: 'New' } }],
  ['status: tentative', guestsWhoCanModify, { status: 'tentative' }],
  ['status: cancelled', appliedForAll, { status: 'cancelled' }, alwaysShown],
];

const carolsResponse = { responseStatus: 'accepted', comment: 'Not mine', additionalGuests: 7 };
const invitedRoom = { email: newcomer, resource: true };
/** Changes of the guest list, each sent as `attendees` and as `attendeeChanges`. */
const guestRows: readonly TableRow[] = [
  ['attendees[].self and organizer', droppedForAll, changeOwnRoles],
  ['everything as it was shown', unchangedForAll, (seen) => seen],
  ['resource of a listed guest', droppedForAll, changeEntry(eve, { resource: true })],
  changeOwnEntry('responseStatus', 'declined', appliedForAll),
  changeOwnEntry('comment', 'Sorry', appliedForAll),
  changeOwnEntry('additionalGuests', 2, appliedForAll),
  ['the response of a guest with a calendar here', droppedForAll, changeEntry(carol, carolsResponse)],
  changeEvesEntry('responseStatus', 'accepted', organizerOnly),
  [
    'another guest',
    guestsWhoCanInvite,
    ({ attendees }) => ({ attendees: [...attendees, invitedRoom] }),
    { shows: (event) => guestEntryOf(event, newcomer)?.resource === true },
  ],
  [
    'removal of a guest',
    guestsWhoCanModify,
    ({ attendees }) => ({ attendees: attendees.filter(({ email }: EventJson) => email !== eve) }),
    { shows: (event) => !emailsOf(event).includes(eve) },
  ],
  changeEvesEntry('displayName', 'Eve', guestsWhoCanModify),
  changeOwnEntry('optional', true, guestsWhoCanModify),
];

const [byAttendees] = guestListMethods;
const requests = [
  ...rows.map((tableRow) => ({ tableRow, methods: byAttendees ? [byAttendees] : [] })),
  ...guestRows.map((tableRow) => ({ tableRow, methods: guestListMethods })),
].flatMap(({ tableRow, methods }) => methods.map(([method, patchBy]) => ({ tableRow, method, patchBy })));
/** Table cells: a test per change, method and role, each with its own event. */
const cells = requests.flatMap(({ tableRow: [name, rule, body, row = {}], patchBy, method }, index) =>
  roles.map((role, column) => {
    const caller: Caller = callers[role];
    const id = `cell${index}x${column}`;
    return { name, role, caller, body, row, method, patchBy, outcome: rule[role], id };
  }),
);
const conferenceKey = { type: 'hostedCall' };
const createRequest = {
  requestId: 'first',
  conferenceSolutionKey: conferenceKey,
  status: { statusCode: 'success' },
};
const hostedCall = {
  conferenceId: 'abcdefghij',
  conferenceSolution: { key: conferenceKey },
  entryPoints: [phoneEntryPoint],
};
const conferenceData = { ...hostedCall, createRequest };
const seedEventOf = ({ id, caller }: (typeof cells)[number]) => ({
  id,
  iCalUID: `${id}@x.example`,
  summary: 'Plan',
  description: 'Old',
  location: 'Room 1',
  sequence: 3,
  ...zonedHour,
  ...caller.event,
  organizer: { email: alice },
  creator: { email: carl },
  source: { title: 'Tracker', url: 'https://tracker.example/1' },
  attendees: [
    { email: alice, responseStatus: 'accepted' },
    { email: bob, comment: 'Maybe' },
    { email: carol },
    { email: eve },
  ],
  attachments: [planFile],
  conferenceData,
});

describe('permissions by field and role', () => {
  const lockedCopies = cells
    .filter(({ caller }) => caller.locked)
    .map((cell) => ({ ...seedEventOf(cell), locked: true }));
  const [alicesCalendar, ...otherCalendars] = sampleCalendars(cells.map(seedEventOf), lockedCopies);
  const calendars = [
    { ...alicesCalendar, acl: [...(alicesCalendar?.acl ?? []), { email: carl, role: 'writer' }] },
    ...otherCalendars,
  ];
  const gateway = useEventGateway({ seed: { calendars } });

  test.each(cells)(
    '$name, $method: $outcome, $role',
    async ({ id, name, caller, body, row, patchBy, ...cell }) => {
      const { as, calendarId } = caller;
      const readBothCopies = () => Promise.all([gateway.readOn(alice, id), gateway.readOn(bob, id)]);
      const before = await readBothCopies();
      const shownEvent = await gateway.readOn(calendarId, id, cell.role in outsiderOutcomes ? alice : as);
      const sentBody = typeof body === 'function' ? body(shownEvent, calendarId) : body;
      const options = { as, calendarId, conferenceDataVersion: 1, supportsAttachments: true };
      const { problems, warningTexts, event, errors } = await patchBy(gateway)(id, sentBody, options);
      const after = await readBothCopies();
      const fields = Object.keys(sentBody).sort();

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
        expect(warningTexts).not.toEqual([]);
        expect(warningTexts).toEqual(
          warningTexts.filter((warningText) => /^event\.\S+ (readOnly|ignored)$/.test(warningText)),
        );
        if (name === 'read-only fields')
          expect(warningTexts.toSorted()).toEqual(fields.map((field) => `event.${field} readOnly`));
      } else expect(warningTexts).toEqual([]);
      if (cell.outcome !== 'applied') {
        expect([event, after]).toEqual([shownEvent, before]);
        return;
      }
      const expectApplied = (view: EventJson): void => {
        if (row.shows) expect(row.shows(view, calendarId)).toBe(true);
        else expect(view).toMatchObject(sentBody);
      };
      expectApplied(event);
      expect(event.etag).not.toBe(shownEvent.etag);
      for (const [index, owner] of [alice, bob].entries()) {
        const isVisibleOnCopy = owner === calendarId && (row.scope !== 'caller' || as === owner);
        if ((row.scope ?? 'shared') !== 'shared' && !isVisibleOnCopy)
          expect(after[index]).toEqual(before[index]);
        else if (name !== 'status: cancelled') expectApplied(after[index]);
      }
      if (name === 'status: cancelled') {
        const organizersStatus = calendarId === alice ? 'cancelled' : 'confirmed';
        expect(after.map(({ status }) => status)).toEqual([organizersStatus, 'cancelled']);
      }
    },
  );
});
