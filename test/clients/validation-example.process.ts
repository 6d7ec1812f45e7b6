import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** An example of the docs that validates invalid bodies and prints their issues. */
const scriptPath = fileURLToPath(new URL('../../examples/clients/validation.mjs', import.meta.url));

describe('the validation example of the docs', () => {
  test('prints the issues of invalid bodies', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [scriptPath]);
    const issues = [...stdout.matchAll(/path: \[ '\w+', '(\w+)' \],\s+reason: '(\w+)'/g)];
    const endIssues = Array(2).fill('end timeRangeEmpty') as string[];
    expect(issues.map(([, field, reason]) => `${field} ${reason}`)).toEqual([...endIssues, 'topic invalid']);
    expect(stdout).toMatch(/path: \[ 'attendeeChanges', 'add', 0, 'email' \],\s+reason: 'required'/);
  });
});
