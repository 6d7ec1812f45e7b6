import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const recipe = fileURLToPath(new URL('../../examples/clients/validation.mjs', import.meta.url));

describe('the pages for front ends', () => {
  test('hold bodies against the rules before they are sent', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [recipe]);
    expect(
      [...stdout.matchAll(/path: \[ '\w+', '(\w+)' \],\s+reason: '(\w+)'/g)].map(([, field, reason]) => [
        field,
        reason,
      ]),
    ).toEqual([
      ['end', 'timeRangeEmpty'],
      ['end', 'timeRangeEmpty'],
      ['topic', 'invalid'],
    ]);
    expect(stdout).toMatch(/path: \[ 'attendeeChanges', 'add', 0, 'email' \],\s+reason: 'required'/);
  });
});
