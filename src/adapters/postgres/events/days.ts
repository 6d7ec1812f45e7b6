import { setTimeout as pause } from 'node:timers/promises';
import { type Connection, type Read, type Row, sql, type Statement } from '../database.ts';
import { rowForEntry } from './entries.ts';
import { moveEntries } from './entry-statements.ts';
import { hasDaysAtHome, type EntryWithEvent, readEvents, readRecords } from './events-by-id.ts';
import { unavailable } from '../failures.ts';
import { eventLoop } from '../../../core/runtime/event-loop.ts';

const batchSize = 1000;

const entriesAfter = (calendarId: string, behind: string): Statement =>
  sql`/* places behind */ SELECT event_id, home_id, key, series_key, version, series_version FROM places
    WHERE calendar_id = ${calendarId} AND event_id > ${behind} ORDER BY event_id LIMIT ${batchSize}`;

interface AllDayPage<Entry = Row> {
  readonly entries: readonly Entry[];
  /** Id of the last entry read; undefined at the end. */
  readonly nextCursor: string | undefined;
}

/** Records on other nodes may lag behind their entries: they are older or still missing. */
interface Freshness {
  readonly isOutdated: boolean;
  readonly isIncomplete: boolean;
}

async function readAllDayPage(
  read: Read,
  calendarId: string,
  cursor: string,
): Promise<AllDayPage & Freshness> {
  const [entries = []] = await read([entriesAfter(calendarId, cursor)]);
  const recordAt = await readRecords(read, entries, hasDaysAtHome);
  const findRecord = (home: unknown, key: unknown): Row | undefined =>
    recordAt(home as string, key as string);
  const recordsWithVersions = ({
    home_id: home,
    key,
    series_key: series,
    version,
    series_version: seriesVersion,
  }: Row): readonly (readonly [Row | undefined, unknown])[] => [
    [findRecord(home, key), version],
    ...(series === null ? [] : [[findRecord(home, series), seriesVersion] as const]),
  ];
  const recordVersions = entries.flatMap(recordsWithVersions);
  const isAllDay = ({ home_id: home, key, series_key: series }: Row): boolean =>
    [key, series].some((recordKey) => findRecord(home, recordKey)?.has_days === true);
  return {
    entries: entries.filter(isAllDay),
    isOutdated: recordVersions.some(isOlder),
    isIncomplete: recordVersions.some(([record]) => record === undefined),
    nextCursor: entries.length < batchSize ? undefined : (entries.at(-1)?.event_id as string),
  };
}

const isOlder = ([record, version]: readonly [Row | undefined, unknown]): boolean =>
  record !== undefined && (record.version as number) < ((version ?? 0) as number);

export async function countAllDayEntries(read: Read, calendarId: string, maxCount: number): Promise<number> {
  let count = 0;
  for (let cursor: string | undefined = ''; cursor !== undefined && count < maxCount;) {
    const page: AllDayPage = await readAllDayPage(read, calendarId, cursor);
    count += page.entries.length;
    cursor = page.nextCursor;
  }
  return Math.min(count, maxCount);
}

const maxReads = 25;
const retryDelayMs = 40;
/** Attempts after which a missing record is taken as nonexistent. */
const maxReadsForMissing = 10;

/** Reads the next all-day entries with their records. Retries, since committed changes may not be visible on all nodes yet. */
async function readAllDayEntries(
  read: Read,
  calendarId: string,
  cursor: string,
): Promise<AllDayPage<EntryWithEvent>> {
  for (let attempt = 1; ; attempt += 1) {
    const { entries, nextCursor, isOutdated, isIncomplete } = await readAllDayPage(read, calendarId, cursor);
    if (!isOutdated && (!isIncomplete || attempt >= maxReadsForMissing))
      return { nextCursor, entries: await readEvents(read, entries) };
    if (attempt === maxReads) throw unavailable('A change of the calendar is not stored on all nodes yet.');
    await pause(retryDelayMs);
  }
}

/** Moves the all-day entries of a calendar to another zone. The calendar must be locked, so that none is written by the old zone. */
export async function moveAllDayEntries(
  runAll: Connection['runAll'],
  calendarId: string,
  zone: string,
): Promise<void> {
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const page: AllDayPage<EntryWithEvent> = await readAllDayEntries(runAll, calendarId, cursor);
    await eventLoop.enter();
    const rows = page.entries.map(({ entry, ...event }) => rowForEntry(entry, event, calendarId, zone));
    if (rows.length > 0) await runAll([moveEntries(calendarId, rows)]);
    cursor = page.nextCursor;
  }
}
