import type { EventBody, EventTime } from '../model/fields.ts';
import { isCancelled, type EventRecord } from '../model/record.ts';
import { occurrencesOf } from '../recurrence/occurrences.ts';
import { lengthOf } from '../model/span.ts';
import { instantOf } from '../time/time.ts';
import { viewOf } from '../view/event-view.ts';
import type { Viewpoint } from '../view/viewpoint.ts';
import type { Property, Selection } from './selection.ts';

const dayMs = 86_400_000;

/** Whether a list shows an event, as far as that is for what the caller sees of it; a series counts as a whole. */
export function isSelected(at: Viewpoint, selection: Selection): boolean {
  const { record, copy, calendar } = at;
  if (!selection.showDeleted && !selection.incremental && isCancelled(record, copy)) return false;
  return isWithin(record, calendar.timeZone, selection) && matches(at, selection);
}

/** `timeMin` is compared with the end and `timeMax` with the start; of a series, with those of its occurrences. */
function isWithin(record: EventRecord, zone: string, { from, to }: Selection): boolean {
  if (from === -Infinity && to === Infinity) return true;
  const { core } = record;
  if ((core.recurrence ?? []).length === 0) return overlaps(core.start ?? core.originalStartTime, core.end, zone, { from, to });
  return occurrencesWithin(record, zone, { from, to }, 1).length > 0;
}

export function overlaps(start: EventTime | undefined, end: EventTime | undefined, zone: string, { from, to }: Pick<Selection, 'from' | 'to'>): boolean {
  const begins = start && instantOf(start, zone);
  if (typeof begins !== 'number') return false;
  const ends = (end && instantOf(end, zone)) ?? begins;
  return begins < to && (ends > from || (ends === begins && begins >= from));
}

/** The starts of a series' occurrences in a range of time, at most `limit`; days are counted as in UTC. */
export function occurrencesWithin(series: EventRecord, zone: string, { from, to }: Pick<Selection, 'from' | 'to'>, limit: number, after = -Infinity): number[] {
  const { core } = series;
  const length = lengthOf(series);
  const isDay = core.start?.date !== undefined;
  // Days begin at another moment in each zone: the neighbours are looked at too.
  const slack = isDay ? dayMs : 0;
  const begin = Math.max(from - length - slack, after + 1);
  const isIn = (start: number): boolean => {
    if (!isDay) return start < to && (start + length > from || (length === 0 && start >= from));
    const date = (moment: number): EventTime => ({ date: new Date(moment).toISOString().slice(0, 10) });
    return overlaps(date(start), date(start + length), zone, { from, to });
  };
  const occurrences = occurrencesOf(core);
  const found: number[] = [];
  // A look-up may end early where matches are rare: it goes on from there, a bounded number of times.
  for (let next = begin, looks = 0; looks < 20 && found.length < limit; looks += 1) {
    const { starts, more } = occurrences.between(next, to + slack, limit + (isDay ? 3 : 1));
    found.push(...starts.filter(isIn));
    const last = starts.at(-1);
    if (!more || last === undefined) break;
    next = last + 1;
  }
  return found.slice(0, limit);
}

/** The search and the extended properties, on what the caller sees. */
export function matches(at: Viewpoint, { q, privateProperties, sharedProperties }: Selection): boolean {
  if (q === undefined && privateProperties.length === 0 && sharedProperties.length === 0) return true;
  const view = viewOf(at);
  const { private: own, shared } = view.extendedProperties ?? {};
  return hasAll(own, privateProperties) && hasAll(shared, sharedProperties) && (q === undefined || textsOf(view).some((text) => text.toLowerCase().includes(q)));
}

const hasAll = (map: Readonly<Record<string, string>> | undefined, wanted: readonly Property[]): boolean =>
  wanted.every(([key, value]) => map !== undefined && Object.hasOwn(map, key) && map[key] === value);

const textsOf = ({ summary, description, location, attendees = [] }: EventBody): string[] =>
  [summary, description, location, ...attendees.flatMap(({ displayName, email }) => [displayName, email])].filter((text) => text !== undefined);
