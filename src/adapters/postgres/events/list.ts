import { type Database, type Row, sql, type Statement } from '../database.ts';
import { LRUCache } from 'lru-cache';
import { lookupKey } from '../transaction.ts';
import {
  type HomeStatement,
  minChange,
  readEvents,
  findExceptionEntries,
  exceptionVersionsAtHome,
  keysByHome,
  markedBodiesAtHome,
  oldestUnsettledChange,
  readAtHomes,
} from './events-by-id.ts';
import { knownPage, type KnownPage, unknownPage, type RowWithRecords, joinRecords } from './known-records.ts';
import { parseEvent } from '../stored-json.ts';
import {
  type PageRequest,
  followsSeries,
  otherHomeColumns,
  isSingleQuery,
  maxSingleQueryRows,
  pageByKinds,
  pageStatement,
  parentSeries,
  type RowRange,
} from './page-statement.ts';
import type { Revisions } from './revisions.ts';
import { findCalendarWithRows } from '../find-calendars.ts';
import type { CalendarRef } from '../../../calendar/calendar.ts';
import { groupByKey } from '../../../core/patch.ts';
import { eventLoop } from '../../../core/runtime/event-loop.ts';
import type {
  CalendarState,
  EventPage,
  EventQuery,
  EventStore,
  ListedEvent,
  SeriesState,
  EventOnCalendar,
} from '../../../event/event.store.ts';
import type { EventRecord, StoredEvent } from '../../../event/model/record.ts';

const minRows = 20;
const maxRows = 1000;

/** Values read together with the calendar, before the page is decided. */
interface PrereadRows {
  readonly newestChange?: number | undefined;
  /** Rows of `firstStatements`. */
  readonly pageAnswers?: readonly (readonly Row[])[] | undefined;
}

/** Reads a page of a calendar's events: applies `accepts` to batches of rows that meet all other conditions. */
export async function listPage(
  database: Database,
  { findStartChange, safeRevision }: Revisions,
  calendarId: string,
  query: EventQuery,
  { newestChange, pageAnswers }: PrereadRows = {},
): Promise<EventPage | undefined> {
  const since = findStartChange(query, newestChange);
  if (since === false) return undefined;
  const { limit, revision } = query;
  const [entries, series]: [ListedEvent[], ListedEvent[]] = [[], []];
  let [range, seriesRange, prereadAnswers] = [...firstRanges(query), pageAnswers];
  /** Oldest change that is not visible on all nodes yet. */
  let oldestUnsettled: number | undefined;
  // Batches double, so that a query that accepts few rows needs few round trips.
  for (let minNextRows = 2 * minRows; range || seriesRange; minNextRows *= 2) {
    const page = { calendarId, query, ranges: { since, range, seriesRange } };
    const { rows, oldestUnsettled: pageUnsettled } =
      (await readPage(database, page, knownPage(page), prereadAnswers)) ??
      (await readPage(database, page, unknownPage)) ??
      throwMissingBodies();
    prereadAnswers = undefined;
    oldestUnsettled = minChange(oldestUnsettled, pageUnsettled);
    const entryRows = rows.filter(({ row }) => row.apart !== true);
    const seriesRows = rows.filter(({ row }) => row.apart === true);
    entries.push(...(await acceptRows(entryRows, query)));
    series.push(...(await acceptRows(seriesRows, query)));
    const isComplete: boolean = entryRows.length < (range?.maxRows ?? Infinity) || entries.length > limit;
    range = isComplete
      ? undefined
      : {
          after: lastSortKey(entryRows, query),
          maxRows: Math.min(maxRows, Math.max(limit + 1 - entries.length, minNextRows)),
        };
    seriesRange =
      seriesRows.length < (seriesRange?.maxRows ?? Infinity)
        ? undefined
        : { after: lastSortKey(seriesRows, query), maxRows };
  }
  return {
    entries: entries.slice(0, limit),
    hasMore: entries.length > limit,
    series,
    revision: revision === undefined ? undefined : safeRevision(revision, oldestUnsettled),
  };
}

const firstRanges = ({
  order,
  limit,
  after,
}: EventQuery): [range: RowRange | undefined, seriesRange: RowRange | undefined] => [
  { after, maxRows: Math.min(maxRows, Math.max(limit + 1, minRows)) },
  order === 'start' ? { after: undefined, maxRows } : undefined,
];

function firstStatements(calendarId: string, query: EventQuery, since: number | undefined): Statement[] {
  const [range, seriesRange] = firstRanges(query);
  const page = { calendarId, query, ranges: { since, range, seriesRange } };
  return pageStatements(page, knownPage(page));
}

/** Statements for the entries of a page, and for the versions of records of other homes that were on it last time. */
const pageStatements = (page: PageRequest, { maxChange, keys }: KnownPage): Statement[] => [
  pageStatement(page, maxChange),
  ...[...keys].map(([home, homeKeys]) => markedBodiesAtHome(needsNoBody)(home, homeKeys)),
];

const needsNoBody = (): boolean => false;

interface PageRows {
  readonly rows: readonly RowWithRecords[];
  readonly oldestUnsettled: number | undefined;
}

/** Reads a page without known bodies; undefined if the cache has lost one of them. */
async function readPage(
  database: Database,
  page: PageRequest,
  cachedPage: KnownPage,
  answers?: readonly (readonly Row[])[],
): Promise<PageRows | undefined> {
  const [entryRows = [], ...recordRows] = answers ?? (await database.read(pageStatements(page, cachedPage)));
  const pageRows = isSingleQuery(page)
    ? await selectEntries(database, page, entryRows, cachedPage.maxChange)
    : entryRows;
  const otherHomeEntries = pageRows.flatMap((row) => (row.elsewhere === null ? [] : [parseEntry(row)]));
  if (otherHomeEntries.length === 0) {
    const rows = joinRecords(page, pageRows);
    return rows && { rows, oldestUnsettled: undefined };
  }
  const { findRecord, oldestUnsettled } = await readOtherHomeRecords(
    database,
    page,
    otherHomeEntries,
    recordRows.flat(),
    cachedPage.maxChange,
  );
  const entries = otherHomeEntries.values();
  const rows = joinRecords(
    page,
    pageRows.map((row) =>
      row.elsewhere === null ? row : addRecord(row, entries.next().value as Row, findRecord),
    ),
    keysByHome(otherHomeEntries.filter(({ home_id: home }) => home !== page.calendarId)),
  );
  return rows && { rows, oldestUnsettled };
}

/** Selects the entries of a page among the rows of a single query, and adds parent series of exceptions. */
async function selectEntries(
  database: Database,
  page: PageRequest,
  rows: readonly Row[],
  maxKnown: number,
): Promise<readonly Row[]> {
  const { range, seriesRange } = page.ranges;
  if (rows.length === maxSingleQueryRows) return (await database.read([pageByKinds(page, maxKnown)])).flat();
  let entries = rows;
  if (followsSeries(page.query)) {
    entries = rows.filter(({ along }) => along !== true);
    const listedKeys = new Set(entries.map(({ of_series: key }) => key));
    const missingKeys = new Set(
      rows.flatMap(({ along, of_series: key }) =>
        along === true && !listedKeys.has(key) ? [key as string] : [],
      ),
    );
    if (missingKeys.size > 0) {
      const series = await database.read([parentSeries(page, maxKnown, [...missingKeys])]);
      entries = [...entries, ...series.flat()].sort(compareEntries);
    }
  }
  return [
    ...entries.filter(({ apart }) => apart !== true).slice(0, range?.maxRows),
    ...entries.filter(({ apart }) => apart === true).slice(0, seriesRange?.maxRows),
  ];
}

/** Compares without subtraction, as times may be infinite. */
const compareEntries = (a: Row, b: Row): number =>
  a.at === b.at
    ? (a.position as number) - (b.position as number)
    : (a.at as number) < (b.at as number)
      ? -1
      : 1;

const parseEntry = ({ elsewhere, change }: Row): Row => {
  const values = JSON.parse(elsewhere as string) as readonly unknown[];
  return Object.fromEntries([
    ['change', change],
    ...otherHomeColumns.map((column, index) => [column, values[index]] as const),
  ]);
};

/** Reads records of other homes in one round trip. They are read after their entries, so that a change an entry refers to is visible. */
async function readOtherHomeRecords(
  database: Database,
  { calendarId, query }: PageRequest,
  entries: readonly Row[],
  recordRows: readonly Row[],
  maxKnown: number,
) {
  const prereadRecords = new Map(
    recordRows.map((row) => [`${row.home_id as string} ${row.key as string}`, row]),
  );
  const changedKeys = new Set(
    entries.flatMap(({ key, series_key: seriesKey, change }) =>
      (change as number) > maxKnown ? [key, seriesKey] : [],
    ),
  );
  const findKnown = (home: string, key: string): Row | undefined =>
    changedKeys.has(key) ? undefined : prereadRecords.get(`${home} ${key}`);
  const otherHomeEntries = entries.filter(({ home_id: home }) => home !== calendarId);
  const missingKeys = [...keysByHome(otherHomeEntries)]
    .map(([home, keys]) => [home, keys.filter((key) => !findKnown(home, key))] as const)
    .filter(([, keys]) => keys.length > 0);
  const isFollowed = isRevisionFollowed(query);
  const seriesByHome =
    isFollowed && query.expand && query.order !== 'updated'
      ? keysByHome(otherHomeEntries.filter(({ recurs }) => recurs === true))
      : new Map<string, string[]>();
  const requestsAt = (keys: Iterable<readonly [string, readonly string[]]>, statement: HomeStatement) =>
    [...keys].map(([home, homeKeys]) => [home, homeKeys, statement] as const);
  const otherRecords = await readAtHomes(
    database.read,
    [
      ...requestsAt(
        missingKeys,
        markedBodiesAtHome((key) => changedKeys.has(key)),
      ),
      ...requestsAt(seriesByHome, exceptionVersionsAtHome),
    ],
    seriesByHome.size === 0 ? [] : [findExceptionEntries(calendarId, [...seriesByHome.values()].flat())],
  );
  const findRecord = (home: string, key: string): Row | undefined =>
    findKnown(home, key) ?? otherRecords.findRecord(home, key);
  return {
    findRecord,
    oldestUnsettled: isFollowed
      ? oldestUnsettledChange([...entries, ...otherRecords.leadingRows.flat()], findRecord)
      : undefined,
  };
}

/** Whether a sync may continue from the page's revision (`EventPage.revision`). */
const isRevisionFollowed = ({ revision, between, iCalUID, updatedMin }: EventQuery): boolean =>
  revision !== undefined && between === undefined && iCalUID === undefined && updatedMin === undefined;

/** Adds the records of another home to a row; leaves the row without a version if one is missing. */
function addRecord(
  row: Row,
  { home_id: home, key, series_key: seriesKey }: Row,
  findRecord: (home: string, key: string) => Row | undefined,
): Row {
  const record = findRecord(home as string, key as string);
  const series = seriesKey === null ? noRecord : findRecord(home as string, seriesKey as string);
  if (!record || !series) return row;
  return {
    ...row,
    version: record.version,
    mark: record.mark,
    body: record.body,
    series_version: series.version,
    series_mark: series.mark,
    series: series.body,
  };
}

const noRecord: Row = { version: null, mark: null, body: null };

function throwMissingBodies(): never {
  throw new Error('a page came without its bodies');
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
    const entry = toListed(row, { record, series }, order);
    if (accepts(entry)) acceptedEvents.push(entry);
  }
  return acceptedEvents;
}

// Separate from the async loop above, which V8 optimizes worse: inline, a page of a week took 15 % more CPU.
const toListed = (row: Row, { record, series }: StoredEvent, order: EventQuery['order']): ListedEvent => ({
  position: row.position as number,
  at: sortTime(row, order),
  record,
  ...(series && { series }),
  ...(row.never_seen === true && { neverSeen: true }),
  ...(row.was_series === true && { wasSeries: true }),
});

const sortTime = (row: Row, order: EventQuery['order']): number =>
  order === 'position' ? 0 : (row.at as number);

const lastSortKey = (rows: readonly RowWithRecords[], { order }: EventQuery): RowRange['after'] => {
  const row = rows.at(-1)?.row;
  return row && { position: row.position as number, at: sortTime(row, order) };
};

/** Finds events on a calendar, sorted by id as code units in every database locale. */
export async function findEventsAfter(
  database: Database,
  calendarId: string,
  eventId: string,
  limit: number,
): Promise<EventOnCalendar[]> {
  const entries =
    await database.query(sql`/* entries behind */ SELECT event_id, home_id, key, series_key FROM places
    WHERE calendar_id = ${lookupKey(calendarId)} AND event_id COLLATE "C" > ${eventId} ORDER BY event_id COLLATE "C" LIMIT ${limit}`);
  const events = await readEvents(database.read, entries);
  return events.map(({ entry, ...event }) => ({ eventId: entry.event_id as string, ...event }));
}

/** Reads the current series with their exceptions; unchanged series bodies are not read again. */
export async function findExceptions(
  database: Database,
  series: readonly EventRecord[],
): Promise<SeriesState[]> {
  const homes = groupByKey(
    series.map((record, place) => ({ record, place })),
    ({ record }) => record.homeId,
  );
  const rows = await database.read(
    [...homes].map(([home, requests]) => {
      const [keys, versions] = [
        requests.map(({ record }) => record.key),
        requests.map(({ record }) => record.version),
      ];
      return sql`/* exceptions at home */ SELECT asked.place, CASE WHEN s.version <> asked.version THEN s.body END AS series, x.body
      FROM unnest(${keys}::text[], ${versions}::int[], ${requests.map(({ place }) => place)}::int[]) AS asked (key, version, place)
      JOIN events s ON s.home_id = ${home} AND s.key = asked.key
      LEFT JOIN events x ON x.home_id = $4 AND x.series_key = s.key`;
    }),
  );
  const byPlace = groupByKey(rows.flat(), ({ place }) => String(place));
  return series.map((record, index) => {
    const seriesRows = byPlace.get(String(index)) ?? [];
    const [firstRow] = seriesRows;
    return {
      record: firstRow && firstRow.series !== null ? parseEvent(firstRow.series) : record,
      exceptions: seriesRows.flatMap(({ body }) => (body === null ? [] : parseEvent(body))),
    };
  });
}

const maxCachedStates = 10_000;

/** Lists the first page of a calendar in one round trip: reads it as if the calendar were unchanged, and uses it if so. */
export function createCalendarLister(database: Database, revisions: Revisions): EventStore['listCalendar'] {
  const { toCalendarState, findStartChange } = revisions;
  const cachedStates = new LRUCache<string, CalendarState>({ max: maxCachedStates });

  return async (ref: CalendarRef, queryOf): Promise<EventPage | undefined> => {
    const key = JSON.stringify(ref);
    const cached = cachedStates.get(key);
    const cachedQuery = cached && queryOfCached(cached, queryOf);
    const since = cachedQuery && findStartChange(cachedQuery);
    const isPreread = cached && cachedQuery && since !== false;
    const statements = isPreread ? firstStatements(cached.calendar.id, cachedQuery, since) : [];
    const [snapshot, answers] = await findCalendarWithRows(database, ref, cached?.calendar.id, statements);
    const state = toCalendarState(snapshot);
    if (cachedQuery && state?.calendar === cached.calendar && state.revision === cached.revision)
      return listPage(database, revisions, state.calendar.id, cachedQuery, {
        newestChange: snapshot?.changes,
        pageAnswers: answers,
      });
    const query = queryOf(state);
    if (!state) return undefined;
    cachedStates.set(key, state);
    return listPage(database, revisions, state.calendar.id, query, {
      newestChange: snapshot?.changes,
      pageAnswers: isPreread && state.calendar === cached.calendar ? answers : undefined,
    });
  };
}

/** Returns undefined if the query throws for the cached calendar, as without access; then only the current calendar decides. */
function queryOfCached(
  cached: CalendarState,
  queryOf: (state: CalendarState) => EventQuery,
): EventQuery | undefined {
  try {
    return queryOf(cached);
  } catch {
    return undefined;
  }
}
