import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { findPython } from '../python.ts';
import type { ReceivedMail } from './mailbox.ts';
import type { Reading } from './reading.ts';

const script = fileURLToPath(new URL('read.py', import.meta.url));
const { command, describe: describeWithIcalendar } = findPython('icalendar, dateutil', 'python3-icalendar');
export { describeWithIcalendar };

/** The mails as Debian's reader of calendars understands them. */
export function readByIcalendar(mails: readonly ReceivedMail[]): readonly Reading[] {
  if (command === undefined)
    throw new Error(
      'python-icalendar is not installed (Debian packages python3-icalendar and python3-dateutil)',
    );
  const { status, stdout, stderr } = spawnSync(command, [script], {
    input: JSON.stringify(mails.map(({ calendarText }) => calendarText)),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as readonly Reading[];
}
