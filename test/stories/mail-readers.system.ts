import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { alice } from '../event/event.harness.ts';
import type { ReceivedMail } from '../mail/mailbox.ts';
import { readMail, type Reading } from '../mail/mail-reading.ts';
import { findPython } from '../python.ts';
import { guest, openMailing } from './mail-walk.harness.ts';
import { steps, runSteps } from './mail-walk.steps.ts';
import { useForAll } from '../use-resource.ts';

const script = fileURLToPath(new URL('../mail/read.py', import.meta.url));
const python = findPython('icalendar, dateutil', 'python3-icalendar');

/** Reads mails with Debian's python3-icalendar. */
function readByIcalendar(mails: readonly ReceivedMail[]): readonly Reading[] {
  const input = JSON.stringify(mails.map(({ calendarText }) => calendarText));
  const { status, stdout, stderr } = spawnSync(python.command ?? '', [script], { input, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as readonly Reading[];
}

const timedTimes = (start: string, end: string, timeZone = 'Europe/Berlin') => ({
  start: { dateTime: start, timeZone },
  end: { dateTime: end, timeZone },
});
const allDayTimes = (start: string, end: string) => ({ start: { date: start }, end: { date: end } });
const hourTimes = timedTimes('2026-10-12T10:00:00+02:00', '2026-10-12T11:00:00+02:00');
const morningInNewYork = timedTimes(
  '2026-03-01T09:00:00-05:00',
  '2026-03-01T09:45:00-05:00',
  'America/New_York',
);
const morningInSydney = timedTimes(
  '2026-10-01T08:00:00+10:00',
  '2026-10-01T09:00:00+10:00',
  'Australia/Sydney',
);

python.describe('python3-icalendar', () => {
  const mailing = useForAll(() => openMailing());

  test('reads the mails of all steps as ical.js does', async () => {
    const { gateway } = mailing;
    const mails = await gateway.collectMails(() => runSteps(gateway));
    expect(mails).toHaveLength(steps.reduce((sum, { texts }) => sum + Object.keys(texts).length, 0));
    expect(readByIcalendar(mails)).toEqual(mails.map(readMail));
  });

  test.each<[string, object, string]>([
    ['that lasts days', allDayTimes('2026-12-24', '2026-12-27'), ''],
    [
      'that lasts a day and repeats',
      allDayTimes('2026-12-24', '2026-12-25'),
      'RRULE:FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20270801 EXDATE;VALUE=DATE:20270129 RDATE;VALUE=DATE:20270102',
    ],
    ['that repeats without an end', morningInNewYork, 'RRULE:FREQ=WEEKLY;BYDAY=MO,TH'],
    ['that repeats until a time', morningInSydney, 'RRULE:FREQ=DAILY;INTERVAL=2;UNTIL=20261020T230000Z'],
    [
      'with an RDATE, an EXDATE and an EXRULE',
      hourTimes,
      'RRULE:FREQ=WEEKLY;COUNT=5 EXDATE:20261019T080000Z RDATE;TZID=America/New_York:20261105T100000 EXRULE:FREQ=MONTHLY;BYMONTHDAY=2',
    ],
    [
      'with special characters in its texts',
      { ...hourTimes, summary: 'Größe; "x", a\\b 🎉 <b>', description: 'One\n\tTwo, three;\\' },
      '',
    ],
  ])('reads an event %s as the gateway lists it', async (_what, body, lines) => {
    const { gateway } = mailing;
    const attendees = [{ email: guest, displayName: 'Gus "the ^Great"' }];
    const recurrence = lines === '' ? null : lines.split(' ');
    let id = '';
    const mails = await gateway.collectMails(async () => {
      const event = { summary: 'Planning', ...body, recurrence, attendees };
      ({ id } = await gateway.makeEvent(event, { sendUpdates: 'all' }));
    });
    const [reading] = readByIcalendar(mails);
    expect(reading).toEqual(readMail(mails[0] as (typeof mails)[number]));
    const storedEvent = await gateway.readOn(alice, id);
    const event = reading?.events[0];
    expect([event?.summary, event?.description]).toEqual([storedEvent.summary, storedEvent.description]);
    if (storedEvent.recurrence === null) return;
    const { data } = await gateway.ask(
      'query ($id: String!) { instances(calendarId: "primary", eventId: $id, timeMax: "2028-01-01T00:00:00Z", first: 2500) { nodes { start { date dateTime } } } }',
      { id },
    );
    const starts = (data.instances.nodes as { start: { date?: string; dateTime?: string } }[]).map(
      ({ start }) => start.date ?? new Date(start.dateTime as string).toISOString(),
    );
    expect(event?.starts).toEqual(starts);
  });
});
