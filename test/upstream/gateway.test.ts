import inject from 'light-my-request';
import { compose } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { allScopes } from '../harness.ts';
import { manualWaiting } from './client/client.harness.ts';
import { json, refusal, startService, type FakeService } from './client/service.ts';

const identityOf = (token: string): object => ({
  sub: token,
  email: `${token}@example.com`,
  email_verified: 'true',
  expires_in: '3600',
  scope: token === 'reader' ? 'https://www.googleapis.com/auth/calendar.readonly' : allScopes.join(' '),
});

let identity: FakeService;
let service: FakeService;
let close: (() => Promise<unknown>) | undefined;
beforeEach(async () => {
  identity = await startService((response, { body }) =>
    json(200, identityOf(body.split('=')[1] ?? ''))(response, identity.got[0] as never),
  );
  service = await startService(
    json(200, {
      kind: 'calendar#calendarListEntry',
      id: 'alice@example.com',
      summary: 'Alice',
      accessRole: 'owner',
      primary: true,
      timeZone: 'UTC',
      etag: '"1"',
    }),
  );
});
afterEach(async () => {
  await close?.();
  close = undefined;
  await identity.stop();
  await service.stop();
});

async function start(services: string, env: Record<string, string> = {}) {
  const lines: string[] = [];
  const config = readConfig({
    UPSTREAM: services,
    UPSTREAM_TOKENINFO_URL: identity.url,
    REST: 'on',
    ...(services.includes('calendar') && { UPSTREAM_CALENDAR_URL: `${service.url}/calendar/v3` }),
    ...(services.includes('storage') && { UPSTREAM_STORAGE_URL: `${service.url}/storage/v1` }),
    ...env,
  });
  const { app, notices, demoToken } = await compose(config, {
    processMetrics: false,
    waiting: manualWaiting(),
    logTo: { write: (line) => void lines.push(line) },
  });
  await app.ready();
  close = () => app.close();
  const send = (sent: inject.InjectOptions) =>
    inject((request, reply) => void app.server.emit('request', request, reply), {
      remoteAddress: '127.0.0.1',
      ...sent,
    });
  const ask = async (query: string, token?: string) => {
    const headers = {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const answer = await send({ method: 'POST', url: '/graphql', headers, payload: { query } });
    return {
      status: answer.statusCode,
      headers: answer.headers,
      ...answer.json<{
        data?: Record<string, unknown>;
        errors?: { extensions: { code: string; reason: string } }[];
      }>(),
    };
  };
  return { send, ask, notices, demoToken, lines };
}

const codesOf = ({ errors = [] }: { errors?: { extensions: { code: string; reason: string } }[] }) =>
  errors.map(({ extensions: { code, reason } }) => `${code} ${reason}`);

describe('in front of a service', () => {
  test('callers are who their tokens say, and these go to the service as they came', async () => {
    const { ask, notices, demoToken } = await start('calendar,storage');
    expect([notices, demoToken]).toEqual([[], undefined]);
    expect(await ask('{ calendar(calendarId: "primary") { summary } }', 'alice')).toMatchObject({
      status: 200,
      data: { calendar: { summary: 'Alice' } },
    });
    expect(service.got).toMatchObject([{ headers: { authorization: 'Bearer alice' } }]);
    expect(await ask('{ calendar(calendarId: "primary") { summary } }')).toMatchObject({ status: 401 });
  });

  test('a token that the service refuses is 401, and asked about anew', async () => {
    const { ask } = await start('calendar');
    service.answers = [refusal(401, 'authError')];
    for (let count = 1; count < 3; count += 1) {
      expect(await ask('{ calendar(calendarId: "primary") { summary } }', 'alice')).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': expect.stringContaining('Bearer') },
      });
      expect(identity.got).toHaveLength(count);
    }
  });

  test.each([
    'mutation { insertCalendar(calendar: { summary: "x" }) { id } }',
    'mutation { patchCalendar(calendarId: "x", calendar: { summary: "x" }) { id } }',
    'mutation { deleteCalendar(calendarId: "x") }',
    'mutation { setCalendarAccess(calendarId: "x", email: "a@example.com", role: reader) { email } }',
    '{ calendarAccess(calendarId: "x") { email } }',
    'mutation { patchFollowingEvents(calendarId: "x", eventId: "e1_20310101T000000Z", event: { summary: "x" }) { following { id } } }',
    'mutation { deleteFollowingEvents(calendarId: "x", eventId: "e1_20310101T000000Z") { id } }',
    'mutation { insertBucket(project: "x-project", bucket: { name: "x-bucket" }) { name } }',
    'mutation { patchBucket(bucket: "x-bucket", change: {}) { name } }',
    'mutation { deleteBucket(bucket: "x-bucket") }',
    'mutation { publishObjectChange(bucket: "x-bucket", change: { eventType: OBJECT_FINALIZE, objectId: "o" }) { messages { messageId } } }',
    '{ messages(topic: "projects/my-project/topics/t") { nodes { messageId } } }',
  ])('what the service does not have is not offered: %s', async (query) => {
    const { ask } = await start('calendar,storage');
    expect(codesOf(await ask(query, 'alice'))).toEqual(['FORBIDDEN notOffered']);
    expect(service.got).toEqual([]);
  });

  test('nobody is asked about tokens of who has sent too many bad ones', async () => {
    const { ask } = await start('calendar', { RATE_LIMIT: '3' });
    identity.answers = [json(400, {})];
    for (const [token, status] of [
      ['a', 401],
      ['b', 401],
      ['c', 401],
      ['d', 429],
    ] as const)
      expect(await ask('{ __typename }', token)).toMatchObject({ status });
    expect(identity.got).toHaveLength(3);
  });

  test('scopes come first', async () => {
    const { ask } = await start('calendar');
    const mutation = 'mutation { deleteCalendar(calendarId: "x") }';
    expect(codesOf(await ask(mutation, 'reader'))).toEqual(['FORBIDDEN insufficientScope']);
    expect(codesOf(await ask(mutation, 'alice'))).toEqual(['FORBIDDEN notOffered']);
  });

  test("the other resources are the gateway's own", async () => {
    const { ask, notices } = await start('calendar');
    expect(notices).toHaveLength(2);
    const made = await ask(
      'mutation { insertBucket(project: "x-project", bucket: { name: "own-bucket" }) { name } }',
      'alice',
    );
    expect(made).toMatchObject({ data: { insertBucket: { name: 'own-bucket' } } });
    await close?.();
    const other = await start('storage');
    expect(
      await other.ask('mutation { insertCalendar(calendar: { summary: "Own" }) { summary } }', 'alice'),
    ).toMatchObject({ data: { insertCalendar: { summary: 'Own' } } });
    expect(service.got).toEqual([]);
  });

  test('nothing of what is elsewhere is opened', async () => {
    const all = {
      DATABASE_URL: 'postgres://127.0.0.1:1/none',
      BROKER_URL: 'nats://127.0.0.1:1',
      WEBHOOKS_FILE: '/nowhere/webhooks.json',
      SMTP_URL: 'smtp://127.0.0.1:1',
      MAIL_FROM: 'a@example.com',
      SEED_FILE: '/nowhere/seed.json',
    };
    const { send } = await start('calendar,storage', all);
    expect((await send({ url: '/health/ready' })).statusCode).toBe(200);
  });

  test('it is ready while the service is away, and says so', async () => {
    const { send, ask, lines } = await start('calendar');
    await ask('{ __typename }', 'alice');
    await service.stop();
    const answer = await ask(
      'mutation { insertEvent(calendarId: "alice", event: { start: { date: "2031-01-01" }, end: { date: "2031-01-02" }, attendees: [] }) { id } }',
      'alice',
    );
    expect(codesOf(answer)).toEqual(['UNAVAILABLE backendError']);
    expect((await send({ url: '/health/ready' })).statusCode).toBe(200);
    expect(
      lines
        .filter((line) => line.includes('a call upstream failed'))
        .map((line) => JSON.parse(line) as object),
    ).toMatchObject([{ service: 'calendar', method: 'events.insert', reason: 'unreachable' }]);
    const { body } = await send({ url: '/metrics' });
    expect(body).toMatch(
      /^upstream_request_duration_seconds_count\{service="calendar",method="events.insert",status="unreachable"\} \d/m,
    );
    expect(body).toMatch(
      /^upstream_retries_total\{service="calendar",method="events.insert",reason="unreachable"\} \d/m,
    );
    expect(body).toMatch(
      /^upstream_request_duration_seconds_count\{service="identity",method="tokeninfo",status="200"\} 1$/m,
    );
  });
});

test('without UPSTREAM there are no figures of it', async () => {
  const { app } = await compose(readConfig({}), { processMetrics: false, logLevel: 'silent' });
  close = () => app.close();
  await app.ready();
  const { body } = await inject((request, reply) => void app.server.emit('request', request, reply), {
    url: '/metrics',
    remoteAddress: '127.0.0.1',
  });
  expect(body).not.toContain('upstream_');
});
