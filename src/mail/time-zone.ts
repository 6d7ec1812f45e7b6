import { grouped } from '../core/patch.ts';
import { remembered } from '../core/remembered.ts';
import { changesOf, type ZoneChange } from '../core/time/zone-clock.ts';
import { component, contentLine, textLine, writtenTime } from './content-lines.ts';

/** Clocks that change twice a year do so for a thousand years. */
const mostChanges = 2000;
const year = 365.25 * 86_400_000;

/** A change of a zone's clocks, and the name of what begins with it. */
interface Onset extends ZoneChange {
  readonly kind: 'STANDARD' | 'DAYLIGHT';
  readonly name: string;
}

/** The VTIMEZONE of a zone (RFC 5545, section 3.6.5), for all its local times between two instants. */
export const timeZoneLines = (zone: string, from: number, to: number): readonly string[] =>
  linesOf(zone, Math.floor(from / year), Math.ceil(to / year));

/** All mails of a change have the same. */
const linesOf = remembered(
  64,
  (...of: [string, number, number]) => of.join(' '),
  (zone, from, to) => {
    const kindOf = kindsOf(zone);
    const changes = changesOf(zone, from * year, to * year, mostChanges);
    const observances = grouped(
      changes.map((change): Onset => ({ ...change, ...kindOf(change.at) })),
      ({ kind, name, before, after }) => JSON.stringify([kind, name, before, after]),
    );
    return component('VTIMEZONE', [
      textLine('TZID', zone),
      ...[...observances.values()].flatMap(observanceLines),
    ]);
  },
);

/**
 * Writes changes of one kind: the same clocks before and after them, under one name. RDATE names the first onset too: libical and
 * ical.js read DTSTART only where there is no RDATE.
 */
function observanceLines(changes: readonly [Onset, ...Onset[]]): string[] {
  const [{ kind, name, before, after }] = changes;
  const starts = changes.map(({ at }) => writtenTime(at + before));
  return component(kind, [
    contentLine('DTSTART', starts[0] as string),
    ...(starts.length > 1 ? [contentLine('RDATE', starts.join(','))] : []),
    contentLine('TZOFFSETFROM', writtenOffset(before)),
    contentLine('TZOFFSETTO', writtenOffset(after)),
    textLine('TZNAME', name),
  ]);
}

/** Seconds, which some zones had long ago, only where there are any. */
function writtenOffset(offset: number): string {
  const seconds = Math.round(Math.abs(offset) / 1000);
  const [hours, minutes, rest] = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map((part) =>
    String(Math.floor(part)).padStart(2, '0'),
  );
  return `${offset < 0 ? '-' : '+'}${hours}${minutes}${rest === '00' ? '' : rest}`;
}

/** What a zone's time is called at an instant, and whether that is its summer time. */
function kindsOf(timeZone: string): (instant: number) => Pick<Onset, 'kind' | 'name'> {
  const [short, long] = (['short', 'long'] as const).map((timeZoneName) => {
    const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName });
    return (instant: number): string =>
      format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  }) as [(instant: number) => string, (instant: number) => string];
  return (instant) => ({
    kind: /Summer|Daylight/.test(long(instant)) ? 'DAYLIGHT' : 'STANDARD',
    name: short(instant),
  });
}
