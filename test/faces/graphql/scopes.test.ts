import { nodeIdOf } from '../../../src/core/ids.ts';
import { createGatewaySchema, readTypeDefs } from '../../../src/faces/graphql/schema.ts';
import {
  allScopes,
  startGateway,
  useGateway,
  tokenFor,
  type Answer,
  type RequestOptions,
} from '../../harness.ts';

const scopePrefix = 'https://www.googleapis.com/auth';
const storageWriteScopes = [
  `${scopePrefix}/cloud-platform`,
  `${scopePrefix}/devstorage.full_control`,
  `${scopePrefix}/devstorage.read_write`,
];
const storageReadScopes = [...storageWriteScopes, `${scopePrefix}/devstorage.read_only`];
const calendarAdminScopes = [`${scopePrefix}/calendar`];
const calendarWriteScopes = [`${scopePrefix}/calendar`, `${scopePrefix}/calendar.events`];
const calendarReadScopes = [
  ...calendarWriteScopes,
  `${scopePrefix}/calendar.readonly`,
  `${scopePrefix}/calendar.events.readonly`,
];
const freeBusyScopes = [...calendarReadScopes, `${scopePrefix}/calendar.freebusy`];
const everyScope = [...storageReadScopes, ...freeBusyScopes];

/** Harmless calls of the root fields, each with the scopes that allow it. */
const scopesByQuery = {
  'bucket(bucket: "no-bucket") { id }': storageReadScopes,
  'buckets(project: "no-project") { nodes { id } }': storageReadScopes,
  'notification(bucket: "no-bucket", notificationId: "1") { id }': storageReadScopes,
  'notifications(bucket: "no-bucket") { id }': storageReadScopes,
  'messages(topic: "projects/no-project/topics/none") { nodes { messageId } }': storageReadScopes,
  'instances(calendarId: "none", eventId: "none") { nodes { id } }': calendarReadScopes,
  'calendars { id }': calendarReadScopes,
  'calendarAccess(calendarId: "none") { role }': calendarReadScopes,
  'calendar(calendarId: "none") { id }': calendarReadScopes,
  'event(calendarId: "none", eventId: "none") { id }': calendarReadScopes,
  'events(calendarId: "none") { nodes { id } }': calendarReadScopes,
  'freeBusy(calendarIds: ["none"], timeMin: "2026-12-01T00:00:00Z", timeMax: "2026-12-02T00:00:00Z") { calendarId }':
    freeBusyScopes,
};
const scopesByMutation = {
  'insertBucket(project: "no-project", validateOnly: true, bucket: { name: "no-bucket" }) { id }':
    storageWriteScopes,
  'patchBucket(bucket: "no-bucket", change: {}) { id }': storageWriteScopes,
  'deleteBucket(bucket: "no-bucket")': storageWriteScopes,
  'insertNotification(bucket: "no-bucket", notification: {}) { id }': storageWriteScopes,
  'deleteNotification(bucket: "no-bucket", notificationId: "1")': storageWriteScopes,
  'publishObjectChange(bucket: "no-bucket", change: { eventType: OBJECT_DELETE, objectId: "x" }) { messages { topic } }':
    storageWriteScopes,
  'patchEvent(calendarId: "none", eventId: "none", event: {}) { id }': calendarWriteScopes,
  'insertEvent(calendarId: "none", event: {}) { id }': calendarWriteScopes,
  'deleteEvent(calendarId: "none", eventId: "none")': calendarWriteScopes,
  'patchFollowingEvents(calendarId: "none", eventId: "none", event: {}) { before { id } }':
    calendarWriteScopes,
  'deleteFollowingEvents(calendarId: "none", eventId: "none") { id }': calendarWriteScopes,
  'importEvent(calendarId: "none", event: {}) { id }': calendarWriteScopes,
  'importCalendar(calendarId: "none", icalendar: "") { created }': calendarWriteScopes,
  'moveEvent(calendarId: "none", eventId: "none", destination: "none") { id }': calendarWriteScopes,
  'watchCalendar(calendarId: "none", channel: { id: "1", address: "https://example.com" }) { id }':
    calendarReadScopes,
  'stopChannel(id: "1", resourceId: "none")': calendarReadScopes,
  'insertCalendar(calendar: {}, validateOnly: true) { id }': calendarAdminScopes,
  'patchCalendar(calendarId: "none", calendar: {}) { id }': calendarAdminScopes,
  'resetCalendarFeed(calendarId: "none") { id }': calendarAdminScopes,
  'deleteCalendar(calendarId: "none")': calendarAdminScopes,
  'setCalendarAccess(calendarId: "none", email: "bob@example.com", role: reader) { role }':
    calendarAdminScopes,
  'report { __typename }': [...storageWriteScopes, ...calendarWriteScopes],
};
const scopesBySubscription = {
  'calendarChanged(calendarId: "none") { changedAt }': calendarReadScopes,
  'calendarsChanged(calendarIds: ["none"]) { changedAt }': calendarReadScopes,
  'messagePublished(topic: "projects/no-project/topics/none") { messageId }': storageReadScopes,
};
const listCases = (operation: string, calls: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(calls).map(([call, scopes]) => ({
    name: call.replace(/\W.*/, ''),
    document: `${operation} { ${call} }`,
    scopes,
  }));
/** Fields below the root that have scopes. */
const viewerFields = ['calendars', 'primaryCalendar'].map((name) => ({
  name: `Viewer.${name}`,
  document: `{ viewer { ${name} { id } } }`,
  scopes: calendarReadScopes,
}));
const feedUrlField = {
  name: 'Calendar.feedUrl',
  document: '{ calendar(calendarId: "none") { feedUrl } }',
  scopes: calendarAdminScopes,
};
const fieldCases = [
  ...listCases('query', scopesByQuery),
  ...listCases('mutation', scopesByMutation),
  ...viewerFields,
  feedUrlField,
];
const streamCases = listCases('subscription', scopesBySubscription);
/** Fields whose call succeeds in every gateway. */
const alwaysFoundNames = [
  ...['buckets', 'calendars', 'freeBusy', 'insertBucket', 'insertCalendar', 'report'],
  ...viewerFields.map(({ name }) => name),
];
/** Root fields whose rules have tests of their own. */
const separatelyTestedNames = ['node', 'viewer'];

const codesOf = ({ errors = [] }: Answer): string[] =>
  errors.map(({ extensions: { code, reason } }) => `${code} ${reason}`);

function expectScopeRefusal(answer: Answer): void {
  expect(codesOf(answer)).toEqual(['FORBIDDEN insufficientScope']);
  expect(answer.status).toBe(403);
  expect(answer.headers['www-authenticate']).toBe('Bearer error="insufficient_scope"');
  expect(answer.data).toBeUndefined();
}

function expectTokenRefusal(answer: Answer, challenge = 'Bearer'): void {
  expect(codesOf(answer)).toEqual(['UNAUTHENTICATED authError']);
  expect(answer.status).toBe(401);
  expect(answer.headers['www-authenticate']).toBe(challenge);
  expect(answer.data).toBeUndefined();
}

describe('scopes', () => {
  const gateway = useGateway({ CHANNELS: 'on', CALENDAR_FEEDS: 'on' });

  const askWithScopes = (
    document: string,
    scopes: readonly string[],
    options: RequestOptions = {},
  ): Promise<Answer> => gateway.ask(document, {}, { ...options, scopes });

  test('the tables cover every field with scopes, and every scope of the schema', () => {
    const fieldsWithRules = [...createGatewaySchema().scopeRules.keys()];
    const testedFields = [
      ...[...fieldCases, ...streamCases].map(({ name }) => name),
      ...separatelyTestedNames,
    ];
    expect(fieldsWithRules.sort()).toEqual(testedFields.sort());
    expect([...allScopes].sort()).toEqual([...everyScope].sort());
  });

  test.each(fieldCases)(
    '$name is open to the scopes of the contract and to no other, and not without a token',
    async ({ name, document, scopes }) => {
      for (const scope of everyScope) {
        const answer = await askWithScopes(document, [scope]);
        if (!scopes.includes(scope)) expectScopeRefusal(answer);
        else {
          const codes = alwaysFoundNames.includes(name) ? [] : ['NOT_FOUND notFound'];
          expect([scope, answer.status, codesOf(answer)]).toEqual([scope, 200, codes]);
        }
      }
      expectTokenRefusal(await gateway.ask(document, {}, { as: null }));
      expectScopeRefusal(await askWithScopes(document, []));
    },
  );

  test.each(streamCases)(
    '$name is open to the scopes of the contract and to no other, and not without a token',
    async ({ document, scopes }) => {
      const openStream = async (authorization: Record<string, string>) => {
        const { statusCode, headers, body } = await gateway.app.inject({
          method: 'POST',
          url: '/graphql/stream',
          headers: { accept: 'text/event-stream', ...authorization },
          payload: { query: document },
        });
        return { status: statusCode, challenge: headers['www-authenticate'], body };
      };
      for (const scope of everyScope) {
        const authorization = `Bearer ${await tokenFor('alice@example.com', [scope])}`;
        expect({ scope, ...(await openStream({ authorization })) }).toMatchObject(
          scopes.includes(scope)
            ? { scope, status: 200, body: expect.stringMatching(/^event: next\ndata: .*"NOT_FOUND"/m) }
            : {
                scope,
                status: 403,
                challenge: 'Bearer error="insufficient_scope"',
                body: expect.stringContaining('insufficientScope'),
              },
        );
      }
      const refusedResponse = {
        status: 401,
        challenge: 'Bearer',
        body: expect.stringContaining('UNAUTHENTICATED'),
      };
      expect(await openStream({})).toEqual(refusedResponse);
    },
  );

  test('viewer is open to any token, even without a scope, but not without a token', async () => {
    const document = '{ viewer { email } }';
    for (const scopes of [[], ...everyScope.map((scope) => [scope])]) {
      const { status, data } = await askWithScopes(document, scopes);
      expect([scopes, status, data]).toEqual([scopes, 200, { viewer: { email: 'alice@example.com' } }]);
    }
    expectTokenRefusal(await gateway.ask(document, {}, { as: null }));
  });

  test.each([
    ['in a fragment', '{ viewer { email ...F } } fragment F on Viewer { calendars { id } }'],
    ['in an inline fragment', '{ viewer { email ... { ... on Viewer { primaryCalendar { id } } } } }'],
    ['skipped', '{ viewer { email calendars @skip(if: true) { id } } }'],
  ])('the scopes for the calendars of viewer apply to the whole operation: %s', async (_where, document) => {
    expectScopeRefusal(await askWithScopes(document, storageReadScopes));
    expect((await askWithScopes(document, calendarReadScopes)).errors).toBeUndefined();
  });

  test.each([
    ['event', nodeIdOf('event', 'none', 'none'), calendarReadScopes],
    ['existing event', nodeIdOf('event', 'alice@example.com', 'teammeeting'), calendarReadScopes],
    ['calendar', nodeIdOf('calendar', 'none'), calendarReadScopes],
    ['bucket', nodeIdOf('Bucket', 'no-bucket'), storageReadScopes],
    ['notification', nodeIdOf('Notification', 'no-bucket', '1'), storageReadScopes],
    ['nothing', nodeIdOf('none', 'none'), [...calendarReadScopes, ...storageReadScopes]],
    ['other text', 'none', [...calendarReadScopes, ...storageReadScopes]],
  ])('node for %s is open to the scopes that read its type', async (kind, nodeId, scopes) => {
    const node = `node(nodeId: "${nodeId}") { nodeId }`;
    const expectedCodes = kind.startsWith('existing') ? [] : ['NOT_FOUND notFound'];
    for (const scope of [...calendarReadScopes, ...storageReadScopes]) {
      const answer = await askWithScopes(`{ ${node} viewer { email } }`, [scope]);
      const codes = scopes.includes(scope) ? expectedCodes : ['FORBIDDEN insufficientScope'];
      expect([scope, answer.status, ...codesOf(answer)]).toEqual([scope, 200, ...codes]);
      expect(answer.errors?.map(({ path }) => path) ?? []).toEqual(codes.map(() => ['node']));
      expect(answer.data.viewer).toEqual({ email: 'alice@example.com' });
    }
    expectScopeRefusal(await askWithScopes(`{ ${node} }`, [`${scopePrefix}/calendar.freebusy`]));
    expectScopeRefusal(await askWithScopes(`{ ${node} }`, []));
    expectTokenRefusal(await gateway.ask(`{ ${node} }`, {}, { as: null }));
  });

  test.each([
    ['a longer one', `${scopePrefix}/calendar.events.owned`],
    ['a shorter one', `${scopePrefix}/cal`],
    ['the name alone', 'calendar'],
    ['another case', `${scopePrefix}/Calendar`],
    ['with a slash', `${scopePrefix}/calendar/`],
  ])('a scope counts only when it matches exactly: %s does not', async (_what, scope) => {
    expectScopeRefusal(
      await askWithScopes('{ event(calendarId: "primary", eventId: "teammeeting") { id } }', [scope]),
    );
  });

  test('the message names the scopes that would suffice', async () => {
    const { errors } = await askWithScopes(patchHoliday('event: {}', 'id'), []);
    expect(errors?.[0]?.message).toBe(
      `The token lacks the scope for this: it needs ${scopePrefix}/calendar, or ${scopePrefix}/calendar.events.`,
    );
  });

  const insertField =
    'insertNotification(bucket: "demo-photos", notification: { topic: "projects/p1/topics/never" }) { id }';
  const patchField =
    'patchEvent(calendarId: "primary", eventId: "holiday", event: { summary: "never" }) { id }';
  test.each([
    ['beside it', `mutation { ${patchField} ${insertField} }`],
    ['before it', `mutation { ${insertField} ${patchField} }`],
    [
      'under another name',
      `mutation { ${patchField} patchEvent: ${insertField} }`.replace('{ patchEvent', '{ a: patchEvent'),
    ],
    ['in a fragment', `mutation { ${patchField} ...F } fragment F on Mutation { ${insertField} }`],
    [
      'in a fragment of a fragment',
      `mutation { ${patchField} ...F } fragment F on Mutation { ...G } fragment G on Mutation { ${insertField} }`,
    ],
    ['in an inline fragment', `mutation { ${patchField} ... on Mutation { ... { ${insertField} } } }`],
    [
      'in a fragment that is used twice',
      `mutation { ...F ${patchField} ...F } fragment F on Mutation { ${insertField} }`,
    ],
    ['skipped', `mutation { ${patchField} ${insertField.replace(' { id }', ' @skip(if: true) { id }')} }`],
    ['not included', `mutation { ${patchField} ... @include(if: false) { ${insertField} } }`],
  ])('nothing runs if one root field lacks a scope: %s', async (_where, document) => {
    expectScopeRefusal(await askWithScopes(document, calendarWriteScopes));
    expectScopeRefusal(await askWithScopes(document, storageWriteScopes));
    const { data } = await gateway.ask(
      '{ event(calendarId: "primary", eventId: "holiday") { summary } notifications(bucket: "demo-photos") { topic } }',
    );
    expect(data.event.summary).toBe('Public holiday');
    expect(data.notifications).toHaveLength(1);
  });

  const patchHoliday = (event: string, selection: string): string =>
    `mutation { patchEvent(calendarId: "primary", eventId: "holiday", ${event}) { ${selection} } }`;

  test.each([
    ['a value that a rule refuses', patchHoliday('event: { colorId: "99" }', 'id'), 'invalid'],
    ['a value of no type', patchHoliday('event: { status: gone }', 'id'), 'invalid'],
    ['an unknown field', patchHoliday('event: {}', 'idd'), 'invalid'],
    ['a missing argument', patchHoliday('', 'id'), 'required'],
  ])('a scope error comes before input and document errors: %s', async (_fault, document, reason) => {
    expectTokenRefusal(await gateway.ask(document, {}, { as: null }));
    expectScopeRefusal(await askWithScopes(document, storageReadScopes));
    expect(codesOf(await askWithScopes(document, calendarWriteScopes))).toEqual([`BAD_USER_INPUT ${reason}`]);
  });

  test('only the operation that runs needs its scopes', async () => {
    const document = `query Read { event(calendarId: "primary", eventId: "holiday") { id } } mutation Write { ${insertField} }`;
    const readAnswer = await askWithScopes(document, calendarReadScopes, { operationName: 'Read' });
    expect(readAnswer.data).toEqual({ event: { id: 'holiday' } });
    expectScopeRefusal(await askWithScopes(document, calendarReadScopes, { operationName: 'Write' }));
  });

  test('a scope grants no access to the calendars of others: they are NOT_FOUND', async () => {
    const document = '{ event(calendarId: "alice@example.com", eventId: "teammeeting") { id } }';
    const answer = await gateway.ask(document, {}, { as: 'mallory@elsewhere.example' });
    expect([answer.status, ...codesOf(answer)]).toEqual([200, 'NOT_FOUND notFound']);
  });

  test.each(['query', 'mutation'])('__typename of a %s needs no token', async (operation) => {
    const answer = await gateway.ask(`${operation} { __typename }`, {}, { as: null });
    expect([answer.status, answer.errors]).toEqual([200, undefined]);
    expect(answer.data).toEqual({ __typename: operation === 'query' ? 'Query' : 'Mutation' });
  });

  test('an invalid token is refused for every operation', async () => {
    for (const authorization of ['Bearer a.b.c', 'Basic eDp5'])
      expectTokenRefusal(
        await gateway.ask('{ __typename }', {}, { as: null, headers: { authorization } }),
        'Bearer error="invalid_token"',
      );
  });
});

describe('introspection', () => {
  const introspect = async (
    introspection: string,
    options: RequestOptions,
    document = '{ __schema { queryType { name } } }',
  ): Promise<Answer> => {
    const gateway = await startGateway({ INTROSPECTION: introspection });
    const answer = await gateway.ask(document, {}, options);
    await gateway.close();
    return answer;
  };
  const queryTypeResponse = { __schema: { queryType: { name: 'Query' } } };

  test('INTROSPECTION=open: allowed for everybody', async () =>
    expect((await introspect('open', { as: null })).data).toEqual(queryTypeResponse));

  test('INTROSPECTION=authenticated: allowed with any token, even without scopes', async () => {
    expectTokenRefusal(await introspect('authenticated', { as: null }));
    expect((await introspect('authenticated', { scopes: [] })).data).toEqual(queryTypeResponse);
  });

  test.each<[RequestOptions, string?]>([
    [{ as: null }],
    [{}],
    [{}, '{ __type(name: "Event") { name } }'],
    [{}, 'query { ...F } fragment F on Query { a: __schema { queryType { name } } }'],
  ])('INTROSPECTION=off: refused for everybody, in every form: %j %s', async (...optionsAndDocument) => {
    const answer = await introspect('off', ...optionsAndDocument);
    expect([answer.status, answer.data, codesOf(answer)]).toEqual([200, undefined, ['FORBIDDEN forbidden']]);
  });

  test.each(['authenticated', 'off'])('INTROSPECTION=%s leaves __typename open', async (introspection) =>
    expect((await introspect(introspection, { as: null }, '{ __typename }')).data).toEqual({
      __typename: 'Query',
    }),
  );
});

describe('a schema with a root field that has no scope rule', () => {
  const createWithFields = (sdl: string) => (): unknown =>
    createGatewaySchema(undefined, [...readTypeDefs(), sdl]);
  test.each([
    ['without alternatives', 'extend type Query { open: String @requiresScopes(scopes: []) }', 'Query.open'],
    [
      'one with an empty alternative',
      'extend type Mutation { open: String @requiresScopes(scopes: [["a"], []]) }',
      'Mutation.open',
    ],
    ['several', 'extend type Query { a: String b: String }', 'Query.a, Query.b'],
    ['a subscription', 'extend type Subscription { open: String }', 'Subscription.open'],
  ])('is not built: %s', (_what, sdl, name) =>
    expect(createWithFields(sdl)).toThrow(
      `these root fields have no @requiresScopes or @authenticated: ${name}`,
    ),
  );
});
