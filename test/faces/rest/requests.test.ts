import { gzipSync } from 'node:zlib';
import inject from 'light-my-request';
import { events, startRest, type RestGateway } from './rest.harness.ts';
import { readConfig } from '../../../src/config.ts';
import { secret, startGateway } from '../../harness.ts';

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const readonly = ['https://www.googleapis.com/auth/calendar.readonly'];
const times = { start: { dateTime: '2026-12-02T10:00:00Z' }, end: { dateTime: '2026-12-02T11:00:00Z' } };

describe('requests over REST', () => {
  let gateway: RestGateway;
  beforeAll(async () => {
    gateway = await startRest({ CORS_ORIGINS: 'https://app.example.com' });
  });
  afterAll(() => gateway.close());

  test('decode the path once', async () => {
    const made = await gateway.send('POST /calendar/v3/calendars', { summary: 'Team' });
    expect(
      (await gateway.send(`GET /calendar/v3/calendars/${encodeURIComponent(made.json.id)}`)).json.summary,
    ).toBe('Team');
    expect(
      (
        await gateway.send(
          `GET /calendar/v3/calendars/${encodeURIComponent(encodeURIComponent(made.json.id))}`,
        )
      ).status,
    ).toBe(404);
    expect(await gateway.send(`GET ${events}/a%2Fb%23c`)).toMatchObject({
      status: 404,
      reasons: ['notFound eventId'],
    });
    expect(await gateway.send(`GET ${events}/%E0%A4%A`)).toMatchObject({
      status: 400,
      json: { error: { status: 'INVALID_ARGUMENT' } },
    });
  });

  test('get 404 for paths that are not offered, and 405 for other methods', async () => {
    for (const path of [
      '/calendar/v3/nothing',
      `${events}/quickAdd/more`,
      '/calendar/v2/colors',
      '/storage/v1/b/demo-photos/o/x',
      '/batch/x',
      '/discovery/v1',
      '/calendar/v3/calendars//events',
    ]) {
      expect(await gateway.send(`GET ${path}`)).toMatchObject({
        status: 404,
        reasons: ['notFound'],
        json: { error: { code: 404, status: 'NOT_FOUND' } },
      });
    }
    for (const path of [
      `${events}/import`,
      `${events}/quickAdd?text=x`,
      `${events}/watch`,
      `${events}/teammeeting/move`,
      '/calendar/v3/calendars/primary/clear',
      '/calendar/v3/calendars/primary/acl/watch',
      '/calendar/v3/channels/stop',
    ]) {
      expect([path, (await gateway.send(`POST ${path}`, {})).status]).toEqual([path, 404]);
    }
    expect((await gateway.send(`POST ${events}/other`, {})).status).toBe(405);
    const refused = await gateway.send('DELETE /calendar/v3/colors');
    expect(refused).toMatchObject({
      status: 405,
      reasons: ['methodNotAllowed'],
      json: { error: { status: 'UNIMPLEMENTED' } },
    });
    expect(refused.headers.allow).toBe('GET, HEAD, OPTIONS');
    expect((await gateway.send(`QUERY ${events}`)).headers.allow).toBe('GET, HEAD, POST, OPTIONS');
    expect(await gateway.send('OPTIONS /calendar/v3/nothing')).toMatchObject({ status: 404 });
  });

  test('answer HEAD without a body and OPTIONS with the methods', async () => {
    const head = await gateway.send(`HEAD ${events}/teammeeting`);
    expect([head.status, head.body, head.headers.etag]).toEqual([
      200,
      '',
      (await gateway.send(`GET ${events}/teammeeting`)).headers.etag,
    ]);
    const options = await gateway.send(`OPTIONS ${events}/teammeeting`, undefined, { as: null });
    expect([options.status, options.body, options.headers.allow]).toEqual([
      204,
      '',
      'GET, HEAD, PATCH, PUT, DELETE, OPTIONS',
    ]);
  });

  test('take the method that stands for POST', async () => {
    const as = (method: string) => ({ headers: { 'x-http-method-override': method } });
    expect(
      (await gateway.send(`POST ${events}/teammeeting`, { location: 'Room 9' }, as('patch'))).json.location,
    ).toBe('Room 9');
    const listed = await gateway.send(`POST ${events}?maxResults=1`, 'singleEvents=true&orderBy=startTime', {
      headers: { ...form, 'x-http-method-override': 'GET' },
    });
    expect([listed.status, listed.json.items.length]).toEqual([200, 1]);
    expect(await gateway.send(`POST ${events}`, {}, as('HEAD'))).toMatchObject({
      status: 400,
      reasons: ['invalid X-HTTP-Method-Override'],
    });
    expect((await gateway.send(`GET ${events}/teammeeting`, undefined, as('DELETE'))).status).toBe(200);
    expect((await gateway.send(`POST ${events}`, 'maxResults=1', { headers: form })).status).toBe(415);
  });

  test('may be compressed with gzip, as clients in Java and C# send them', async () => {
    const packed = (body: string, encoding = 'gzip', more = {}) =>
      gateway.sendBytes(`POST ${events}?fields=summary`, gzipSync(body), {
        headers: { 'content-type': 'application/json', 'content-encoding': encoding, ...more },
      });
    expect((await packed(JSON.stringify({ ...times, summary: 'Packed' }))).json).toEqual({
      summary: 'Packed',
    });
    expect(
      (
        await gateway.sendBytes(`POST ${events}`, gzipSync('maxResults=1&fields=kind'), {
          headers: { ...form, 'content-encoding': 'GZIP', 'x-http-method-override': 'GET' },
        })
      ).json,
    ).toEqual({ kind: 'calendar#events' });
    expect(
      await gateway.sendBytes(`POST ${events}`, Buffer.from('{}'), {
        headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      }),
    ).toMatchObject({ status: 400, reasons: ['parseError'] });
    expect(await packed('{}', 'br')).toMatchObject({ status: 415, reasons: ['unsupportedMediaType'] });
    // What it is when it is inflated counts: these are 10 kB, and 10 MB.
    expect(await packed(`{"summary":"${'x'.repeat(10_000_000)}"}`)).toMatchObject({
      status: 413,
      reasons: ['uploadTooLarge'],
    });
  });

  test('take no more than a thousand parameters', async () => {
    const options = { headers: { ...form, 'x-http-method-override': 'GET' } };
    expect(
      (await gateway.send(`POST ${events}`, 'a=b&'.repeat(998) + 'maxResults=1', options)).json.items,
    ).toHaveLength(1);
    expect(await gateway.send(`POST ${events}`, 'a=b&'.repeat(1000), options)).toMatchObject({
      status: 400,
      reasons: ['tooMany'],
    });
  });

  test('need a token in the header, and scopes before anything else', async () => {
    const none = await gateway.send(`POST ${events}?alt=xml`, '{', { as: null });
    expect(none).toMatchObject({
      status: 401,
      reasons: ['authError Authorization'],
      json: { error: { status: 'UNAUTHENTICATED', errors: [{ locationType: 'header' }] } },
    });
    expect(none.headers['www-authenticate']).toBe('Bearer');
    expect((await gateway.send(`GET ${events}?access_token=x`, undefined, { as: null })).status).toBe(401);
    const wrong = await gateway.send(`GET ${events}`, undefined, {
      as: null,
      headers: { authorization: 'Bearer a.b.c' },
    });
    expect([wrong.status, wrong.headers['www-authenticate']]).toEqual([401, 'Bearer error="invalid_token"']);
    const poor = await gateway.send(`POST ${events}?alt=xml`, '{', { scopes: readonly });
    expect(poor).toMatchObject({
      status: 403,
      reasons: ['insufficientPermissions'],
      json: { error: { status: 'PERMISSION_DENIED' } },
    });
    expect(poor.headers['www-authenticate']).toBe('Bearer error="insufficient_scope"');
    expect(
      (
        await gateway.send('GET /calendar/v3/colors', undefined, {
          scopes: ['https://www.googleapis.com/auth/calendar.freebusy'],
        })
      ).status,
    ).toBe(403);
  });

  test('read parameters in any usual spelling, and refuse at each that does not parse', async () => {
    expect(
      (
        await gateway.send(
          `GET ${events}?maxResults=1&pageToken=&showDeleted=TRUE&key=k&quotaUser=q&unknown=1`,
        )
      ).status,
    ).toBe(200);
    expect((await gateway.send(`GET ${events}?maxResults=99999`)).status).toBe(200);
    const refused = await gateway.send(
      `GET ${events}?maxResults=many&timeMin=today&singleEvents=yes&timeZone=Mars&orderBy=id&alt=xml&maxAttendees=0`,
    );
    expect(refused.status).toBe(400);
    expect([...refused.reasons].sort()).toEqual([
      'invalid maxAttendees',
      ...['alt', 'maxResults', 'orderBy', 'singleEvents', 'timeMin', 'timeZone'].map(
        (name) => `invalidParameter ${name}`,
      ),
    ]);
    expect(await gateway.send(`GET ${events}?maxResults=0&maxAttendees=0`)).toMatchObject({
      status: 400,
      reasons: ['invalid maxResults', 'invalid maxAttendees'],
    });
    expect(
      await gateway.send(`GET ${events}?privateExtendedProperty=a=b&privateExtendedProperty=c`),
    ).toMatchObject({ status: 400, reasons: ['invalid privateExtendedProperty'] });
    expect(await gateway.send(`GET ${events}?maxAttendees=0`)).toMatchObject({
      reasons: ['invalid maxAttendees'],
    });
    expect(await gateway.send('GET /storage/v1/b')).toMatchObject({
      status: 400,
      reasons: ['required project'],
    });
  });

  test('are told all that is wrong with their arguments at once', async () => {
    const reasons = async (request: string, body?: object) =>
      [...(await gateway.send(request, body)).reasons].sort();
    const range = 'timeMin=2030-01-01T00:00:00Z&timeMax=2029-01-01T00:00:00Z';
    expect(
      await reasons(
        `GET ${events}?maxResults=0&maxAttendees=0&privateExtendedProperty=nope&orderBy=startTime&${range}`,
      ),
    ).toEqual(
      ['maxAttendees', 'maxResults', 'orderBy', 'privateExtendedProperty', 'timeMax'].map(
        (name) => `invalid ${name}`,
      ),
    );
    expect(await reasons(`GET ${events}?singleEvents=maybe&orderBy=startTime&${range}`)).toEqual([
      'invalid timeMax',
      'invalidParameter singleEvents',
    ]);
    expect(await reasons(`GET ${events}?syncToken=x&showDeleted=false&q=x`)).toEqual([
      'invalid q',
      'invalid showDeleted',
    ]);
    expect(await reasons(`GET ${events}/standup/instances?timeZone=Mars&maxAttendees=0&${range}`)).toEqual([
      'invalid maxAttendees',
      'invalid timeMax',
      'invalidParameter timeZone',
    ]);
    expect(await reasons(`GET ${events}/teammeeting?timeZone=Mars&maxAttendees=0`)).toEqual([
      'invalid maxAttendees',
      'invalidParameter timeZone',
    ]);
    expect(
      await reasons('POST /calendar/v3/calendars/primary/acl', {
        role: 'bogus',
        scope: { type: 'user', value: 'zzz' },
      }),
    ).toEqual(['invalid role', 'invalid scope.value']);
    expect(
      await reasons('POST /calendar/v3/freeBusy', {
        timeMin: '2030-01-01T00:00:00Z',
        timeMax: '2029-01-01T00:00:00Z',
        timeZone: 'Mars',
        items: [{ id: 5 }],
      }),
    ).toEqual(['invalid items[0].id', 'invalid timeMax', 'invalid timeZone']);
    expect(
      await reasons('POST /calendar/v3/freeBusy', { timeMin: '2030-01-01T00:00:00Z', items: [] }),
    ).toEqual(['required items', 'required timeMax']);
    expect(await reasons('GET /storage/v1/b?project=B!&maxResults=0')).toEqual([
      'invalid maxResults',
      'invalid project',
    ]);
    expect(await reasons('GET /storage/v1/b?maxResults=0')).toEqual([
      'invalid maxResults',
      'required project',
    ]);
  });

  test('are refused where a parameter holds a malformed escape', async () => {
    for (const text of ['%zz', '%ff', 'a%'])
      expect(await gateway.send(`GET ${events}?q=${text}&q=ok`)).toMatchObject({
        status: 400,
        reasons: ['invalidParameter q'],
        json: { error: { errors: [{ locationType: 'parameter' }] } },
      });
    expect((await gateway.send(`GET ${events}?q=100%25+%C3%A4&unknown=%zz`)).status).toBe(200);
  });

  test('get messages that speak of parameters', async () => {
    const message = async (query: string, headers = {}) =>
      (await gateway.send(`${query}`, query.startsWith('PATCH') ? {} : undefined, { headers })).json.error
        .message as string;
    expect(await message(`GET ${events}?pageToken=x`)).toMatch(/^pageToken must/);
    expect(await message(`PATCH ${events}/teammeeting`, { 'if-match': 'x' })).toMatch(/^If-Match must/);
    expect(await message('GET /storage/v1/b/demo-archive', { 'x-goog-user-project': '!' })).toMatch(
      /^userProject must/,
    );
  });

  test('do nothing where they are to be validated only and cannot be', async () => {
    const notification = `/storage/v1/b/demo-photos/notificationConfigs/1`;
    for (const [path, body] of [
      [`DELETE ${events}/teammeeting`],
      ['DELETE /storage/v1/b/demo-photos'],
      [`DELETE ${notification}`],
      ['DELETE /calendar/v3/calendars/primary/acl/user:bob@example.com'],
      ['PATCH /calendar/v3/calendars/primary/acl/user:bob@example.com', { role: 'writer' }],
    ] as const) {
      for (const value of ['true', 'maybe'])
        expect(await gateway.send(`${path}?validateOnly=${value}`, body)).toMatchObject({
          status: 400,
          reasons: ['invalidParameter validateOnly'],
          json: { error: { errors: [{ locationType: 'parameter' }] } },
        });
    }
    expect(
      (
        await gateway.send(
          `PATCH /calendar/v3/calendars/primary/acl/user:bob@example.com?validateOnly=FALSE`,
          {},
        )
      ).json.role,
    ).toBe('reader');
    expect((await gateway.send(`GET ${events}/teammeeting?validateOnly=true`)).json.status).toBe('confirmed');
  });

  test('take JSON objects as bodies, or none', async () => {
    expect(await gateway.send(`POST ${events}`, '{"summary":')).toMatchObject({
      status: 400,
      reasons: ['parseError'],
    });
    expect(await gateway.send(`POST ${events}`, '[1]')).toMatchObject({
      status: 400,
      reasons: ['parseError'],
    });
    expect(
      await gateway.send(`POST ${events}`, 'x', { headers: { 'content-type': 'text/plain' } }),
    ).toMatchObject({ status: 415, reasons: ['unsupportedMediaType'] });
    expect(await gateway.send(`POST ${events}`, `{"summary":"${'x'.repeat(1024 * 1024)}"}`)).toMatchObject({
      status: 413,
      reasons: ['uploadTooLarge'],
    });
    expect(
      (await gateway.send(`POST ${events}`, undefined, { headers: { 'content-type': 'application/json' } }))
        .reasons,
    ).toEqual(['required start', 'required end']);
    expect(
      (await gateway.send(`GET ${events}/teammeeting`, undefined, { headers: { 'content-length': '0' } }))
        .status,
    ).toBe(200);
  });

  test('leave unknown fields out at any depth, and say so', async () => {
    const { status, json, warnings } = await gateway.send(`POST ${events}`, {
      ...times,
      nodeId: 'x',
      foo: { bar: 1 },
      start: { ...times.start, zone: 'ä' },
      attendees: [{ email: 'bob@example.com', nick: 'b' }],
      extendedProperties: { private: { any: 'x' } },
    });
    expect([status, json.extendedProperties, json.attendees[0].email]).toEqual([
      200,
      { private: { any: 'x' } },
      'bob@example.com',
    ]);
    const many = await gateway.send(`POST ${events}?validateOnly=true`, {
      ...times,
      ...Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`x${index}`, 1])),
    });
    expect([
      many.warnings.at(-1).reason,
      Number(/\d+/.exec(many.warnings.at(-1).message)?.[0]) + many.warnings.length - 1,
    ]).toEqual(['incomplete', 1000]);
    expect(warnings.map(({ path, reason }: { path: string[]; reason: string }) => [reason, ...path])).toEqual(
      [
        ['unknownField', 'start', 'zone'],
        ['unknownField', 'nodeId'],
        ['unknownField', 'foo'],
        ['unknownField', 'attendees', 0, 'nick'],
      ],
    );
    expect(
      (await gateway.send(`POST ${events}`, { ...times, eventType: 'focusTime' })).warnings,
    ).toMatchObject([{ path: ['eventType'], reason: 'readOnly' }]);
    expect(
      (await gateway.send(`POST ${events}`, { ...times, eventType: 'default' })).warnings,
    ).toBeUndefined();
    expect(await gateway.send(`POST ${events}`, { ...times, summary: ['a'], start: [] })).toMatchObject({
      status: 400,
      reasons: expect.arrayContaining(['invalid start', 'invalid summary']),
    });
    expect(
      await gateway.send(`POST ${events}`, { ...times, attendees: { email: 'a@b.example' }, summary: 5 }),
    ).toMatchObject({ status: 400, reasons: ['invalid attendees', 'invalid summary'] });
  });

  test('clear by null in PATCH alone', async () => {
    const made = await gateway.send(`POST ${events}`, {
      ...times,
      summary: null,
      location: 'here',
      extendedProperties: { shared: { a: '1', b: null } },
    });
    expect([made.status, made.json.summary, made.json.extendedProperties]).toEqual([
      200,
      undefined,
      { shared: { a: '1' } },
    ]);
    const patched = await gateway.send(`PATCH ${events}/${made.json.id}`, {
      location: null,
      extendedProperties: { shared: { a: null } },
    });
    expect([patched.json.location, patched.json.extendedProperties]).toEqual([undefined, undefined]);
  });

  test('are allowed from other origins', async () => {
    const preflight = await gateway.send(`OPTIONS ${events}`, undefined, {
      as: null,
      headers: { origin: 'https://app.example.com', 'access-control-request-method': 'PATCH' },
    });
    expect(preflight.headers['access-control-allow-methods']).toBe('GET, HEAD, POST, PUT, PATCH, DELETE');
    expect(preflight.headers['access-control-allow-headers']?.split(', ')).toEqual(
      expect.arrayContaining([
        'if-match',
        'if-none-match',
        'x-goog-api-client',
        'x-goog-user-project',
        'x-http-method-override',
        'x-requested-with',
      ]),
    );
    const got = await gateway.send(`GET ${events}/teammeeting`, undefined, {
      headers: { origin: 'https://app.example.com' },
    });
    expect(got.headers['access-control-expose-headers']?.split(', ')).toEqual(
      expect.arrayContaining(['etag', 'x-warnings']),
    );
  });
});

test('the REST face is on in the demo, else off, and never beside listed operations', async () => {
  const key = { AUTH_JWT_SECRET: secret };
  expect([
    readConfig({}).rest,
    readConfig(key).rest,
    readConfig({ REST: 'off' }).rest,
    readConfig({ ...key, REST: 'on' }).rest,
  ]).toEqual([true, false, false, true]);
  const listed = { OPERATIONS: 'listed', OPERATIONS_FILE: 'x.json' };
  expect(readConfig(listed).rest).toBe(false);
  expect(() => readConfig({ ...listed, REST: 'on' })).toThrow('REST: must be off');
  const { app, close } = await startGateway();
  expect(
    (
      await inject((request, reply) => void app.server.emit('request', request, reply), {
        url: '/calendar/v3/colors',
      })
    ).statusCode,
  ).toBe(404);
  await close();
});

test('requests are charged as in GraphQL, and measured by operation and status', async () => {
  const gateway = await startRest({ RATE_LIMIT: '12' });
  const statuses: number[] = [];
  for (const request of [
    `GET ${events}/teammeeting`,
    'GET /calendar/v3/nothing',
    `GET ${events}?alt=xml`,
    'GET /storage/v1/b',
    `GET ${events}?maxResults=5`,
  ])
    statuses.push((await gateway.send(request)).status);
  expect(statuses).toEqual([200, 404, 400, 400, 200]);
  const costs = async (): Promise<number> => Number((await gateway.send('GET /calendar/v3/colors')).status);
  let last = await costs();
  while (last === 200) last = await costs();
  const limited = await gateway.send('GET /calendar/v3/colors');
  expect(limited).toMatchObject({
    status: 429,
    reasons: ['rateLimitExceeded'],
    json: { error: { status: 'RESOURCE_EXHAUSTED', errors: [{ domain: 'usageLimits' }] } },
  });
  expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
  expect((await gateway.send('GET /calendar/v3/nothing')).status).toBe(429);
  expect((await gateway.ask('{ calendars { id } }')).status).toBe(429);
  const { body } = await inject((request, reply) => void gateway.app.server.emit('request', request, reply), {
    url: '/metrics',
  });
  expect(body).toContain('rest_request_duration_seconds_count{operation="event",status="200"} 1');
  expect(body).toContain('rest_request_duration_seconds_count{operation="none",status="404"} 1');
  expect(body).not.toContain('graphql_operation_duration_seconds_count{kind="query",root_field="event"');
  await gateway.close();
});

test('a request that costs too much is told to ask for a smaller page', async () => {
  const gateway = await startRest({ RATE_LIMIT: '3' });
  const { status, json } = await gateway.send(`GET ${events}?maxResults=2500`);
  expect([status, json.error.message]).toEqual([400, expect.stringContaining('a smaller "maxResults"')]);
  await gateway.close();
});
