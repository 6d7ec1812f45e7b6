import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export type TcpProxy = Awaited<ReturnType<typeof startProxy>>;

/** Starts a proxy on loopback: a stable address for a server that may be replaced. */
export async function startProxy(target: number) {
  let port = target;
  let stalled = false;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket);
          if (!stalled) other.destroy();
        });
      socket.setNoDelay(true);
    }
    client.on('data', (chunk) => stalled || upstream.write(chunk));
    upstream.on('data', (chunk) => stalled || client.write(chunk));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as { port: number }).port,
    /** Cuts open connections; new ones connect to this port. */
    leadTo(next: number) {
      stalled = false;
      port = next;
      cut();
    },
    /** Drops all bytes in both directions without closing a connection, until `leadTo`. */
    stall: () => void (stalled = true),
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
