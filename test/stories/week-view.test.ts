import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { dateInWeek, demoData } from '../../src/seed/demo-data.ts';
import { maxWaitMs } from '../eventually.ts';
import { startGateway, tokenFor } from '../harness.ts';
import { listenOnFreePort } from '../http/raw-http.ts';

const script = 'examples/clients/week.mjs';
const zone = 'Europe/Berlin';

test('examples/clients/week.mjs shows the demo week and a change on each run', async () => {
  const now = Date.now();
  const gateway = await startGateway({}, { seed: demoData(now) });
  try {
    const GATEWAY_URL = `http://127.0.0.1:${await listenOnFreePort(gateway)}`;
    const env = { GATEWAY_URL, TOKEN: await tokenFor('alice@example.com'), TZ: zone };
    const titles = ['Stand-up', 'Stand-up with cake'];
    for (const summary of titles) {
      const options = { env, timeout: maxWaitMs };
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [script], options);
      expect(stderr).toBe('');
      /** Pattern of the line of an event; `day` counts from Monday, which is 0. */
      const lineAt = (day: number, time: string, title: string): unknown =>
        expect.stringMatching(`^${dateInWeek(now, zone, day)}T${time}:00[+]0[12]:00 ${title}$`);
      const otherTitle = titles.find((title) => title !== summary);
      expect(stdout.trim().split('\n')).toEqual([
        lineAt(1, '09:00', summary),
        lineAt(1, '10:00', 'Team meeting'),
        lineAt(2, '09:00', 'Stand-up'),
        lineAt(2, '14:00', 'Design review'),
        lineAt(4, '09:00', 'Stand-up'),
        lineAt(4, '17:00', 'Call with the partners'),
        expect.stringMatching(` confirmed ${otherTitle}$`),
      ]);
    }
  } finally {
    await gateway.close();
  }
});
