import {
  type Answer,
  openClient,
  json,
  readCall,
  refusal,
  reset,
  startService,
  text,
  writeCall,
} from './client.harness.ts';
import { useForEach } from '../../use-resource.ts';

const service = useForEach(() => startService());
const client = useForEach(() => openClient(service.url));

const okAnswer = json(200, { id: 'e1' });
const unavailableAnswer = text('away', 503);
const rateLimitedProblem = 'RATE_LIMITED rateLimitExceeded';
const truncatedAnswer: Answer = (response) => {
  response.writeHead(200, { 'content-length': '100' });
  response.write('{"id":');
  response.socket?.end();
};

describe('a transient failure', () => {
  const transientFailures: [string, Answer, string][] = [
    ['a status of 500', refusal(500, 'backendError'), 'backendError'],
    ['a status of 503', unavailableAnswer, 'backendError'],
    ['a status of 408', text('late', 408), 'backendError'],
    ['a reset', reset, 'reset'],
    ['a truncated answer', truncatedAnswer, 'reset'],
    ['truncated JSON', text('{"id":"e1"'), 'malformed'],
    ['JSON that is no object', text('"e1"'), 'malformed'],
    ['an array', text('[]'), 'malformed'],
    ['null', text('null'), 'malformed'],
    ['a status without a body', text('', 204), 'malformed'],
    ['an answer without a body', text(''), 'malformed'],
    ['invalid UTF-8', (response) => void response.end(Buffer.from([0x22, 0xff, 0x22])), 'malformed'],
    ['a response that is not HTTP', (response) => void response.socket?.end('hello\r\n\r\n'), 'malformed'],
    ['a content coding that was not requested', text('{}', 200, { 'content-encoding': 'br' }), 'malformed'],
    ['invalid gzip', text('{}', 200, { 'content-encoding': 'gzip' }), 'malformed'],
  ];

  test.each(transientFailures)('%s is retried if the call is repeatable', async (_name, answer, reason) => {
    service.answers = [answer, okAnswer];
    expect(await client.call(readCall)).toEqual({ id: 'e1' });
    expect([client.timer.pauses, client.lines]).toEqual([[300], []]);
    expect(client.retries).toEqual([`calendar events.get ${reason}`]);
  });

  test.each(transientFailures)(
    '%s leaves the outcome unknown if the call is not repeatable',
    async (_name, answer) => {
      service.answers = [answer, okAnswer];
      await expect(client.call(writeCall)).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        reason: 'outcomeUnknown',
      });
      expect(service.received).toHaveLength(1);
      expect(client.lines).toMatchObject([{ level: 'warn', details: { method: 'events.insert' } }]);
    },
  );
});

test.each([
  [429, 'rateLimitExceeded'],
  [429, ''],
  [403, 'rateLimitExceeded'],
  [403, 'userRateLimitExceeded'],
])('%i %s is always retried, because nothing was carried out', async (status, reason) => {
  service.answers = [refusal(status, reason), okAnswer];
  await client.call(writeCall);
  expect(client.attempts).toEqual([`calendar events.insert ${status}`, 'calendar events.insert 200']);
  expect(client.retries).toEqual(['calendar events.insert rateLimited']);
});

test.each<[string, Answer, string, number]>([
  ['a quota', refusal(403, 'quotaExceeded', { 'retry-after': '3600' }), rateLimitedProblem, 3600],
  ['a quota without Retry-After', refusal(429, 'dailyLimitExceeded'), rateLimitedProblem, 10],
  ['a service that is not enabled', refusal(403, 'accessNotConfigured'), 'UNAVAILABLE backendError', 1],
  ['a redirect', text('', 302, { location: '/elsewhere' }), 'UNAVAILABLE backendError', 1],
])('%s is not retried', async (_name, answer, problem, retryAfter) => {
  const [code, reason] = problem.split(' ');
  service.answers = [answer];
  for (const call of [readCall, writeCall])
    await expect(client.call(call)).rejects.toMatchObject({ code, reason, details: { retryAfter } });
  expect(service.received).toHaveLength(2);
});

test('an unreachable service is retried, also for writes', async () => {
  await service.stop();
  await expect(client.call(writeCall)).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'backendError' });
  expect(client.attempts.length).toBeGreaterThan(4);
  expect(new Set(client.attempts)).toEqual(new Set(['calendar events.insert unreachable']));
});

test('pauses double, and a call takes 10 s at most', async () => {
  service.answers = [unavailableAnswer];
  await expect(client.call(readCall)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    reason: 'backendError',
    details: { retryAfter: 1 },
  });
  expect(client.timer.pauses).toEqual([300, 600, 1200, 2400, 4800]);
});

test('jitter makes a pause up to a fifth longer', async () => {
  const timer = { ...client.timer, random: () => 1 };
  const jitteredClient = openClient(service.url, { timer });
  service.answers = [unavailableAnswer];
  await expect(jitteredClient.call(readCall)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(client.timer.pauses).toEqual([360, 720, 1440, 2880]);
});

test('calls of one request share a retry budget', async () => {
  service.answers = [unavailableAnswer];
  const request = {};
  await expect(client.call(readCall, { request })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  client.timer.advance(60_000);
  service.answers = [...Array<Answer>(8).fill(unavailableAnswer), okAnswer];
  client.timer.pauses.length = 0;
  await expect(client.call(readCall, { request })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(client.timer.pauses).toEqual([300]);
  client.timer.advance(10_000);
  await client.call(readCall, { request: {} });
});

test('Retry-After is obeyed while time is left, in seconds or as a date that is not past', async () => {
  service.answers = [refusal(429, 'rateLimitExceeded', { 'retry-after': '4' }), unavailableAnswer, okAnswer];
  await client.call(readCall);
  service.answers = [
    ...service.answers,
    refusal(429, '', { 'retry-after': 'Wed, 01 Jan 2031 00:00:03 GMT' }),
    refusal(429, '', { 'retry-after': 'Tue, 31 Dec 2030 23:00:00 GMT' }),
    okAnswer,
  ];
  await client.call(readCall);
  expect(client.timer.pauses).toEqual([4000, 600, 3000, 600]);
});

test.each<[number, string, string, number]>([
  [429, '120', 'RATE_LIMITED', 120],
  [503, '120', 'UNAVAILABLE', 120],
  [429, '99999999999999999999', 'RATE_LIMITED', 86_400],
])('a %i with a Retry-After that is too long (%s) is passed on', async (status, header, code, retryAfter) => {
  service.answers = [refusal(status, '', { 'retry-after': header }), okAnswer];
  await expect(client.call(readCall)).rejects.toMatchObject({ code, details: { retryAfter } });
  expect(service.received).toHaveLength(1);
});

test.each<[string, Answer, string]>([
  ['failed each time', unavailableAnswer, 'outcomeUnknown'],
  [
    'was lost, and then rate limited',
    (response, request) => (service.received.length === 1 ? reset : refusal(429, ''))(response, request),
    'outcomeUnknown',
  ],
  ['was too long', text(' '.repeat(17 * 1024 * 1024)), 'outcomeUnknown'],
  ['was never made', refusal(403, 'accessNotConfigured'), 'backendError'],
])(
  'a repeatable write whose answer %s reports whether its outcome is unknown',
  async (_name, answer, reason) => {
    service.answers = [answer];
    await expect(client.call({ ...writeCall, repeatable: true })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      reason,
    });
    await expect(client.call({ ...writeCall, apiMethod: 'freebusy.query' })).rejects.not.toMatchObject({
      reason: 'outcomeUnknown',
    });
  },
);

test.each<[string, readonly Answer[], object]>([
  ['that an earlier attempt carried out succeeds', [unavailableAnswer, text('{}', 404)], {}],
  ['of an absent resource is refused', [text('{}', 404)], { status: 404 }],
  ['of an absent resource is refused after a pause', [text('{}', 429), text('{}', 404)], { status: 404 }],
])('a delete %s', async (_name, answers, expected) => {
  service.answers = answers;
  const deleteCall = { ...readCall, apiMethod: 'notifications.delete', repeatable: true } as const;
  expect(await client.call(deleteCall).catch((error: unknown) => error)).toMatchObject(expected);
});
