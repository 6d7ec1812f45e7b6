import { createGateway, readTypeDefs } from '../../../src/faces/graphql/schema.ts';
import { allScopes, startGateway, tokenFor, type Answer, type Ask, type TestGateway } from '../../harness.ts';

const google = 'https://www.googleapis.com/auth';
const storageWrite = [
  `${google}/cloud-platform`,
  `${google}/devstorage.full_control`,
  `${google}/devstorage.read_write`,
];
const storageRead = [...storageWrite, `${google}/devstorage.read_only`];
const calendarAdmin = [`${google}/calendar`];
const calendarWrite = [`${google}/calendar`, `${google}/calendar.events`];
const calendarRead = [...calendarWrite, `${google}/calendar.readonly`, `${google}/calendar.events.readonly`];
const freeBusy = [...calendarRead, `${google}/calendar.freebusy`];
const everyScope = [...storageRead, ...freeBusy];

/** A harmless call of each root field, and the scopes any one of which opens it. */
const fields: Readonly<
  Record<string, readonly [operation: 'query' | 'mutation', call: string, scopes: readonly string[]]>
> = {
  insertBucket: [
    'mutation',
    'insertBucket(project: "no-project", validateOnly: true, bucket: { name: "no-bucket" }) { id }',
    storageWrite,
  ],
  patchBucket: ['mutation', 'patchBucket(bucket: "no-bucket", change: {}) { id }', storageWrite],
  deleteBucket: ['mutation', 'deleteBucket(bucket: "no-bucket")', storageWrite],
  bucket: ['query', 'bucket(bucket: "no-bucket") { id }', storageRead],
  buckets: ['query', 'buckets(project: "no-project") { nodes { id } }', storageRead],
  insertNotification: [
    'mutation',
    'insertNotification(bucket: "no-bucket", notification: {}) { id }',
    storageWrite,
  ],
  deleteNotification: [
    'mutation',
    'deleteNotification(bucket: "no-bucket", notificationId: "1")',
    storageWrite,
  ],
  publishObjectChange: [
    'mutation',
    'publishObjectChange(bucket: "no-bucket", change: { eventType: OBJECT_DELETE, objectId: "x" }) { messages { topic } }',
    storageWrite,
  ],
  notification: ['query', 'notification(bucket: "no-bucket", notificationId: "1") { id }', storageRead],
  notifications: ['query', 'notifications(bucket: "no-bucket") { id }', storageRead],
  messages: [
    'query',
    'messages(topic: "projects/no-project/topics/none") { nodes { messageId } }',
    storageRead,
  ],
  patchEvent: [
    'mutation',
    'patchEvent(calendarId: "none", eventId: "none", event: {}) { id }',
    calendarWrite,
  ],
  insertEvent: ['mutation', 'insertEvent(calendarId: "none", event: {}) { id }', calendarWrite],
  deleteEvent: ['mutation', 'deleteEvent(calendarId: "none", eventId: "none")', calendarWrite],
  patchFollowingEvents: [
    'mutation',
    'patchFollowingEvents(calendarId: "none", eventId: "none", event: {}) { before { id } }',
    calendarWrite,
  ],
  deleteFollowingEvents: [
    'mutation',
    'deleteFollowingEvents(calendarId: "none", eventId: "none") { id }',
    calendarWrite,
  ],
  instances: ['query', 'instances(calendarId: "none", eventId: "none") { nodes { id } }', calendarRead],
  calendars: ['query', 'calendars { id }', calendarRead],
  calendarAccess: ['query', 'calendarAccess(calendarId: "none") { role }', calendarRead],
  insertCalendar: ['mutation', 'insertCalendar(calendar: {}, validateOnly: true) { id }', calendarAdmin],
  patchCalendar: ['mutation', 'patchCalendar(calendarId: "none", calendar: {}) { id }', calendarAdmin],
  deleteCalendar: ['mutation', 'deleteCalendar(calendarId: "none")', calendarAdmin],
  setCalendarAccess: [
    'mutation',
    'setCalendarAccess(calendarId: "none", email: "bob@example.com", role: reader) { role }',
    calendarAdmin,
  ],
  calendar: ['query', 'calendar(calendarId: "none") { id }', calendarRead],
  event: ['query', 'event(calendarId: "none", eventId: "none") { id }', calendarRead],
  freeBusy: [
    'query',
    'freeBusy(calendarIds: ["none"], timeMin: "2026-12-01T00:00:00Z", timeMax: "2026-12-02T00:00:00Z") { calendarId }',
    freeBusy,
  ],
  events: ['query', 'events(calendarId: "none") { nodes { id } }', calendarRead],
};

/** What is found, or made, in every gateway. */
const found = ['buckets', 'calendars', 'freeBusy', 'insertBucket', 'insertCalendar'];

/** The same of subscriptions. */
const streams: Readonly<Record<string, readonly [call: string, scopes: readonly string[]]>> = {
  calendarChanged: ['calendarChanged(calendarId: "none") { changedAt }', calendarRead],
  calendarsChanged: ['calendarsChanged(calendarIds: ["none"]) { changedAt }', calendarRead],
  messagePublished: ['messagePublished(topic: "projects/no-project/topics/none") { messageId }', storageRead],
};

const codesOf = ({ errors = [] }: Answer): string[] =>
  errors.map(({ extensions: { code, reason } }) => `${code} ${reason}`);

function expectNoScope(answer: Answer): void {
  expect(codesOf(answer)).toEqual(['FORBIDDEN insufficientScope']);
  expect(answer.status).toBe(403);
  expect(answer.headers['www-authenticate']).toBe('Bearer error="insufficient_scope"');
  expect(answer.data).toBeUndefined();
}

function expectNoToken(answer: Answer, challenge = 'Bearer'): void {
  expect(codesOf(answer)).toEqual(['UNAUTHENTICATED authError']);
  expect(answer.status).toBe(401);
  expect(answer.headers['www-authenticate']).toBe(challenge);
  expect(answer.data).toBeUndefined();
}

describe('scopes', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.close());

  const withScopes = (document: string, scopes: readonly string[], options: Ask = {}): Promise<Answer> =>
    gateway.ask(document, {}, { ...options, scopes });

  test('every root field is in this table, and every scope the schema knows', () => {
    const named = [...createGateway().scopeRules.keys()];
    expect(named.sort()).toEqual(Object.keys({ ...fields, ...streams }).sort());
    expect([...allScopes].sort()).toEqual([...everyScope].sort());
  });

  test.each(Object.keys(fields))('%s is open to the scopes of the contract and to no other', async (name) => {
    const [operation, call, scopes] = fields[name] ?? ['query', '', []];
    for (const scope of everyScope) {
      const answer = await withScopes(`${operation} { ${call} }`, [scope]);
      if (scopes.includes(scope))
        expect([scope, answer.status, ...codesOf(answer)]).toEqual([
          scope,
          200,
          ...(found.includes(name) ? [] : ['NOT_FOUND notFound']),
        ]);
      else expectNoScope(answer);
    }
  });

  test.each(Object.keys(fields))('%s needs a token, and one that has a scope', async (name) => {
    const [operation, call] = fields[name] ?? ['query', ''];
    expectNoToken(await gateway.ask(`${operation} { ${call} }`, {}, { as: null }));
    expectNoScope(await withScopes(`${operation} { ${call} }`, []));
  });

  test.each(Object.entries(streams))(
    '%s is open to the scopes of the contract and to no other',
    async (_name, [call, scopes]) => {
      const open = async (
        headers: Record<string, string>,
      ): Promise<[status: number, headers: object, body: string]> => {
        const sent = { 'content-type': 'application/json', accept: 'text/event-stream', ...headers };
        const {
          statusCode,
          headers: got,
          body,
        } = await gateway.app.inject({
          method: 'POST',
          url: '/graphql/stream',
          headers: sent,
          payload: JSON.stringify({ query: `subscription { ${call} }` }),
        });
        return [statusCode, got, body];
      };
      for (const scope of everyScope) {
        const answered = await open({
          authorization: `Bearer ${await tokenFor('alice@example.com', [scope])}`,
        });
        if (scopes.includes(scope))
          expect([scope, ...answered]).toEqual([
            scope,
            200,
            expect.anything(),
            expect.stringMatching(/^event: next\ndata: .*"NOT_FOUND"/m),
          ]);
        else
          expect([scope, ...answered]).toMatchObject([
            scope,
            403,
            { 'www-authenticate': 'Bearer error="insufficient_scope"' },
            expect.stringContaining('insufficientScope'),
          ]);
      }
      expect(await open({})).toMatchObject([
        401,
        { 'www-authenticate': 'Bearer' },
        expect.stringContaining('UNAUTHENTICATED'),
      ]);
    },
  );

  test.each([
    ['a longer one', `${google}/calendar.events.owned`],
    ['a shorter one', `${google}/cal`],
    ['the name alone', 'calendar'],
    ['another case', `${google}/Calendar`],
    ['with a slash', `${google}/calendar/`],
  ])('a scope counts only when it matches exactly: %s does not', async (_what, scope) => {
    expectNoScope(
      await withScopes('{ event(calendarId: "primary", eventId: "teammeeting") { id } }', [scope]),
    );
  });

  test('the message names what would do', async () => {
    const { errors } = await withScopes(
      'mutation { patchEvent(calendarId: "primary", eventId: "x", event: {}) { id } }',
      [],
    );
    expect(errors?.[0]?.message).toBe(
      `The token lacks the scope for this: it needs ${google}/calendar, or ${google}/calendar.events.`,
    );
  });

  const insert =
    'insertNotification(bucket: "demo-photos", notification: { topic: "projects/p1/topics/never" }) { id }';
  const change = 'patchEvent(calendarId: "primary", eventId: "holiday", event: { summary: "never" }) { id }';
  test.each([
    ['beside it', `mutation { ${change} ${insert} }`],
    ['before it', `mutation { ${insert} ${change} }`],
    [
      'under another name',
      `mutation { ${change} patchEvent: ${insert} }`.replace('{ patchEvent', '{ a: patchEvent'),
    ],
    ['in a fragment', `mutation { ${change} ...F } fragment F on Mutation { ${insert} }`],
    [
      'in a fragment of a fragment',
      `mutation { ${change} ...F } fragment F on Mutation { ...G } fragment G on Mutation { ${insert} }`,
    ],
    ['in an inline fragment', `mutation { ${change} ... on Mutation { ... { ${insert} } } }`],
    [
      'in a fragment that is used twice',
      `mutation { ...F ${change} ...F } fragment F on Mutation { ${insert} }`,
    ],
    ['skipped', `mutation { ${change} ${insert.replace(' { id }', ' @skip(if: true) { id }')} }`],
    ['not included', `mutation { ${change} ... @include(if: false) { ${insert} } }`],
  ])('nothing runs when one root field is not allowed: %s', async (_where, document) => {
    expectNoScope(await withScopes(document, calendarWrite));
    expectNoScope(await withScopes(document, storageWrite));
    const { data } = await gateway.ask(
      '{ event(calendarId: "primary", eventId: "holiday") { summary } notifications(bucket: "demo-photos") { topic } }',
    );
    expect(data.event.summary).toBe('Public holiday');
    expect(data.notifications).toHaveLength(1);
  });

  test('a scope error comes before what is wrong with the input', async () => {
    const both =
      'mutation { patchEvent(calendarId: "primary", eventId: "holiday", event: { colorId: "99" }) { id } }';
    expectNoScope(await withScopes(both, storageRead));
  });

  test.each([
    [
      'a value',
      'mutation { patchEvent(calendarId: "primary", eventId: "holiday", event: { status: gone }) { id } }',
    ],
    [
      'an unknown field',
      'mutation { patchEvent(calendarId: "primary", eventId: "holiday", event: {}) { idd } }',
    ],
    ['a missing argument', 'mutation { patchEvent(calendarId: "primary", event: {}) { id } }'],
  ])('and before what is wrong with the document: %s', async (_fault, document) => {
    expectNoToken(await gateway.ask(document, {}, { as: null }));
    expectNoScope(await withScopes(document, storageRead));
    expect(codesOf(await withScopes(document, calendarWrite))).toEqual([
      'BAD_USER_INPUT ' + (document.includes('eventId') ? 'invalid' : 'required'),
    ]);
  });

  test('only the operation that runs needs its scopes', async () => {
    const document = `query Read { event(calendarId: "primary", eventId: "holiday") { id } } mutation Write { ${insert} }`;
    const read = await withScopes(document, calendarRead, { operationName: 'Read' });
    expect(read.data).toEqual({ event: { id: 'holiday' } });
    expectNoScope(await withScopes(document, calendarRead, { operationName: 'Write' }));
  });

  test('a scope is not ownership: what a caller may not read is NOT_FOUND', async () => {
    const document = '{ event(calendarId: "alice@example.com", eventId: "teammeeting") { id } }';
    const answer = await gateway.ask(document, {}, { as: 'mallory@elsewhere.example' });
    expect([answer.status, ...codesOf(answer)]).toEqual([200, 'NOT_FOUND notFound']);
  });

  test.each(['query', 'mutation'])(
    '__typename of a %s is open to all, without a token',
    async (operation) => {
      const answer = await gateway.ask(`${operation} { __typename }`, {}, { as: null });
      expect([answer.status, answer.data, answer.errors]).toEqual([
        200,
        { __typename: operation === 'query' ? 'Query' : 'Mutation' },
        undefined,
      ]);
    },
  );

  test('a token that is wrong is refused, whatever is asked', async () => {
    expectNoToken(
      await gateway.ask('{ __typename }', {}, { as: null, headers: { authorization: 'Bearer a.b.c' } }),
      'Bearer error="invalid_token"',
    );
    expectNoToken(
      await gateway.ask('{ __typename }', {}, { as: null, headers: { authorization: 'Basic eDp5' } }),
      'Bearer error="invalid_token"',
    );
  });
});

describe('introspection', () => {
  const asked = async (
    introspection: string,
    options: Ask,
    document = '{ __schema { queryType { name } } }',
  ): Promise<Answer> => {
    const gateway = await startGateway({ INTROSPECTION: introspection });
    const answer = await gateway.ask(document, {}, options);
    await gateway.close();
    return answer;
  };
  const seen = { __schema: { queryType: { name: 'Query' } } };

  test('open: for everybody', async () => {
    expect((await asked('open', { as: null })).data).toEqual(seen);
  });

  test('authenticated: for whoever has a token, with any scope or none', async () => {
    expectNoToken(await asked('authenticated', { as: null }));
    expect((await asked('authenticated', { scopes: [] })).data).toEqual(seen);
  });

  test('off: for nobody', async () => {
    for (const options of [{ as: null }, {}]) {
      const answer = await asked('off', options);
      expect([answer.status, answer.data, ...codesOf(answer)]).toEqual([
        200,
        undefined,
        'FORBIDDEN forbidden',
      ]);
    }
  });

  test.each([
    '{ __type(name: "Event") { name } }',
    'query { ...F } fragment F on Query { a: __schema { queryType { name } } }',
  ])('is seen in whatever form: %s', async (document) => {
    expect(codesOf(await asked('off', {}, document))).toEqual(['FORBIDDEN forbidden']);
  });

  test.each(['authenticated', 'off'])('%s leaves __typename open', async (introspection) => {
    expect((await asked(introspection, { as: null }, '{ __typename }')).data).toEqual({
      __typename: 'Query',
    });
  });
});

describe('a schema with a root field that has no scope rule', () => {
  const extended = (sdl: string) => (): unknown => createGateway(undefined, [...readTypeDefs(), sdl]);
  test.each([
    ['none at all', 'extend type Query { open: String }', 'Query.open'],
    [
      'one without alternatives',
      'extend type Query { open: String @requiresScopes(scopes: []) }',
      'Query.open',
    ],
    [
      'one with an empty alternative',
      'extend type Mutation { open: String @requiresScopes(scopes: [["a"], []]) }',
      'Mutation.open',
    ],
    ['a subscription', 'extend type Subscription { open: String }', 'Subscription.open'],
  ])('is not built: %s', (_what, sdl, name) => {
    expect(extended(sdl)).toThrow(`these root fields have no @requiresScopes rule: ${name}`);
  });

  test('all such fields are named', () => {
    expect(extended('extend type Query { a: String b: String }')).toThrow('Query.a, Query.b');
  });

  test('with a rule it is built', () => {
    const { scopeRules } = createGateway(undefined, [
      ...readTypeDefs(),
      'extend type Query { more: String @requiresScopes(scopes: [["a", "b"]]) }',
    ]);
    expect(scopeRules.get('more')).toEqual([['a', 'b']]);
  });
});
