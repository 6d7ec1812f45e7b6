import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An HTTP server on a free port of loopback; `close` ends its connections too. */
export async function serve(answer: RequestListener) {
  // A connection that ends while it is used again is no answer; these do not.
  const server = createServer({ keepAliveTimeout: 60_000 }, answer);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { host, url: `http://${host}`, close };
}
