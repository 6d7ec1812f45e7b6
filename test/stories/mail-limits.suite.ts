import type { Replacements } from '../../src/compose.ts';
import { alice, bob, hour, many, text, wanda } from '../event/event.harness.ts';
import { homes, type Mailing } from './mail-walk.harness.ts';

const all = { sendUpdates: 'all' };
const notAll = (why: string) => [
  {
    path: ['sendUpdates'],
    reason: 'incomplete',
    message: `Not all guests are told of this by mail: ${why}.`,
    field: 'result',
  },
];
const tooMany = notAll('one caller causes 2000 mails a day at most');
const tooMuch = notAll('too many mails wait to be sent');
const noon = Date.UTC(2026, 11, 1, 12);

/** Of mails that cannot be sent, since the server is away. */
export function mailLimits(open: (replacements: Replacements) => Promise<Mailing>): void {
  test('one caller causes 2,000 mails in a day; the change is stored beyond, and others may cause more', async () => {
    let now = noon;
    const { gateway, mailbox, stop } = await open({ clock: () => now });
    await mailbox.stop();
    const guests = many(199, (index) => ({ email: `guest${index}@elsewhere.example` }));
    const { id } = await gateway.make({ attendees: guests });
    const change = async (location: string, as = alice): Promise<unknown> => {
      const { told, warnings, event } = await gateway.patch(
        id,
        { location },
        { ...all, as, calendarId: alice },
      );
      expect(event.location).toBe(location);
      return [told, warnings];
    };
    for (let count = 0; count < 10; count += 1)
      expect(await change(`Room ${count}`)).toEqual([199, undefined]);
    expect(await change('Room 10')).toEqual([10, tooMany]);
    expect(await change('Room 11')).toEqual([0, tooMany]);
    expect(await gateway.waiting()).toBe(2000);
    expect(await change('Room 12', wanda)).toEqual([199, undefined]);
    now += 23 * 3_600_000;
    expect(await change('Room 13')).toEqual([0, tooMany]);
    now += 2 * 3_600_000;
    expect(await change('Room 14')).toEqual([199, undefined]);
    await stop();
  });

  test('what waits takes 16 MiB for a calendar: the change is stored beyond, and other calendars have room', async () => {
    const start = { date: '2026-12-01' };
    const series = {
      id: 'series',
      summary: 'Long',
      start,
      end: { date: '2026-12-02' },
      recurrence: ['RRULE:FREQ=DAILY;COUNT=99'],
      attendees: [{ email: 'guest@elsewhere.example' }],
    };
    const days = many(60, (index) => new Date(Date.UTC(2026, 11, 1 + index)).toISOString().slice(0, 10));
    const instances = days.map((date) => ({
      id: `series_${date.replaceAll('-', '')}`,
      recurringEventId: 'series',
      originalStartTime: { date },
      iCalUID: 'series@calendar.example.com',
      summary: 'Long',
      start: { date },
      end: { date: new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10) },
      description: text(8000),
    }));
    const events = [{ ...series, iCalUID: 'series@calendar.example.com' }, ...instances];
    const { gateway, mailbox, stop } = await open({
      seed: { calendars: homes.map((home) => ({ ...home, events: home.id === alice ? events : [] })) },
    });
    await mailbox.stop();
    const told: number[] = [];
    for (let count = 0; told.at(-1) !== 0; count += 1) {
      const outcome = await gateway.patch('series', { location: `Room ${count}` }, all);
      expect([outcome.problems, outcome.event.location]).toEqual([[], `Room ${count}`]);
      expect(outcome.warnings).toEqual(outcome.told === 0 ? tooMuch : undefined);
      told.push(outcome.told);
    }
    // Each takes about a MiB, as its memory is reckoned.
    expect(told.length).toBeGreaterThan(16);
    expect(told.length).toBeLessThan(20);
    expect(await gateway.waiting()).toBe(told.length - 1);
    const other = await gateway.insert(
      { ...hour, attendees: [{ email: 'guest@elsewhere.example' }] },
      { ...all, as: bob },
    );
    expect([other.told, other.warnings]).toEqual([1, undefined]);
    await stop();
  });
}
