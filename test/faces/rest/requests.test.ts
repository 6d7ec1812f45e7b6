import { gzipSync } from 'node:zlib';
import { eventListUrl, startRest, times, useRest } from './rest.harness.ts';
import { readConfig } from '../../../src/config.ts';
import { demoNow, secret } from '../../harness.ts';

const formHeaders = { 'content-type': 'application/x-www-form-urlencoded' };
const createOverrideHeader = (method: string) => ({ 'x-http-method-override': method });
const gzipHeaders = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
const readonlyScopes = ['https://www.googleapis.com/auth/calendar.readonly'];
const calendarsUrl = '/calendar/v3/calendars';
const aclUrl = `${calendarsUrl}/primary/acl`;
const freeBusyRequest = 'POST /calendar/v3/freeBusy';

describe('requests over REST', () => {
  const rest = useRest({ CORS_ORIGINS: 'https://app.example.com' });
  const tokenlessClient = rest.as(null);

  test('have their path decoded once', async () => {
    const id = encodeURIComponent((await rest.json(`POST ${calendarsUrl}`, { summary: 'Team' })).id);
    expect((await rest.json(`GET ${calendarsUrl}/${id}`)).summary).toBe('Team');
    expect(await rest.status(`GET ${calendarsUrl}/${encodeURIComponent(id)}`)).toBe(404);
    expect(await rest.refusal(`GET ${eventListUrl}/a%2Fb%23c`)).toBe('404 notFound eventId');
    expect(await rest.send(`GET ${eventListUrl}/%E0%A4%A`)).toMatchObject({
      status: 400,
      json: { error: { status: 'INVALID_ARGUMENT' } },
    });
  });

  test.each([
    '/calendar/v3/nothing',
    `${eventListUrl}/quickAdd/more`,
    '/calendar/v2/colors',
    '/storage/v1/b/demo-photos/nothing',
    '/upload/nothing',
    '/batch/x',
    '/discovery/v1',
    '/calendar/v3/calendars//events',
  ])('are 404 for the unknown path %s', async (path) => {
    expect(await rest.send(`GET ${path}`)).toMatchObject({
      status: 404,
      reasons: ['notFound'],
      json: { error: { code: 404, status: 'NOT_FOUND' } },
    });
  });

  test.each([
    `POST ${eventListUrl}/quickAdd?text=x`,
    `POST ${eventListUrl}/watch`,
    'POST /calendar/v3/calendars/primary/clear',
    `POST ${aclUrl}/watch`,
    'POST /calendar/v3/channels/stop',
    'GET /calendar/v3/users/me/settings',
    'GET /calendar/v3/users/me/settings/locale',
    'GET /storage/v1/b/demo-photos/o/x',
    'POST /storage/v1/b/demo-photos/o',
    'DELETE /storage/v1/b/demo-photos/acl/user-a',
    'GET /storage/v1/projects/p/serviceAccount',
    'POST /upload/storage/v1/b/demo-photos/o?uploadType=media',
    'GET /download/storage/v1/b/demo-photos/o/x?alt=media',
  ])('are 404 with the reason notOffered for unsupported methods: %s', async (request) => {
    const imageClient = rest.withHeaders({ 'content-type': 'image/jpeg' });
    expect(await imageClient.send(request, request.startsWith('GET') ? undefined : 'x')).toMatchObject({
      status: 404,
      reasons: ['notOffered'],
      json: { error: { code: 404, status: 'NOT_FOUND' } },
    });
  });

  test('find an event with the id import', async () => {
    const allDayTimes = { start: { date: '2027-05-01' }, end: { date: '2027-05-02' } };
    expect(await rest.status(`POST ${eventListUrl}`, { id: 'import', ...allDayTimes })).toBe(200);
    expect((await rest.send(`GET ${eventListUrl}/import`)).json).toMatchObject({ id: 'import' });
    const { headers } = await rest.send(`OPTIONS ${eventListUrl}/import`);
    expect(headers.allow).toBe('POST, GET, HEAD, PATCH, PUT, DELETE, OPTIONS');
  });

  test('are 405 with Allow for another method on a known path', async () => {
    expect(await rest.send('DELETE /calendar/v3/colors')).toMatchObject({
      status: 405,
      reasons: ['methodNotAllowed'],
      json: { error: { status: 'UNIMPLEMENTED' } },
      headers: { allow: 'GET, HEAD, OPTIONS' },
    });
    expect(await rest.status(`POST ${eventListUrl}/other`, {})).toBe(405);
    expect(await rest.status(`GET ${eventListUrl}/teammeeting/move`)).toBe(405);
    expect((await rest.send(`QUERY ${eventListUrl}`)).headers.allow).toBe('GET, HEAD, POST, OPTIONS');
  });

  test('with HEAD return no body, and with OPTIONS the allowed methods', async () => {
    const { etag } = (await rest.send(`GET ${eventListUrl}/teammeeting`)).headers;
    expect(await rest.send(`HEAD ${eventListUrl}/teammeeting`)).toMatchObject({
      status: 200,
      body: '',
      headers: { etag },
    });
    expect(await tokenlessClient.send(`OPTIONS ${eventListUrl}/teammeeting`)).toMatchObject({
      status: 204,
      body: '',
      headers: { allow: 'GET, HEAD, PATCH, PUT, DELETE, OPTIONS' },
    });
  });

  test('with POST are treated as the method in X-HTTP-Method-Override', async () => {
    const overriddenPatch = await rest
      .withHeaders(createOverrideHeader('patch'))
      .json(`POST ${eventListUrl}/teammeeting`, { location: 'Room 9' });
    expect(overriddenPatch.location).toBe('Room 9');
    const listedEvents = await rest
      .withHeaders({ ...formHeaders, ...createOverrideHeader('GET') })
      .json(`POST ${eventListUrl}?maxResults=1`, 'singleEvents=true&orderBy=startTime');
    expect(listedEvents.items).toHaveLength(1);
    expect(await rest.withHeaders(createOverrideHeader('HEAD')).refusal(`POST ${eventListUrl}`, {})).toBe(
      '400 invalid X-HTTP-Method-Override',
    );
    expect(
      await rest.withHeaders(createOverrideHeader('DELETE')).status(`GET ${eventListUrl}/teammeeting`),
    ).toBe(200);
    expect(await rest.withHeaders(formHeaders).status(`POST ${eventListUrl}`, 'maxResults=1')).toBe(415);
  });

  test('may be compressed with gzip, as by the Java and C# clients', async () => {
    const gzipClient = rest.withHeaders(gzipHeaders);
    const body = gzipSync(JSON.stringify({ ...times, summary: 'Packed' }));
    expect(await gzipClient.json(`POST ${eventListUrl}?fields=summary`, body)).toEqual({ summary: 'Packed' });
    expect(
      await rest
        .withHeaders({ ...formHeaders, ...createOverrideHeader('GET'), 'content-encoding': 'GZIP' })
        .json(`POST ${eventListUrl}`, gzipSync('maxResults=1&fields=kind')),
    ).toEqual({ kind: 'calendar#events' });
    expect(await gzipClient.refusal(`POST ${eventListUrl}`, '{}')).toBe('400 parseError');
    const brotliClient = gzipClient.withHeaders({ 'content-encoding': 'br' });
    expect(await brotliClient.refusal(`POST ${eventListUrl}`, gzipSync('{}'))).toBe(
      '415 unsupportedMediaType',
    );
    // The inflated size counts: 10 kB become 10 MB.
    const largeBody = gzipSync(`{"summary":"${'x'.repeat(10_000_000)}"}`);
    expect(await gzipClient.refusal(`POST ${eventListUrl}`, largeBody)).toBe('413 uploadTooLarge');
  });

  test('may have at most a thousand parameters', async () => {
    const queryClient = rest.withHeaders({ ...formHeaders, ...createOverrideHeader('GET') });
    const { items } = await queryClient.json(`POST ${eventListUrl}`, 'a=b&'.repeat(998) + 'maxResults=1');
    expect(items).toHaveLength(1);
    expect(await queryClient.refusal(`POST ${eventListUrl}`, 'a=b&'.repeat(1000))).toBe('400 tooMany');
  });

  test('need a token in the header, before anything else is checked', async () => {
    expect(await tokenlessClient.send(`POST ${eventListUrl}?alt=xml`, '{')).toMatchObject({
      status: 401,
      reasons: ['authError Authorization'],
      json: { error: { status: 'UNAUTHENTICATED', errors: [{ locationType: 'header' }] } },
      headers: { 'www-authenticate': 'Bearer' },
    });
    expect(await tokenlessClient.status(`GET ${eventListUrl}?access_token=x`)).toBe(401);
    const invalidToken = tokenlessClient.withHeaders({ authorization: 'Bearer a.b.c' });
    expect(await invalidToken.send(`GET ${eventListUrl}`)).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    });
  });

  test('need scopes, before anything else is checked', async () => {
    const readonlyClient = rest.as('alice@example.com', readonlyScopes);
    expect(await readonlyClient.send(`POST ${eventListUrl}?alt=xml`, '{')).toMatchObject({
      status: 403,
      reasons: ['insufficientPermissions'],
      json: { error: { status: 'PERMISSION_DENIED' } },
      headers: { 'www-authenticate': 'Bearer error="insufficient_scope"' },
    });
    const freeBusyClient = rest.as('alice@example.com', [
      'https://www.googleapis.com/auth/calendar.freebusy',
    ]);
    expect(await freeBusyClient.status('GET /calendar/v3/colors')).toBe(403);
    expect(await freeBusyClient.status(freeBusyRequest, {})).toBe(400);
  });

  test('may write parameters in any usual notation, and may have unknown ones', async () => {
    const query = 'maxResults=1&pageToken=&showDeleted=TRUE&key=k&quotaUser=q&unknown=%zz&q=100%25+%C3%A4';
    expect(await rest.status(`GET ${eventListUrl}?${query}`)).toBe(200);
    expect(await rest.status(`GET ${eventListUrl}?maxResults=99999`)).toBe(200);
  });

  const reversedRange = 'timeMin=2030-01-01T00:00:00Z&timeMax=2029-01-01T00:00:00Z';

  test.each([
    [
      `${eventListUrl}?maxResults=many&timeMin=today&singleEvents=yes&timeZone=Mars&orderBy=id&alt=xml&maxAttendees=0`,
      'invalid maxAttendees, invalidParameter alt, invalidParameter maxResults, invalidParameter orderBy, ' +
        'invalidParameter singleEvents, invalidParameter timeMin, invalidParameter timeZone',
    ],
    [
      `${eventListUrl}?maxResults=0&maxAttendees=0&privateExtendedProperty=a=b&privateExtendedProperty=c&orderBy=startTime&${reversedRange}`,
      'invalid maxAttendees, invalid maxResults, invalid orderBy, invalid privateExtendedProperty, invalid timeMax',
    ],
    [
      `${eventListUrl}?singleEvents=maybe&orderBy=startTime&${reversedRange}`,
      'invalid timeMax, invalidParameter singleEvents',
    ],
    [`${eventListUrl}?syncToken=x&showDeleted=false&q=x`, 'invalid q, invalid showDeleted'],
    [
      `${eventListUrl}/standup/instances?timeZone=Mars&maxAttendees=0&${reversedRange}`,
      'invalid maxAttendees, invalid timeMax, invalidParameter timeZone',
    ],
    [
      `${eventListUrl}/teammeeting?timeZone=Mars&maxAttendees=0`,
      'invalid maxAttendees, invalidParameter timeZone',
    ],
    ['/storage/v1/b?project=B!&maxResults=0', 'invalid maxResults, invalid project'],
    ['/storage/v1/b?maxResults=0', 'invalid maxResults, required project'],
  ])('report every problem with their parameters at once: GET %s', async (path, problems) => {
    expect(await rest.refusal(`GET ${path}`)).toBe(`400 ${problems}`);
  });

  test('are refused with a malformed escape in a parameter', async () => {
    for (const text of ['%zz', '%ff', 'a%'])
      expect(await rest.send(`GET ${eventListUrl}?q=${text}&q=ok`)).toMatchObject({
        status: 400,
        reasons: ['invalidParameter q'],
        json: { error: { errors: [{ locationType: 'parameter' }] } },
      });
  });

  test('are refused with messages that use the REST names of parameters and headers', async () => {
    const readMessage = async (...request: Parameters<typeof rest.json>) =>
      (await rest.withHeaders({ 'if-match': 'x', 'x-goog-user-project': '!' }).json(...request)).error
        .message;
    expect(await readMessage(`GET ${eventListUrl}?pageToken=x`)).toMatch(/^pageToken must/);
    expect(await readMessage(`PATCH ${eventListUrl}/teammeeting`, {})).toMatch(/^If-Match must/);
    expect(await readMessage('GET /storage/v1/b/demo-archive')).toMatch(/^userProject must/);
  });

  test('are refused with validateOnly where dry runs are not supported', async () => {
    const bobsRule = `${aclUrl}/user:bob@example.com`;
    for (const [request, body] of [
      [`DELETE ${eventListUrl}/teammeeting`],
      ['DELETE /storage/v1/b/demo-photos'],
      ['DELETE /storage/v1/b/demo-photos/notificationConfigs/1'],
      [`DELETE ${bobsRule}`],
      [`PATCH ${bobsRule}`, { role: 'writer' }],
    ] as const) {
      for (const value of ['true', 'maybe'])
        expect(await rest.send(`${request}?validateOnly=${value}`, body)).toMatchObject({
          status: 400,
          reasons: ['invalidParameter validateOnly'],
          json: { error: { errors: [{ locationType: 'parameter' }] } },
        });
    }
    expect((await rest.json(`PATCH ${bobsRule}?validateOnly=FALSE`, {})).role).toBe('reader');
    expect((await rest.json(`GET ${eventListUrl}/teammeeting?validateOnly=true`)).status).toBe('confirmed');
  });

  test('must have a JSON object as body, or none', async () => {
    for (const [body, refusal] of [
      ['{"summary":', '400 parseError'],
      ['[1]', '400 parseError'],
      [`{"summary":"${'x'.repeat(1024 * 1024)}"}`, '413 uploadTooLarge'],
      ['', '400 required end, required start'],
    ] as const)
      expect(await rest.refusal(`POST ${eventListUrl}`, body)).toBe(refusal);
    const textClient = rest.withHeaders({ 'content-type': 'text/plain' });
    expect(await textClient.refusal(`POST ${eventListUrl}`, 'x')).toBe('415 unsupportedMediaType');
    expect(await rest.withHeaders({ 'content-length': '0' }).status(`GET ${eventListUrl}/teammeeting`)).toBe(
      200,
    );
  });

  test('may have one object in place of a list of objects', async () => {
    const attendees = { email: 'bob@example.com', nick: 'b' };
    const { json, warnings } = await rest.send(`POST ${eventListUrl}`, { ...times, attendees });
    expect(json.attendees).toMatchObject([{ email: 'bob@example.com' }]);
    expect(warnings).toEqual(['unknownField attendees.0.nick']);
    expect(await rest.refusal(`POST ${eventListUrl}`, { ...times, attendees: { email: 'bob' } })).toBe(
      '400 invalid attendees[0].email',
    );
    expect(await rest.refusal(`POST ${eventListUrl}`, { ...times, recurrence: {} })).toBe(
      '400 invalid recurrence',
    );
  });

  test('have unknown fields dropped at any depth, with a warning', async () => {
    const { json, warnings } = await rest.send(`POST ${eventListUrl}`, {
      ...times,
      nodeId: 'x',
      foo: { bar: 1 },
      start: { ...times.start, zone: 'ä' },
      attendees: [{ email: 'bob@example.com', nick: 'b' }],
      extendedProperties: { private: { any: 'x' } },
      eventType: 'focusTime',
    });
    expect(json).toMatchObject({
      extendedProperties: { private: { any: 'x' } },
      attendees: [{ email: 'bob@example.com' }],
      eventType: 'default',
    });
    expect([...(warnings ?? [])].sort()).toEqual([
      'notOffered eventType',
      'unknownField attendees.0.nick',
      'unknownField foo',
      'unknownField nodeId',
      'unknownField start.zone',
    ]);
    expect(
      (await rest.send(`POST ${eventListUrl}`, { ...times, eventType: 'default' })).warnings,
    ).toBeUndefined();
  });

  test('clear fields by null only in PATCH', async () => {
    const sharedProperties = { a: '1', b: null };
    const createdEvent = await rest.json(`POST ${eventListUrl}`, {
      ...times,
      summary: null,
      location: 'here',
      extendedProperties: { shared: sharedProperties },
    });
    expect([createdEvent.summary, createdEvent.extendedProperties]).toEqual([
      undefined,
      { shared: { a: '1' } },
    ]);
    const nullPatch = { location: null, extendedProperties: { shared: { a: null } } };
    const patchedEvent = await rest.json(`PATCH ${eventListUrl}/${createdEvent.id}`, nullPatch);
    expect([patchedEvent.location, patchedEvent.extendedProperties]).toEqual([undefined, undefined]);
  });

  test('are allowed from other origins', async () => {
    const origin = 'https://app.example.com';
    const preflight = await tokenlessClient
      .withHeaders({ origin, 'access-control-request-method': 'PATCH' })
      .send(`OPTIONS ${eventListUrl}`);
    expect(preflight.headers['access-control-allow-methods']).toBe('GET, HEAD, POST, PUT, PATCH, DELETE');
    expect(preflight.headers['access-control-allow-headers']?.split(', ')).toEqual(
      expect.arrayContaining([
        ...['if-match', 'if-none-match', 'x-goog-api-client', 'x-goog-user-project'],
        ...['x-http-method-override', 'x-requested-with'],
      ]),
    );
    const { headers } = await rest.withHeaders({ origin }).send(`GET ${eventListUrl}/teammeeting`);
    expect(headers['access-control-expose-headers']?.split(', ')).toEqual(
      expect.arrayContaining(['etag', 'x-warnings']),
    );
  });
});

test('the REST face is on in the demo, else off by default, and never with OPERATIONS=listed', async () => {
  const secretEnv = { AUTH_JWT_SECRET: secret };
  expect(
    [{}, secretEnv, { REST: 'off' }, { ...secretEnv, REST: 'on' }].map((env) => readConfig(env).rest),
  ).toEqual([true, false, false, true]);
  const listedOperations = { OPERATIONS: 'listed', OPERATIONS_FILE: 'x.json' };
  expect(readConfig(listedOperations).rest).toBe(false);
  expect(() => readConfig({ ...listedOperations, REST: 'on' })).toThrow('REST: must be off');
  const gateway = await startRest({ REST: 'off' });
  expect(await gateway.status('GET /calendar/v3/colors')).toBe(404);
  await gateway.close();
});

describe('the rate limit over REST', () => {
  // A fixed clock keeps the window of a minute from ending.
  const clock = () => demoNow;

  test('is shared with GraphQL, and metrics have operation and status', async () => {
    const gateway = await startRest({ RATE_LIMIT: '12' }, { clock });
    for (const [request, status] of [
      [`GET ${eventListUrl}/teammeeting`, 200],
      ['GET /calendar/v3/nothing', 404],
      [`GET ${eventListUrl}?alt=xml`, 400],
      ['GET /storage/v1/b', 400],
      [`GET ${eventListUrl}?maxResults=5`, 200],
    ] as const)
      expect([request, await gateway.status(request)]).toEqual([request, status]);
    // Uses up the rest of the limit.
    while ((await gateway.status('GET /calendar/v3/colors')) === 200);
    expect(await gateway.send('GET /calendar/v3/colors')).toMatchObject({
      status: 429,
      reasons: ['rateLimitExceeded'],
      json: { error: { status: 'RESOURCE_EXHAUSTED', errors: [{ domain: 'usageLimits' }] } },
      headers: { 'retry-after': '60' },
    });
    expect(await gateway.status('GET /calendar/v3/nothing')).toBe(429);
    expect((await gateway.ask('{ calendars { id } }')).status).toBe(429);
    const { body } = await gateway.send('GET /metrics');
    expect(body).toContain('rest_request_duration_seconds_count{operation="event",status="200"} 1');
    expect(body).toContain('rest_request_duration_seconds_count{operation="none",status="404"} 1');
    expect(body).not.toContain('graphql_operation_duration_seconds_count{kind="query",root_field="event"');
    await gateway.close();
  });

  test('refuses a request that costs more than the limit, and suggests a smaller page', async () => {
    const gateway = await startRest({ RATE_LIMIT: '3' }, { clock });
    const { status, json } = await gateway.send(`GET ${eventListUrl}?maxResults=2500`);
    expect([status, json.error.message]).toEqual([400, expect.stringContaining('a smaller "maxResults"')]);
    await gateway.close();
  });
});
