import { tokenFor } from '../../../harness.ts';
import { events, startRest, type RestGateway } from '../rest.harness.ts';

interface Part {
  readonly request: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

const times = { start: { dateTime: '2026-12-02T10:00:00Z' }, end: { dateTime: '2026-12-02T11:00:00Z' } };

const written = (parts: readonly Part[]): string => `${parts.map(({ request, headers = {}, body }, index) => [
  '--of_parts', 'Content-Type: application/http', `Content-ID: <id + ${index}>`, '', `${request} HTTP/1.1`,
  ...Object.entries(body ? { 'Content-Type': 'application/json', ...headers } : headers).map(([name, value]) => `${name}: ${value}`), '', body ? JSON.stringify(body) : '', '',
].join('\r\n')).join('')}--of_parts--`;

describe('batches over REST', () => {
  let gateway: RestGateway;
  beforeAll(async () => {
    gateway = await startRest({ RATE_LIMIT: '60' });
  });
  afterAll(() => gateway.close());

  async function send(parts: readonly Part[], as: string | null = 'alice@example.com', path = '/batch/calendar/v3') {
    const answer = await gateway.send(`POST ${path}`, written(parts), { as, headers: { 'content-type': 'multipart/mixed; boundary=of_parts' } });
    const [, boundary = ''] = /boundary=(.+)$/.exec(answer.headers['content-type'] ?? '') ?? [];
    const sections = answer.body.split(`--${boundary}`).slice(1, -1);
    return {
      ...answer,
      parts: sections.map((section) => {
        const [head = '', inner = '', ...body] = section.trim().split('\r\n\r\n');
        return { id: /Content-ID: (.+)/.exec(head)?.[1], status: Number(/^HTTP\/1.1 (\d+)/.exec(inner)?.[1]), headers: inner, text: body.join('') };
      }),
    };
  }

  test('run each part by itself and in order, as whoever it names', async () => {
    const bob = `Bearer ${await tokenFor('bob@example.com')}`;
    const { status, parts } = await send([
      { request: `POST ${events}`, body: { ...times, id: 'ofabatch1' } },
      { request: `PATCH ${events}/ofabatch1`, body: { summary: 'Patched' } },
      { request: `GET ${events}/ofabatch1?fields=summary` },
      { request: 'GET /calendar/v3/calendars/primary', headers: { Authorization: bob } },
      { request: `DELETE ${events}/ofabatch1` },
      { request: `HEAD ${events}/ofabatch1` },
      { request: 'GET /storage/v1/b/demo-photos' },
    ]);
    expect([status, parts.map((part) => part.status)]).toEqual([200, [200, 200, 200, 200, 204, 200, 200]]);
    expect(parts.map(({ id }) => id).slice(0, 2)).toEqual(['<response-id + 0>', '<response-id + 1>']);
    expect([JSON.parse(parts[2]?.text ?? ''), JSON.parse(parts[3]?.text ?? '').id, parts[4]?.text, parts[5]?.text]).toEqual([{ summary: 'Patched' }, 'bob@example.com', '', '']);
    expect(parts[0]?.headers).toMatch(/etag: "/i);
  });

  test('refuse a part without the others', async () => {
    const { parts } = await send([
      { request: 'GET /calendar/v3/nothing' },
      { request: `POST ${events}`, body: { summary: 5 } },
      { request: `GET ${events}/teammeeting?alt=xml` },
      { request: `DELETE /calendar/v3/colors` },
      { request: `GET ${events}/teammeeting`, headers: { Authorization: 'Bearer a.b.c' } },
      { request: `POST ${events}`, headers: { 'Content-Type': 'text/plain' }, body: {} },
      { request: `OPTIONS ${events}` },
      { request: `OPTIONS /calendar/v3/none` },
      { request: `GET ${events}/teammeeting` },
    ]);
    expect(parts.map(({ status }) => status)).toEqual([404, 400, 400, 405, 401, 415, 204, 404, 200]);
    expect(parts[4]?.headers).toContain('www-authenticate: Bearer error="invalid_token"');
    expect(JSON.parse(parts[1]?.text ?? '').error.errors[0]).toMatchObject({ reason: 'invalid', location: 'summary' });
  });

  test('need no token themselves', async () => {
    const own = `Bearer ${await tokenFor('carol@example.com')}`;
    const { status, parts } = await send([{ request: 'GET /calendar/v3/colors', headers: { Authorization: own } }, { request: 'GET /calendar/v3/colors' }], null, '/batch/storage/v1');
    expect([status, parts.map((part) => part.status)]).toEqual([200, [200, 401]]);
  });

  test('are refused as a whole where they cannot be read', async () => {
    expect(await gateway.send('POST /batch/calendar/v3', {})).toMatchObject({ status: 400, reasons: ['badRequest'] });
    const long = await send(Array.from({ length: 51 }, () => ({ request: 'GET /calendar/v3/colors' })));
    expect(long).toMatchObject({ status: 400, reasons: ['badRequest'] });
    expect((await gateway.send('GET /batch/calendar/v3')).status).toBe(405);
  });

  test('are charged as their parts', async () => {
    const as = 'dora@example.com';
    const asked = { request: 'GET /calendar/v3/calendars/primary' };
    const statuses = (await send(Array.from({ length: 50 }, () => asked), as)).parts.map(({ status }) => status);
    expect(statuses).toEqual(Array(50).fill(200));
    const rest = (await send(Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? { request: 'GET /calendar/v3/none' } : asked)), as)).parts.map(({ status }) => status);
    expect(rest).toEqual([...Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? 404 : 200)), ...Array(10).fill(429)]);
    expect((await gateway.send('GET /calendar/v3/colors', undefined, { as })).status).toBe(429);
  });
});
