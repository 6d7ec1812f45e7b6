import { withoutNulls } from '../core/json.ts';
import { formatOffset } from '../core/time/local-time.ts';
import { toIanaZone } from '../core/time/time-zone.ts';
import { comparableTimeOf, instantOf, type EventTime, type TimePatch } from '../core/time/time.ts';
import { clockOf } from '../core/time/zone-clock.ts';
import { formatCompact, parseLocal } from './rule.ts';

/**
 * Formats a time as the original start in an id: `yyyymmdd`, or `yyyymmddThhmmssZ` in UTC; undefined for an invalid time. `zone`: the
 * zone of times without one.
 */
export function toOriginalStart(time: TimePatch, zone = ''): string | undefined {
  const eventTime = withoutNulls(time ?? {}) as EventTime;
  if (eventTime.date !== undefined) return eventTime.date.replaceAll('-', '');
  const { timeZone } = eventTime;
  const instant = instantOf(
    timeZone === undefined ? eventTime : { ...eventTime, timeZone: toIanaZone(timeZone) },
    zone,
  );
  return instant === null ? undefined : formatOriginalStart(instant, false);
}

/** Formats the start of an occurrence (epoch milliseconds; days as in UTC) as an original start. */
export const formatOriginalStart = (start: number, isAllDay: boolean): string =>
  isAllDay ? formatCompact(start).slice(0, 8) : `${formatCompact(start)}Z`;

/** Creates the RDATE or EXDATE line (`name`) of these starts; no line without starts. */
export const createDateLines = (name: string, starts: readonly number[], isAllDay: boolean): string[] =>
  starts.length === 0
    ? []
    : [
        `${name}${isAllDay ? ';VALUE=DATE' : ''}:${starts.map((start) => formatOriginalStart(start, isAllDay)).join(',')}`,
      ];

/** Returns the instant (epoch ms) of a stored start, in whole seconds; days as in UTC. */
export const startInstantOf = (time: EventTime): number =>
  Math.floor(Number(comparableTimeOf(time)) / 1000) * 1000;

/** Converts an instant (days as in UTC) to a time of the same kind and zone as `template`. */
export function eventTimeAt(instant: number, template: EventTime): EventTime {
  if (template.date !== undefined) return { ...template, date: new Date(instant).toISOString().slice(0, 10) };
  const offsetMs = clockOf(template.timeZone ?? 'UTC').toLocalTime(instant) - instant;
  const local = new Date(instant + offsetMs).toISOString().slice(0, instant % 1000 === 0 ? -5 : -1);
  return {
    ...template,
    dateTime: `${local}${template.timeZone === undefined ? 'Z' : formatOffset(offsetMs)}`,
  };
}

/** Parses an original start; returns epoch milliseconds, days as in UTC. */
export const parseOriginalStart = (original: string): number => parseLocal(original);
