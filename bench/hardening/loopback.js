// Servers on loopback that attacks use as receivers.
import { once } from 'node:events';

/** Lets a server listen on a free port of loopback. `sockets`: open connections, which `stop` ends too. */
export async function listenOnLoopback(server) {
  const sockets = new Set();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket
      .on('error', () => undefined)
      .on('close', () => sockets.delete(socket))
      .resume();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: server.address().port, sockets, stop };
}
