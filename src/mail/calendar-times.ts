import { instantOf } from '../event/time/time.ts';
import { clockOf } from '../event/time/zone-clock.ts';
import type { EventTime } from '../event/time/time.ts';
import { isTimeZone } from '../core/time/time-zone.ts';
import { contentLine } from './content-lines.ts';

/** A day, in epoch milliseconds as in UTC, or a time with the zone in which it is told. */
export interface When {
  readonly at: number;
  /** Absent for a day. */
  readonly zone?: string;
}

/** A property whose value is one or more times. */
export interface TimesLine {
  readonly name: string;
  readonly times: readonly When[];
}

const earliest = Date.parse('0001-01-01T00:00:00Z');
const latest = Date.parse('9999-12-31T23:59:59Z');

/** Times without a zone that is known here are told in UTC. */
export const knownZone = (zone = ''): string => (isTimeZone(zone) ? zone : 'UTC');

/** In whole seconds. Undefined for a time that is none. */
export function whenOf(time: EventTime | undefined): When | undefined {
  const at = time && instantOf(time, 'UTC');
  if (!time || at === null || at === undefined) return undefined;
  if (time.date !== undefined) return { at };
  return { at: Math.floor(at / 1000) * 1000, zone: knownZone(time.timeZone) };
}

/** The zone that is named with a time; a local time that names another instant is written in UTC instead. */
export function namedZone({ at, zone }: When): string | undefined {
  if (zone === undefined || zone.toUpperCase() === 'UTC') return undefined;
  const clock = clockOf(zone);
  return clock.toInstant(clock.toLocal(at)) === at ? zone : undefined;
}

/** As `yyyymmddThhmmss`. */
export const writtenTime = (moment: number): string =>
  new Date(Math.min(Math.max(moment, earliest), latest)).toISOString().slice(0, 19).replace(/[-:]/g, '');

function valueOf(when: When, zone: string | undefined): string {
  if (when.zone === undefined) return writtenTime(when.at).slice(0, 8);
  return zone === undefined ? `${writtenTime(when.at)}Z` : writtenTime(clockOf(zone).toLocal(when.at));
}

/** One line for each zone. */
export function timesLines({ name, times }: TimesLine): string[] {
  const lines = new Map<
    string,
    { readonly when: When; readonly zone: string | undefined; readonly values: string[] }
  >();
  for (const when of times) {
    const zone = namedZone(when);
    const key = `${when.zone === undefined} ${zone}`;
    const line = lines.get(key) ?? { when, zone, values: [] };
    line.values.push(valueOf(when, zone));
    lines.set(key, line);
  }
  return [...lines.values()].map(({ when, zone, values }) =>
    contentLine(name, values.join(','), { VALUE: when.zone === undefined ? 'DATE' : undefined, TZID: zone }),
  );
}
