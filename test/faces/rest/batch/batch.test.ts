import { tokenFor } from '../../../harness.ts';
import { createLog } from '../../../../src/telemetry/log.ts';
import { apis } from '../../../../src/faces/rest/apis.ts';
import { batchEndpoints } from '../../../../src/faces/rest/batch/endpoints.ts';
import { RawBody } from '../../../../src/http/face.ts';
import { events, startRest, type RestAnswer, type RestAsk, type RestGateway } from '../rest.harness.ts';

interface PartAnswer {
  readonly id: string | undefined;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly json: any;
}

/** The parts of an answer. */
function partsOf({ headers, body }: RestAnswer): readonly PartAnswer[] {
  const boundary = /boundary=(\S+)/.exec(headers['content-type'] ?? '')?.[1] ?? '';
  return body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const [about = '', head = '', ...content] = part.trim().split('\r\n\r\n');
      const [line = '', ...fields] = head.split('\r\n');
      return {
        id: /^Content-ID: (.*)$/m.exec(about)?.[1],
        status: Number(line.split(' ')[1]),
        headers: Object.fromEntries(
          fields.map((field) => [
            field.slice(0, field.indexOf(':')).toLowerCase(),
            field.slice(field.indexOf(':') + 2),
          ]),
        ),
        json: content.length === 0 ? undefined : JSON.parse(content.join('\r\n\r\n')),
      };
    });
}

interface Part {
  readonly request: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | string;
}

const written = (parts: readonly Part[]): string =>
  `${parts
    .map(({ request, headers = {}, body }, index) =>
      [
        '--b',
        'Content-Type: application/http',
        `Content-ID: <some + ${index}>`,
        '',
        `${request} HTTP/1.1`,
        ...Object.entries(
          body === undefined ? headers : { 'Content-Type': 'application/json', ...headers },
        ).map(([name, value]) => `${name}: ${value}`),
        '',
        typeof body === 'string' ? body : (JSON.stringify(body) ?? ''),
        '',
      ].join('\r\n'),
    )
    .join('')}--b--`;

const hour = { start: { dateTime: '2027-05-01T09:00:00Z' }, end: { dateTime: '2027-05-01T10:00:00Z' } };

describe('a batch', () => {
  let gateway: RestGateway;
  beforeAll(async () => {
    gateway = await startRest();
  });
  afterAll(() => gateway.close());
  const send = (parts: readonly Part[] | string, options: RestAsk = {}) =>
    gateway.send('POST /batch/calendar/v3', typeof parts === 'string' ? parts : written(parts), {
      ...options,
      headers: { 'content-type': 'multipart/mixed; boundary=b', ...options.headers },
    });
  const run = async (parts: readonly Part[], options?: RestAsk) => partsOf(await send(parts, options));

  test('came to the host that its parts come to', async () => {
    const request = 'GET /discovery/v1/apis/calendar/v3/rest?fields=rootUrl';
    const answers = await run([{ request }, { request, headers: { Host: 'other.example' } }], {
      headers: { host: 'gateway.example', 'x-forwarded-proto': 'https' },
    });
    expect(answers.map(({ json }) => json.rootUrl)).toEqual([
      'https://gateway.example/',
      'https://other.example/',
    ]);
  });

  test('runs its parts in order, each by itself', async () => {
    const answers = await run([
      { request: `POST ${events}`, body: { id: 'inabatch', summary: 'First', ...hour } },
      { request: `GET ${events}/nothere` },
      { request: `PATCH ${events}/inabatch?fields=summary,kind`, body: { summary: 'Second' } },
      {
        request: `POST ${events}/inabatch?fields=summary`,
        headers: { 'X-HTTP-Method-Override': 'GET', 'Content-Type': 'application/x-www-form-urlencoded' },
        body: 'prettyPrint=true',
      },
      { request: `HEAD ${events}/inabatch` },
      { request: `DELETE ${events}/inabatch` },
    ]);
    expect(answers.map(({ id, status }) => [id, status])).toEqual(
      [200, 404, 200, 200, 200, 204].map((status, index) => [`<response-some + ${index}>`, status]),
    );
    expect(answers.map(({ json }) => json)).toMatchObject(
      [
        { summary: 'First' },
        { error: { code: 404 } },
        { kind: 'calendar#event', summary: 'Second' },
        { summary: 'Second' },
        {},
        {},
      ].map((json, index) => (index > 3 ? undefined : json)) as object[],
    );
    expect(answers[0]?.headers).toMatchObject({
      etag: answers[0]?.json.etag,
      'content-type': 'application/json; charset=UTF-8',
    });
  });

  test('has a caller for each part: the one it names, or the one of the batch', async () => {
    const bob = `Bearer ${await tokenFor('bob@example.com')}`;
    const path = '/calendar/v3/calendars/primary';
    const answers = await run([
      { request: `GET ${path}` },
      { request: `GET ${path}`, headers: { Authorization: bob } },
      { request: `GET ${path}`, headers: { Authorization: 'Bearer nobody' } },
    ]);
    expect(answers.map(({ status, json }) => [status, json.id])).toEqual([
      [200, 'alice@example.com'],
      [200, 'bob@example.com'],
      [401, undefined],
    ]);
    const nobody = await run(
      [{ request: `GET ${path}` }, { request: `GET ${path}`, headers: { Authorization: bob } }],
      { as: null },
    );
    expect(nobody.map(({ status }) => status)).toEqual([401, 200]);
  });

  test.each([
    ['too many parts', written(Array.from({ length: 51 }, () => ({ request: 'GET /calendar/v3/colors' })))],
    [
      'a batch inside',
      written([
        {
          request: 'POST /batch/calendar/v3',
          headers: { 'Content-Type': 'multipart/mixed; boundary=c' },
          body: '--c--',
        },
      ]),
    ],
    ['another host', written([{ request: 'GET http://127.0.0.1/calendar/v3/colors' }])],
    ['no end', written([{ request: 'GET /calendar/v3/colors' }]).slice(0, -2)],
    ['nothing in it', ''],
  ])('with %s is refused as a whole', async (_what, body) => {
    const refused = await send(body);
    expect([refused.status, refused.json.error.code, refused.json.error.status]).toEqual([
      400,
      400,
      'INVALID_ARGUMENT',
    ]);
  });

  test('inside of another one is nothing, however its path is written', async () => {
    const inner = written([{ request: 'GET /calendar/v3/colors' }]).replaceAll('--b', '--c');
    const types = [
      'application/json',
      'application/x-www-form-urlencoded',
      'application/x-www-form-urlencoded; x=multipart/mixed; boundary=c',
    ];
    const answers = await run(
      types.map((type) => ({
        request: 'POST /%62atch/calendar/v3',
        headers: { 'Content-Type': type },
        body: inner,
      })),
    );
    expect(answers.map(({ status }) => status)).toEqual([400, 415, 415]);
  });

  test('is of one type', async () => {
    for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
      expect(await send('{}', { headers: { 'content-type': type } })).toMatchObject({
        status: 415,
        reasons: ['unsupportedMediaType'],
      });
    }
    expect(await send('--b--', { headers: { 'content-type': 'multipart/mixed' } })).toMatchObject({
      status: 400,
      reasons: ['invalid'],
    });
  });

  test('takes bodies of JSON alone, and nothing that is none', async () => {
    const answers = await run([
      { request: `POST ${events}`, headers: { 'Content-Type': 'text/plain' }, body: '{}' },
      { request: `POST ${events}`, body: '{' },
      { request: `POST ${events}`, body: '['.repeat(1000) },
      { request: 'GET /graphql?query={__typename}' },
      { request: 'GET /calendar/v3/calendars/%E0%A4%A' },
      { request: 'PUT /calendar/v3/colors' },
    ]);
    expect(answers.map(({ status }) => status)).toEqual([415, 400, 400, 404, 400, 405]);
    const untyped = partsOf(
      await send(
        written([{ request: `POST ${events}`, body: '{}' }]).replace(
          'Content-Type: application/json\r\n',
          '',
        ),
      ),
    );
    expect(untyped.map(({ status }) => status)).toEqual([415]);
    expect(answers.every(({ json }) => json.error.message === json.error.errors[0].message)).toBe(true);
  });

  test('is answered with 405 where it is read', async () => {
    expect(await gateway.send('GET /batch/calendar/v3')).toMatchObject({
      status: 405,
      headers: { allow: 'POST, OPTIONS' },
    });
  });
});

test('a batch whose time is over goes no further', async () => {
  let run = 0;
  const answer = async () => {
    run += 1;
    return { status: 204, headers: {}, body: '' };
  };
  const handler = { admit: () => undefined, refuse: () => ({ status: 500, headers: {}, body: '' }), answer };
  const [endpoint] = batchEndpoints(apis, {
    verify: async () => {
      throw new Error('no token');
    },
    readJson: () => undefined,
    handler: () => handler,
    partAnswered: () => undefined,
  });
  const body = new RawBody(
    'multipart/mixed; boundary=b',
    Buffer.from(written(Array.from({ length: 5 }, () => ({ request: 'DELETE /calendar/v3/calendars/x' })))),
  );
  const request = {
    head: { method: 'POST', headers: {}, path: '/batch/calendar/v3', search: '' },
    headers: {},
    path: {},
    query: new URLSearchParams(),
    unparsed: new Set<string>(),
    malformed: new Set<string>(),
    body,
  };
  const caller = {
    requestId: 'r',
    viewer: undefined,
    address: '',
    log: createLog('silent'),
    report: { codes: [] },
    isOver: () => run === 2,
  };
  const written204 = (await endpoint?.run(request, caller))?.body.match(/HTTP\/1.1 204/g);
  expect([run, written204]).toEqual([2, ['HTTP/1.1 204', 'HTTP/1.1 204']]);
});

test('each part of a batch counts by itself', async () => {
  const gateway = await startRest({ RATE_LIMIT: '3' });
  const body = written([
    ...Array.from({ length: 4 }, () => ({ request: 'GET /calendar/v3/calendars/primary' })),
    { request: 'GET /calendar/v3/nothing' },
  ]);
  const answers = partsOf(
    await gateway.send('POST /batch/calendar/v3', body, {
      headers: { 'content-type': 'multipart/mixed; boundary=b' },
    }),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
  expect(answers[3]?.headers['retry-after']).toMatch(/^\d+$/);
  await gateway.close();
});

test('each part of a batch is in the figures by its operation', async () => {
  const gateway = await startRest();
  const body = written(
    [
      'GET /calendar/v3/calendars/primary',
      'GET /calendar/v3/calendars/nothing',
      'GET /calendar/v3/nothing',
      'OPTIONS /calendar/v3/colors',
    ].map((request) => ({ request })),
  );
  await gateway.send('POST /batch/calendar/v3', body, {
    headers: { 'content-type': 'multipart/mixed; boundary=b' },
  });
  const lines = (await gateway.send('GET /metrics')).body
    .split('\n')
    .filter((line) => /^(http|rest)_request_duration_seconds_count/.test(line) && !line.includes('/metrics'));
  expect(lines.sort()).toEqual([
    'http_request_duration_seconds_count{route="/batch/*",status="200"} 1',
    'rest_request_duration_seconds_count{operation="batch",status="200"} 1',
    'rest_request_duration_seconds_count{operation="calendar",status="200"} 1',
    'rest_request_duration_seconds_count{operation="calendar",status="404"} 1',
    'rest_request_duration_seconds_count{operation="none",status="404"} 1',
  ]);
  await gateway.close();
});

test('OPTIONS in a batch counts as any other request', async () => {
  const gateway = await startRest({ RATE_LIMIT: '2' });
  const body = written(Array.from({ length: 3 }, () => ({ request: 'OPTIONS /calendar/v3/colors' })));
  const answers = partsOf(
    await gateway.send('POST /batch/calendar/v3', body, {
      headers: { 'content-type': 'multipart/mixed; boundary=b' },
    }),
  );
  expect(answers.map(({ status }) => status)).toEqual([204, 204, 429]);
  await gateway.close();
});
