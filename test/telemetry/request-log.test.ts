import { startGateway, tokenFor, type TestGateway } from '../harness.ts';
import { collectLog } from '../log-lines.ts';

interface Line {
  readonly msg: string;
  readonly [field: string]: unknown;
}

const secretName = 'a-name-nobody-may-log';

describe('the log', () => {
  let gateway: TestGateway;
  let lines: Line[];
  beforeAll(async () => {
    gateway = await startGateway(
      {},
      { logTo: { write: (line) => void lines.push(JSON.parse(line) as Line) } },
    );
  });
  beforeEach(() => void (lines = []));
  afterAll(() => gateway.close());
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  test('has one line for each request, with who asked for what and how it ended', async () => {
    const { headers } = await gateway.ask(
      `query Read($id: String!) { event(calendarId: "primary", eventId: $id) { summary } }`,
      { id: secretName },
      { operationName: 'Read' },
    );
    await settled();
    expect(lines).toEqual([
      expect.objectContaining({
        msg: 'request',
        requestId: headers['x-request-id'],
        method: 'POST',
        path: '/graphql',
        status: 200,
        ms: expect.any(Number),
        kind: 'query',
        operation: 'Read',
        hash: expect.stringMatching(/^[\da-f]{64}$/),
        subject: 'sub of alice@example.com',
        codes: ['NOT_FOUND'],
      }),
    ]);
  });

  test('holds no documents, variables, tokens or queries of URLs', async () => {
    const authorization = `Bearer ${await tokenFor('alice@example.com')}`;
    const params = new URLSearchParams({
      query: `{ event(calendarId: "primary", eventId: "${secretName}") { id } }`,
      variables: JSON.stringify({ x: secretName }),
    });
    for (const url of [`/graphql?${params.toString()}`, `/nope?${params.toString()}`, `/%?${secretName}`]) {
      await gateway.app.inject({
        method: 'GET',
        url,
        headers: { authorization, 'apollo-require-preflight': '1' },
      });
    }
    await gateway.app.inject({
      method: 'POST',
      url: '/graphql',
      headers: { authorization, 'content-type': 'application/json' },
      payload: `{"query":"${secretName}`,
    });
    await settled();
    expect(lines.filter(({ msg }) => msg === 'request').length).toBeGreaterThanOrEqual(3);
    const all = JSON.stringify(lines);
    expect(all).not.toContain(secretName);
    expect(all).not.toContain(authorization.slice(-20));
  });

  test('names the code of what was refused before it ran', async () => {
    await gateway.ask('{ __typename }', {}, { headers: { authorization: 'Bearer a.b.c' } });
    await settled();
    expect(lines).toEqual([
      expect.objectContaining({ msg: 'request', status: 401, codes: ['UNAUTHENTICATED'] }),
    ]);
  });
});

describe('health probes', () => {
  test.each([
    ['info', []],
    ['debug', ['/health/live', '/health/ready', '/health/ready']],
  ])('are written from LOG_LEVEL=debug on: %s', async (level, paths) => {
    const { lines, logTo } = collectLog();
    const gateway = await startGateway({ LOG_LEVEL: level }, { logTo });
    await gateway.app.inject('/health/live');
    await gateway.app.inject('/health/ready');
    await gateway.app.inject({ method: 'HEAD', url: '/health/ready?by=balancer' });
    await new Promise(setImmediate);
    expect(lines.filter(({ msg }) => msg === 'request').map(({ path }) => path)).toEqual(paths);
    await gateway.close();
  });
});

describe('LOG_LEVEL', () => {
  test.each([
    ['info', ['request']],
    ['warn', []],
    ['silent', []],
  ])('%s decides what is written', async (level, written) => {
    const { lines, logTo } = collectLog();
    const gateway = await startGateway({ LOG_LEVEL: level }, { logTo });
    await gateway.ask('{ __typename }');
    await new Promise(setImmediate);
    expect(lines.map(({ msg }) => msg)).toEqual(written);
    await gateway.close();
  });
});
