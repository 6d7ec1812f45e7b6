import type { Statement } from '../database.ts';
import { counting } from '../transaction.ts';
import type { EntryRow } from './entry-rows.ts';

/** The columns of an `EntryRow`. */
export const rowColumns = `event_id text, key text, series_key text, from_ms double precision, to_ms double precision, start_ms double precision,
  long boolean, ical_uid text, cancelled boolean, recurs boolean, along boolean, updated_ms double precision, open_updated_ms double precision,
  latest_ms double precision, viewers jsonb, hidden_from jsonb, version integer, series_version integer, changed boolean, changed_open boolean, changed_for jsonb, changed_series boolean`;
const derived = [
  'home_id',
  'series_key',
  'from_ms',
  'to_ms',
  'start_ms',
  'long',
  'ical_uid',
  'cancelled',
  'recurs',
  'along',
  'updated_ms',
  'open_updated_ms',
  'latest_ms',
  'viewers',
  'hidden_from',
];
/** The versions of the records that an entry is made of. */
const versions = ['version', 'series_version'];
export const writtenColumns = [...derived, ...versions];
/** The numbers of the last changes of a kind, each with the column that says whether this change is one. */
export const changeNumbers = {
  shared_change: 'changed',
  open_change: 'changed_open',
  series_change: 'changed_series',
};
const numbered = Object.entries(changeNumbers);

// The counter is locked until the end of the transaction, so that numbers become visible in their order. An entry of
// another event with the same id is left alone, and then the count is wrong. So it is where days of the calendar begin
// otherwise by now. A change number of 0 keeps the old one. For
// those who have not seen the event so far it comes now: its position must not show when it was made.
const entriesText = (replaceRecord?: string): string => `
WITH ${replaceRecord ? `replaced AS (${replaceRecord}), ` : ''}counted AS (
  UPDATE calendars SET changes = changes + 1, positions = positions + $4, changed_at = now()
  WHERE id = $1 AND time_zone = $5${replaceRecord ? ' AND EXISTS (SELECT FROM replaced)' : ''} RETURNING changes, positions - $4 AS position
), done AS (
  INSERT INTO places AS p (calendar_id, event_id, key, position, change, ${Object.keys(changeNumbers).join(', ')}, viewer_changes, ${writtenColumns.join(', ')})
  SELECT $1, r.event_id, r.key, c.position + row_number() OVER (),
    CASE WHEN r.changed OR r.changed_for <> '[]' THEN c.changes ELSE 0 END, ${numbered.map(([, is]) => `CASE WHEN r.${is} THEN c.changes ELSE 0 END`).join(', ')},
    (SELECT jsonb_object_agg(identity, c.changes) FROM jsonb_array_elements_text(r.changed_for) AS identity),
    $2, ${writtenColumns
      .slice(1)
      .map((name) => `r.${name}`)
      .join(', ')}
  FROM counted c CROSS JOIN jsonb_to_recordset($3) AS r (${rowColumns})
  ON CONFLICT (calendar_id, event_id) DO UPDATE SET
    position = CASE WHEN (p.shared_change = 0 AND excluded.shared_change > 0) OR (p.open_change = 0 AND excluded.open_change > 0) THEN excluded.position ELSE p.position END,
    change = greatest(p.change, excluded.change), ${numbered.map(([name]) => `${name} = greatest(p.${name}, excluded.${name})`).join(', ')},
    viewer_changes = coalesce(p.viewer_changes || excluded.viewer_changes, p.viewer_changes, excluded.viewer_changes), ${writtenColumns.map((name) => `${name} = excluded.${name}`).join(', ')}
  WHERE p.key = excluded.key RETURNING 1
) SELECT 1 / (CASE WHEN count(*) = $4 THEN 1 ELSE 0 END) AS done FROM done`;

/** Entries of one calendar. */
export interface EntriesOfCalendar {
  readonly calendarId: string;
  /** The calendar's zone, by which they were worked out. */
  readonly zone: string | undefined;
  /** The calendar with which the events are kept. */
  readonly home: string;
  readonly rows: readonly EntryRow[];
}

const valuesOf = ({ calendarId, zone, home, rows }: EntriesOfCalendar): unknown[] => [
  calendarId,
  home,
  JSON.stringify(rows),
  rows.length,
  zone ?? null,
];
const textAlone = entriesText();

export const writeEntries = (entries: EntriesOfCalendar): Statement => ({
  name: 'write entries',
  text: textAlone,
  values: valuesOf(entries),
});

/** A record in place of another one; `exceptionRevision`: how often the exceptions of a series had changed. */
export type StoredReplacement = readonly [
  home: string,
  key: string,
  before: number,
  next: number,
  body: string,
  exceptionRevision: number,
];

/** Replaces a record, unless it is stored otherwise by now; `parameters` are those of a `StoredReplacement`. */
export const replaceText = ([home, key, before, next, body, exceptionRevision]: readonly string[]): string =>
  `UPDATE events SET version = ${next}, body = ${body} WHERE home_id = ${home} AND key = ${key} AND version = ${before} AND family = ${exceptionRevision} RETURNING 1`;

const textOfRecord = counting(replaceText(['$1', '$2', '$3', '$4', '$5', '$6']), '1');

export const replaceRecord = (replacement: StoredReplacement): Statement => ({
  name: 'replace event',
  text: textOfRecord,
  values: replacement,
});

// The record first, as everywhere: who waits for it holds no counter of a calendar.
const textWithRecord = entriesText(replaceText(['$1', '$6', '$7', '$8', '$9', '$10']));

/** Replaces a record together with its entries on its home calendar, where it has no others: one statement is a transaction. */
export const replaceAtHome = ([, ...record]: StoredReplacement, entries: EntriesOfCalendar): Statement => ({
  name: 'replace event at home',
  text: textWithRecord,
  values: [...valuesOf(entries), ...record],
});

/** Moves entries of a calendar in time, and changes nothing else of them. */
export const moveEntries = (calendarId: string, rows: readonly EntryRow[]): Statement => ({
  name: 'move entries',
  text: `UPDATE places p SET from_ms = r.from_ms, to_ms = r.to_ms, start_ms = r.start_ms, long = r.long
    FROM jsonb_to_recordset($2) AS r (${rowColumns}) WHERE p.calendar_id = $1 AND p.event_id = r.event_id AND p.key = r.key`,
  values: [calendarId, JSON.stringify(rows)],
});

/** A query for the `event_id` of those rows that are not in the table as they are here; `missing`, where there is none at all. */
export const differing = (calendarId: string, rows: readonly EntryRow[]): Statement => ({
  name: 'differing entries',
  text: `SELECT r.event_id, p.calendar_id IS NULL AS missing FROM jsonb_to_recordset($2) AS r (${rowColumns})
    LEFT JOIN places p ON p.calendar_id = $1 AND p.event_id = r.event_id
    WHERE (${['key', ...derived.slice(1)].map((name) => `p.${name}`).join(', ')}) IS DISTINCT FROM (${['key', ...derived.slice(1)].map((name) => `r.${name}`).join(', ')})`,
  values: [calendarId, JSON.stringify(rows)],
});
