import { demoNow, tokenFor } from '../../../harness.ts';
import { eventually } from '../../../eventually.ts';
import { AppError } from '../../../../src/core/errors.ts';
import { listApis } from '../../../../src/faces/rest/face.ts';
import { createBatchEndpoints, maxHeldCharacters } from '../../../../src/faces/rest/batch.ts';
import type { EndpointRequest } from '../../../../src/faces/rest/endpoint.ts';
import { RawBody } from '../../../../src/http/face.ts';
import { maxResponseCharacters } from '../../../../src/core/json.ts';
import {
  eventListUrl,
  startRest,
  times,
  useRest,
  type RestAnswer,
  type RestClient,
} from '../rest.harness.ts';

/** Parses the parts of a batch response: Content-ID, and the response in the part. */
function parseBatchResponse({ headers, body }: RestAnswer) {
  const boundary = /boundary=(\S+)/.exec(headers['content-type'] ?? '')?.[1] ?? '';
  const parts = body.split(`--${boundary}`).slice(1, -1);
  return parts.map((part) => {
    const [partHeaders = '', responseHead = '', content] = part.trim().split('\r\n\r\n');
    const [statusLine = '', ...fields] = responseHead.split('\r\n');
    return {
      id: /^Content-ID: (.*)$/m.exec(partHeaders)?.[1],
      status: Number(statusLine.split(' ')[1]),
      headers: Object.fromEntries(
        fields.map((field) => field.split(': ')).map(([name = '', value]) => [name.toLowerCase(), value]),
      ),
      json: content === undefined ? undefined : JSON.parse(content),
    };
  });
}

interface RequestPart {
  readonly request: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | string;
}

/** Writes a batch. `request` is a line such as `GET /calendar/v3/colors`; a header with an empty value is not sent. */
function writeBatchBody(parts: readonly (RequestPart | string)[]): string {
  const texts = parts.map((part, index) => {
    const { request, headers, body }: RequestPart = typeof part === 'string' ? { request: part } : part;
    const allHeaders = { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers };
    return [
      '--b',
      'Content-Type: application/http',
      `Content-ID: <some + ${index}>`,
      '',
      `${request} HTTP/1.1`,
      ...Object.entries(allHeaders).flatMap(([name, value]) => (value === '' ? [] : `${name}: ${value}`)),
      '',
      typeof body === 'string' ? body : (JSON.stringify(body) ?? ''),
      '',
    ].join('\r\n');
  });
  return `${texts.join('')}--b--`;
}

const multipartHeaders = { 'content-type': 'multipart/mixed; boundary=b' };
const sendBatch = (client: RestClient, parts: readonly (RequestPart | string)[]) =>
  client.withHeaders(multipartHeaders).send('POST /batch/calendar/v3', writeBatchBody(parts));
const runBatch = async (...batch: Parameters<typeof sendBatch>) =>
  parseBatchResponse(await sendBatch(...batch));
const runForStatuses = async (...batch: Parameters<typeof sendBatch>) =>
  (await runBatch(...batch)).map(({ status }) => status);

describe('a batch', () => {
  const rest = useRest();

  test('sends parts to its own host, or to their Host header', async () => {
    const request = 'GET /discovery/v1/apis/calendar/v3/rest?fields=rootUrl';
    const proxied = rest.withHeaders({ host: 'gateway.example', 'x-forwarded-proto': 'https' });
    const answers = await runBatch(proxied, [request, { request, headers: { Host: 'other.example' } }]);
    expect(answers.map(({ json }) => json.rootUrl)).toEqual([
      'https://gateway.example/',
      'https://other.example/',
    ]);
  });

  test('runs its parts in order, independently of each other', async () => {
    const formHeaders = {
      'X-HTTP-Method-Override': 'GET',
      'Content-Type': 'application/x-www-form-urlencoded',
    };
    const answers = await runBatch(rest, [
      { request: `POST ${eventListUrl}`, body: { id: 'inabatch', summary: 'First', ...times } },
      `GET ${eventListUrl}/nothere`,
      { request: `PATCH ${eventListUrl}/inabatch?fields=summary,kind`, body: { summary: 'Second' } },
      {
        request: `POST ${eventListUrl}/inabatch?fields=summary`,
        headers: formHeaders,
        body: 'prettyPrint=true',
      },
      `HEAD ${eventListUrl}/inabatch`,
      `DELETE ${eventListUrl}/inabatch`,
    ]);
    const etag = answers[0]?.json.etag;
    expect(answers).toMatchObject([
      {
        status: 200,
        json: { summary: 'First' },
        headers: { etag, 'content-type': 'application/json; charset=UTF-8' },
      },
      { status: 404, json: { error: { code: 404 } } },
      { status: 200, json: { kind: 'calendar#event', summary: 'Second' } },
      { status: 200, json: { summary: 'Second' } },
      { status: 200, json: undefined },
      { status: 204, json: undefined },
    ]);
    expect(answers.map(({ id }) => id)).toEqual(answers.map((_, index) => `<response-some + ${index}>`));
  });

  test('runs parts with their own token, or else with that of the batch', async () => {
    const request = 'GET /calendar/v3/calendars/primary';
    const withToken = (token: string) => ({ request, headers: { Authorization: `Bearer ${token}` } });
    const bobsPart = withToken(await tokenFor('bob@example.com'));
    const answers = await runBatch(rest, [request, bobsPart, withToken('nobody')]);
    expect(answers.map(({ status, json }) => [status, json.id])).toEqual([
      [200, 'alice@example.com'],
      [200, 'bob@example.com'],
      [401, undefined],
    ]);
    expect(await runForStatuses(rest.as(null), [request, bobsPart])).toEqual([401, 200]);
  });

  test('that is malformed is refused as a whole', async () => {
    for (const body of [writeBatchBody(['GET /calendar/v3/colors']).slice(0, -2), ''])
      expect(await rest.withHeaders(multipartHeaders).send('POST /batch/calendar/v3', body)).toMatchObject({
        status: 400,
        reasons: ['invalid'],
        json: { error: { code: 400, status: 'INVALID_ARGUMENT' } },
      });
  });

  test('inside another batch is not run, however its path is encoded', async () => {
    const request = 'POST /%62atch/calendar/v3';
    const body = writeBatchBody(['GET /calendar/v3/colors']).replaceAll('--b', '--c');
    const formType = 'application/x-www-form-urlencoded';
    const types = ['application/json', formType, `${formType}; x=multipart/mixed; boundary=c`];
    const parts = types.map((type) => ({ request, headers: { 'Content-Type': type }, body }));
    expect(await runForStatuses(rest, parts)).toEqual([400, 415, 415]);
  });

  test('must be multipart/mixed with a boundary, sent by POST', async () => {
    for (const [type, refusal] of [
      ['application/json', '415 unsupportedMediaType'],
      ['application/x-www-form-urlencoded', '415 unsupportedMediaType'],
      ['multipart/mixed', '400 invalid'],
    ] as const) {
      const typedClient = rest.withHeaders({ 'content-type': type });
      expect(await typedClient.refusal('POST /batch/calendar/v3', '{}')).toBe(refusal);
    }
    expect(await rest.send('GET /batch/calendar/v3')).toMatchObject({
      status: 405,
      headers: { allow: 'POST, OPTIONS' },
    });
  });

  test('accepts only parts for REST methods with JSON bodies', async () => {
    const typedPart = (type: string) => ({
      request: `POST ${eventListUrl}`,
      headers: { 'Content-Type': type },
      body: '{}',
    });
    const answers = await runBatch(rest, [
      typedPart('text/plain'),
      typedPart(''),
      { request: `POST ${eventListUrl}`, body: '{' },
      { request: `POST ${eventListUrl}`, body: '['.repeat(1000) },
      'GET /graphql?query={__typename}',
      'GET /calendar/v3/calendars/%E0%A4%A',
      'PUT /calendar/v3/colors',
    ]);
    expect(answers.map(({ status }) => status)).toEqual([415, 415, 400, 400, 404, 400, 405]);
    for (const { json } of answers) expect(json.error.message).toBe(json.error.errors[0].message);
  });

  test('counts each part for the rate limit, OPTIONS too', async () => {
    const request = 'GET /calendar/v3/calendars/primary';
    const optionsRequest = 'OPTIONS /calendar/v3/colors';
    // A fixed clock keeps the window of a minute from ending.
    const gateway = await startRest({ RATE_LIMIT: '3' }, { clock: () => demoNow });
    const parts = [request, request, request, request, 'GET /calendar/v3/nothing'];
    const answers = await runBatch(gateway, parts);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
    expect(answers[3]?.headers['retry-after']).toMatch(/^\d+$/);
    const bobsClient = gateway.as('bob@example.com');
    expect(
      await runForStatuses(bobsClient, [optionsRequest, optionsRequest, optionsRequest, optionsRequest]),
    ).toEqual([204, 204, 204, 429]);
    await gateway.close();
  });

  test('counts each part in the metrics of its operation', async () => {
    const gateway = await startRest();
    await sendBatch(gateway, [
      'GET /calendar/v3/calendars/primary',
      'GET /calendar/v3/calendars/nothing',
      'GET /calendar/v3/nothing',
      'OPTIONS /calendar/v3/colors',
    ]);
    const lines = (await gateway.send('GET /metrics')).body.split('\n');
    const counts = lines.filter((line) => /^(http|rest)_request_duration_seconds_count/.test(line));
    expect(counts.filter((line) => !line.includes('/metrics')).sort()).toEqual([
      'http_request_duration_seconds_count{route="/batch/*",status="200"} 1',
      'rest_request_duration_seconds_count{operation="batch",status="200"} 1',
      'rest_request_duration_seconds_count{operation="calendar",status="200"} 1',
      'rest_request_duration_seconds_count{operation="calendar",status="404"} 1',
      'rest_request_duration_seconds_count{operation="none",status="404"} 1',
    ]);
    await gateway.close();
  });
});

describe('the parts of a batch', () => {
  /** Creates a function that runs a batch of paths with a fake handler; resolves with the response body. */
  function createBatchRunner(createBody: (path: string) => Promise<string>) {
    const [endpoint] = createBatchEndpoints(listApis(false), {
      verify: () => Promise.resolve(undefined),
      readJson: () => ({}),
      countPart: () => undefined,
      handler: () => ({
        admit: () => undefined,
        refuse: (error) => ({
          status: 400,
          headers: {},
          body: error instanceof AppError ? error.reason : String(error),
        }),
        handle: async ({ path }) => ({ status: 200, headers: {}, body: await createBody(path) }),
      }),
    });
    return async (paths: readonly string[], isOver = () => false): Promise<string> => {
      const body = new RawBody(
        multipartHeaders['content-type'],
        Buffer.from(writeBatchBody(paths.map((path) => `GET ${path}`))),
      );
      const caller = { requestId: '1', viewer: undefined, address: '', log: undefined as never };
      const request = { headers: {}, body } as unknown as EndpointRequest;
      return String((await endpoint?.run(request, { ...caller, report: { codes: [] }, isOver }))?.body);
    };
  }

  test('are not run after the request has ended', async () => {
    const ranPaths: string[] = [];
    const run = createBatchRunner((path) => Promise.resolve(String(ranPaths.push(path))));
    const body = await run(['/a', '/b', '/c'], () => ranPaths.length === 2);
    expect(ranPaths).toEqual(['/a', '/b']);
    expect(body.match(/HTTP\/1.1 200/g)).toHaveLength(2);
  });

  test('are not run once the responses before them reach the maximum length', async () => {
    const handledPaths: string[] = [];
    const run = createBatchRunner((path) =>
      Promise.resolve('x'.repeat(handledPaths.push(path) === 1 ? maxResponseCharacters : 1)),
    );
    const body = await run(['/a', '/b', '/c', '/d']);
    expect(handledPaths).toEqual(['/a', '/b']);
    expect(body.match(/tooLong/g)).toHaveLength(2);
  });

  test('are not run while the responses of all batches exceed the memory limit', async () => {
    const releases: (() => void)[] = [];
    const run = createBatchRunner((path) =>
      path === '/wait'
        ? new Promise((resolve) => releases.push(() => resolve('end')))
        : Promise.resolve(path === '/long' ? 'x'.repeat(maxResponseCharacters) : 'x'),
    );
    const isRefused = async () => (await run(['/long', '/short'])).includes('backendError');
    const waitingBatches = Array.from({ length: maxHeldCharacters / maxResponseCharacters }, () =>
      run(['/long', '/wait']),
    );
    await eventually(async () => expect(releases).toHaveLength(waitingBatches.length));
    expect(await isRefused()).toBe(true);
    for (const release of releases) release();
    await Promise.all(waitingBatches);
    expect(await isRefused()).toBe(false);
  });
});
