import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export type TcpProxy = Awaited<ReturnType<typeof startProxy>>;

/** Starts a proxy on loopback: a stable address for a server that may be replaced. */
export async function startProxy(targetPort: number) {
  let port = targetPort;
  let isStalled = false;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    for (const [socket, oppositeSocket] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket);
          // Delivers what the other side sent last, as a server's reason for closing.
          if (!isStalled) oppositeSocket.destroySoon();
        });
      socket.setNoDelay(true);
    }
    client.on('data', (chunk) => isStalled || upstream.write(chunk));
    upstream.on('data', (chunk) => isStalled || client.write(chunk));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cutConnections = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as { port: number }).port,
    /** Cuts open connections; new ones connect to this port. */
    redirectTo(nextPort: number) {
      isStalled = false;
      port = nextPort;
      cutConnections();
    },
    /** Drops all bytes in both directions without closing a connection, until `redirectTo`. */
    stall: () => void (isStalled = true),
    async close() {
      cutConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
