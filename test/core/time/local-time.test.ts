import { Temporal } from 'temporal-polyfill';
import { startOfDay } from '../../../src/core/time/local-time.ts';
import { instantOf, withOffset } from '../../../src/core/time/time.ts';

/** Returns local times around the clock changes of a zone since 1915. */
function listLocalTimes(zone: string): string[] {
  const times: string[] = ['0001-01-01T00:00:00', '1850-06-01T12:00:00.5', '9999-12-31T23:59:59.999'];
  let transition: Temporal.ZonedDateTime | null =
    Temporal.Instant.from('1915-01-01T00:00Z').toZonedDateTimeISO(zone);
  for (let count = 0; count < 40; count += 1) {
    transition = transition.getTimeZoneTransition('next');
    if (!transition) break;
    const localTransition = transition.toPlainDateTime();
    for (const minutes of [-90, -1, 0, 1, 29, 59, 60, 90])
      times.push(localTransition.add({ minutes }).toString({ smallestUnit: 'second' }));
  }
  return times;
}

describe('instantOf and withOffset', () => {
  test.each([
    ...['Europe/Berlin', 'America/New_York', 'America/Toronto', 'Asia/Kathmandu', 'Pacific/Apia'],
    ...['Australia/Lord_Howe', 'Africa/Monrovia', 'America/Sao_Paulo', 'UTC'],
  ])('agree with Temporal in %s', (zone) => {
    for (const dateTime of listLocalTimes(zone)) {
      const zonedTime = Temporal.PlainDateTime.from(dateTime).toZonedDateTime(zone);
      const instant = instantOf({ dateTime, timeZone: zone }, '');
      expect([dateTime, instant]).toEqual([dateTime, zonedTime.epochMilliseconds]);
      // A local time that the clocks skip is moved forward.
      const resolvedTime = zonedTime.toPlainDateTime();
      const localText = resolvedTime.equals(dateTime) ? dateTime : resolvedTime.toString();
      const textWithSeconds = localText.length === 16 ? `${localText}:00` : localText;
      expect(withOffset(dateTime, zone)).toBe(`${textWithSeconds}${zonedTime.offset.slice(0, 6)}`);
      const date = dateTime.slice(0, 10);
      expect([date, instantOf({ date, timeZone: 'Asia/Tokyo' }, zone)]).toEqual([
        date,
        Temporal.PlainDate.from(date).toZonedDateTime(zone).epochMilliseconds,
      ]);
    }
  });
});

describe('startOfDay', () => {
  test('is that in UTC for a zone that only another version of Node.js knows', () => {
    const midnight = Date.UTC(2026, 0, 1);
    expect(startOfDay(midnight, 'Mars/Olympus')).toBe(midnight);
    expect(startOfDay(midnight, 'Asia/Tokyo')).toBe(Date.UTC(2025, 11, 31, 15));
  });
});
