import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { startGateway, tokenFor } from '../harness.ts';
import { listen } from '../http/raw.ts';

/** The code of the README's section, as somebody copies it. */
const [, code = ''] = /^## A week view in 20 lines$[^]*?^```js\n([^]*?)^```$/m.exec(readFileSync('README.md', 'utf8')) ?? [];

test('the week view of the README runs as it stands there', async () => {
  const gateway = await startGateway();
  try {
    const env = { GATEWAY_URL: `http://127.0.0.1:${await listen(gateway)}`, TOKEN: await tokenFor('alice@example.com') };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], { env });
    expect(stderr).toBe('');
    expect(stdout.trim().split('\n')).toEqual([
      '2026-12-01T09:00:00+01:00 Stand-up',
      '2026-12-01T10:00:00+01:00 Team meeting',
      '2026-12-02T09:00:00+01:00 Stand-up',
      '2026-12-02T14:00:00+01:00 Design review',
      '2026-12-04T09:00:00+01:00 Stand-up',
      '2026-12-04T17:00:00+01:00 Call with the partners',
      'standup_20261202T080000Z confirmed Stand-up with cake',
    ]);
    expect(code.trim().split('\n').length).toBe(20);
  } finally {
    await gateway.close();
  }
});
