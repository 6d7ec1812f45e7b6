import { once } from 'node:events';
import type { Socket } from 'node:net';
import { startGateway, type TestGateway } from '../harness.ts';
import { listenOnFreePort, openSocket } from './raw-http.ts';

describe.each([
  ['in all', { MAX_CONNECTIONS: '3' }],
  ['of one address', { MAX_CONNECTIONS_PER_ADDRESS: '3' }],
])('the number of connections %s', (_what, env) => {
  let gateway: TestGateway;
  let sockets: Socket[];
  beforeEach(async () => {
    gateway = await startGateway(env);
    sockets = [];
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await gateway.close();
  });

  test('is limited; a connection that closes makes room for another', async () => {
    const port = await listenOnFreePort(gateway);
    const isServed = async (): Promise<boolean> => {
      const socket = await openSocket(port);
      sockets.push(socket);
      socket.on('error', () => undefined);
      const closeResult = once(socket, 'close').then(() => false);
      const dataResult = once(socket, 'data').then(() => true);
      socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
      return Promise.race([closeResult, dataResult]);
    };
    for (let count = 0; count < 3; count += 1) expect(await isServed()).toBe(true);
    expect(await isServed()).toBe(false);
    const [firstSocket] = sockets;
    firstSocket?.destroy();
    if (firstSocket) await once(firstSocket, 'close');
    // Waits until the server has noticed that the connection is closed.
    while (
      (await new Promise((resolve) =>
        gateway.app.server.getConnections((_error, count) => resolve(count)),
      )) !== 2
    )
      await new Promise(setImmediate);
    expect(await isServed()).toBe(true);
    const { body } = await gateway.app.inject('/metrics');
    expect(body).toMatch(/^connections_refused_total 1$/m);
  });
});
