import { alice, berlin, bob, startEvents, type EventGateway } from './event-http.harness.ts';

const [carl, wilma, wanda, rita, fred, sten] = ['carl', 'wilma', 'wanda', 'rita', 'fred', 'sten'].map((name) => `${name}@example.com`) as [
  string, string, string, string, string, string,
];
const nobody = 'nobody@example.com';
const guestAbroad = 'eve@elsewhere.example';
const zoned = (time: string) => ({ dateTime: `2026-12-01T${time}:00+01:00`, timeZone: berlin });

/** Alice organizes, Bob is a guest. Each of the two has somebody who may write to the calendar. */
const seed = {
  calendars: [
    {
      id: alice, owner: alice, timeZone: berlin,
      acl: [
        { email: carl, role: 'writer' }, { email: wilma, role: 'writer' }, { email: rita, role: 'reader' }, { email: fred, role: 'freeBusyReader' },
      ],
    },
    { id: bob, owner: bob, timeZone: berlin, acl: [{ email: wanda, role: 'writer' }] },
  ],
};

type Caller = Readonly<{ as: string; calendarId: string; flags?: object }>;
const callers: Readonly<Record<string, Caller>> = {
  organizer: { as: alice, calendarId: alice },
  'creator, who is not the organizer': { as: carl, calendarId: alice },
  "writer on the organizer's calendar": { as: wilma, calendarId: alice },
  guest: { as: bob, calendarId: bob },
  'guest, when guests can modify': { as: bob, calendarId: bob, flags: { guestsCanModify: true, guestsCanInviteOthers: false } },
  'guest, when guests cannot invite others': { as: bob, calendarId: bob, flags: { guestsCanInviteOthers: false } },
  'guest, when guests cannot see each other': { as: bob, calendarId: bob, flags: { guestsCanSeeOtherGuests: false } },
  'guest, when guests can modify and not see each other': {
    as: bob, calendarId: bob, flags: { guestsCanModify: true, guestsCanSeeOtherGuests: false },
  },
  "writer on a guest's calendar": { as: wanda, calendarId: bob },
  reader: { as: rita, calendarId: alice },
  freeBusyReader: { as: fred, calendarId: alice },
  stranger: { as: sten, calendarId: alice },
  'caller of a calendar that does not exist': { as: alice, calendarId: nobody },
};

/** What comes of a change: done, ignored with a warning, or refused. */
type Verdict = 'done' | 'warned' | 'immutable' | 'organizer only' | 'forbidden' | 'read-only calendar' | 'not found';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- what a client sees, as `Outcome.event`
type Seen = any;
interface Change {
  readonly body: (seen: Seen) => object;
  /** What shows that it is done; the body itself unless told. */
  readonly shows?: (body: Seen, seen: Seen) => object;
}

const put = (body: object): Change => ({ body: () => body });
const guests = (edit: (entry: Seen) => object): Change => ({
  body: ({ attendees }) => ({ attendees: attendees.map((entry: Seen) => edit(entry)) }),
});
const response = (own: object): Change => ({
  body: ({ attendees }) => ({ attendeesOmitted: true, attendees: [{ email: attendees.find((entry: Seen) => entry.self).email, ...own }] }),
  shows: () => ({ attendees: expect.arrayContaining([expect.objectContaining({ self: true, ...own })]) }),
});
const other = ({ attendees }: Seen) => attendees.find((entry: Seen) => !entry.self);

/** Every class of contract §4 with its fields; the columns are the callers in the order above. */
const classes: readonly { name: string; verdicts: readonly Verdict[]; changes: Readonly<Record<string, Change>> }[] = [
  {
    name: 'read-only',
    verdicts: row('warned warned warned warned warned warned warned warned warned'),
    changes: {
      created: put({ created: '2001-01-01T00:00:00Z' }),
      updated: put({ updated: '2001-01-01T00:00:00Z' }),
      creator: put({ creator: { email: sten } }),
      'creator.self': { body: ({ creator }) => ({ creator: { self: !creator.self } }) },
      organizer: put({ organizer: { email: sten } }),
      'organizer.self': { body: ({ organizer }) => ({ organizer: { self: !organizer.self } }) },
      htmlLink: put({ htmlLink: 'https://elsewhere.example/x' }),
      callLink: put({ callLink: 'https://elsewhere.example/x' }),
      locked: put({ locked: true }),
      kind: put({ kind: 'calendar#other' }),
      etag: put({ etag: '"other"' }),
      'attendees[].self': guests((entry) => ({ ...entry, self: !entry.self })),
      'attendees[].organizer': guests((entry) => ({ ...entry, organizer: !entry.organizer })),
      'attachments[].fileId': { body: ({ attachments: [file] }) => ({ attachments: [{ ...file, fileId: 'other' }] }) },
      'attachments[].iconLink': { body: ({ attachments: [file] }) => ({ attachments: [{ ...file, iconLink: 'https://elsewhere.example/i' }] }) },
      'createRequest.status': put({ conferenceData: { createRequest: { status: { statusCode: 'failure' } } } }),
      'entryPoints[].regionCode': {
        body: ({ conferenceData: { entryPoints } }) => ({
          conferenceData: { entryPoints: entryPoints.map((point: Seen) => ({ ...point, regionCode: 'ZZ' })) },
        }),
      },
    },
  },
  {
    name: 'immutable',
    verdicts: row('immutable immutable immutable immutable immutable immutable immutable immutable immutable'),
    changes: {
      id: put({ id: 'another' }),
      iCalUID: put({ iCalUID: 'another@example.com' }),
      recurringEventId: put({ recurringEventId: 'another' }),
      originalStartTime: put({ originalStartTime: { date: '2026-12-01' } }),
      privateCopy: put({ privateCopy: true }),
    },
  },
  {
    name: 'once',
    verdicts: row('warned warned warned warned warned warned warned warned warned'),
    changes: { 'attendees[].resource of one who is listed': guests((entry) => ({ ...entry, resource: !entry.resource })) },
  },
  {
    name: "creator's",
    verdicts: row('forbidden done forbidden forbidden forbidden forbidden forbidden forbidden forbidden'),
    changes: { source: put({ source: { title: 'Tracker', url: 'https://issues.example.org/2' } }) },
  },
  {
    name: "this copy's",
    verdicts: row('done done done done done done done done done'),
    changes: {
      reminders: put({ reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 5 }] } }),
      'extendedProperties.private': put({ extendedProperties: { private: { mine: '1' } } }),
      colorId: put({ colorId: '5' }),
      transparency: put({ transparency: 'transparent' }),
      visibility: put({ visibility: 'confidential' }),
      'own responseStatus': response({ responseStatus: 'declined' }),
      'own comment': response({ comment: 'I come later' }),
      'own additionalGuests': response({ additionalGuests: 2 }),
      'own entry in the whole list': {
        ...guests((entry) => ({ ...entry, ...(entry.self && { responseStatus: 'tentative', comment: 'Maybe', additionalGuests: 1 }) })),
        shows: ({ attendees }) => ({ attendees: expect.arrayContaining([attendees.find((entry: Seen) => entry.self)]) }),
      },
      'status, to take it off': put({ status: 'cancelled' }),
    },
  },
  {
    name: 'shared',
    verdicts: row('done done done organizer-only done organizer-only organizer-only done organizer-only'),
    changes: {
      summary: put({ summary: 'Other' }),
      description: put({ description: 'Other' }),
      location: put({ location: 'Other' }),
      start: put({ start: zoned('09:30') }),
      end: put({ end: zoned('11:30') }),
      recurrence: put({ recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] }),
      anyoneCanAddSelf: put({ anyoneCanAddSelf: true }),
      endTimeUnspecified: put({ endTimeUnspecified: true }),
      sequence: put({ sequence: 7 }),
      status: put({ status: 'tentative' }),
      attachments: put({ attachments: [{ fileUrl: 'https://files.example.org/b' }] }),
      'attachments, cleared': put({ attachments: null }),
      conferenceData: put({ conferenceData: { notes: 'Other' } }),
      'conferenceData, removed': put({ conferenceData: null }),
      'extendedProperties.shared': put({ extendedProperties: { shared: { ours: '1' } } }),
      gadget: put({ gadget: { display: 'icon', link: 'https://widgets.example.org/a' } }),
    },
  },
  {
    name: 'guest flags',
    verdicts: row('done done done organizer-only done organizer-only organizer-only done organizer-only'),
    changes: {
      guestsCanModify: { body: ({ guestsCanModify: was }) => ({ guestsCanModify: !was }) },
      guestsCanInviteOthers: { body: ({ guestsCanInviteOthers: was }) => ({ guestsCanInviteOthers: !was }) },
      guestsCanSeeOtherGuests: { body: ({ guestsCanSeeOtherGuests: was }) => ({ guestsCanSeeOtherGuests: !was }) },
    },
  },
  {
    name: 'adding attendees',
    verdicts: row('done done done done done organizer-only done done done'),
    changes: {
      'a guest more': {
        body: ({ attendees }) => ({ attendees: [...attendees, { email: 'new@elsewhere.example', displayName: 'New' }] }),
        shows: (_body, { attendeesOmitted }) =>
          attendeesOmitted ? {} : { attendees: expect.arrayContaining([expect.objectContaining({ email: 'new@elsewhere.example' })]) },
      },
    },
  },
  {
    name: "removing attendees and changing others' entries",
    verdicts: row('done done done organizer-only done organizer-only organizer-only done organizer-only'),
    changes: {
      'one guest less': {
        body: (seen) => ({ attendees: seen.attendees.filter((entry: Seen) => entry !== other(seen)) }),
        shows: ({ attendees }) => ({ attendees }),
      },
      ...Object.fromEntries(
        Object.entries({ responseStatus: 'declined', comment: 'Not me', additionalGuests: 9, displayName: 'Other', optional: true }).map(
          ([name, value]) => [
            `another guest's ${name}`,
            { body: (seen: Seen) => ({ attendees: seen.attendees.map((entry: Seen) => (entry === other(seen) ? { ...entry, [name]: value } : entry)) }) },
          ],
        ),
      ),
      'own optional': guests((entry) => ({ ...entry, ...(entry.self && { optional: true }) })),
      'own displayName': guests((entry) => ({ ...entry, ...(entry.self && { displayName: 'Me' }) })),
    },
  },
];

/** The verdicts for those who may write; the others have no say in any class. */
function row(verdicts: string): readonly Verdict[] {
  const writers = verdicts.split(' ').map((verdict) => verdict.replace('-', ' ') as Verdict);
  return [...writers, 'read-only calendar', 'read-only calendar', 'not found', 'not found'];
}

const cells = classes.flatMap(({ name, verdicts, changes }) =>
  Object.entries(changes).flatMap(([field, change]) =>
    Object.keys(callers).map((caller, index) => [name, field, caller, verdicts[index] as Verdict, change] as const),
  ),
);

describe('who may change what', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    gateway = await startEvents([], { seed });
  });
  afterAll(() => gateway.close());

  const controls = { supportsAttachments: true, conferenceDataVersion: 1 };
  async function fresh(flags: object = {}): Promise<Seen> {
    const { event, problems } = await gateway.insert(
      {
        summary: 'Planning', start: zoned('10:00'), end: zoned('11:00'),
        attendees: [{ email: alice, responseStatus: 'accepted' }, { email: bob }, { email: guestAbroad, displayName: 'Eve' }],
        attachments: [{ fileUrl: 'https://files.example.org/a' }],
        conferenceData: { createRequest: { requestId: 'r1', conferenceSolutionKey: { type: 'hostedCall' } } },
        source: { url: 'https://issues.example.org/1' },
        ...flags,
      },
      { ...controls, as: carl, calendarId: alice },
    );
    expect(problems).toEqual([]);
    return event;
  }

  const refusals: Readonly<Record<string, readonly [code: string, reason: string]>> = {
    immutable: ['BAD_USER_INPUT', 'immutable'],
    'organizer only': ['FORBIDDEN', 'forbiddenForNonOrganizer'],
    forbidden: ['FORBIDDEN', 'forbidden'],
    'read-only calendar': ['FORBIDDEN', 'forbidden'],
    'not found': ['NOT_FOUND', 'notFound'],
  };

  test.each(cells)('%s, %s: the %s gets: %s', async (_class, _field, caller, verdict, change) => {
    const { flags, ...whose } = callers[caller] as Caller;
    const made = await fresh(flags);
    const before = await gateway.stored(made.id);
    const mayWrite = [alice, wilma, bob, wanda].includes(whose.as) && whose.calendarId !== nobody;
    const shown = mayWrite ? (await gateway.read(made.id, whose)).event : made;
    const body = change.body(shown) as Seen;
    const answer = await gateway.patch(made.id, body, { ...controls, ...whose });
    const refusal = refusals[verdict];
    if (refusal) {
      const argument = ['read-only calendar', 'not found'].includes(verdict) ? 'calendarId' : 'event';
      expect(answer.errors).toMatchObject([{ extensions: { code: refusal[0], reason: refusal[1] } }]);
      expect(new Set(answer.errors?.[0]?.extensions.issues.map(({ path }) => path[0]))).toEqual(new Set([argument]));
      expect(answer.event).toBeNull();
      expect(await gateway.stored(made.id)).toBe(before);
      return;
    }
    expect(answer.problems).toEqual([]);
    if (verdict === 'warned') {
      expect(new Set(answer.notes.map((note) => note.split(' ')[1]))).toEqual(new Set([_class === 'once' ? 'ignored' : 'readOnly']));
      expect(answer.event).toEqual(shown);
      expect(await gateway.stored(made.id)).toBe(before);
      return;
    }
    expect(answer.event).toMatchObject(change.shows ? change.shows(body, shown) : body);
    expect(answer.notes).toEqual([]);
    expect(await gateway.stored(made.id)).not.toBe(before);
  });

  test.each(Object.entries(callers).filter(([, { calendarId }]) => calendarId === bob))(
    'a new guest may be a resource, where the %s may add guests',
    async (_caller, { flags, ...whose }) => {
      const made = await fresh(flags);
      const { attendees } = (await gateway.read(made.id, whose)).event;
      const answer = await gateway.patch(made.id, { attendees: [...attendees, { email: 'room@elsewhere.example', resource: true }] }, whose);
      const may = !(flags && 'guestsCanInviteOthers' in flags) || 'guestsCanModify' in flags;
      expect(answer.problems).toEqual(may ? [] : ['FORBIDDEN event.attendees forbiddenForNonOrganizer']);
      const listed = (await gateway.stored(made.id))?.core.attendees ?? [];
      expect(listed.filter(({ resource }) => resource).map(({ email }) => email)).toEqual(may ? ['room@elsewhere.example'] : []);
      expect(listed.length).toBe(may ? 4 : 3);
    },
  );

  describe('all refusals come at once', () => {
    test('each with its field', async () => {
      const { id } = await fresh();
      const body = { summary: 'x', location: 'y', source: { title: 'z' }, guestsCanModify: true, colorId: '2' };
      const { problems } = await gateway.patch(id, body, { as: bob });
      expect(problems.toSorted()).toEqual([
        'FORBIDDEN event.guestsCanModify forbiddenForNonOrganizer',
        'FORBIDDEN event.location forbiddenForNonOrganizer',
        'FORBIDDEN event.source.title forbidden',
        'FORBIDDEN event.summary forbiddenForNonOrganizer',
      ]);
      expect((await gateway.read(id, { as: bob })).event.colorId).toBeNull();
    });
  });
});
