import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Starts an HTTP server on a free loopback port; `close` also ends its connections. */
export async function startLoopbackServer(listener: RequestListener) {
  // Long enough that no idle connection closes while a client reuses it.
  const server = createServer({ keepAliveTimeout: 60_000 }, listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    const closeEvent = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closeEvent;
  };
  return { host, url: `http://${host}`, close };
}
