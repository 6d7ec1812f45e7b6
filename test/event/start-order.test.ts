import {
  alice,
  berlin,
  bob,
  sampleCalendars,
  useEventGateway,
  type EventGateway,
  type EventJson,
} from './event.harness.ts';
import { dailySeries, withGuests, instanceIdOn } from './list.harness.ts';

const halfMinuteAt = (day: string, time: string) => ({
  start: { dateTime: `${day}T${time}:00`, timeZone: berlin },
  end: { dateTime: `${day}T${time}:30`, timeZone: berlin },
});
const daysFrom = (startDay: string, endDay: string) => ({ start: { date: startDay }, end: { date: endDay } });
/** Events of all kinds, not in the order of their starts. */
const events = [
  { id: 'late', ...halfMinuteAt('2026-12-11', '09:00') },
  { id: 'early', ...halfMinuteAt('2026-12-01', '08:00') },
  // A series that started long before all others.
  { id: 'weekly', ...halfMinuteAt('2026-06-02', '09:00'), recurrence: ['RRULE:FREQ=WEEKLY'] },
  { id: 'running', ...daysFrom('2026-11-20', '2026-12-04') },
  { id: 'twin', ...halfMinuteAt('2026-12-01', '08:00') },
  { id: 'daily', ...halfMinuteAt('2026-12-07', '10:00'), recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] },
  { id: 'allday', ...daysFrom('2026-12-05', '2026-12-06'), recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] },
  { id: 'gone', status: 'cancelled', ...halfMinuteAt('2026-12-02', '08:00') },
  { id: 'middle', ...halfMinuteAt('2026-12-08', '12:00') },
];
/** Events and instances of 1 to 15 December 2026 in the order of their starts. */
const expectedIds = [
  'running',
  'early',
  'twin',
  'weekly_20261201T080000Z',
  'allday_20261205',
  'allday_20261206',
  'allday_20261207',
  'daily_20261207T090000Z',
  'weekly_20261208T080000Z',
  'daily_20261208T090000Z',
  'middle',
  'daily_20261209T090000Z',
  'daily_20261210T090000Z',
  'late',
  'daily_20261211T090000Z',
  'weekly_20261215T080000Z',
];

const listDocument = `query ($calendarId: String!, $timeMin: DateTime, $timeMax: DateTime, $showDeleted: Boolean, $first: Int, $after: String) {
  result: events(calendarId: $calendarId, singleEvents: true, orderBy: startTime, timeMin: $timeMin, timeMax: $timeMax, showDeleted: $showDeleted,
    first: $first, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }`;

/** Lists up to `limit` ids of a calendar by start, page by page. */
async function listIds(gateway: EventGateway, calendarId: string, variables: object, limit = Infinity) {
  const ids: string[] = [];
  for (let after: string | null = null; ids.length < limit;) {
    const { event, problems } = await gateway.run(
      listDocument,
      { calendarId, ...variables, after },
      calendarId,
    );
    expect(problems).toEqual([]);
    ids.push(...event.nodes.map(({ id }: EventJson) => id));
    after = event.pageInfo.endCursor;
    if (!event.pageInfo.hasNextPage) break;
  }
  return ids.slice(0, limit);
}

describe('a list with orderBy startTime', () => {
  const gateway = useEventGateway({ seed: { calendars: sampleCalendars(events) } });

  test.each([1, 2, 3, 5, 13, 250])(
    'includes series that started before its range, with pages of %i',
    async (first) => {
      const [timeMin, timeMax] = ['2026-12-01T00:00:00+01:00', '2026-12-16T00:00:00+01:00'];
      expect(await listIds(gateway, alice, { first, timeMin, timeMax })).toEqual(expectedIds);
      expect(await listIds(gateway, alice, { first, timeMin }, expectedIds.length)).toEqual(expectedIds);
    },
  );

  test('starts with the first of all occurrences without timeMin', async () => {
    expect(await listIds(gateway, alice, { first: 3 }, 3)).toEqual([
      'weekly_20260602T070000Z',
      'weekly_20260609T070000Z',
      'weekly_20260616T070000Z',
    ]);
  });

  test('has the tombstone of an instance that became all-day on its day, on pages of any length', async () => {
    const { id } = await gateway.makeEvent({ ...dailySeries, ...withGuests(bob) });
    await gateway.changeEvent(instanceIdOn(id, 4), {
      start: { date: '2026-12-03', dateTime: null },
      end: { date: '2026-12-04', dateTime: null },
    });
    await gateway.changeEvent(instanceIdOn(id, 4), { attendees: [] });
    // The fourth instance, all-day on 3 December, comes before the third one.
    const expected = [1, 2, 4, 3].map((day) => instanceIdOn(id, day));
    for (const first of [1, 2, 10])
      expect(await listIds(gateway, bob, { first, showDeleted: true })).toEqual(expected);
  });
});
