import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { EventRecord, StoredEvent } from '../../../event/model/record.ts';
import type { Row } from '../database.ts';
import { parseStored, recordFrom, toStored } from '../stored-json.ts';
import type { AskedPage } from './page-statement.ts';

/*
 * To send the bodies of a week again is most of what the database does for it. So each body that is written has a mark of its own, and
 * a page that was read before is asked for without the bodies of entries that have not changed since. What a row shows is known by
 * the mark alone: not by the number of a change or a version, which after a failover may stand for something else.
 */

/** By mark. Sizes in characters. */
const records = new LRUCache<string, EventRecord>({ maxSize: 16_000_000, maxEntrySize: 1_000_000 });

/** A page all of whose records were known. */
export interface KnownPage {
  /** The number of the last change on it. */
  readonly upTo: number;
  /** The keys of records that are kept with other calendars, by these. */
  readonly keys: ReadonlyMap<string, readonly string[]>;
  /** The marks that were looked up first and last: where these are still known, the others are. */
  readonly marks: readonly string[];
}

const noKeys: KnownPage['keys'] = new Map();

/** Below the number of any change. */
export const nothingKnown: KnownPage = { upTo: -1, keys: noKeys, marks: [] };

/** By what was asked. Sizes in pages and keys. */
const pages = new LRUCache<string, KnownPage>({
  maxSize: 200_000,
  sizeCalculation: ({ keys }) => 10 + [...keys.values()].reduce((sum, own) => sum + own.length, 0),
});

/** A record as it is written, with a mark that no other text has. */
export const markedRecord = (record: EventRecord): string =>
  toStored(record, `${record.version}.${randomUUID()}`);

/** What is known of a page: entries that changed no later need not come with their bodies. */
export function knownOf(page: AskedPage): KnownPage {
  const known = isAskedAgain(page) ? pages.get(nameOf(page)) : undefined;
  return known?.marks.every((mark) => records.has(mark)) ? known : nothingKnown;
}

/** A row of a page, with its records; none where that is not to be found. */
export interface RowWithRecords extends Partial<StoredEvent> {
  readonly row: Row;
}

/** The rows of a page, each with its records; undefined where the body of one is needed and did not come. */
export function withRecords(
  page: AskedPage,
  rows: readonly Row[],
  keys = noKeys,
): readonly RowWithRecords[] | undefined {
  const whole: RowWithRecords[] = [];
  let [upTo, isMarked] = [nothingKnown.upTo, true];
  for (const row of rows) {
    if (row.version === null) {
      isMarked = false;
      whole.push({ row });
      continue;
    }
    const mark = markOf(row.mark, row.version);
    const record = recordOf(mark, row.body);
    if (record === undefined) return undefined;
    upTo = Math.max(upTo, row.change as number);
    isMarked &&= mark !== undefined;
    if (row.series_version === null) {
      whole.push({ row, record });
      continue;
    }
    const seriesMark = markOf(row.series_mark, row.series_version);
    const series = recordOf(seriesMark, row.series);
    if (series === undefined) return undefined;
    isMarked &&= seriesMark !== undefined;
    whole.push({ row, record, series });
  }
  if (isMarked && isAskedAgain(page))
    pages.set(nameOf(page), {
      upTo,
      keys,
      marks: [rows[0], rows.at(-1)].flatMap((row) => (row ? [row.mark as string] : [])),
    });
  return whole;
}

const nameOf = ({ calendarId, query: { revision: _ofCalendar, ...query }, ranges }: AskedPage): string =>
  JSON.stringify([calendarId, query, ranges]);

/** What was read by a token is read behind another one the next time. */
const isAskedAgain = ({ ranges }: AskedPage): boolean => ranges.since === undefined;

/** A release that knows no marks writes the one of the version before. */
const markOf = (mark: unknown, version: unknown): string | undefined =>
  typeof mark === 'string' && mark.startsWith(`${version as number}.`) ? mark : undefined;

function recordOf(mark: string | undefined, body: unknown): EventRecord | undefined {
  const known = mark === undefined ? undefined : records.get(mark);
  if (known || body === null) return known;
  if (mark === undefined) return recordFrom(body);
  const record = parseStored(body as string) as EventRecord;
  records.set(mark, record, { size: (body as string).length + 100 });
  return record;
}
