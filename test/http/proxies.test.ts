import inject from 'light-my-request';
import type { Socket } from 'node:net';
import { createProxies, networkKeyOf } from '../../src/http/callers.ts';
import { startGateway, type TestGateway } from '../harness.ts';
import { parseAnswer, listenOnFreePort, openSocket } from './raw-http.ts';

const jsonHeaders = { 'content-type': 'application/json' };
const payload = '{"query":"{ __typename }"}';

describe('the client network of a request', () => {
  const { clientOf } = createProxies(['192.0.2.0/24', '198.51.100.7', '2001:db8:ffff::/48']);
  const readClientNetwork = (remoteAddress: string | undefined, forwarded?: string): string =>
    clientOf({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } });

  const [proxy, client, ipv6Network] = ['192.0.2.1', '203.0.113.5', '2001:db8:1:2::/64'];
  test.each<[string, string, string | undefined, string]>([
    ['named by a proxy', proxy, client, client],
    ['named by a proxy, in IPv6', `::ffff:${proxy}`, '2001:db8:1:2::9', ipv6Network],
    ['named by the first of several proxies', proxy, `${client}, 198.51.100.7,2001:db8:ffff::3`, client],
    ['that called a proxy, whatever it claims', proxy, `10.0.0.1, ${client}, 192.0.2.9`, client],
    ['named by a proxy with a port', proxy, `${client}:4711`, client],
    ['named by a proxy in brackets', proxy, '[2001:db8:1:2::9]:4711', ipv6Network],
    ['that connects directly', client, '10.0.0.1', client],
    ['of a proxy without X-Forwarded-For', proxy, undefined, proxy],
    ['after an invalid address', proxy, `${client}, unknown, 198.51.100.7`, '198.51.100.7'],
  ])('is the one %s', (_which, peerAddress, forwarded, expected) =>
    expect(readClientNetwork(peerAddress, forwarded)).toBe(expected),
  );

  test('is empty for a closed connection', () =>
    expect(readClientNetwork(undefined, '203.0.113.5')).toBe(''));
});

describe.each(['by hand', 'by the framework'])('callers behind a proxy, answered %s', (handler) => {
  let gateway: TestGateway;
  const startGatewayWith = async (env: Readonly<Record<string, string>>): Promise<void> =>
    void (gateway = await startGateway({ RATE_LIMIT: '3', ...env }));
  afterEach(() => gateway.close());
  /** Requests with an Origin header are handled by the framework (Fastify). */
  const originHeaders = handler === 'by hand' ? {} : { origin: 'https://elsewhere.example' };
  const postForStatus = async (client: string): Promise<number> => {
    const headers = {
      ...jsonHeaders,
      ...originHeaders,
      'x-forwarded-for': client,
      'content-length': `${payload.length}`,
    };
    const answer = await inject((request, reply) => void gateway.app.server.emit('request', request, reply), {
      method: 'POST',
      url: '/graphql',
      remoteAddress: '192.0.2.1',
      headers,
      payload,
    });
    return answer.statusCode;
  };

  test('have separate rate limits if TRUST_PROXY names the proxy', async () => {
    await startGatewayWith({ TRUST_PROXY: '192.0.2.0/24' });
    for (let count = 0; count < 3; count += 1) expect(await postForStatus('203.0.113.5')).toBe(200);
    expect([await postForStatus('203.0.113.5'), await postForStatus('203.0.113.6')]).toEqual([429, 200]);
  });

  test('share a rate limit otherwise, whatever X-Forwarded-For says', async () => {
    await startGatewayWith({ TRUST_PROXY: '198.51.100.7' });
    for (let count = 0; count < 3; count += 1) expect(await postForStatus(`203.0.113.${count}`)).toBe(200);
    expect(await postForStatus('203.0.113.9')).toBe(429);
  });
});

describe('the connections of a proxy that TRUST_PROXY names', () => {
  let gateway: TestGateway;
  let port: number;
  const sockets: Socket[] = [];
  beforeEach(async () => {
    gateway = await startGateway({ TRUST_PROXY: '127.0.0.1', MAX_CONNECTIONS_PER_ADDRESS: '3' });
    port = await listenOnFreePort(gateway);
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await gateway.close();
  });
  /** Opens a connection and sends the start of a client's request. */
  const openRequest = async (client: string, request: string): Promise<Socket> => {
    const socket = await openSocket(port);
    sockets.push(socket.on('error', () => undefined));
    socket.write(
      `${request} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${client}\r\nContent-Type: application/json\r\n`,
    );
    return socket;
  };
  const readStatus = async (client: string, request = 'GET /health/live'): Promise<number> => {
    const socket = await openRequest(client, request);
    socket.write(
      `Content-Length: ${request.startsWith('POST') ? payload.length : 0}\r\n\r\n${request.startsWith('POST') ? payload : ''}`,
    );
    const response = await new Promise<string>((resolve) =>
      socket.once('data', (data) => resolve(data.toString())).once('close', () => resolve('HTTP/1.1 0')),
    );
    socket.destroy();
    return parseAnswer(response).status;
  };

  test('are limited for each client by its requests in progress', async () => {
    for (let index = 0; index < 3; index += 1)
      (await openRequest('203.0.113.5', 'POST /graphql')).write('Content-Length: 100\r\n\r\n{');
    // Waits until the server has read the three requests.
    while ((await readStatus('203.0.113.5')) === 200);
    expect([await readStatus('203.0.113.5'), await readStatus('203.0.113.5', 'POST /graphql')]).toEqual([
      429, 429,
    ]);
    expect([await readStatus('203.0.113.6'), await readStatus('203.0.113.6', 'POST /graphql')]).toEqual([
      200, 200,
    ]);
    expect((await gateway.app.inject('/metrics')).body).toMatch(/^connections_refused_total [1-9]/m);
    for (const socket of sockets) socket.destroy();
    // Waits until the server has noticed that the connections are closed.
    while ((await readStatus('203.0.113.5')) !== 200);
    expect(await readStatus('203.0.113.5', 'POST /graphql')).toBe(200);
  });
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['2001:db8:1:2:3:4:5::', '2001:db8:1:2::/64'],
  ['', ''],
])('the network of %s is %s', (address, network) => expect(networkKeyOf(address)).toBe(network));
