import { LRUCache } from 'lru-cache';
import type { EventQuery } from '../../../event/event.store.ts';
import type { EventRecord } from '../../../event/model/record.ts';
import type { Database, Row, Statement } from '../database.ts';
import {
  returnsSeriesForExceptions,
  isSingleQuery,
  maxSingleQueryRows,
  pageStatementByKind,
  type PageRequest,
  pageStatement,
  parentSeriesStatement,
} from './page-statement.ts';
import {
  exceptionVersionsAtHome,
  findExceptionEntries,
  type HomeStatement,
  keysByHome,
  markedBodiesAtHome,
  findOldestUnsettledChange,
  readAtHomes,
} from './records-at-homes.ts';
import { findOrParseEvent, isMarkCached, validMark } from '../stored-json.ts';

/** Statements for the entries of a page, and for the versions of records of other homes that were on it last time. */
export const pageStatements = (
  page: PageRequest,
  { maxChange, keys }: KnownPage = findKnownPage(page),
): Statement[] => [
  pageStatement(page, maxChange),
  ...[...keys].map(([home, homeKeys]) => markedBodiesAtHome(() => false)(home, homeKeys)),
];

/** Rows of a page with their records. */
interface PageRows {
  readonly rows: readonly RowWithRecords[];
  /** Oldest change that is not visible on all nodes yet. */
  readonly oldestUnsettled: number | undefined;
}

/**
 * Reads a page, with all bodies if the cache has lost one. `prereadResults`: rows of `pageStatements`, if
 * already read.
 */
export async function readPage(
  database: Database,
  page: PageRequest,
  prereadResults: readonly (readonly Row[])[] | undefined,
): Promise<PageRows> {
  const rows =
    (await readChangedBodies(database, page, findKnownPage(page), prereadResults)) ??
    (await readChangedBodies(database, page, uncachedPage));
  if (!rows) throw new Error('a page came without its bodies');
  return rows;
}

/** Reads a page without known bodies; undefined if the cache has lost one of them. */
async function readChangedBodies(
  database: Database,
  page: PageRequest,
  knownPage: KnownPage,
  pageResults?: readonly (readonly Row[])[],
): Promise<PageRows | undefined> {
  const [entryRows = [], ...recordRows] =
    pageResults ?? (await database.read(pageStatements(page, knownPage)));
  const pageRows = isSingleQuery(page)
    ? await selectEntries(database, page, entryRows, knownPage.maxChange)
    : entryRows;
  const entryByRow = new Map(
    pageRows.flatMap((row) =>
      row.elsewhere === null ? [] : [[row, JSON.parse(row.elsewhere as string) as Row]],
    ),
  );
  const otherHomeEntries = [...entryByRow.values()];
  if (otherHomeEntries.length === 0) {
    const rows = joinRecords(page, pageRows);
    return rows && { rows, oldestUnsettled: undefined };
  }
  const { findRecord, oldestUnsettled } = await readOtherHomeRecords(
    database,
    page,
    otherHomeEntries,
    recordRows.flat(),
    knownPage.maxChange,
  );
  const rows = joinRecords(
    page,
    pageRows.map((row) => addRecord(row, entryByRow.get(row), findRecord)),
    keysByHome(otherHomeEntries.filter(({ home_id: home }) => home !== page.calendarId)),
  );
  return rows && { rows, oldestUnsettled };
}

/** Selects the entries of a page among the rows of a single query, and adds parent series of exceptions. */
async function selectEntries(
  database: Database,
  page: PageRequest,
  rows: readonly Row[],
  maxKnownChange: number,
): Promise<readonly Row[]> {
  const { range, seriesRange } = page;
  if (rows.length === maxSingleQueryRows)
    return (await database.read([pageStatementByKind(page, maxKnownChange)])).flat();
  let entries = rows;
  if (returnsSeriesForExceptions(page.query)) {
    entries = rows.filter(({ along }) => along !== true);
    const listedKeys = new Set(entries.map(({ of_series: key }) => key));
    const missingKeys = new Set(
      rows.flatMap(({ along, of_series: key }) =>
        along === true && !listedKeys.has(key) ? [key as string] : [],
      ),
    );
    if (missingKeys.size > 0) {
      const series = await database.read([parentSeriesStatement(page, maxKnownChange, [...missingKeys])]);
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

/** Reads records of other homes in one round trip. They are read after their entries, so that a change an entry refers to is visible. */
async function readOtherHomeRecords(
  database: Database,
  { calendarId, query }: PageRequest,
  entries: readonly Row[],
  recordRows: readonly Row[],
  newestKnownChange: number,
) {
  const prereadRecords = new Map(
    recordRows.map((row) => [`${row.home_id as string} ${row.key as string}`, row]),
  );
  const changedKeys = new Set(
    entries.flatMap(({ key, series_key: seriesKey, change }) =>
      (change as number) > newestKnownChange ? [key, seriesKey] : [],
    ),
  );
  const findKnownRecord = (home: string, key: string): Row | undefined =>
    changedKeys.has(key) ? undefined : prereadRecords.get(`${home} ${key}`);
  const otherHomeEntries = entries.filter(({ home_id: home }) => home !== calendarId);
  const missingKeys = [...keysByHome(otherHomeEntries)]
    .map(([home, keys]) => [home, keys.filter((key) => !findKnownRecord(home, key))] as const)
    .filter(([, keys]) => keys.length > 0);
  const isFollowed = isRevisionFollowed(query);
  const seriesByHome =
    isFollowed && query.expandsSeries && query.order !== 'updated'
      ? keysByHome(otherHomeEntries.filter(({ recurs }) => recurs === true))
      : new Map<string, string[]>();
  const createRequests = (keys: Iterable<readonly [string, readonly string[]]>, statement: HomeStatement) =>
    [...keys].map(([home, homeKeys]) => [home, homeKeys, statement] as const);
  const otherRecords = await readAtHomes(
    database.read,
    [
      ...createRequests(
        missingKeys,
        markedBodiesAtHome((key) => changedKeys.has(key)),
      ),
      ...createRequests(seriesByHome, exceptionVersionsAtHome),
    ],
    seriesByHome.size === 0 ? [] : [findExceptionEntries(calendarId, [...seriesByHome.values()].flat())],
  );
  const findRecord = (home: string, key: string): Row | undefined =>
    findKnownRecord(home, key) ?? otherRecords.findRecord(home, key);
  return {
    findRecord,
    oldestUnsettled: isFollowed
      ? findOldestUnsettledChange([...entries, ...otherRecords.leadingRows.flat()], findRecord)
      : undefined,
  };
}

/** Whether a sync may continue from the page's revision (`EventPage.revision`). */
const isRevisionFollowed = ({ revision, between, iCalUID, updatedMin }: EventQuery): boolean =>
  revision !== undefined && between === undefined && iCalUID === undefined && updatedMin === undefined;

/** Adds the records of an entry of another home to its row; leaves the row without a version if one is missing. */
function addRecord(
  row: Row,
  entry: Row | undefined,
  findRecord: (home: string, key: string) => Row | undefined,
): Row {
  if (!entry) return row;
  const { home_id: home, key, series_key: seriesKey } = entry;
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

/** Stands for the series of an event that has none. */
const noRecord: Row = { version: null, mark: null, body: null };

/** A page whose records are all cached. */
interface KnownPage {
  /** Number of the newest change among the entries of the page. */
  readonly maxChange: number;
  /** Keys of the records of other homes, by home. */
  readonly keys: ReadonlyMap<string, readonly string[]>;
  /** Marks of the first and the last row: while these are cached, so are those between (LRU). */
  readonly marks: readonly string[];
}

const noKeys: KnownPage['keys'] = new Map();

/** A page without cached records: its `maxChange` is below any change, so that all bodies are read. */
const uncachedPage: KnownPage = { maxChange: -1, keys: noKeys, marks: [] };

/** Estimated size of a page apart from its keys. */
const pageOverheadKeys = 10;

/** Pages by query. The size counts pages and keys. */
const pagesByQuery = new LRUCache<string, KnownPage>({
  maxSize: 200_000,
  sizeCalculation: ({ keys }) =>
    pageOverheadKeys + [...keys.values()].reduce((sum, homeKeys) => sum + homeKeys.length, 0),
});

/** Returns the cached page: entries not changed since need no bodies. */
function findKnownPage(page: PageRequest): KnownPage {
  const knownPage = isRepeatable(page) ? pagesByQuery.get(pageKey(page)) : undefined;
  return knownPage?.marks.every(isMarkCached) ? knownPage : uncachedPage;
}

/** A row of a page with its record, and the series of an exception. Without a record if none is visible. */
export interface RowWithRecords {
  readonly row: Row;
  readonly record: EventRecord | undefined;
  readonly series: EventRecord | undefined;
}

/** Joins the rows of a page with their records; undefined if a body is neither cached nor in the row. */
function joinRecords(
  page: PageRequest,
  rows: readonly Row[],
  keysByHome = noKeys,
): readonly RowWithRecords[] | undefined {
  const joinedRows: RowWithRecords[] = [];
  let [maxChange, isFullyMarked] = [uncachedPage.maxChange, true];
  for (const row of rows) {
    const mark = validMark(row.mark, row.version);
    const seriesMark = validMark(row.series_mark, row.series_version);
    const record = findOrParseEvent(mark, row.body);
    const series = findOrParseEvent(seriesMark, row.series);
    if ((row.version !== null && !record) || (row.series_version !== null && !series)) return undefined;
    maxChange = Math.max(maxChange, row.change as number);
    isFullyMarked &&= mark !== undefined && (row.series_version === null || seriesMark !== undefined);
    joinedRows.push({ row, record, series });
  }
  if (isFullyMarked && isRepeatable(page))
    pagesByQuery.set(pageKey(page), {
      maxChange,
      keys: keysByHome,
      marks: [rows[0], rows.at(-1)].flatMap((row) => (row ? [row.mark as string] : [])),
    });
  return joinedRows;
}

/** Identifies a page for later requests: everything but the calendar's revision. */
const pageKey = ({ query: { revision: _revision, ...query }, ...page }: PageRequest): string =>
  JSON.stringify([page, query]);

/** A sync is never repeated, as each one has a new token. */
const isRepeatable = ({ since }: PageRequest): boolean => since === undefined;
