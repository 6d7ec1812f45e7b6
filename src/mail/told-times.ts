import type { EventTime } from '../event/time/time.ts';
import { clockOf } from '../event/time/zone-clock.ts';
import { whenOf, type When } from './calendar-times.ts';

const dayMs = 86_400_000;
const weekday = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' });

/** A time for people, in a zone: the day, and of times the hours and minutes. */
export function toldTime(time: EventTime | null | undefined, zone: string, isEnd = false): string {
  const when = whenOf(time ?? undefined);
  if (!when) return '';
  const local = localOf(when, zone, isEnd);
  return when.zone === undefined ? toldDay(local) : `${toldDay(local)}, ${toldHours(local)} (${zone})`;
}

/** From when to when: the end of a day is the last one of them. */
export function toldSpan(from: EventTime | undefined, to: EventTime | undefined, zone: string): string {
  const [start, end] = [whenOf(from), whenOf(to)];
  if (!start || !end || end.at <= start.at) return toldTime(from, zone);
  const [begin, stop] = [localOf(start, zone, false), localOf(end, zone, true)];
  if (end.zone === undefined)
    return begin === stop ? toldDay(begin) : `${toldDay(begin)} to ${toldDay(stop)}`;
  const last = toldDay(stop) === toldDay(begin) ? toldHours(stop) : `${toldDay(stop)}, ${toldHours(stop)}`;
  return `${toldDay(begin)}, ${toldHours(begin)} to ${last} (${zone})`;
}

const localOf = ({ at, zone }: When, told: string, isEnd: boolean): number =>
  zone === undefined ? at - (isEnd ? dayMs : 0) : clockOf(told).toLocal(at);

const toldDay = (local: number): string =>
  `${weekday.format(local)}, ${new Date(local).toISOString().slice(0, -14)}`;
const toldHours = (local: number): string => new Date(local).toISOString().slice(-13, -8);
