import { startGateway, tokenFor, type TestGateway } from '../harness.ts';
import { createRpcFace } from './rpc-face.ts';

const google = 'https://www.googleapis.com/auth';

interface RpcAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // Test code reads whatever an operation answers.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly content: any;
}

describe('a second face, of plain JSON', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ RATE_LIMIT: '60' }, { faces: (runner) => [createRpcFace(runner)] });
  });
  afterAll(() => gateway.close());

  async function send(
    method: 'GET' | 'POST',
    url: string,
    args: object,
    authorization?: string,
  ): Promise<RpcAnswer> {
    const headers = {
      'content-type': 'application/json',
      ...(authorization !== undefined && { authorization }),
    };
    const {
      statusCode: status,
      headers: got,
      body,
    } = await gateway.app.inject({
      method,
      url,
      headers,
      ...(method === 'POST' && { payload: JSON.stringify(args) }),
    });
    return { status, headers: got, content: JSON.parse(body) };
  }
  const call = async (
    operation: string,
    args: object,
    scopes?: string[],
    as = 'alice@example.com',
  ): Promise<RpcAnswer> => send('POST', `/rpc/${operation}`, args, `Bearer ${await tokenFor(as, scopes)}`);
  const meeting = { calendarId: 'primary', eventId: 'teammeeting' };

  test('writes what GraphQL reads, with the same etag and the warnings of the write', async () => {
    const { status, content } = await call('patchEvent', {
      ...meeting,
      event: { location: 'Room 7', created: '2020-01-01T00:00:00Z' },
    });
    expect([status, content.value.location]).toEqual([200, 'Room 7']);
    expect(content.warnings).toMatchObject([{ path: ['event', 'created'], reason: 'readOnly' }]);
    const { data } = await gateway.ask(
      '{ event(calendarId: "primary", eventId: "teammeeting") { location etag } }',
    );
    expect(data.event).toEqual({ location: 'Room 7', etag: content.value.etag });
  });

  test('reads pages', async () => {
    const { content } = await call('events', { calendarId: 'primary', first: 100 });
    const { data } = await gateway.ask('{ events(calendarId: "primary") { nodes { id } nextSyncToken } }');
    expect(content.value.edges.map(({ node }: { node: { id: string } }) => ({ id: node.id }))).toEqual(
      data.events.nodes,
    );
    expect(content.value.hasNextPage).toBe(false);
  });

  test('tells where arguments do not fit the schema, and where they break a rule', async () => {
    const misfit = await call('patchEvent', {
      eventId: 'teammeeting',
      event: { summary: 5, start: { date: 'today' } },
      more: 1,
    });
    expect([misfit.status, misfit.content.failed.problems.sort()]).toEqual([
      400,
      ['calendarId: required', 'event.start.date: invalid', 'event.summary: invalid', 'more: invalid'],
    ]);
    const broken = await call('patchEvent', {
      ...meeting,
      event: { end: { dateTime: '2000-01-01T00:00:00Z' } },
    });
    expect([broken.status, broken.content.failed.problems]).toEqual([400, ['event.end: timeRangeEmpty']]);
  });

  test('asks for the scopes of the operation', async () => {
    const patch = { ...meeting, event: { location: 'Nowhere' } };
    expect(await call('patchEvent', patch, [`${google}/calendar.readonly`])).toMatchObject({
      status: 403,
      content: { failed: { reason: 'insufficientScope' } },
    });
    expect(await send('POST', '/rpc/patchEvent', patch)).toMatchObject({
      status: 401,
      content: { failed: { code: 'UNAUTHENTICATED' } },
    });
    expect((await call('event', meeting, [`${google}/calendar.readonly`])).content.value.location).not.toBe(
      'Nowhere',
    );
  });

  test('shares the rate limit with GraphQL', async () => {
    const as = 'bob@example.com';
    const asked = await Promise.all(
      Array.from({ length: 60 }, () => call('calendar', { calendarId: 'primary' }, undefined, as)),
    );
    expect(asked.map(({ status }) => status)).toEqual(Array(60).fill(200));
    expect(await call('calendar', { calendarId: 'primary' }, undefined, as)).toMatchObject({
      status: 429,
      content: { failed: { code: 'RATE_LIMITED' } },
    });
    expect((await gateway.ask('{ calendars { id } }', {}, { as })).status).toBe(429);
  });

  test('words whatever goes wrong on its paths, and there alone', async () => {
    expect(await call('nothing', {})).toMatchObject({
      status: 404,
      content: { failed: { code: 'NOT_FOUND' } },
    });
    expect(await send('POST', '/rpc/calendars', {}, 'Bearer a.b.c')).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
      content: { failed: { reason: 'authError' } },
    });
    expect(await send('GET', '/rpc/calendars', {})).toMatchObject({
      status: 405,
      headers: { allow: 'POST' },
      content: { failed: { reason: 'invalid' } },
    });
    expect(await send('POST', '/elsewhere', {})).toMatchObject({
      status: 404,
      content: { errors: [{ extensions: { code: 'NOT_FOUND' } }] },
    });
  });
});
