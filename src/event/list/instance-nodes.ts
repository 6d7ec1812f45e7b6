import { patch } from '../../core/json.ts';
import type { WorkBudget } from '../../core/runtime/limits.ts';
import { eventLoop } from '../../core/runtime/event-loop.ts';
import {
  wasNeverVisible,
  isDetached,
  originalStartOf,
  recordAsOnCalendar,
  asOnCalendar,
  type EventRecord,
  type StoredEvent,
} from '../model/record.ts';
import { looksLikeSeries } from '../visibility/visible-state.ts';
import type { EventQuery, SeriesState } from '../event.store.ts';
import { composeInstance, composeOnCalendar, durationMsOf, hasOccurrence } from '../instances/compose.ts';
import { dayMs } from '../../recurrence/calendar-days.ts';
import { formatOriginalStart, parseOriginalStart, eventTimeAt } from '../../recurrence/original-start.ts';
import { startOfDay } from '../../core/time/local-time.ts';
import { instantOf } from '../../core/time/time.ts';
import { seesGuests, type EventContext } from '../visibility/event-context.ts';
import { eventWork, instanceWork, tooManyEventsError } from './work-units.ts';
import { isSelected, findOccurrences } from './matching.ts';
import type { Selection } from './selection.ts';

/** Sort key of a list entry: time of the order (epoch ms), then position on the calendar, then original start. */
export interface NodeKey {
  readonly at: number;
  readonly position: number;
  readonly original?: string;
}

/** Event of a list with its sort key. */
export interface ListNode {
  readonly key: NodeKey;
  readonly context: EventContext;
}

const isAfter = (key: NodeKey, after: NodeKey | undefined): boolean => !after || compareKeys(key, after) > 0;

/** Compares sort keys, for the order of a list. */
export const compareKeys = (a: NodeKey, b: NodeKey): number =>
  a.at - b.at || a.position - b.position || compareOriginals(a.original, b.original);

const compareOriginals = (a = '', b = ''): number => (a === b ? 0 : a < b ? -1 : 1);

/**
 * Composes a stored event as a list shows it. An exception whose series lost the occurrence shows as
 * cancelled.
 */
export function composeListedRecord(event: StoredEvent, calendarId: string): EventRecord {
  const { record, series } = asOnCalendar(calendarId, event);
  if (!record.instance || !series) return recordAsOnCalendar(record, calendarId);
  const { original } = record.instance;
  const instance = composeOnCalendar(series, original, record, calendarId);
  return hasOccurrence(recordAsOnCalendar(series, calendarId), original)
    ? instance
    : { ...instance, core: { ...instance.core, status: 'cancelled' } };
}

/** Series with its exceptions and the sort key of its list entry. */
interface ListedSeries extends SeriesState, NodeKey {}

/** Input for the expansion of a series to its instances. */
export interface ExpandInput {
  readonly selection: Selection;
  readonly zone: string;
  readonly calendarId: string;
  readonly eventContext: (record: EventRecord) => EventContext;
  /**
   * `start`: each instance is sorted by its own start. Otherwise instances take the place of their series.
   * `updated`: only unchanged instances, since changed ones are entries of their own.
   */
  readonly order: EventQuery['order'];
  /** Includes detached instances of a series that uninvited the calendar's owner; otherwise the page has them as entries. */
  readonly includesDetached?: boolean;
  /** Maximum number of nodes; absent: all. */
  readonly limit?: number;
  /** Only nodes after this key; absent: all. */
  readonly after?: NodeKey | undefined;
  readonly budget: WorkBudget;
}

/** Collects the nodes of a series' instances within the selection, unchanged and changed ones. */
export async function collectInstanceNodes(entry: ListedSeries, input: ExpandInput): Promise<ListNode[]> {
  const { selection, order, limit = Infinity, calendarId, includesDetached } = input;
  const record = recordAsOnCalendar(entry.record, calendarId);
  const isUninvited = record !== entry.record;
  // Exceptions that look unchanged to the caller count as unchanged. An owner who was uninvited from the
  // series sees detached instances only.
  const exceptions = isUninvited
    ? entry.exceptions.filter((exception) => isDetached(exception, entry.record, calendarId))
    : visibleExceptions(record, entry.exceptions, input);
  const listedSeries: ListedSeries = { ...entry, record, exceptions };
  const { status } = record.core;
  const nodes =
    order === 'updated' || (isUninvited && !includesDetached)
      ? []
      : await collectChangedNodes({ ...entry, exceptions }, input);
  if (status !== 'cancelled' || selection.showDeleted || selection.includesCancelledIds)
    nodes.push(...(await collectUnchangedNodes(listedSeries, input, nodes[limit - 1]?.key)));
  return nodes.sort((a, b) => compareKeys(a.key, b.key)).slice(0, limit);
}

/** Exceptions that differ from unchanged occurrences for the caller. */
export function visibleExceptions(
  series: EventRecord,
  exceptions: readonly EventRecord[],
  { calendarId, eventContext }: ExpandInput,
): EventRecord[] {
  const context = eventContext(series);
  // Each guest list on the organizer's calendar decides whether the reader sees it.
  const dependsOnList = series.core.guestsCanSeeOtherGuests === false && context.hasOrganizerRights;
  const hidesGuestList = (record: EventRecord): boolean =>
    !seesGuests(
      dependsOnList
        ? eventContext(composeOnCalendar(series, originalStartOf(record), record, calendarId))
        : context,
    );
  const isOnOtherCalendars = ({ core, copies: { [calendarId]: copy } }: EventRecord): boolean =>
    core.attendees !== undefined && (!copy || wasNeverVisible(copy));
  return exceptions.filter(
    (record) =>
      isOnOtherCalendars(record) ||
      !looksLikeSeries(calendarId, { record, series }, hidesGuestList(record), context.identity),
  );
}

/**
 * Collects the nodes of the first changed instances. They are sorted by their keys before they are composed.
 */
export async function collectChangedNodes(
  { record: series, position, at, exceptions }: ListedSeries,
  input: ExpandInput,
): Promise<ListNode[]> {
  const { selection, zone, calendarId, eventContext, order, limit = Infinity, after, budget } = input;
  const [durationMs, isDay] = [durationMsOf(series), series.core.start?.date !== undefined];
  const candidates: { readonly key: Required<NodeKey>; readonly record: EventRecord }[] = [];
  for (const record of exceptions) {
    await eventLoop.enter();
    const original = originalStartOf(record);
    const calendarRecord = recordAsOnCalendar(record, calendarId);
    const slackMs = isDay || !original.includes('T') ? dayMs : 0;
    if (!mayOverlap(calendarRecord, original, { durationMs, slackMs }, selection)) continue;
    const sortTime = order === 'start' ? instanceStartMs(series, calendarRecord, original, zone) : at;
    const key = { at: sortTime, position, original };
    if (isAfter(key, after)) candidates.push({ key, record });
  }
  const nodes: ListNode[] = [];
  for (const { key, record } of candidates.sort((a, b) => compareKeys(a.key, b.key))) {
    if (nodes.length === limit) break;
    await eventLoop.enter();
    const storedEvent = { record, series };
    const mayBeListed =
      (selection.search?.mayMatch(storedEvent, budget) ?? true) &&
      (selection.showDeleted || hasOccurrence(series, key.original));
    const listedInstance = mayBeListed ? composeListedRecord(storedEvent, calendarId) : undefined;
    const context = listedInstance?.copies[calendarId] && eventContext(listedInstance);
    if (context && isSelected(context, selection, budget)) nodes.push({ key, context });
    else budget.spend(listedInstance ? instanceWork : eventWork, tooManyEventsError);
  }
  return nodes;
}

/** Whether an exception may be in the selection: false if its original time is outside in every zone (`slackMs`). */
function mayOverlap(
  { core }: EventRecord,
  original: string,
  { durationMs, slackMs }: { readonly durationMs: number; readonly slackMs: number },
  { from, to }: Selection,
): boolean {
  if (core.start !== undefined || core.end !== undefined || (from === -Infinity && to === Infinity))
    return true;
  const start = parseOriginalStart(original);
  return start - slackMs < to && start + durationMs + slackMs >= from;
}

/** Start of a changed instance in epoch milliseconds. */
function instanceStartMs(
  { core: { start } }: EventRecord,
  { core }: EventRecord,
  original: string,
  zone: string,
): number {
  // Tombstones have no null that clears `date` or `dateTime` of the series.
  const ownStart =
    core.start?.date || core.start?.dateTime ? { date: null, dateTime: null, ...core.start } : core.start;
  const time = patch(start && eventTimeAt(parseOriginalStart(original), start), ownStart);
  return instantOf(time ?? {}, zone) ?? 0;
}

/** Collects the nodes of the first unchanged instances that sort before `lastKey`. */
async function collectUnchangedNodes(
  { record: series, position, at, exceptions }: ListedSeries,
  input: ExpandInput,
  lastKey: NodeKey | undefined,
): Promise<ListNode[]> {
  const { selection, zone, calendarId, eventContext, order, limit = Infinity, after, budget } = input;
  const isSortedByStart = order === 'start';
  const isDay = series.core.start?.date !== undefined;
  const changedOriginals = new Set(exceptions.map(originalStartOf));
  const to = Math.min(
    selection.to,
    lastKey
      ? (isSortedByStart ? lastKey.at : parseOriginalStart(lastKey.original ?? '')) + 1 + (isDay ? dayMs : 0)
      : Infinity,
  );
  const nodes: ListNode[] = [];
  // Unchanged instances differ in time only: the first decides for all, and each is composed when shown.
  let isListed = series.copies[calendarId] !== undefined ? undefined : false;
  let resumeAfterMs = findResumeTime(after, { position, at }, isSortedByStart, isDay);
  // Look-ups exceed the limit, since changed instances and those of earlier pages are skipped.
  for (
    let lookupLimit = limit + maxRepeatedStarts;
    isListed !== false && nodes.length < limit;
    lookupLimit = Math.max(lookupLimit, Math.min(2 * lookupLimit, maxStartsPerLookup))
  ) {
    const starts = await findOccurrences(
      series,
      { from: selection.from, to, zone, limit: lookupLimit, after: resumeAfterMs },
      budget,
    );
    for (const start of starts) {
      const turn = eventLoop.enter();
      if (turn) await turn;
      const original = formatOriginalStart(start, isDay);
      if (changedOriginals.has(original)) continue;
      const composeContext = computeOnce(() => eventContext(composeInstance(series, original)));
      isListed ??= isSelected(composeContext(), selection, budget);
      if (!isListed) break;
      const startInstant = isDay ? startOfDay(start, zone) : start;
      const key = { at: isSortedByStart ? startInstant : at, position, original };
      if (isAfter(key, after))
        nodes.push({
          key,
          get context() {
            return composeContext();
          },
        });
    }
    resumeAfterMs = starts.at(-1) ?? resumeAfterMs;
    if (starts.length < lookupLimit) break;
  }
  return nodes;
}

/** Computes a value when it is first needed. */
function computeOnce<T>(compute: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= compute());
}

const maxStartsPerLookup = 1000;
/**
 * Limit of the occurrences after the resume time that earlier pages may have shown, since days start at
 * different times in each zone.
 */
const maxRepeatedStarts = 3;

/** Epoch milliseconds after which a page continues. Earlier occurrences were shown on earlier pages. */
function findResumeTime(
  cursorKey: NodeKey | undefined,
  seriesKey: NodeKey,
  sortsByStart: boolean,
  isDay: boolean,
): number {
  if (!cursorKey) return -Infinity;
  if (sortsByStart) return cursorKey.at - 1 - (isDay ? dayMs : 0);
  return cursorKey.position === seriesKey.position &&
    cursorKey.at === seriesKey.at &&
    cursorKey.original !== undefined
    ? parseOriginalStart(cursorKey.original)
    : -Infinity;
}
