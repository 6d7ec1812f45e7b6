import { LRUCache } from 'lru-cache';
import type { CalendarRef } from '../../../calendar/calendar.store.ts';
import { eventLoop } from '../../../core/runtime/event-loop.ts';
import {
  type CalendarState,
  type EventPage,
  type EventQuery,
  type EventStore,
  formatRevision,
  type ListedEvent,
  parseRevision,
} from '../../../event/event.store.ts';
import type { EventRecord } from '../../../event/model/record.ts';
import type { Database, Row, Statement } from '../database.ts';
import { type RowWithRecords, pageStatements, readPage } from './read-page.ts';
import type { RowRange } from './page-statement.ts';
import { minChange } from './records-at-homes.ts';
import { findCalendarWithRows, type CalendarSnapshot } from '../find-calendars.ts';

/** Rows of the smallest and of the largest batch. */
const minRows = 20;
const maxRows = 1000;

/**
 * Reads a page of a calendar's events: applies `accepts` to batches of rows that meet all other conditions. The calendar's newest
 * change and the rows of `firstStatements` may have been read together with it.
 */
export async function listPage(
  database: Database,
  { findStartChange, safeRevision }: Revisions,
  calendarId: string,
  query: EventQuery,
  newestChange?: number,
  pageResults?: readonly (readonly Row[])[],
): Promise<EventPage | undefined> {
  const since = findStartChange(query, newestChange);
  // False: the store cannot continue from the revisions of the query.
  if (since === false) return undefined;
  const { limit, revision } = query;
  const [entries, series]: [ListedEvent[], ListedEvent[]] = [[], []];
  let [range, seriesRange, firstPageResults] = [...firstRanges(query), pageResults];
  let oldestUnsettledChange: number | undefined;
  // Batches double, so that a query that accepts few rows needs few round trips.
  for (let minNextRows = 2 * minRows; range || seriesRange; minNextRows *= 2) {
    const page = { calendarId, query, since, range, seriesRange };
    const { rows, oldestUnsettled: pageOldestUnsettled } = await readPage(database, page, firstPageResults);
    firstPageResults = undefined;
    oldestUnsettledChange = minChange(oldestUnsettledChange, pageOldestUnsettled);
    // `apart`: a series, which a page in the order `start` returns separately.
    const entryRows = rows.filter(({ row }) => row.apart !== true);
    const seriesRows = rows.filter(({ row }) => row.apart === true);
    entries.push(...(await acceptRows(entryRows, query)));
    series.push(...(await acceptRows(seriesRows, query)));
    const isComplete: boolean = entryRows.length < (range?.maxRows ?? Infinity) || entries.length > limit;
    const nextRows = Math.min(maxRows, Math.max(limit + 1 - entries.length, minNextRows));
    range = isComplete ? undefined : { after: lastSortKey(entryRows, query), maxRows: nextRows };
    seriesRange =
      seriesRows.length < (seriesRange?.maxRows ?? Infinity)
        ? undefined
        : { after: lastSortKey(seriesRows, query), maxRows };
  }
  return {
    entries: entries.slice(0, limit),
    hasMore: entries.length > limit,
    series,
    revision: revision === undefined ? undefined : safeRevision(revision, oldestUnsettledChange),
  };
}

/** Ranges of the first batch: of entries, and of series where these are read separately. */
const firstRanges = ({
  order,
  limit,
  after,
}: EventQuery): [range: RowRange | undefined, seriesRange: RowRange | undefined] => [
  { after, maxRows: Math.min(maxRows, Math.max(limit + 1, minRows)) },
  order === 'start' ? { after: undefined, maxRows } : undefined,
];

/** Statements of the first batch of a page, for a read together with the calendar. */
function firstStatements(calendarId: string, query: EventQuery, since: number | undefined): Statement[] {
  const [range, seriesRange] = firstRanges(query);
  return pageStatements({ calendarId, query, since, range, seriesRange });
}

/** Returns the events that the query accepts; skips rows without a record and yields to other requests. */
async function acceptRows(
  rows: readonly RowWithRecords[],
  { order, accepts }: EventQuery,
): Promise<ListedEvent[]> {
  const acceptedEvents: ListedEvent[] = [];
  for (const { row, record, series } of rows) {
    if (!record) continue;
    const turn = eventLoop.enter();
    if (turn) await turn;
    const entry = toListedEvent(row, record, series, order);
    if (accepts(entry)) acceptedEvents.push(entry);
  }
  return acceptedEvents;
}

// Separate from the async loop above, which V8 optimizes worse: inline, a page of a week took 15 % more CPU.
const toListedEvent = (
  row: Row,
  record: EventRecord,
  series: EventRecord | undefined,
  order: EventQuery['order'],
): ListedEvent => ({
  position: row.position as number,
  at: sortTime(row, order),
  record,
  ...(series && { series }),
  ...(row.never_seen === true && { neverSeen: true }),
  ...(row.was_series === true && { wasSeries: true }),
});

/** Time that the order sorts by (epoch ms); 0 if it sorts by position. */
const sortTime = (row: Row, order: EventQuery['order']): number =>
  order === 'position' ? 0 : (row.at as number);

const lastSortKey = (rows: readonly RowWithRecords[], { order }: EventQuery): RowRange['after'] => {
  const row = rows.at(-1)?.row;
  return row && { position: row.position as number, at: sortTime(row, order) };
};

/** Calendars whose last state is remembered for the read in advance. */
const maxCachedStates = 10_000;

/** Lists the first page of a calendar in one round trip: reads it as if the calendar were unchanged, and uses it if so. */
export function createCalendarLister(database: Database, revisions: Revisions): EventStore['listCalendar'] {
  const { toCalendarState, findStartChange } = revisions;
  const cachedStates = new LRUCache<string, CalendarState>({ max: maxCachedStates });

  return async (ref: CalendarRef, queryOf): Promise<EventPage | undefined> => {
    const key = JSON.stringify(ref);
    const cachedState = cachedStates.get(key);
    const cachedQuery = cachedState && tryCachedQuery(cachedState, queryOf);
    const since = cachedQuery && findStartChange(cachedQuery);
    const isPreread = cachedState && cachedQuery && since !== false;
    const statements = isPreread ? firstStatements(cachedState.calendar.id, cachedQuery, since) : [];
    const cachedId = cachedState?.calendar.id;
    const [snapshot, prereadResults] = await findCalendarWithRows(database, ref, cachedId, statements);
    const state = toCalendarState(snapshot);
    const isUnchanged =
      state && state.calendar === cachedState?.calendar && state.revision === cachedState.revision;
    const query = (isUnchanged && cachedQuery) || queryOf(state);
    if (!state) return undefined;
    cachedStates.set(key, state);
    const pageResults = isPreread && state.calendar === cachedState.calendar ? prereadResults : undefined;
    return listPage(database, revisions, state.calendar.id, query, snapshot?.changes, pageResults);
  };
}

/** Returns undefined if the query throws for the cached calendar, as without access; then only the current calendar decides. */
function tryCachedQuery(
  lastState: CalendarState,
  queryOf: (state: CalendarState) => EventQuery,
): EventQuery | undefined {
  try {
    return queryOf(lastState);
  } catch {
    return undefined;
  }
}

export type Revisions = ReturnType<typeof createRevisions>;

/** Creates conversions between revisions and change numbers. `revisionPrefix`: differs for each database. */
export function createRevisions(revisionPrefix: string) {
  const changeOf = (revision: string, maxChange?: number): number | undefined =>
    parseRevision(revision, revisionPrefix, maxChange);
  return {
    changeOf,
    toCalendarState: (snapshot: CalendarSnapshot | undefined): CalendarState | undefined =>
      snapshot && {
        calendar: snapshot.record,
        revision: formatRevision(revisionPrefix, snapshot.changes),
      },
    /** Returns the change after which a query begins; false if the store cannot continue. `newestChange`: the calendar's last one. */
    findStartChange: ({ revision, since }: EventQuery, newestChange?: number): number | undefined | false => {
      const maxChange = revision === undefined ? newestChange : changeOf(revision, newestChange);
      const startChange = since === undefined ? undefined : changeOf(since, maxChange);
      const hasUnknownRevision =
        (revision !== undefined && maxChange === undefined) ||
        (since !== undefined && startChange === undefined);
      return hasUnknownRevision ? false : startChange;
    },
    /** Returns the revision, or the one before an unsettled change if that is older. */
    safeRevision: (revision: string, oldestUnsettled = Infinity): string => {
      const safeChange = Math.max(0, oldestUnsettled - 1);
      return safeChange < (changeOf(revision) ?? 0) ? formatRevision(revisionPrefix, safeChange) : revision;
    },
  };
}
