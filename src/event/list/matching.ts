import { startOfDay } from '../../core/time/local-time.ts';
import { storedInstantOf } from '../../core/time/time.ts';
import { isCancelled, isSeries, type EventRecord, type StoredEvent } from '../model/record.ts';
import { dayMs } from '../../recurrence/calendar-days.ts';
import { occurrencesOf } from '../../recurrence/occurrences.ts';
import { durationMsOf } from '../instances/compose.ts';
import { lastChangeTimeFor, viewOf } from '../visibility/event-view.ts';
import type { EventContext } from '../visibility/event-context.ts';
import type { Selection } from './selection.ts';
import type { WorkBudget } from '../../core/runtime/limits.ts';
import { eventLoop } from '../../core/runtime/event-loop.ts';
import { tooManySeriesError } from './work-units.ts';

/** Whether an event as the caller sees it matches the selection of a list; a series matches as a whole. */
export function isSelected(context: EventContext, selection: Selection, budget: WorkBudget): boolean {
  const { record, copy, calendar } = context;
  if (selection.updatedMin !== undefined && Date.parse(lastChangeTimeFor(context)) < selection.updatedMin)
    return false;
  if (!selection.showDeleted && !selection.includesCancelledIds && isCancelled(record, copy)) return false;
  return (
    isWithinRange(record, calendar.timeZone, selection, budget) && matchesFilters(context, selection, budget)
  );
}

/** Whether an event, or an occurrence of a series, ends after `timeMin` and starts before `timeMax`. */
function isWithinRange(
  record: EventRecord,
  zone: string,
  { from, to }: Selection,
  budget: WorkBudget,
): boolean {
  if (from === -Infinity && to === Infinity) return true;
  const { core } = record;
  if (!isSeries(record)) {
    const start = core.start ?? core.originalStartTime;
    const startMs = start && storedInstantOf(start, zone);
    if (typeof startMs !== 'number') return false;
    return overlapsRange(startMs, (core.end && storedInstantOf(core.end, zone)) ?? startMs, { from, to });
  }
  const steps = lookUpOccurrences(record, { zone, from, to, limit: 1, after: -Infinity }, budget);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value.length > 0;
  }
}

/** Whether a time (epoch ms) overlaps a range. A time without length must lie within it. */
const overlapsRange = (
  startMs: number,
  endMs: number,
  { from, to }: Pick<Selection, 'from' | 'to'>,
): boolean => startMs < to && (endMs > from || (endMs === startMs && startMs >= from));

/** Range and limits of a look-up of occurrences. */
interface OccurrenceQuery extends Pick<Selection, 'from' | 'to'> {
  readonly zone: string;
  readonly limit: number;
  /** Only occurrences that start after this time in epoch milliseconds. */
  readonly after: number;
}

/** Days outside the range that a look-up may find, since days start at different times in each zone. */
const extraDays = 3;

/**
 * Finds the starts (epoch ms) of a series' occurrences in a range; days count as in UTC. Yields to other
 * requests between look-ups.
 */
export async function findOccurrences(
  series: EventRecord,
  query: OccurrenceQuery,
  budget: WorkBudget,
): Promise<readonly number[]> {
  const steps = lookUpOccurrences(series, query, budget);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await eventLoop.enter();
  }
}

/** Looks up occurrences in steps, between which the caller may yield. */
function* lookUpOccurrences(
  series: EventRecord,
  { zone, from, to, limit, after }: OccurrenceQuery,
  budget: WorkBudget,
): Generator<undefined, readonly number[]> {
  const { core } = series;
  const durationMs = durationMsOf(series);
  const isDay = core.start?.date !== undefined;
  // Days start at different times in each zone, so neighbouring days are examined too.
  const slackMs = isDay ? dayMs : 0;
  const searchStart = Math.max(from - durationMs - slackMs, after + 1);
  const isInRange = (start: number): boolean => {
    const end = start + durationMs;
    if (!isDay) return overlapsRange(start, end, { from, to });
    // Zones shift a day by less than a day, so these days are within the range anywhere.
    if (start + dayMs <= to && end - dayMs >= from) return true;
    return overlapsRange(startOfDay(start, zone), startOfDay(end, zone), { from, to });
  };
  const occurrences = occurrencesOf(core);
  const matchingStarts: number[] = [];
  // A look-up ends early if matches are rare, and continues from there as far as the work budget allows.
  for (let searchFrom = searchStart; matchingStarts.length < limit;) {
    budget.spend(0, tooManySeriesError); // throws if other lists of the request exhausted the budget
    const { starts, hasMore, work } = occurrences.between(
      searchFrom,
      to + slackMs,
      limit + (isDay ? extraDays : 1),
    );
    budget.spend(work, tooManySeriesError);
    matchingStarts.push(...starts.filter(isInRange));
    const lastStart = starts.at(-1);
    if (!hasMore || lastStart === undefined) break;
    searchFrom = lastStart + 1;
    yield;
  }
  return matchingStarts.slice(0, limit);
}

/** Whether an event as the caller sees it matches the search, the iCalUID and the extended properties. */
function matchesFilters(
  context: EventContext,
  { search, iCalUID, privateProperties, sharedProperties }: Selection,
  budget: WorkBudget,
): boolean {
  if (!search && iCalUID === undefined && privateProperties.length === 0 && sharedProperties.length === 0)
    return true;
  const view = viewOf(context);
  const { private: privateMap, shared: sharedMap } = view.extendedProperties ?? {};
  if (iCalUID !== undefined && view.iCalUID !== iCalUID) return false;
  return (
    hasAllProperties(privateMap, privateProperties) &&
    hasAllProperties(sharedMap, sharedProperties) &&
    (!search || search.matches(view, budget))
  );
}

/** Whether a stored event may match: a cheap check before a view is made, since a view never shows more than is stored. */
export function mayMatch(
  event: StoredEvent,
  calendarId: string,
  { search, privateProperties, sharedProperties }: Selection,
  budget: WorkBudget,
): boolean {
  if (search && !search.mayMatch(event, budget)) return false;
  const { record, series } = event;
  if (series) return true;
  return (
    hasAllProperties(record.copies[calendarId]?.own.extendedProperties?.private, privateProperties) &&
    hasAllProperties(record.core.extendedProperties?.shared, sharedProperties)
  );
}

const hasAllProperties = (
  map: Readonly<Record<string, string>> | undefined,
  properties: readonly string[],
): boolean => properties.every((property) => map !== undefined && hasProperty(map, property));

/** Whether a map has a `key=value`. Keys may contain `=`, so each of the few entries is compared. */
const hasProperty = (map: Readonly<Record<string, string>>, property: string): boolean =>
  Object.keys(map).some(
    (key) =>
      property.startsWith(key) && property[key.length] === '=' && property.slice(key.length + 1) === map[key],
  );
