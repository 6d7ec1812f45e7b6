import { nodeIdOf } from '../../../src/core/ids.ts';
import { type Answer, type RequestOptions, demoNow, startGateway, useGateway } from '../../harness.ts';
import { listenForStreams } from '../../http/streams/stream.harness.ts';
import { selectEveryField } from '../../selections.ts';

const alice = 'alice@example.com';

const describeFailures = ({ errors = [] }: Answer): string[] =>
  errors.map(({ path, extensions: { code, reason } }) => `${path?.join('.') ?? 'request'} ${code} ${reason}`);

describe('node', () => {
  const gateway = useGateway();
  const readNode = (nodeId: string, options?: RequestOptions): Promise<Answer> =>
    gateway.ask(
      `query ($id: ID!) { node(nodeId: $id) {
        __typename nodeId
        ... on Event { summary calendar { id } }
        ... on Calendar { timeZone event(eventId: "holiday") { summary } }
        ...bucket
        ... on Notification { topic bucket { name } }
      } }
      fragment bucket on Bucket { name notifications { id } }`,
      { id: nodeId },
      options,
    );

  test('reads the object of a nodeId with the selection of its type', async () => {
    const nodeIdsAnswer = await gateway.ask(`{
      event(calendarId: "bob@example.com", eventId: "teammeeting") { nodeId }
      calendar(calendarId: "primary") { nodeId }
      bucket(bucket: "demo-photos") { nodeId notifications { nodeId } }
    }`);
    const { event, calendar, bucket } = nodeIdsAnswer.data;
    const nodeReads = [event, calendar, bucket, bucket.notifications[0]].map(
      async ({ nodeId }: { nodeId: string }) => (await readNode(nodeId)).data.node as object,
    );
    expect(await Promise.all(nodeReads)).toEqual([
      { __typename: 'Event', nodeId: event.nodeId, summary: null, calendar: { id: 'bob@example.com' } },
      {
        __typename: 'Calendar',
        nodeId: calendar.nodeId,
        timeZone: 'Europe/Berlin',
        event: { summary: 'Public holiday' },
      },
      { __typename: 'Bucket', nodeId: bucket.nodeId, name: 'demo-photos', notifications: [{ id: '1' }] },
      {
        __typename: 'Notification',
        nodeId: bucket.notifications[0].nodeId,
        topic: expect.stringContaining('photos') as string,
        bucket: { name: 'demo-photos' },
      },
    ]);
    expect(describeFailures(await readNode(calendar.nodeId as string, { as: 'eve@example.com' }))).toEqual([
      'node NOT_FOUND notFound',
    ]);
  });

  test.each([
    ['an empty text', ''],
    ['an id that is not a nodeId', 'teammeeting'],
    ['another kind', nodeIdOf('Message', '1')],
    ['a kind that objects inherit', nodeIdOf('constructor', alice)],
    ['a calendar by its alias', nodeIdOf('calendar', 'primary')],
    ['an event of a calendar by its alias', nodeIdOf('event', 'primary', 'teammeeting')],
    ['another spelling', nodeIdOf('calendar', 'ALICE@example.com')],
    ['too few names', nodeIdOf('event', alice)],
    ['too many names', nodeIdOf('calendar', alice, 'x')],
    ['an object as name', nodeIdOf('calendar', { id: alice })],
    ['an unknown event', nodeIdOf('event', alice, 'none')],
  ])('is NOT_FOUND for %s', async (_what, nodeId) =>
    expect(describeFailures(await readNode(nodeId))).toEqual(['node NOT_FOUND notFound']),
  );
});

describe('viewer', () => {
  const gateway = useGateway();

  test('is the caller, with any token', async () => {
    expect(
      (await gateway.ask('{ viewer { email } }', {}, { as: 'Zoe@Example.com', scopes: [] })).data,
    ).toEqual({
      viewer: { email: 'zoe@example.com' },
    });
    expect((await gateway.ask('{ viewer { email } }', {}, { as: null })).status).toBe(401);
    const answerWithoutEmail = await gateway.ask(
      '{ viewer { email primaryCalendar { id } } }',
      {},
      { as: 'service-7' },
    );
    expect([answerWithoutEmail.data, answerWithoutEmail.errors]).toEqual([
      { viewer: { email: null, primaryCalendar: null } },
      undefined,
    ]);
  });

  test('gets a primary calendar by reading calendars, not by reading the email', async () => {
    const as = 'yara@example.com';
    const hasCalendar = async (): Promise<boolean> =>
      (await gateway.stores.calendars.calendars([{ id: as }]))[0] !== undefined;
    await gateway.ask('{ viewer { email } }', {}, { as });
    expect(await hasCalendar()).toBe(false);
    const { data } = await gateway.ask(
      '{ viewer { primaryCalendar { id primary } calendars { id } } }',
      {},
      { as },
    );
    expect(data.viewer).toEqual({ primaryCalendar: { id: as, primary: true }, calendars: [{ id: as }] });
  });
});

describe('edges of a mutation', () => {
  const gateway = useGateway();

  test('are refused for a null @include or @skip condition before the change is made', async () => {
    const holidayPatch = `patchEvent(calendarId: "primary", eventId: "holiday", event: { summary: "Changed" })`;
    const answer = await gateway.ask(
      `mutation ($i: Boolean = true) { ${holidayPatch} { summary @include(if: $i) calendar @skip(if: $i) { id } } }`,
      { i: null },
    );
    expect(answer.data).toBeUndefined();
    expect(describeFailures(answer)).toEqual(['request BAD_USER_INPUT required']);
    const { data } = await gateway.ask('{ event(calendarId: "primary", eventId: "holiday") { summary } }');
    expect(data.event.summary).toBe('Public holiday');
  });

  test('show the state that their own root field wrote', async () => {
    const renameField = (alias: string, summary: string): string =>
      `${alias}: patchEvent(calendarId: "primary", eventId: "standup", event: { summary: "${summary}" }) {
        calendar { event(eventId: "standup") { summary } } instances(first: 1) { nodes { summary recurringEvent { summary } } }
      }`;
    const { data } = await gateway.ask(
      `mutation { ${renameField('a', 'First')} ${renameField('b', 'Second')} }`,
    );
    const expectedEdges = (summary: string): object => ({
      calendar: { event: { summary } },
      instances: { nodes: [{ summary, recurringEvent: { summary } }] },
    });
    expect(data).toEqual({ a: expectedEdges('First'), b: expectedEdges('Second') });
  });

  test('in a dry run are null where they would read unstored data, each with one warning', async () => {
    const { data, warnings, errors } = await gateway.ask(`mutation {
      made: insertCalendar(validateOnly: true, calendar: { summary: "New" }) {
        summary event(eventId: "x") { id } events { nodes { instances { nodes { id } } } } access { email }
      }
      patched: patchEvent(calendarId: "primary", eventId: "standup", validateOnly: true, event: { summary: "New" }) {
        first: instances { nodes { id } } calendar { event(eventId: "standup") { summary } }
      }
      split: patchFollowingEvents(calendarId: "primary", eventId: "standup_20261204T080000Z", validateOnly: true, event: { summary: "New" }) {
        before { instances { nodes { id } } }
      }
      insertNotification(bucket: "demo-photos", validateOnly: true, notification: { topic: "projects/my-project/topics/new" }) {
        bucket { name notifications { id } }
      }
      patchBucket(bucket: "demo-photos", validateOnly: true, change: {}) { notifications { id } }
    }`);
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      made: { summary: 'New', event: null, events: null, access: null },
      patched: { first: null, calendar: { event: { summary: 'Second' } } },
      split: { before: { instances: null } },
      insertNotification: { bucket: { name: 'demo-photos', notifications: [{ id: '1' }] } },
      patchBucket: { notifications: null },
    });
    expect(
      warnings?.filter(({ reason }) => reason === 'ignored').map(({ field, path }) => [field, ...path]),
    ).toEqual([
      ['made', 'event'],
      ['made', 'events'],
      ['made', 'access'],
      ['patched', 'first'],
      ['split', 'before', 'instances'],
      ['patchBucket', 'notifications'],
    ]);
  });
});

test('an invalid variable is reported at the argument of the edge', async () => {
  const gateway = await startGateway();
  const answer = await gateway.ask(
    'query ($m: DateTime) { calendars { events(timeMin: $m, first: 0) { nodes { id } } } }',
    {
      m: 'soon',
    },
  );
  expect(answer.errors?.[0]?.extensions.issues.map(({ path, reason }) => [...path, reason])).toEqual([
    ['timeMin', 'invalid'],
    ['first', 'invalid'],
  ]);
  await gateway.close();
});

describe('the cost of edges below a list', () => {
  const weekArgs = 'timeMin: "2026-12-01T00:00:00Z", timeMax: "2026-12-08T00:00:00Z", singleEvents: true';
  const calendars = Array.from({ length: 100 }, (_, index) => ({
    id: `calendar${index}`,
    owner: alice,
    timeZone: 'UTC',
    acl: [],
    events: [
      { id: 'event1', start: { date: '2026-12-02' }, end: { date: '2026-12-03' } },
      { id: 'event2', start: { date: '2026-12-03' }, end: { date: '2026-12-04' } },
    ],
  }));
  const manyEvents = Array.from({ length: 900 }, (_, index) => ({
    id: `event${String(index).padStart(3, '0')}`,
    start: { date: '2026-12-02' },
    end: { date: '2026-12-03' },
  }));
  const seed = { calendars };
  let now = demoNow;
  const limitedGateway = useGateway({ RATE_LIMIT: '150' }, { seed, clock: () => now });
  const unlimitedGateway = useGateway({ PRIMARY_CALENDARS: 'off' }, { seed });
  const largeGateway = useGateway(
    {},
    { seed: { calendars: [{ ...calendars[0], id: 'many', events: manyEvents }] } },
  );
  beforeEach(() => void (now += 60_000));

  const askNextMinute = async (query: string): Promise<Answer> => {
    now += 60_000;
    return limitedGateway.ask(query);
  };

  test('is that of the root field for each entry: a week of 100 calendars is read, 2,500 full events of each are refused', async () => {
    const tenFields =
      'nodeId id etag status summary location start { date } end { date } updated transparency';
    const weekAnswer = await unlimitedGateway.ask(
      `{ calendars { id events(${weekArgs}) { nodes { ${tenFields} } } } }`,
    );
    expect(weekAnswer.errors).toBeUndefined();
    expect(weekAnswer.data.calendars).toHaveLength(100);
    const refusedAnswer = await unlimitedGateway.ask(
      `{ calendars { id events(first: 2500) { nodes ${selectEveryField('Event')} } access { email } } }`,
    );
    expect(refusedAnswer.data.calendars).toHaveLength(100);
    expect(refusedAnswer.data.calendars[99]).toMatchObject({
      id: 'calendar99',
      events: null,
      access: [{ email: alice }],
    });
    expect(describeFailures(refusedAnswer)).toEqual(
      Array.from({ length: 100 }, (_, index) => `calendars.${index}.events BAD_USER_INPUT tooMany`),
    );
    expect(refusedAnswer.errors?.[0]?.message).toMatch(
      /^With the field events of 100 objects this operation costs \d{5}; .* alias\.$/,
    );
  });

  test('counts for the rate limit, which refuses all edges of a field together', async () => {
    const edgesDocument = (count: number): string =>
      `{ calendars { id ${Array.from({ length: count }, (_, index) => `e${index}: event(eventId: "event1") { id }`).join(' ')} } }`;
    expect((await askNextMinute(edgesDocument(1))).errors).toBeUndefined();
    // The remaining rate limit covers the request itself, but not its edges.
    const partlyRefused = await limitedGateway.ask(edgesDocument(1));
    expect(partlyRefused.data.calendars[0].id).toBeDefined();
    expect(new Set(describeFailures(partlyRefused).map((failure) => failure.replace(/\d+/, 'n')))).toEqual(
      new Set(['calendars.n.e0 RATE_LIMITED rateLimitExceeded']),
    );
    expect(partlyRefused.errors).toHaveLength(100);
    expect(partlyRefused.errors?.[0]?.extensions).toHaveProperty('retryAfter', 60);
  });

  const fieldWithTooManyEdges =
    'events(first: 840) { nodes { a: calendar { id } b: calendar { id } c: calendar { id } } }';
  const laterFields =
    'x: events(first: 1) { nodes { id } } later: events(first: 700) { nodes { calendar { id } } }';

  test('refuses the list itself where more than 2,500 of its edges would fail, without charging later operations', async () => {
    // Four requests, together more expensive than one operation may be.
    for (let sentCount = 0; sentCount < 4; sentCount += 1) {
      const answer = await largeGateway.ask(
        `{ calendar(calendarId: "many") { id ${fieldWithTooManyEdges} ${laterFields} } }`,
      );
      expect(describeFailures(answer)).toContain('calendar.events BAD_USER_INPUT tooMany');
      expect(answer.data.calendar).toMatchObject({ id: 'many', events: null });
    }
    const expensiveAnswer = await largeGateway.ask(
      `{ events(calendarId: "many", first: 500) { nodes ${selectEveryField('Event')} } }`,
    );
    expect(expensiveAnswer.data.events.nodes).toHaveLength(500);
  });

  test('never refuses the mutation that the edges follow', async () => {
    const { data, errors } = await largeGateway.ask(
      `mutation { patchCalendar(calendarId: "many", calendar: { summary: "Changed" }) { summary ${fieldWithTooManyEdges} } }`,
    );
    expect(data.patchCalendar).toEqual({ summary: 'Changed', events: null });
    expect(describeFailures({ errors } as Answer)).toEqual(['patchCalendar.events BAD_USER_INPUT tooMany']);
  });

  test('is charged once for an edge in several fragments', async () => {
    const { errors } =
      await largeGateway.ask(`{ calendar(calendarId: "many") { events(first: 500) { nodes { ...a id ...b } } } }
      fragment a on Event { calendar { id } } fragment b on Event { calendar { timeZone } }`);
    expect(errors).toBeUndefined();
  });

  test('is bounded by 256 characters for an alias', async () => {
    const answer = await unlimitedGateway.ask(`{ calendars { ${'a'.repeat(257)}: access { email } } }`);
    expect(answer.errors?.[0]?.message).toBe(
      'The alias of an edge, and of a field above one, may have 256 characters at most.',
    );
  });

  test('is the same for one entry and for none', async () => {
    const oneEntry = '{ events(calendarId: "calendar0", first: 1) { nodes { calendar { id } } } }';
    const noEntry = '{ events(calendarId: "calendar0", q: "nothing") { nodes { calendar { id } } } }';
    // Each query costs 2 of the rate limit of 150.
    for (const query of [oneEntry, noEntry]) {
      await askNextMinute(query);
      for (let queryCount = 1; queryCount < 75; queryCount += 1)
        expect((await limitedGateway.ask(query)).status).toBe(200);
      expect((await limitedGateway.ask(query)).status).toBe(429);
    }
  });
});

describe('a subscription that enters edges', () => {
  const startMs = Date.now();
  let now = startMs;
  const gateway = useGateway({ RATE_LIMIT: '12' }, { clock: () => now });
  const bob = 'bob@example.com';
  /** Patches the holiday as a new user, whose rate limit is unused. */
  const changeAsNewUser = async (summary: string): Promise<void> => {
    const as = `${summary}@example.com`;
    const shareField = `setCalendarAccess(calendarId: "${alice}", email: "${as}", role: writer) { role }`;
    const patchField = `patchEvent(calendarId: "${alice}", eventId: "holiday", event: { summary: "${summary}" }) { id }`;
    expect((await gateway.ask(`mutation { ${shareField} }`)).errors).toBeUndefined();
    expect((await gateway.ask(`mutation { ${patchField} }`, {}, { as })).errors).toBeUndefined();
  };

  test('rereads and charges them for each event, and coalesces changes while the rate limit is used up', async () => {
    const streams = await listenForStreams(gateway);
    const stream = await streams.open(
      `subscription { calendarsChanged(calendarIds: ["${alice}"]) { calendar { event(eventId: "holiday") { summary } } } }`,
      { as: bob },
    );
    const readNextSummary = async (): Promise<unknown> =>
      (await stream.next())?.data.data.calendarsChanged.calendar.event.summary;
    expect(await readNextSummary()).toBe('Public holiday');
    await changeAsNewUser('first');
    expect(await readNextSummary()).toBe('first');
    // The stream, its two events and one more query cost 3 each, of 12.
    for (const status of [200, 200, 200, 429])
      expect((await gateway.ask('{ calendar(calendarId: "primary") { id } }', {}, { as: bob })).status).toBe(
        status,
      );
    now = startMs + 59_500;
    for (const summary of ['second', 'third', 'last']) await changeAsNewUser(summary);
    now = startMs + 60_000;
    expect(await readNextSummary()).toBe('last');
    stream.close();
  });
});
