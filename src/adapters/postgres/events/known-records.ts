import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { EventRecord } from '../../../event/model/record.ts';
import type { Row } from '../database.ts';
import { parseUncached, parseEvent, serializeRecord } from '../stored-json.ts';
import type { PageRequest } from './page-statement.ts';

// Sending bodies is most of the database's work for a repeated page. So each stored body has a unique mark, and unchanged bodies are not read
// again. Only the mark identifies a body: after a failover, a change or version number may belong to another body.

/** Estimated size of a record apart from its text, and of a page apart from its keys. */
const [recordOverheadChars, pageOverheadKeys] = [100, 10];

/** Records by mark. Sizes in characters. */
const recordsByMark = new LRUCache<string, EventRecord>({ maxSize: 16_000_000, maxEntrySize: 1_000_000 });

/** A page whose records are all cached. */
export interface KnownPage {
  /** Number of the newest change among the entries of the page. */
  readonly maxChange: number;
  /** Keys of the records of other homes, by home. */
  readonly keys: ReadonlyMap<string, readonly string[]>;
  /** Marks of the first and the last row: while these are cached, so are those between (LRU). */
  readonly marks: readonly string[];
}

const noKeys: KnownPage['keys'] = new Map();

/** A page without cached records: its `maxChange` is below any change, so that all bodies are read. */
export const uncachedPage: KnownPage = { maxChange: -1, keys: noKeys, marks: [] };

/** Pages by query. The size counts pages and keys. */
const pagesByQuery = new LRUCache<string, KnownPage>({
  maxSize: 200_000,
  sizeCalculation: ({ keys }) =>
    pageOverheadKeys + [...keys.values()].reduce((sum, homeKeys) => sum + homeKeys.length, 0),
});

/** Serializes a record with a new mark. */
export const serializeMarked = (record: EventRecord): string =>
  serializeRecord(record, `${record.version}.${randomUUID()}`);

/** Returns the cached page: entries not changed since need no bodies. */
export function findKnownPage(page: PageRequest): KnownPage {
  const knownPage = isRepeatable(page) ? pagesByQuery.get(pageKey(page)) : undefined;
  return knownPage?.marks.every((mark) => recordsByMark.has(mark)) ? knownPage : uncachedPage;
}

/** A row of a page with its record, and the series of an exception. Without a record if none is visible. */
export interface RowWithRecords {
  readonly row: Row;
  readonly record: EventRecord | undefined;
  readonly series: EventRecord | undefined;
}

/** Joins the rows of a page with their records; undefined if a body is neither cached nor in the row. */
export function joinRecords(
  page: PageRequest,
  rows: readonly Row[],
  keysByHome = noKeys,
): readonly RowWithRecords[] | undefined {
  const joinedRows: RowWithRecords[] = [];
  let [maxChange, isFullyMarked] = [uncachedPage.maxChange, true];
  for (const row of rows) {
    const mark = validMark(row.mark, row.version);
    const seriesMark = validMark(row.series_mark, row.series_version);
    const record = findOrParseRecord(mark, row.body);
    const series = findOrParseRecord(seriesMark, row.series);
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
const pageKey = ({ calendarId, query: { revision: _revision, ...query }, ranges }: PageRequest): string =>
  JSON.stringify([calendarId, query, ranges]);

/** A sync is never repeated, as each one has a new token. */
const isRepeatable = ({ ranges }: PageRequest): boolean => ranges.since === undefined;

/** Returns the mark if it matches the version: older releases do not update the mark, which is then ignored. */
const validMark = (mark: unknown, version: unknown): string | undefined =>
  typeof mark === 'string' && mark.startsWith(`${version as number}.`) ? mark : undefined;

/** Finds or parses a record; undefined without a body, unless it is cached. */
function findOrParseRecord(mark: string | undefined, body: unknown): EventRecord | undefined {
  const knownRecord = mark === undefined ? undefined : recordsByMark.get(mark);
  if (knownRecord || body === null) return knownRecord;
  if (mark === undefined) return parseEvent(body);
  const record = parseUncached(body as string) as EventRecord;
  recordsByMark.set(mark, record, { size: (body as string).length + recordOverheadChars });
  return record;
}
