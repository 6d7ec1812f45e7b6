import { withoutNulls } from '../core/patch.ts';
import { printOffset } from '../core/time/local-time.ts';
import { ianaZone } from '../core/time/time-zone.ts';
import { instantOf, type EventTime, type TimePatch } from '../core/time/time.ts';
import { clockOf } from '../core/time/zone-clock.ts';

/** How an original start is written in an id: `yyyymmdd`, or in UTC `yyyymmddThhmmssZ`. Undefined for a time that is none. */
export function originalOf(time: TimePatch, zone = ''): string | undefined {
  const given = withoutNulls(time ?? {}) as EventTime;
  if (given.date !== undefined) return given.date.replaceAll('-', '');
  const { timeZone } = given;
  const instant = instantOf(
    timeZone === undefined ? given : { ...given, timeZone: ianaZone(timeZone) },
    zone,
  );
  return instant === null ? undefined : writtenOf(instant);
}

const writtenOf = (instant: number): string =>
  `${new Date(instant).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;

/** The original start that a start of a series has; days are counted as in UTC. */
export const originalAt = (start: number, isDay: boolean): string =>
  isDay ? writtenOf(start).slice(0, 8) : writtenOf(start);

/** The line that lists some starts of a series; none for none. */
export const dateLines = (name: string, starts: readonly number[], isDay: boolean): string[] =>
  starts.length === 0
    ? []
    : [`${name}${isDay ? ';VALUE=DATE' : ''}:${starts.map((start) => originalAt(start, isDay)).join(',')}`];

/** A moment of a series as a time object of the same kind as the series' own; days are counted as in UTC. */
export function timeAt(moment: number, like: EventTime): EventTime {
  if (like.date !== undefined) return { ...like, date: new Date(moment).toISOString().slice(0, 10) };
  const offset = clockOf(like.timeZone ?? 'UTC').toLocal(moment) - moment;
  const local = new Date(moment + offset).toISOString().slice(0, moment % 1000 === 0 ? -5 : -1);
  return { ...like, dateTime: `${local}${like.timeZone === undefined ? 'Z' : printOffset(offset)}` };
}

/** The moment that an original start in an id names, in epoch milliseconds; days are counted as in UTC. */
export const startOf = (original: string): number =>
  Date.parse(
    original.replace(/^(\d{4})(\d{2})(\d{2})/, '$1-$2-$3').replace(/T(\d{2})(\d{2})(\d{2})Z$/, 'T$1:$2:$3Z'),
  );
