import inject from 'light-my-request';
import { compose } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { allScopes } from '../harness.ts';
import { type FakeService, json, createManualTimer, refusal, startService } from './client/client.harness.ts';

const tokenInfoOf = (token: string): object => ({
  sub: token,
  email: `${token}@example.com`,
  email_verified: 'true',
  expires_in: '3600',
  scope: token === 'reader' ? 'https://www.googleapis.com/auth/calendar.readonly' : allScopes.join(' '),
});

let identityService: FakeService;
let service: FakeService;
let closeGateway: (() => Promise<unknown>) | undefined;
beforeEach(async () => {
  identityService = await startService((response, request) =>
    json(200, tokenInfoOf(request.body.split('=')[1] ?? ''))(response, request),
  );
  service = await startService(json(200, { id: 'alice@example.com', summary: 'Alice', accessRole: 'owner' }));
});
afterEach(async () => {
  await closeGateway?.();
  closeGateway = undefined;
  await identityService.stop();
  await service.stop();
});

async function startFrontGateway(services: string, env: Record<string, string> = {}) {
  const lines: string[] = [];
  const config = readConfig({
    UPSTREAM: services,
    UPSTREAM_TOKENINFO_URL: identityService.url,
    REST: 'on',
    ...(services.includes('calendar') && { UPSTREAM_CALENDAR_URL: `${service.url}/calendar/v3` }),
    ...(services.includes('storage') && { UPSTREAM_STORAGE_URL: `${service.url}/storage/v1` }),
    ...env,
  });
  const { app, startupMessages, demoToken } = await compose(config, {
    includesProcessMetrics: false,
    retryTimer: createManualTimer(),
    logTarget: { write: (line) => void lines.push(line) },
  });
  await app.ready();
  closeGateway = () => app.close();
  const send = (options: inject.InjectOptions) =>
    inject((request, reply) => void app.server.emit('request', request, reply), {
      remoteAddress: '127.0.0.1',
      ...options,
    });
  const ask = async (query: string, token?: string) => {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const headers = { 'content-type': 'application/json', ...authorization };
    const reply = await send({ method: 'POST', url: '/graphql', headers, payload: { query } });
    const { data, errors = [] } = reply.json<{
      data?: Record<string, unknown>;
      errors?: { extensions: { code: string; reason: string } }[];
    }>();
    const problems = errors.map(({ extensions: { code, reason } }) => `${code} ${reason}`);
    return { status: reply.statusCode, headers: reply.headers, data, problems };
  };
  return { send, ask, notices: startupMessages, demoToken, lines };
}
const summaryQuery = '{ calendar(calendarId: "primary") { summary } }';

describe('a gateway in front of a service', () => {
  test('identifies callers by their tokens, and forwards these unchanged', async () => {
    const { ask, notices, demoToken } = await startFrontGateway('calendar,storage');
    expect([notices, demoToken]).toEqual([[], undefined]);
    expect(await ask(summaryQuery, 'alice')).toMatchObject({
      status: 200,
      data: { calendar: { summary: 'Alice' } },
    });
    expect(service.received).toMatchObject([{ headers: { authorization: 'Bearer alice' } }]);
    expect(await ask(summaryQuery)).toMatchObject({ status: 401 });
  });

  test('answers 401 to a token that the service refuses, and verifies it anew', async () => {
    const { ask } = await startFrontGateway('calendar');
    service.answers = [refusal(401, 'authError')];
    for (let count = 1; count < 3; count += 1) {
      expect(await ask(summaryQuery, 'alice')).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': expect.stringContaining('Bearer') },
      });
      expect(identityService.received).toHaveLength(count);
    }
  });

  test.each([
    'mutation { insertCalendar(calendar: { summary: "x" }) { id } }',
    'mutation { patchCalendar(calendarId: "x", calendar: { summary: "x" }) { id } }',
    'mutation { deleteCalendar(calendarId: "x") }',
    'mutation { resetCalendarFeed(calendarId: "x") { id } }',
    'mutation { setCalendarAccess(calendarId: "x", email: "a@example.com", role: reader) { email } }',
    '{ calendarAccess(calendarId: "x") { email } }',
    'mutation { patchFollowingEvents(calendarId: "x", eventId: "e1_20310101T000000Z", event: { summary: "x" }) { following { id } } }',
    'mutation { deleteFollowingEvents(calendarId: "x", eventId: "e1_20310101T000000Z") { id } }',
    'mutation { watchCalendar(calendarId: "x", channel: { id: "1", address: "https://receiver.example.com/" }) { id } }',
    'mutation { stopChannel(id: "1", resourceId: "x") }',
    'mutation { insertBucket(project: "x-project", bucket: { name: "x-bucket" }) { name } }',
    'mutation { patchBucket(bucket: "x-bucket", change: {}) { name } }',
    'mutation { deleteBucket(bucket: "x-bucket") }',
    'mutation { publishObjectChange(bucket: "x-bucket", change: { eventType: OBJECT_FINALIZE, objectId: "o" }) { messages { messageId } } }',
    '{ messages(topic: "projects/my-project/topics/t") { nodes { messageId } } }',
  ])('does not offer operations that the service lacks: %s', async (query) => {
    const { ask } = await startFrontGateway('calendar,storage');
    expect((await ask(query, 'alice')).problems).toEqual(['FORBIDDEN notOffered']);
    expect(service.received).toEqual([]);
  });

  test('verifies no tokens of a client that sent too many bad ones', async () => {
    const { ask } = await startFrontGateway('calendar', { RATE_LIMIT: '3' });
    identityService.answers = [json(400, {})];
    const statuses: number[] = [];
    for (const token of ['a', 'b', 'c', 'd']) statuses.push((await ask('{ __typename }', token)).status);
    expect(statuses).toEqual([401, 401, 401, 429]);
    expect(identityService.received).toHaveLength(3);
  });

  test('checks scopes before it refuses an operation that is not offered', async () => {
    const { ask } = await startFrontGateway('calendar');
    const mutation = 'mutation { deleteCalendar(calendarId: "x") }';
    expect((await ask(mutation, 'reader')).problems).toEqual(['FORBIDDEN insufficientScope']);
    expect((await ask(mutation, 'alice')).problems).toEqual(['FORBIDDEN notOffered']);
  });

  test("serves other resources from the gateway's own stores", async () => {
    const { ask, notices } = await startFrontGateway('calendar');
    expect(notices).toHaveLength(2);
    const inserted = await ask(
      'mutation { insertBucket(project: "x-project", bucket: { name: "own-bucket" }) { name } }',
      'alice',
    );
    expect(inserted).toMatchObject({ data: { insertBucket: { name: 'own-bucket' } } });
    await closeGateway?.();
    const storageFront = await startFrontGateway('storage');
    expect(
      await storageFront.ask(
        'mutation { insertCalendar(calendar: { summary: "Own" }) { summary } }',
        'alice',
      ),
    ).toMatchObject({ data: { insertCalendar: { summary: 'Own' } } });
    expect(service.received).toEqual([]);
  });

  test('needs no database, broker, mail server or file if all data is upstream', async () => {
    const invalidSettings = {
      DATABASE_URL: 'postgres://127.0.0.1:1/none',
      BROKER_URL: 'nats://127.0.0.1:1',
      WEBHOOKS_FILE: '/nowhere/webhooks.json',
      SMTP_URL: 'smtp://127.0.0.1:1',
      MAIL_FROM: 'a@example.com',
      SEED_FILE: '/nowhere/seed.json',
    };
    const { send } = await startFrontGateway('calendar,storage', invalidSettings);
    expect((await send({ url: '/health/ready' })).statusCode).toBe(200);
  });

  test('is ready while the service is unavailable, and logs and counts the failures', async () => {
    const { send, ask, lines } = await startFrontGateway('calendar');
    await ask('{ __typename }', 'alice');
    await service.stop();
    const answer = await ask(
      'mutation { insertEvent(calendarId: "alice", event: { start: { date: "2031-01-01" }, end: { date: "2031-01-02" }, attendees: [] }) { id } }',
      'alice',
    );
    expect(answer.problems).toEqual(['UNAVAILABLE backendError']);
    expect((await send({ url: '/health/ready' })).statusCode).toBe(200);
    const failureLines = lines.filter((line) => line.includes('a call upstream failed'));
    expect(failureLines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { service: 'calendar', method: 'events.insert', reason: 'unreachable' },
    ]);
    const { body } = await send({ url: '/metrics' });
    for (const line of [
      'upstream_request_duration_seconds_count{service="calendar",method="events.insert",status="unreachable"} ',
      'upstream_retries_total{service="calendar",method="events.insert",reason="unreachable"} ',
      'upstream_request_duration_seconds_count{service="identity",method="tokeninfo",status="200"} 1\n',
    ])
      expect(body).toContain(line);
  });
});

test('without UPSTREAM there are no upstream metrics', async () => {
  const { app } = await compose(readConfig({}), { includesProcessMetrics: false, logLevel: 'silent' });
  closeGateway = () => app.close();
  await app.ready();
  const { body } = await inject((request, reply) => void app.server.emit('request', request, reply), {
    url: '/metrics',
    remoteAddress: '127.0.0.1',
  });
  expect(body).not.toContain('upstream_');
});
