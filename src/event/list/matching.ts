import { type EventTime, storedInstantOf } from '../../core/time/time.ts';
import { isCancelled, type EventRecord, type StoredEvent } from '../model/record.ts';
import { occurrencesOf } from '../../recurrence/occurrences.ts';
import { lengthOf } from '../instances/compose.ts';
import { updatedFor, viewOf } from '../visibility/event-view.ts';
import type { EventContext } from '../visibility/event-context.ts';
import type { Selection } from './selection.ts';
import type { WorkBudget } from '../../core/runtime/limits.ts';
import { eventLoop } from '../../core/runtime/event-loop.ts';
import { tooManySeries } from './work-units.ts';

const dayMs = 86_400_000;

/** Whether a list shows an event, as far as that is for what the caller sees of it; a series counts as a whole. */
export function isSelected(context: EventContext, selection: Selection, budget: WorkBudget): boolean {
  const { record, copy, calendar } = context;
  if (selection.updatedMin !== undefined && Date.parse(updatedFor(context)) < selection.updatedMin)
    return false;
  if (!selection.showDeleted && !selection.incremental && isCancelled(record, copy)) return false;
  return isWithin(record, calendar.timeZone, selection, budget) && matches(context, selection, budget);
}

/** `timeMin` is compared with the end and `timeMax` with the start; of a series, with those of its occurrences. */
function isWithin(record: EventRecord, zone: string, { from, to }: Selection, budget: WorkBudget): boolean {
  if (from === -Infinity && to === Infinity) return true;
  const { core } = record;
  if ((core.recurrence ?? []).length === 0)
    return overlaps(core.start ?? core.originalStartTime, core.end, zone, { from, to });
  const search = searchFor(record, { zone, from, to, limit: 1, after: -Infinity }, budget);
  for (;;) {
    const step = search.next();
    if (step.done) return step.value.length > 0;
  }
}

function overlaps(
  start: EventTime | undefined,
  end: EventTime | undefined,
  zone: string,
  { from, to }: Pick<Selection, 'from' | 'to'>,
): boolean {
  const begins = start && storedInstantOf(start, zone);
  if (typeof begins !== 'number') return false;
  const ends = (end && storedInstantOf(end, zone)) ?? begins;
  return begins < to && (ends > from || (ends === begins && begins >= from));
}

/** The occurrences of a series to look up. */
interface OccurrenceSearch extends Pick<Selection, 'from' | 'to'> {
  readonly zone: string;
  readonly limit: number;
  /** Only those that start behind this moment. */
  readonly after: number;
}

/** The starts of a series' occurrences in a range of time; days are counted as in UTC. Yields to other requests between look-ups. */
export async function occurrencesWithin(
  series: EventRecord,
  wanted: OccurrenceSearch,
  budget: WorkBudget,
): Promise<readonly number[]> {
  const search = searchFor(series, wanted, budget);
  for (;;) {
    const step = search.next();
    if (step.done) return step.value;
    await eventLoop.enter();
  }
}

/** Looks occurrences up, and pauses after each look-up. */
function* searchFor(
  series: EventRecord,
  { zone, from, to, limit, after }: OccurrenceSearch,
  budget: WorkBudget,
): Generator<undefined, readonly number[]> {
  const { core } = series;
  const length = lengthOf(series);
  const isDay = core.start?.date !== undefined;
  // Days begin at another moment in each zone: their neighbours are examined too.
  const slack = isDay ? dayMs : 0;
  const begin = Math.max(from - length - slack, after + 1);
  const isIn = (start: number): boolean => {
    if (!isDay) return start < to && (start + length > from || (length === 0 && start >= from));
    // No zone moves a day by more than a day.
    if (start + dayMs <= to && start + length - dayMs >= from) return true;
    const date = (moment: number): EventTime => ({ date: new Date(moment).toISOString().slice(0, 10) });
    return overlaps(date(start), date(start + length), zone, { from, to });
  };
  const occurrences = occurrencesOf(core);
  const found: number[] = [];
  // A look-up may end early where matches are rare: it continues from there, as far as the work budget allows.
  for (let next = begin; found.length < limit;) {
    budget.take(0, tooManySeries); // what is spent is spent for all lists that follow
    const { starts, more, work } = occurrences.between(next, to + slack, limit + (isDay ? 3 : 1));
    budget.take(work, tooManySeries);
    found.push(...starts.filter(isIn));
    const last = starts.at(-1);
    if (!more || last === undefined) break;
    next = last + 1;
    yield;
  }
  return found.slice(0, limit);
}

/** The search, the iCalUID and the extended properties, on what the caller sees. */
function matches(
  context: EventContext,
  { search, iCalUID, privateProperties, sharedProperties }: Selection,
  budget: WorkBudget,
): boolean {
  if (!search && iCalUID === undefined && privateProperties.length === 0 && sharedProperties.length === 0)
    return true;
  if (search && !search.mayFind(context, budget)) return false;
  const view = viewOf(context);
  const { private: own, shared } = view.extendedProperties ?? {};
  if (iCalUID !== undefined && view.iCalUID !== iCalUID) return false;
  return (
    hasAll(own, privateProperties) &&
    hasAll(shared, sharedProperties) &&
    (!search || search.finds(view, budget))
  );
}

/** False for an event that lacks a text or a property asked for, before anything is made of it: what a caller sees is part of what is stored. */
export function mayMatch(
  event: StoredEvent,
  calendarId: string,
  { search, privateProperties, sharedProperties }: Selection,
  budget: WorkBudget,
): boolean {
  if (search && !search.mayFind(event, budget)) return false;
  const { record, series } = event;
  // An instance takes properties from its series.
  if (series) return true;
  return (
    hasAll(record.copies[calendarId]?.own.extendedProperties?.private, privateProperties) &&
    hasAll(record.core.extendedProperties?.shared, sharedProperties)
  );
}

const hasAll = (map: Readonly<Record<string, string>> | undefined, wanted: readonly string[]): boolean =>
  wanted.every((property) => map !== undefined && has(map, property));

/** Whether a map has a `key=value`. Keys may hold `=`, so that the entries are asked, of which there are few. */
const has = (map: Readonly<Record<string, string>>, property: string): boolean =>
  Object.keys(map).some(
    (key) =>
      property.startsWith(key) && property[key.length] === '=' && property.slice(key.length + 1) === map[key],
  );
