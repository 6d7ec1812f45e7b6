import { startGateway, tokenFor, useGateway } from '../harness.ts';
import { eventually } from '../eventually.ts';
import { collectLog } from '../log-lines.ts';

const secretName = 'a-name-nobody-may-log';

describe('the log', () => {
  const { lines, logTo, waitForLine } = collectLog();
  const gateway = useGateway({}, { logTarget: logTo });
  beforeEach(() => void lines.splice(0));
  const listRequestLines = () => lines.filter(({ msg }) => msg === 'request');
  const waitForRequestLine = (): Promise<void> => waitForLine(({ msg }) => msg === 'request');

  test('has one line per request, with caller, operation and outcome', async () => {
    const { headers } = await gateway.ask(
      `query Read($id: String!) { event(calendarId: "primary", eventId: $id) { summary } }`,
      { id: secretName },
      { operationName: 'Read' },
    );
    await waitForRequestLine();
    const request = { msg: 'request', requestId: headers['x-request-id'], method: 'POST', path: '/graphql' };
    const operation = { kind: 'query', operation: 'Read', hash: expect.stringMatching(/^[\da-f]{64}$/) };
    const outcome = { status: 200, ms: expect.any(Number), codes: ['NOT_FOUND'] };
    expect(lines).toMatchObject([
      { ...request, ...operation, subject: 'sub of alice@example.com', ...outcome },
    ]);
  });

  test('contains no documents, variables, tokens or URL queries', async () => {
    const authorization = `Bearer ${await tokenFor('alice@example.com')}`;
    const params = new URLSearchParams({
      query: `{ event(calendarId: "primary", eventId: "${secretName}") { id } }`,
      variables: JSON.stringify({ x: secretName }),
    });
    const headers = { authorization, 'content-type': 'application/json' };
    for (const url of [`/graphql?${params.toString()}`, `/nope?${params.toString()}`, `/%?${secretName}`])
      await gateway.app.inject({ url, headers });
    const payload = `{"query":"${secretName}`;
    await gateway.app.inject({ method: 'POST', url: '/graphql', headers, payload });
    // A malformed path has no log line.
    await eventually(async () => expect(listRequestLines()).toHaveLength(3));
    const logText = JSON.stringify(lines);
    expect(logText).not.toContain(secretName);
    expect(logText).not.toContain(authorization.slice(-20));
  });

  test('has the code of a request that was refused before it ran', async () => {
    await gateway.ask('{ __typename }', {}, { headers: { authorization: 'Bearer a.b.c' } });
    await waitForRequestLine();
    expect(lines).toMatchObject([{ msg: 'request', status: 401, codes: ['UNAUTHENTICATED'] }]);
  });
});

describe('LOG_LEVEL', () => {
  test.each([
    ['debug', ['/health/live', '/health/ready', '/health/ready', '/graphql']],
    ['info', ['/graphql']],
    ['warn', []],
    ['silent', []],
  ])('%s selects the requests that are logged; health probes need debug', async (level, paths) => {
    const { lines, logTo } = collectLog();
    const gateway = await startGateway({ LOG_LEVEL: level }, { logTarget: logTo });
    await gateway.app.inject('/health/live');
    await gateway.app.inject('/health/ready');
    await gateway.app.inject({ method: 'HEAD', url: '/health/ready?by=balancer' });
    await gateway.ask('{ __typename }');
    await gateway.close();
    expect(lines.filter(({ msg }) => msg === 'request').map(({ path }) => path)).toEqual(paths);
    if (paths.length === 0) expect(lines).toEqual([]);
  });
});
