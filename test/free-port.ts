import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A port of loopback that nobody listens at, for a server that is restarted at the same port. It is below the ports that
 * the system gives to outgoing connections (from 32768 on): one of those could take it while the server is down.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    const probe = createServer();
    try {
      const listening = once(probe, 'listening');
      probe.listen(port, '127.0.0.1');
      await listening;
    } catch {
      continue;
    }
    probe.close();
    await once(probe, 'close');
    return port;
  }
}
