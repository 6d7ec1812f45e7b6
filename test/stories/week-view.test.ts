import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { dayOfWeek } from '../../src/core/text/week.ts';
import { demoData } from '../../src/seed/demo-data.ts';
import { startGateway, tokenFor } from '../harness.ts';
import { listen } from '../http/raw.ts';

const script = 'examples/clients/week.mjs';
const zone = 'Europe/Berlin';

test('the week view in 20 lines shows the demo and a change, each time that it runs', async () => {
  const now = Date.now();
  const gateway = await startGateway({}, { seed: demoData(now) });
  try {
    const env = {
      GATEWAY_URL: `http://127.0.0.1:${await listen(gateway)}`,
      TOKEN: await tokenFor('alice@example.com'),
      TZ: zone,
    };
    for (const [summary, next] of [
      ['Stand-up', 'Stand-up with cake'],
      ['Stand-up with cake', 'Stand-up'],
    ]) {
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [script], {
        env,
        timeout: 15_000,
      });
      expect(stderr).toBe('');
      const at = (day: number, time: string): unknown =>
        expect.stringMatching(`^${dayOfWeek(now, zone, day)}T${time}:00[+]0[12]:00 `);
      const lines = stdout.trim().split('\n');
      expect(lines.map((line) => line.replace(/^\S+ /, ''))).toEqual([
        summary,
        'Team meeting',
        'Stand-up',
        'Design review',
        'Stand-up',
        'Call with the partners',
        `confirmed ${next}`,
      ]);
      expect(lines.slice(0, -1)).toEqual([
        at(1, '09:00'),
        at(1, '10:00'),
        at(2, '09:00'),
        at(2, '14:00'),
        at(4, '09:00'),
        at(4, '17:00'),
      ]);
    }
    expect(readFileSync(script, 'utf8').trim().split('\n').length).toBe(20);
  } finally {
    await gateway.close();
  }
});
