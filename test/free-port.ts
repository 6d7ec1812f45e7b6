import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Finds a free loopback port for a server that restarts on the same port. Ports stay below the ephemeral range (from
 * 32768 on): an outgoing connection could take one of those while the server is down.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    const probe = createServer();
    try {
      const listeningEvent = once(probe, 'listening');
      probe.listen(port, '127.0.0.1');
      await listeningEvent;
    } catch {
      continue;
    }
    probe.close();
    await once(probe, 'close');
    return port;
  }
}
