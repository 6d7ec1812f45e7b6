import inject from 'light-my-request';
import type { Socket } from 'node:net';
import { createProxies } from '../../src/http/proxies.ts';
import { startGateway, type TestGateway } from '../harness.ts';
import { answerOf, listen, open } from './raw.ts';

const json = { 'content-type': 'application/json' };
const payload = '{"query":"{ __typename }"}';

describe('whose network a request comes from', () => {
  const { clientOf } = createProxies(['192.0.2.0/24', '198.51.100.7', '2001:db8:ffff::/48']);
  const from = (remoteAddress: string | undefined, forwarded?: string): string =>
    clientOf({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } });

  const [proxy, client, ipv6] = ['192.0.2.1', '203.0.113.5', '2001:db8:1:2::/64'];
  test.each<[string, string, string | undefined, string]>([
    ['a proxy names', proxy, client, client],
    ['a proxy is called by, in IPv6', `::ffff:${proxy}`, '2001:db8:1:2::9', ipv6],
    ['the first proxy of several names', proxy, `${client}, 198.51.100.7,2001:db8:ffff::3`, client],
    ['a proxy was called from, whatever that caller claims', proxy, `10.0.0.1, ${client}, 192.0.2.9`, client],
    ['a proxy names with a port', proxy, `${client}:4711`, client],
    ['a proxy names in brackets', proxy, '[2001:db8:1:2::9]:4711', ipv6],
    ['calls itself', client, '10.0.0.1', client],
    ['a proxy speaks for itself by', proxy, undefined, proxy],
    ['is the last before what is no address', proxy, `${client}, unknown, 198.51.100.7`, '198.51.100.7'],
  ])('that which %s', (_which, socket, forwarded, network) => expect(from(socket, forwarded)).toBe(network));

  test('a connection that is gone has none', () => expect(from(undefined, '203.0.113.5')).toBe(''));
});

describe.each(['by hand', 'by the framework'])('callers behind a proxy, answered %s', (way) => {
  let gateway: TestGateway;
  const start = async (env: Readonly<Record<string, string>>): Promise<void> =>
    void (gateway = await startGateway({ RATE_LIMIT: '3', ...env }));
  afterEach(() => gateway.close());
  /** What comes from a foreign page is the framework's. */
  const origin = way === 'by hand' ? {} : { origin: 'https://elsewhere.example' };
  const post = async (client: string): Promise<number> => {
    const headers = { ...json, ...origin, 'x-forwarded-for': client, 'content-length': `${payload.length}` };
    const answer = await inject((request, reply) => void gateway.app.server.emit('request', request, reply), {
      method: 'POST',
      url: '/graphql',
      remoteAddress: '192.0.2.1',
      headers,
      payload,
    });
    return answer.statusCode;
  };

  test('have a rate budget each where TRUST_PROXY names it', async () => {
    await start({ TRUST_PROXY: '192.0.2.0/24' });
    for (let count = 0; count < 3; count += 1) expect(await post('203.0.113.5')).toBe(200);
    expect([await post('203.0.113.5'), await post('203.0.113.6')]).toEqual([429, 200]);
  });

  test('share one where it does not, whatever they claim', async () => {
    await start({ TRUST_PROXY: '198.51.100.7' });
    for (let count = 0; count < 3; count += 1) expect(await post(`203.0.113.${count}`)).toBe(200);
    expect(await post('203.0.113.9')).toBe(429);
  });
});

describe('the connections of a proxy that TRUST_PROXY names', () => {
  let gateway: TestGateway;
  let port: number;
  const sockets: Socket[] = [];
  beforeEach(async () => {
    gateway = await startGateway({ TRUST_PROXY: '127.0.0.1', MAX_CONNECTIONS_PER_ADDRESS: '3' });
    port = await listen(gateway);
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await gateway.close();
  });
  /** A connection of its own on which a client's request begins. */
  const begin = async (client: string, request: string): Promise<Socket> => {
    const socket = await open(port);
    sockets.push(socket.on('error', () => undefined));
    socket.write(
      `${request} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${client}\r\nContent-Type: application/json\r\n`,
    );
    return socket;
  };
  const status = async (client: string, request = 'GET /health/live'): Promise<number> => {
    const socket = await begin(client, request);
    socket.write(
      `Content-Length: ${request.startsWith('POST') ? payload.length : 0}\r\n\r\n${request.startsWith('POST') ? payload : ''}`,
    );
    const wire = await new Promise<string>((resolve) =>
      socket.once('data', (data) => resolve(data.toString())).once('close', () => resolve('HTTP/1.1 0')),
    );
    socket.destroy();
    return answerOf(wire).status;
  };

  test('are bounded for each client by itself, by the requests under way', async () => {
    for (let index = 0; index < 3; index += 1)
      (await begin('203.0.113.5', 'POST /graphql')).write('Content-Length: 100\r\n\r\n{');
    // The server reads the three when it comes to them.
    while ((await status('203.0.113.5')) === 200);
    expect([await status('203.0.113.5'), await status('203.0.113.5', 'POST /graphql')]).toEqual([429, 429]);
    expect([await status('203.0.113.6'), await status('203.0.113.6', 'POST /graphql')]).toEqual([200, 200]);
    expect((await gateway.app.inject('/metrics')).body).toMatch(/^connections_refused_total [1-9]/m);
    for (const socket of sockets) socket.destroy();
    while ((await status('203.0.113.5')) !== 200);
    expect(await status('203.0.113.5', 'POST /graphql')).toBe(200);
  });
});
