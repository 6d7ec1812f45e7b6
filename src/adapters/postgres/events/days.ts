import { setTimeout as pause } from 'node:timers/promises';
import { type Connection, type Read, type Row, sql, type Statement } from '../database.ts';
import { moveEntries, standingRow } from './entries.ts';
import { daysAt, type EntryWithEvent, eventsOf, recordsOf } from './events-by-id.ts';
import { unavailable } from '../failures.ts';
import { eventLoop } from '../../../core/runtime/event-loop.ts';

const placesAtOnce = 1000;

const places = (calendarId: string, behind: string): Statement =>
  sql`/* places behind */ SELECT event_id, home_id, key, series_key, version, series_version FROM places
    WHERE calendar_id = ${calendarId} AND event_id > ${behind} ORDER BY event_id LIMIT ${placesAtOnce}`;

interface DailyPage<Entry = Row> {
  readonly entries: readonly Entry[];
  /** The last entry that was looked at; undefined behind the last one of all. */
  readonly behind: string | undefined;
}

/** As records stand on other nodes, one may be read that is older than its entry, or none yet. */
interface Seen {
  readonly isOlder: boolean;
  readonly lacks: boolean;
}

/** A page of a calendar's entries, of which those that begin or end with a day. */
async function dailyPage(read: Read, calendarId: string, after: string): Promise<DailyPage & Seen> {
  const [entries = []] = await read([places(calendarId, after)]);
  const recordAt = await recordsOf(read, entries, daysAt);
  const record = (home: unknown, key: unknown): Row | undefined => recordAt(home as string, key as string);
  const madeOf = ({
    home_id: home,
    key,
    series_key: series,
    version,
    series_version: seriesVersion,
  }: Row): readonly (readonly [Row | undefined, unknown])[] => [
    [record(home, key), version],
    ...(series === null ? [] : [[record(home, series), seriesVersion] as const]),
  ];
  const made = entries.flatMap(madeOf);
  const isDaily = ({ home_id: home, key, series_key: series }: Row): boolean =>
    [key, series].some((one) => record(home, one)?.has_days === true);
  return {
    entries: entries.filter(isDaily),
    isOlder: made.some(isOlder),
    lacks: made.some(([found]) => found === undefined),
    behind: entries.length < placesAtOnce ? undefined : (entries.at(-1)?.event_id as string),
  };
}

const isOlder = ([record, version]: readonly [Row | undefined, unknown]): boolean =>
  record !== undefined && (record.version as number) < ((version ?? 0) as number);

/** How many entries of a calendar begin or end with a day, up to a number. */
export async function countDays(read: Read, calendarId: string, most: number): Promise<number> {
  let count = 0;
  for (let behind: string | undefined = ''; behind !== undefined && count < most;) {
    const page: DailyPage = await dailyPage(read, calendarId, behind);
    count += page.entries.length;
    behind = page.behind;
  }
  return Math.min(count, most);
}

/** How often, and after how many milliseconds each, records are looked for that are older than their entries. */
const looks = 25;
const lookMs = 40;
/** Where a record is still lacking after so many, there is none. */
const looksForLacking = 10;

/** The next entries that begin or end with a day, with their records. The calendar is locked: what is there is written, though perhaps not on all nodes yet. */
async function dailyEntries(
  read: Read,
  calendarId: string,
  after: string,
): Promise<DailyPage<EntryWithEvent>> {
  for (let look = 1; ; look += 1) {
    const { entries, behind, isOlder, lacks } = await dailyPage(read, calendarId, after);
    if (!isOlder && (!lacks || look >= looksForLacking))
      return { behind, entries: await eventsOf(read, entries) };
    if (look === looks) throw unavailable('A change of the calendar is not stored on all nodes yet.');
    await pause(lookMs);
  }
}

/** Moves the days of a calendar to another zone. The calendar is locked: nobody writes entries by the old one meanwhile. */
export async function moveDays(
  runAll: Connection['runAll'],
  calendarId: string,
  zone: string,
): Promise<void> {
  for (let behind: string | undefined = ''; behind !== undefined;) {
    const page: DailyPage<EntryWithEvent> = await dailyEntries(runAll, calendarId, behind);
    await eventLoop.enter();
    const rows = page.entries.map(({ entry, ...event }) => standingRow(entry, event, calendarId, zone));
    if (rows.length > 0) await runAll([moveEntries(calendarId, rows)]);
    behind = page.behind;
  }
}
