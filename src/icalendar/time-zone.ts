import { groupByKey } from '../core/json-values.ts';
import { memoize } from '../core/memoize.ts';
import { listOffsetChanges, type ZoneChange } from '../core/time/zone-clock.ts';
import { formatCompact } from '../recurrence/recurrence-lines.ts';
import { wrapComponent, formatContentLine, formatTextLine } from './content-lines.ts';

/** Maximum number of clock changes in a VTIMEZONE: two a year for a thousand years. */
const maxChanges = 2000;
const yearMs = 365.25 * 86_400_000;

/** A change of a zone's clocks, with the kind and name of the observance that begins. */
interface ObservanceOnset extends ZoneChange {
  readonly kind: 'STANDARD' | 'DAYLIGHT';
  readonly name: string;
}

/** Writes the VTIMEZONE of a zone (RFC 5545, section 3.6.5) for times between two instants (epoch ms). */
export const formatTimeZone = (zone: string, from: number, to: number): readonly string[] =>
  formatZoneCached(zone, Math.floor(from / yearMs), Math.ceil(to / yearMs));

/** Number of cached VTIMEZONEs, by zone and years. All mails of a change need the same ones. */
const maxCachedZones = 64;

const formatZoneCached = memoize(
  maxCachedZones,
  (...key: [string, number, number]) => key.join(' '),
  (zone, fromYear, toYear) => {
    const observanceAt = createObservanceLookup(zone);
    const changes = listOffsetChanges(zone, fromYear * yearMs, toYear * yearMs, maxChanges);
    const observances = groupByKey(
      changes.map((change): ObservanceOnset => ({ ...change, ...observanceAt(change.at) })),
      ({ kind, name, offsetBefore, offsetAfter }) => JSON.stringify([kind, name, offsetBefore, offsetAfter]),
    );
    return wrapComponent('VTIMEZONE', [
      formatTextLine('TZID', zone),
      ...[...observances.values()].flatMap(formatObservance),
    ]);
  },
);

/**
 * Writes one observance. RDATE repeats DTSTART, since libical and ical.js ignore DTSTART if there is an RDATE. Each onset has a
 * line of its own, since ical.js reads only the first value of a line.
 */
function formatObservance(changes: readonly [ObservanceOnset, ...ObservanceOnset[]]): string[] {
  const [{ kind, name, offsetBefore, offsetAfter }] = changes;
  const starts = changes.map(({ at }) => formatCompact(at + offsetBefore));
  return wrapComponent(kind, [
    formatContentLine('DTSTART', starts[0] as string),
    ...starts.map((start) => formatContentLine('RDATE', start)),
    formatContentLine('TZOFFSETFROM', formatUtcOffset(offsetBefore)),
    formatContentLine('TZOFFSETTO', formatUtcOffset(offsetAfter)),
    formatTextLine('TZNAME', name),
  ]);
}

/** Formats an offset as `+hhmm`, or `+hhmmss` for offsets of long ago that have seconds. */
function formatUtcOffset(offsetMs: number): string {
  const seconds = Math.round(Math.abs(offsetMs) / 1000);
  const [hours, minutes, secondsOfMinute] = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map((part) =>
    String(Math.floor(part)).padStart(2, '0'),
  );
  return `${offsetMs < 0 ? '-' : '+'}${hours}${minutes}${secondsOfMinute === '00' ? '' : secondsOfMinute}`;
}

/** Creates a lookup of the observance of a zone at an instant: its name, and whether it is daylight time. */
function createObservanceLookup(
  timeZone: string,
): (instant: number) => Pick<ObservanceOnset, 'kind' | 'name'> {
  const [shortNameAt, longNameAt] = (['short', 'long'] as const).map((timeZoneName) => {
    const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName });
    return (instant: number): string =>
      (format.formatToParts(instant).find(({ type }) => type === 'timeZoneName') as Intl.DateTimeFormatPart)
        .value;
  }) as [(instant: number) => string, (instant: number) => string];
  return (instant) => ({
    kind: /Summer|Daylight/.test(longNameAt(instant)) ? 'DAYLIGHT' : 'STANDARD',
    name: shortNameAt(instant),
  });
}
