import { setTimeout as pause } from 'node:timers/promises';
import { type Read, type Row, sql, type Statement } from '../database.ts';
import { rowForEntry, moveEntries } from './entries.ts';
import { dayFlagsAtHome, readEvents, readRecords, recordVersions } from './records-at-homes.ts';
import { unavailableError } from '../failures.ts';
import { eventLoop } from '../../../core/runtime/event-loop.ts';

/** Entries that are read in one round trip. */
const batchSize = 1000;

const entriesAfterStatement = (calendarId: string, afterId: string): Statement =>
  sql`/* places behind */ SELECT event_id, home_id, key, series_key, version, series_version FROM places
    WHERE calendar_id = ${calendarId} AND event_id > ${afterId} ORDER BY event_id LIMIT ${batchSize}`;

/** Attempts to read entries whose records are outdated, and the pause between two. */
const maxReads = 25;
const retryDelayMs = 40;
/** Attempts after which a missing record is taken as nonexistent. */
const maxReadsForMissing = 10;

/**
 * Reads the all-day entries of a calendar in batches. Reads a batch again while a record on another node is older than its entry, or
 * missing, since committed changes may not be visible on all nodes yet.
 */
async function* iterateAllDayEntries(read: Read, calendarId: string): AsyncGenerator<readonly Row[]> {
  for (let [cursor, attempt] = ['', 1]; ; attempt += 1) {
    const [entries = []] = await read([entriesAfterStatement(calendarId, cursor)]);
    const findRecord = await readRecords(read, entries, dayFlagsAtHome);
    const isUnsettled = entries
      .flatMap((entry) => recordVersions(entry, findRecord))
      .some(({ readVersion, writtenVersion }) =>
        readVersion === undefined ? attempt < maxReadsForMissing : readVersion < writtenVersion,
      );
    if (isUnsettled) {
      if (attempt === maxReads)
        throw unavailableError('A change of the calendar is not stored on all nodes yet.');
      await pause(retryDelayMs);
      continue;
    }
    const isAllDay = ({ home_id: home, key, series_key: series }: Row): boolean =>
      [key, series].some((recordKey) => findRecord(home as string, recordKey as string)?.has_days === true);
    yield entries.filter(isAllDay);
    if (entries.length < batchSize) return;
    [cursor, attempt] = [entries.at(-1)?.event_id as string, 0];
  }
}

/** Counts the all-day entries of a calendar, up to `maxCount`. */
export async function countAllDayEntries(read: Read, calendarId: string, maxCount: number): Promise<number> {
  let count = 0;
  for await (const entries of iterateAllDayEntries(read, calendarId)) {
    count += entries.length;
    if (count >= maxCount) return maxCount;
  }
  return count;
}

/** Moves the all-day entries of a calendar to another zone. The calendar must be locked, so none is written in the old one. */
export async function moveAllDayEntries(read: Read, calendarId: string, zone: string): Promise<void> {
  for await (const entries of iterateAllDayEntries(read, calendarId)) {
    const events = await readEvents(read, entries);
    await eventLoop.enter();
    const rows = events.map(({ entry, ...event }) => rowForEntry(entry, event, calendarId, zone));
    if (rows.length > 0) await read([moveEntries(calendarId, rows)]);
  }
}
