import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ReceivedMail } from './mailbox.ts';
import type { Reading } from './reading.ts';

const script = fileURLToPath(new URL('read.py', import.meta.url));
const command = ['python3', '/usr/bin/python3'].find((name) => spawnSync(name, ['-c', 'import icalendar, dateutil']).status === 0);

/**
 * `describe` for suites that need python3-icalendar. Without it they are skipped and say so; in CI, which installs it, they
 * run and fail.
 */
export const describeWithIcalendar: (name: string, suite: () => void) => void =
  command !== undefined || process.env.CI === 'true'
    ? describe
    : (name, suite) => describe.skip(`${name} (skipped: python3-icalendar is not installed)`, suite);

/** The mails as Debian's reader of calendars understands them. */
export function readByIcalendar(mails: readonly ReceivedMail[]): readonly Reading[] {
  if (command === undefined) throw new Error('python-icalendar is not installed (Debian packages python3-icalendar and python3-dateutil)');
  const { status, stdout, stderr } = spawnSync(command, [script], { input: JSON.stringify(mails.map(({ calendarText }) => calendarText)), encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as readonly Reading[];
}
