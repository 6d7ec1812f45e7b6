import {
  openClient,
  json,
  readCall,
  refusal,
  startService,
  text,
  token,
  writeCall,
} from './client.harness.ts';
import { useForEach } from '../../use-resource.ts';

const service = useForEach(() => startService(json(200, { id: 'e1' })));
const client = useForEach(() => openClient(`${service.url}/calendar/v3`));

test('a call sends the token and its arguments, and parses the JSON response', async () => {
  const query = {
    fields: 'id,start/dateTime',
    maxResults: 5,
    showDeleted: false,
    eventTypes: ['default', 'fromGmail'],
    q: 'ä&b',
    pageToken: null,
    timeMin: undefined,
  };
  expect(await client.call({ ...readCall, query })).toEqual({ id: 'e1' });
  expect(service.received).toMatchObject([
    {
      method: 'GET',
      url: '/calendar/v3/calendars/alice%40example.com/events/e1?fields=id%2Cstart%2FdateTime&maxResults=5&showDeleted=false&eventTypes=default&eventTypes=fromGmail&q=%C3%A4%26b',
      headers: { authorization: `Bearer ${token}`, accept: 'application/json', 'accept-encoding': 'gzip' },
      body: '',
    },
  ]);
  expect(service.received[0]?.headers).not.toHaveProperty('content-type');
});

test('a write sends its body and If-Match', async () => {
  await client.call({ ...writeCall, apiMethod: 'events.patch', ifMatch: '"6"' });
  expect(service.received[0]).toMatchObject({
    method: 'PATCH',
    body: '{"summary":"Secret plan"}',
    headers: { 'content-type': 'application/json', 'if-match': '"6"', 'content-length': '25' },
  });
  await client.call({ ...writeCall, body: undefined });
  expect(service.received[1]).toMatchObject({ body: '', headers: { 'content-length': '0' } });
});

test.each([
  ['nothing', ''],
  ['a dot', '.'],
  ['two dots', '..'],
  ['5,000 characters', 'x'.repeat(5000)],
])('an id of %s fits no path, so nothing is found', async (_case, id) => {
  await expect(
    client.call({ ...readCall, path: ['calendars', 'primary', 'events', id] }),
  ).rejects.toMatchObject({ status: 404, reason: 'notFound' });
  expect(service.received).toEqual([]);
});

test('an id is encoded as one path segment', async () => {
  await client.call({ ...readCall, path: ['calendars', 'a/../b?c#d%2F', 'events', '\ud800'] });
  expect(service.received[0]?.url).toBe('/calendar/v3/calendars/a%2F..%2Fb%3Fc%23d%252F/events/%EF%BF%BD');
});

test('an etag that is no valid header value matches nothing', async () => {
  await expect(client.call({ ...writeCall, ifMatch: '"a\r\nx: y"' })).rejects.toMatchObject({ status: 412 });
  expect(service.received).toEqual([]);
});

test('calls reuse a connection', async () => {
  for (let count = 0; count < 3; count += 1) await client.call(readCall);
  expect(service.received.map(({ connection }) => connection)).toEqual([0, 0, 0]);
});

test.each([204, 200])('a delete may be answered with %i and no body', async (status) => {
  service.answers = [text('', status)];
  expect(await client.call({ ...readCall, apiMethod: 'events.delete' })).toEqual({});
});

test.each<[number, string, object]>([
  [400, 'timeRangeEmpty', { location: 'timeMax' }],
  [403, 'forbiddenForNonOrganizer', { location: undefined }],
  [404, 'notFound', { location: undefined }],
  [412, 'conditionNotMet', { location: 'If-Match' }],
])("a refusal has the service's status and reason: %i %s", async (status, reason, location) => {
  service.answers = [refusal(status, reason, {}, location)];
  const expectedRefusal = {
    name: 'ServiceRefusal',
    status,
    reason,
    serviceText: `Message of ${reason}`,
    ...location,
  };
  await expect(client.call(writeCall)).rejects.toMatchObject(expectedRefusal);
  expect(service.received).toHaveLength(1);
  const details = { service: 'calendar', method: 'events.insert', status, reason };
  expect(client.lines).toEqual([{ level: 'info', details, message: 'a call upstream failed' }]);
});

test.each([
  '',
  '<html>',
  'null',
  '[]',
  '{"error":"invalid_request"}',
  '{"error":{"errors":{}}}',
  '{"error":{"errors":[null]}}',
  '{"error":{"errors":[{"reason":"of alice@example.com"}]}}',
])('a refusal without a valid reason has an empty one: %s', async (body) => {
  service.answers = [text(body, 400)];
  const noReason = { status: 400, reason: '', serviceText: '', location: undefined };
  await expect(client.call(readCall)).rejects.toMatchObject(noReason);
});

test('a token that the service refuses is reported', async () => {
  service.answers = [refusal(401, 'authError')];
  await expect(client.call(readCall)).rejects.toMatchObject({ code: 'UNAUTHENTICATED', reason: 'authError' });
  expect(client.refusedTokens).toEqual([token]);
  expect(client.lines[0]?.details).toMatchObject({ reason: 'authError' });
});

test('logs, metrics and spans contain no token, id or text', async () => {
  service.answers = [refusal(500, 'backendError')];
  const error: unknown = await client.call(writeCall).catch((reason: unknown) => reason);
  expect(client.spans).toEqual([
    [
      'calendar events.insert',
      { 'server.address': service.url.slice('http://'.length), 'http.request.method': 'POST' },
    ],
  ]);
  expect(client.attempts).toEqual(['calendar events.insert 500']);
  const { message, cause } = error as Error;
  const records = JSON.stringify([
    client.lines,
    client.spans,
    client.attempts,
    client.retries,
    message,
    String(cause),
  ]);
  for (const hiddenText of [token, 'primary', 'Secret plan', 'Message of'])
    expect(records).not.toContain(hiddenText);
});
