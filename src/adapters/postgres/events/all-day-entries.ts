import { setTimeout as pause } from 'node:timers/promises';
import { type Connection, type Read, type Row, sql, type Statement } from '../database.ts';
import { rowForEntry } from './entries.ts';
import { moveEntries } from './entry-statements.ts';
import { dayFlagsAtHome, readEvents, readRecords, recordVersions } from './records-at-homes.ts';
import { unavailableError } from '../failures.ts';
import { eventLoop } from '../../../core/runtime/event-loop.ts';

/** Entries that are read in one round trip. */
const batchSize = 1000;

const entriesAfterStatement = (calendarId: string, afterId: string): Statement =>
  sql`/* places behind */ SELECT event_id, home_id, key, series_key, version, series_version FROM places
    WHERE calendar_id = ${calendarId} AND event_id > ${afterId} ORDER BY event_id LIMIT ${batchSize}`;

/** Entries of all-day events in one batch. */
interface AllDayPage {
  readonly entries: readonly Row[];
  /** Id of the last entry read; undefined at the end. */
  readonly nextCursor: string | undefined;
  /** A record on another node is older than its entry. */
  readonly isOutdated: boolean;
  /** A record on another node is missing, perhaps because it is not visible yet. */
  readonly isIncomplete: boolean;
}

type PageReader = (read: Read, calendarId: string, cursor: string) => Promise<AllDayPage>;

/** Reads a page as it is visible now. */
const readPage: PageReader = async (read, calendarId, cursor) => {
  const [entries = []] = await read([entriesAfterStatement(calendarId, cursor)]);
  const findRecord = await readRecords(read, entries, dayFlagsAtHome);
  const versions = entries.flatMap((entry) => recordVersions(entry, findRecord));
  const isAllDay = ({ home_id: home, key, series_key: series }: Row): boolean =>
    [key, series].some((recordKey) => findRecord(home as string, recordKey as string)?.has_days === true);
  return {
    entries: entries.filter(isAllDay),
    isOutdated: versions.some(
      ({ readVersion: version, writtenVersion }) => version !== undefined && version < writtenVersion,
    ),
    isIncomplete: versions.some(({ readVersion: version }) => version === undefined),
    nextCursor: entries.length < batchSize ? undefined : (entries.at(-1)?.event_id as string),
  };
};

/** Attempts to read entries whose records are outdated, and the pause between two. */
const maxReads = 25;
const retryDelayMs = 40;
/** Attempts after which a missing record is taken as nonexistent. */
const maxReadsForMissing = 10;

/** Reads a page. Retries, since committed changes may not be visible on all nodes yet. */
const readSettledPage: PageReader = async (read, calendarId, cursor) => {
  for (let attempt = 1; ; attempt += 1) {
    const page = await readPage(read, calendarId, cursor);
    if (!page.isOutdated && (!page.isIncomplete || attempt >= maxReadsForMissing)) return page;
    if (attempt === maxReads)
      throw unavailableError('A change of the calendar is not stored on all nodes yet.');
    await pause(retryDelayMs);
  }
};

/** Reads the all-day entries of a calendar in batches. */
async function* iterateAllDayEntries(
  read: Read,
  calendarId: string,
  readNextPage: PageReader,
): AsyncGenerator<readonly Row[]> {
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const page: AllDayPage = await readNextPage(read, calendarId, cursor);
    yield page.entries;
    cursor = page.nextCursor;
  }
}

/** Counts the all-day entries of a calendar, up to `maxCount`. */
export async function countAllDayEntries(read: Read, calendarId: string, maxCount: number): Promise<number> {
  let count = 0;
  for await (const entries of iterateAllDayEntries(read, calendarId, readPage)) {
    count += entries.length;
    if (count >= maxCount) return maxCount;
  }
  return count;
}

/** Moves the all-day entries of a calendar to another zone. The calendar must be locked, so none is written in the old one. */
export async function moveAllDayEntries(
  runAll: Connection['runAll'],
  calendarId: string,
  zone: string,
): Promise<void> {
  for await (const entries of iterateAllDayEntries(runAll, calendarId, readSettledPage)) {
    const events = await readEvents(runAll, entries);
    await eventLoop.enter();
    const rows = events.map(({ entry, ...event }) => rowForEntry(entry, event, calendarId, zone));
    if (rows.length > 0) await runAll([moveEntries(calendarId, rows)]);
  }
}
