import { remembered } from '../core/remembered.ts';
import { changesOf, type ZoneChange } from '../core/time/zone-clock.ts';
import { component, contentLine, textLine, writtenTime } from './content-lines.ts';

/** Clocks that change twice a year do so for a thousand years. */
const mostChanges = 2000;
const year = 365.25 * 86_400_000;

/** Changes of one kind: the same clocks before and after them, under one name. */
interface Observance {
  readonly kind: 'STANDARD' | 'DAYLIGHT';
  readonly name: string;
  readonly change: ZoneChange;
  readonly starts: string[];
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
    const observances = new Map<string, Observance>();
    for (const change of changesOf(zone, from * year, to * year, mostChanges)) {
      const { kind, name } = kindOf(change.at);
      const key = JSON.stringify([kind, name, change.before, change.after]);
      const observance = observances.get(key) ?? { kind, name, change, starts: [] };
      observance.starts.push(writtenTime(change.at + change.before));
      observances.set(key, observance);
    }
    return component('VTIMEZONE', [
      textLine('TZID', zone),
      ...[...observances.values()].flatMap(observanceLines),
    ]);
  },
);

/** RDATE names the first onset too: libical and ical.js read DTSTART only where there is no RDATE. */
function observanceLines({ kind, name, change, starts }: Observance): string[] {
  return component(kind, [
    contentLine('DTSTART', starts[0] as string),
    ...(starts.length > 1 ? [contentLine('RDATE', starts.join(','))] : []),
    contentLine('TZOFFSETFROM', writtenOffset(change.before)),
    contentLine('TZOFFSETTO', writtenOffset(change.after)),
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
function kindsOf(timeZone: string): (instant: number) => Pick<Observance, 'kind' | 'name'> {
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
