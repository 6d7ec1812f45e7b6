import { alice, berlin, bob, startEvents, type EventGateway, type Outcome } from './event-http.harness.ts';

const carol = 'carol@example.com';
const dana = 'dana@elsewhere.example';
const newcomer = 'newcomer@elsewhere.example';
const nowhere = 'nowhere@example.com';
const callers = ['wanda', 'walt', 'rita', 'fritz', 'sten'].map((name) => `${name}@example.com`);
const [wanda, walt, rita, fritz, sten] = callers as [string, string, string, string, string];

type Entry = Record<string, unknown>;
type Shown = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- as the answer's data

/** What comes of a patch: it is applied, it is ignored with a warning, it passes without a change, or it is refused. */
type Result = 'ok' | 'warning' | 'same' | 'organizer only' | 'no inviting' | 'forbidden' | 'immutable' | 'read only calendar' | 'not found';

const errors: Partial<Record<Result, RegExp>> = {
  'organizer only': /^FORBIDDEN event\.\S+ forbiddenForNonOrganizer$/,
  'no inviting': /^FORBIDDEN event\.attendees forbiddenForNonOrganizer$/,
  forbidden: /^FORBIDDEN event\.\S+ forbidden$/,
  immutable: /^BAD_USER_INPUT event\.\S+ immutable$/,
  'read only calendar': /^FORBIDDEN calendarId forbidden$/,
  'not found': /^NOT_FOUND calendarId notFound$/,
};

/** The outcome for each kind of caller who may write to the calendar asked. */
interface Expected {
  readonly organizer: Result;
  /** guestsCanModify false, guestsCanInviteOthers true. */
  readonly guest: Result;
  readonly guestNoInvite: Result;
  readonly guestModify: Result;
}
type Kind = keyof Expected;

const everyone = (result: Result): Expected => ({ organizer: result, guest: result, guestNoInvite: result, guestModify: result });
const shared: Expected = { organizer: 'ok', guest: 'organizer only', guestNoInvite: 'organizer only', guestModify: 'ok' };
const inviting: Expected = { organizer: 'ok', guest: 'ok', guestNoInvite: 'no inviting', guestModify: 'ok' };

interface Row {
  readonly name: string;
  readonly body: (shown: Shown, address: string) => object;
  readonly expected: Expected;
  /** What the event holds beside the usual, on both copies. */
  readonly event?: object;
  /** What the caller's own answer shows after `ok`; the body itself unless told. */
  readonly after?: (event: Shown) => unknown;
  /** What the organizer sees after `ok`. */
  readonly seenByOrganizer?: (event: Shown) => unknown;
}

const row = (name: string, body: Row['body'] | object, expected: Expected, rest: Partial<Row> = {}): Row => ({
  name,
  body: typeof body === 'function' ? (body as Row['body']) : () => body,
  expected,
  ...rest,
});

const entryOf = (event: Shown, email: unknown): Entry | undefined =>
  event.attendees.find((entry: Entry) => String(entry.email).toLowerCase() === email);
const listed = (email: string) => (event: Shown) => entryOf(event, email) !== undefined;
/** The list as it is shown, with one entry changed. */
const withEntry = (shown: Shown, email: string, change: object) => ({
  attendees: shown.attendees.map((entry: Entry) => (entry.email === email ? { ...entry, ...change } : entry)),
});

const fileUrl = 'https://files.example/plan';
const attached = { attachments: [{ fileUrl, fileId: 'plan', iconLink: 'https://files.example/icon' }] };
const called = {
  conferenceData: {
    conferenceId: 'abcdefghij',
    conferenceSolution: { key: { type: 'hostedCall' }, name: 'Call' },
    createRequest: { requestId: 'first', conferenceSolutionKey: { type: 'hostedCall' }, status: { statusCode: 'success' } },
    entryPoints: [{ entryPointType: 'phone', uri: 'tel:+49-30-5550100', regionCode: 'DE' }],
  },
};
const person = { email: 'other@example.com', displayName: 'Other', id: 'other', self: true };
const time = '2020-01-01T00:00:00.000Z';
const later = (hours: string) => ({ dateTime: `2026-12-02T${hours}:00:00+01:00`, timeZone: berlin });

const readOnly: Row[] = [
  ...Object.entries({
    created: time, updated: time, creator: person, organizer: person, htmlLink: 'https://x.example', kind: 'calendar#other',
    callLink: 'https://x.example', locked: true, etag: '"other"',
  }).map(([name, value]) => row(`read-only: ${name}`, { [name]: value }, everyone('warning'))),
  row('read-only: attendees[].self', (shown, email) => withEntry(shown, email, { self: false }), everyone('warning')),
  row('read-only: attendees[].organizer', (shown) => withEntry(shown, alice, { organizer: false }), everyone('warning')),
  row('read-only: attachments[].fileId', { attachments: [{ fileUrl, fileId: 'other' }] }, everyone('warning'), { event: attached }),
  row('read-only: attachments[].iconLink', { attachments: [{ fileUrl, iconLink: 'https://x.example' }] }, everyone('warning'), { event: attached }),
  row('read-only: createRequest.status', { conferenceData: { createRequest: { status: { statusCode: 'failure' } } } }, everyone('warning'), { event: called }),
  row('read-only: entryPoints[].regionCode', (shown) => ({ conferenceData: { entryPoints: [{ ...shown.conferenceData.entryPoints[0], regionCode: 'US' }] } }), everyone('warning'), { event: called }),
];

const immutable: Row[] = Object.entries({
  id: 'another', iCalUID: 'another@example.com', recurringEventId: 'series', originalStartTime: later('08'), privateCopy: true,
}).flatMap(([name, value]) => [
  row(`immutable: another ${name}`, { [name]: value }, everyone('immutable')),
  row(`immutable: the same ${name}`, (shown) => ({ [name]: shown[name] }), everyone('same')),
]);

const whole = (names: readonly string[]) => (shown: Shown) => Object.fromEntries(names.map((name) => [name, shown[name]]));
const rest: Row[] = [
  row('once: resource of a listed guest', (shown) => withEntry(shown, alice, { resource: true }), everyone('warning')),
  row('once: resource of a new guest', (shown) => ({ attendees: [...shown.attendees, { email: newcomer, resource: true }] }), inviting, {
    seenByOrganizer: (event) => entryOf(event, newcomer)?.resource,
  }),
  ...Object.entries({
    reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 5 }] },
    colorId: '7', transparency: 'transparent', visibility: 'private', extendedProperties: { private: { own: 'new' } },
  }).map(([name, value]) => row(`this copy’s: ${name}`, { [name]: value }, everyone('ok'))),
  ...Object.entries({ responseStatus: 'declined', comment: 'Sorry', additionalGuests: 2 }).map(([name, value]) =>
    row(`own response: ${name}`, (shown, email) => withEntry(shown, email, { [name]: value }), everyone('ok'), {
      after: (event) => event.attendees.find(({ self }: Entry) => self)?.[name] === value,
    }),
  ),
  row('own response alone, with attendeesOmitted', (_shown, email) => ({ attendeesOmitted: true, attendees: [{ email, responseStatus: 'declined' }] }), everyone('ok'), {
    after: (event) => event.attendees.find(({ self }: Entry) => self)?.responseStatus === 'declined',
  }),
  row('own entry: displayName', (shown, email) => withEntry(shown, email, { displayName: 'Me' }), shared, { after: () => true }),
  ...Object.entries({
    summary: 'New', description: 'New', location: 'New', start: later('09'), end: later('12'),
    recurrence: ['RRULE:FREQ=DAILY'], endTimeUnspecified: true, anyoneCanAddSelf: true, sequence: 9,
    gadget: { title: 'New' }, extendedProperties: { shared: { all: 'new' } },
    attachments: [{ fileUrl: 'https://files.example/new' }],
    guestsCanModify: 'flip', guestsCanInviteOthers: 'flip', guestsCanSeeOtherGuests: 'flip',
  }).map(([name, value]) =>
    row(`shared: ${name}`, (shown) => ({ ...(name === 'start' && { end: later('12') }), [name]: value === 'flip' ? !shown[name] : value }), shared, {
      after: (event) => (value === 'flip' ? true : event[name] !== null),
      seenByOrganizer: (event) => (name in event ? true : undefined),
    }),
  ),
  row('shared: conferenceData', { conferenceData: { createRequest: { requestId: 'r1', conferenceSolutionKey: { type: 'hostedCall' } } } }, shared, {
    after: (event) => event.conferenceData.conferenceId.length === 10,
  }),
  row('shared: null clears', { description: null }, shared),
  row('attendees: one more', (shown) => ({ attendees: [...shown.attendees, { email: newcomer }] }), inviting, { seenByOrganizer: listed(newcomer) }),
  row('attendees: one less', (shown, email) => ({ attendees: shown.attendees.filter((entry: Entry) => entry.email !== (email === alice ? dana : alice)) }), shared, {
    seenByOrganizer: (event) => event.attendees.length === 3,
  }),
  row('attendees: null', { attendees: null }, shared, { after: () => true }),
  row('attendees: another one’s response', (shown, email) => withEntry(shown, email === alice ? dana : alice, { responseStatus: 'declined' }), shared, {
    seenByOrganizer: (event) => event.attendees.filter(({ responseStatus }: Entry) => responseStatus === 'declined').length === 1,
  }),
  row('attendees: another one’s name', (shown, email) => withEntry(shown, email === alice ? dana : alice, { displayName: 'New' }), shared, {
    seenByOrganizer: (event) => event.attendees.some(({ displayName }: Entry) => displayName === 'New'),
  }),
  row('attendees: the list as it is shown', whole(['attendees', 'attendeesOmitted']), everyone('same')),
  row('status: tentative', { status: 'tentative' }, shared, { seenByOrganizer: ({ status }) => status === 'tentative' }),
  row('status: the same', { status: 'confirmed' }, everyone('same')),
  ...Object.entries({
    summary: 'New', description: 'New', location: 'New', start: later('09'), end: later('12'), recurrence: ['RRULE:FREQ=DAILY'],
  }).map(([name, value]) => row(`locked copy: ${name}`, { [name]: value }, everyone('forbidden'), { event: { locked: true } })),
  row('locked copy: another field', { gadget: { title: 'New' } }, shared, { event: { locked: true } }),
  row('locked copy: its own colour', { colorId: '9' }, everyone('ok'), { event: { locked: true } }),
];

const rows: readonly Row[] = [...readOnly, ...immutable, ...rest];

interface Column {
  readonly name: string;
  readonly as: string;
  readonly calendarId: string;
  readonly kind?: Kind;
  /** The outcome whatever the row. */
  readonly always?: Result;
  readonly flags: { guestsCanModify: boolean; guestsCanInviteOthers: boolean; guestsCanSeeOtherGuests: boolean };
}

const flagSets = [false, true].flatMap((modify) =>
  [true, false].flatMap((invite) =>
    [true, false].map((see) => ({ guestsCanModify: modify, guestsCanInviteOthers: invite, guestsCanSeeOtherGuests: see })),
  ),
);
const kindOf = ({ guestsCanModify: modify, guestsCanInviteOthers: invite }: Column['flags']): Kind =>
  modify ? 'guestModify' : invite ? 'guest' : 'guestNoInvite';
const print = ({ guestsCanModify: m, guestsCanInviteOthers: i, guestsCanSeeOtherGuests: s }: Column['flags']): string =>
  `${m ? 'modify' : '-'}/${i ? 'invite' : '-'}/${s ? 'see' : '-'}`;
const strict = { guestsCanModify: false, guestsCanInviteOthers: false, guestsCanSeeOtherGuests: false };
const onAlices = { calendarId: alice, kind: 'organizer' as const, flags: strict };

const columns: readonly Column[] = [
  { name: 'the organizer', as: alice, ...onAlices },
  { name: 'the creator, who is a writer here', as: carol, ...onAlices },
  { name: 'a writer', as: wanda, ...onAlices },
  ...flagSets.map((flags) => ({ name: `a guest (${print(flags)})`, as: bob, calendarId: bob, kind: kindOf(flags), flags })),
  ...flagSets.filter((flags) => flags.guestsCanSeeOtherGuests).map((flags) => ({ name: `a writer on a guest’s calendar (${print(flags)})`, as: walt, calendarId: bob, kind: kindOf(flags), flags })),
  { name: 'a reader', as: rita, ...onAlices, always: 'read only calendar' },
  { name: 'a free/busy reader', as: fritz, ...onAlices, always: 'read only calendar' },
  { name: 'a stranger', as: sten, ...onAlices, always: 'not found' },
  { name: 'anybody, of a calendar that does not exist', as: alice, ...onAlices, calendarId: nowhere, always: 'not found' },
];

const cells = rows.flatMap((of, at) => columns.map((by, index) => ({ of, by, id: `cell${at}x${index}` })));

const eventFor = ({ of, by, id }: (typeof cells)[number]) => ({
  id, iCalUID: `${id}@example.com`, summary: 'Plan', description: 'Old', location: 'Room 1', sequence: 3,
  start: { dateTime: '2026-12-01T10:00:00+01:00', timeZone: berlin }, end: { dateTime: '2026-12-01T11:00:00+01:00', timeZone: berlin },
  organizer: { email: alice }, creator: { email: carol }, source: { title: 'Tracker', url: 'https://tracker.example/1' },
  attendees: [{ email: alice, responseStatus: 'accepted' }, { email: bob, comment: 'Maybe' }, { email: dana }, { email: 'room@resource.example', resource: true }],
  ...by.flags, ...of.event,
});

describe('who may change what', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    const acl = (...entries: [string, string][]) => entries.map(([email, role]) => ({ email, role }));
    const seed = {
      calendars: [
        { id: alice, owner: alice, timeZone: berlin, acl: acl([carol, 'writer'], [wanda, 'writer'], [rita, 'reader'], [fritz, 'freeBusyReader']), events: cells.map(eventFor) },
        { id: bob, owner: bob, timeZone: berlin, acl: acl([walt, 'writer']), events: cells.filter(({ of }) => of.event && 'locked' in of.event).map(eventFor) },
      ],
    };
    gateway = await startEvents([], { seed });
  });
  afterAll(() => gateway.close());

  const stored = (id: string) => gateway.stored(id, alice);

  function check(result: Result, answer: Outcome): void {
    const error = errors[result];
    if (error) {
      expect(answer.problems).not.toEqual([]);
      for (const problem of answer.problems) expect(problem).toMatch(error);
      expect(answer.event).toBeNull();
      return;
    }
    expect(answer.problems).toEqual([]);
    if (result !== 'warning') expect(answer.notes).toEqual([]);
    else expect(answer.notes.join()).toMatch(/^event\.\S+ (readOnly|ignored)/);
  }

  describe.each(rows.map((of, at) => ({ name: of.name, of, at })))('$name', ({ of, at }) => {
    test.each(columns.map((by, index) => ({ caller: by.name, result: by.always ?? of.expected[by.kind as Kind], by, id: `cell${at}x${index}` })))(
      '$caller: $result',
      async ({ by, id, result }) => {
        const { as, calendarId } = by;
        const view = by.always ? { as: alice, calendarId: alice } : { as, calendarId };
        const { event: shown } = await gateway.read(id, view);
        const before = await stored(id);
        const body = of.body(shown, by.calendarId === bob ? bob : alice);
        const answer = await gateway.patch(id, body, { as, calendarId, conferenceDataVersion: 1, supportsAttachments: true });
        check(result, answer);
        if (result !== 'ok') {
          expect(await stored(id)).toBe(before);
          return;
        }
        expect(await stored(id)).not.toBe(before);
        if (of.after) expect(of.after(answer.event)).toBe(true);
        else if (!of.seenByOrganizer) expect(answer.event).toMatchObject(body);
        if (of.seenByOrganizer) expect(of.seenByOrganizer((await gateway.read(id)).event)).toBe(true);
      },
    );
  });
});
