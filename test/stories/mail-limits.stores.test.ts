import type { Replacements } from '../../src/app.ts';
import { alice, bob, oneHour, makeMany, textOfLength, wanda } from '../event/event.harness.ts';
import { stores } from '../stores.ts';
import { seedCalendars, openMailing } from './mail-walk.harness.ts';

const notifyAll = { sendUpdates: 'all' };
const incompleteWarning = (explanation: string) => {
  const message = `Not all guests are notified of this by mail: ${explanation}.`;
  return [{ path: ['sendUpdates'], reason: 'incomplete', message, field: 'result' }];
};
const dailyLimitWarning = incompleteWarning('one caller may cause 2000 mails a day');
const outboxFullWarning = incompleteWarning('too many mails are waiting to be sent');
const noon = Date.UTC(2026, 11, 1, 12);

describe.each(stores)('mails while their server is down, over $name:', ({ useEnvironments }) => {
  const environment = useEnvironments();
  const openWithReplacements = async (replacements: Replacements) =>
    openMailing(await environment(), undefined, replacements);

  test('a caller may cause 2,000 mails a day; further changes are stored without mails, and other callers are not affected', async () => {
    let now = noon;
    const { gateway, mailbox, stop } = await openWithReplacements({ clock: () => now });
    await mailbox.stop();
    const guests = makeMany(199, (index) => ({ email: `guest${index}@elsewhere.example` }));
    const { id } = await gateway.makeEvent({ attendees: guests });
    const changeLocation = async (location: string, as = alice): Promise<unknown> => {
      const controls = { ...notifyAll, as, calendarId: alice };
      const { notifiedCount, warnings, event } = await gateway.patch(id, { location }, controls);
      expect(event.location).toBe(location);
      return [notifiedCount, warnings];
    };
    for (let count = 0; count < 10; count += 1)
      expect(await changeLocation(`Room ${count}`)).toEqual([199, undefined]);
    expect(await changeLocation('Room 10')).toEqual([10, dailyLimitWarning]);
    expect(await changeLocation('Room 11')).toEqual([0, dailyLimitWarning]);
    expect(await gateway.countWaitingMails()).toBe(2000);
    expect(await changeLocation('Room 12', wanda)).toEqual([199, undefined]);
    now += 23 * 3_600_000;
    expect(await changeLocation('Room 13')).toEqual([0, dailyLimitWarning]);
    now += 2 * 3_600_000;
    expect(await changeLocation('Room 14')).toEqual([199, undefined]);
    await stop();
  });

  test('a calendar may have 16 MiB of queued mails; further changes are stored without mails, and other calendars are not affected', async () => {
    const commonFields = { iCalUID: 'series@calendar.example.com', summary: 'Long' };
    const dateAt = (index: number): string =>
      new Date(Date.UTC(2026, 11, 1 + index)).toISOString().slice(0, 10);
    const dayTimesAt = (index: number) => ({
      start: { date: dateAt(index) },
      end: { date: dateAt(index + 1) },
    });
    const attendees = [{ email: 'guest@elsewhere.example' }];
    const recurrence = ['RRULE:FREQ=DAILY;COUNT=99'];
    const series = { id: 'series', ...commonFields, ...dayTimesAt(0), recurrence, attendees };
    const instances = makeMany(60, (index) => ({
      id: `series_${dateAt(index).replaceAll('-', '')}`,
      recurringEventId: 'series',
      originalStartTime: { date: dateAt(index) },
      ...commonFields,
      ...dayTimesAt(index),
      description: textOfLength(8000),
    }));
    const events = [series, ...instances];
    const calendars = seedCalendars.map((calendar) => ({
      ...calendar,
      events: calendar.id === alice ? events : [],
    }));
    const { gateway, mailbox, stop } = await openWithReplacements({ seed: { calendars } });
    await mailbox.stop();
    const notifiedCounts: number[] = [];
    for (let count = 0; notifiedCounts.at(-1) !== 0; count += 1) {
      const outcome = await gateway.patch('series', { location: `Room ${count}` }, notifyAll);
      expect([outcome.problems, outcome.event.location]).toEqual([[], `Room ${count}`]);
      expect(outcome.warnings).toEqual(outcome.notifiedCount === 0 ? outboxFullWarning : undefined);
      notifiedCounts.push(outcome.notifiedCount);
    }
    // Each mail counts for about 1 MiB.
    expect(notifiedCounts.length).toBeGreaterThan(16);
    expect(notifiedCounts.length).toBeLessThan(20);
    expect(await gateway.countWaitingMails()).toBe(notifiedCounts.length - 1);
    const otherOutcome = await gateway.insert({ ...oneHour, attendees }, { ...notifyAll, as: bob });
    expect([otherOutcome.notifiedCount, otherOutcome.warnings]).toEqual([1, undefined]);
    await stop();
  });
});
