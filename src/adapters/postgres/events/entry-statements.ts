import type { Statement } from '../database.ts';
import { assertRowCount, failUnless } from '../transaction.ts';
import type { EntriesOfCalendar, EntryRow } from './entries.ts';

/** Types of the columns that are derived from records, apart from versions. */
const derivedTypes = {
  series_key: 'text',
  from_ms: 'double precision',
  to_ms: 'double precision',
  start_ms: 'double precision',
  long: 'boolean',
  ical_uid: 'text',
  cancelled: 'boolean',
  recurs: 'boolean',
  along: 'boolean',
  updated_ms: 'double precision',
  open_updated_ms: 'double precision',
  latest_ms: 'double precision',
  viewers: 'jsonb',
  hidden_from: 'jsonb',
};
const rowTypes = {
  event_id: 'text',
  key: 'text',
  ...derivedTypes,
  version: 'integer',
  series_version: 'integer',
  changed: 'boolean',
  changed_open: 'boolean',
  changed_for: 'jsonb',
  changed_series: 'boolean',
} satisfies Record<Exclude<keyof EntryRow, 'only_counters_changed'>, string>;
const rowColumns = Object.entries(rowTypes)
  .map(([name, type]) => `${name} ${type}`)
  .join(', ');
const derivedColumns = Object.keys(derivedTypes);
const writtenColumns = [...derivedColumns, 'version', 'series_version'];
/** Columns of last change numbers, each with the condition that this change counts. */
const changeNumbers = Object.entries({
  shared_change: 'changed',
  open_change: 'changed_open',
  series_change: 'changed_series',
});

// SQL aliases: `p` is an entry (table `places`), `r` a row to write, `c` the calendar with its counters.
const changeNumberIf = (condition: string, fallback: string): string =>
  `CASE WHEN ${condition} THEN c.changes ELSE ${fallback} END`;
const anyChangeCondition = `r.changed OR r.changed_for <> '[]'`;
const viewerChanges =
  '(SELECT jsonb_object_agg(identity, c.changes) FROM jsonb_array_elements_text(r.changed_for) AS identity)';
/** Condition for a new position, as the old one would reveal the event's age to new readers. */
const newPositionCondition = (sharedCondition: string, openCondition: string): string =>
  `(p.shared_change = 0 AND ${sharedCondition}) OR (p.open_change = 0 AND ${openCondition})`;

// The calendar's counter stays locked until commit, so that change numbers become visible in order. It fails if the zone changed.
// Most changes alter no index key. Writing all columns takes a fifth more of PostgreSQL's CPU time for a patch.
const refreshText = `WITH counted AS (
  UPDATE calendars SET changes = changes + 1, positions = positions + 1, changed_at = now()
  WHERE id = $1 AND time_zone = $2 RETURNING changes, positions
), done AS (
  UPDATE places p SET change = c.changes, shared_change = c.changes, open_change = ${changeNumberIf('$3', 'p.open_change')},
    position = CASE WHEN ${newPositionCondition('true', '$3')} THEN c.positions ELSE p.position END,
    updated_ms = $4, open_updated_ms = $5, latest_ms = $6, version = $7
  FROM counted c WHERE p.calendar_id = $1 AND p.event_id = $8 AND p.key = $9 RETURNING 1
) ${failUnless('1')}`;

// Fails, by a division by zero, if another event has an entry with the same id. Rows carry their number in the batch (`nth`):
// Citus routes neither window functions nor an INSERT within another statement to one shard.
const insertText = `
INSERT INTO places AS p (calendar_id, event_id, key, position, change, ${changeNumbers.map(([name]) => name).join(', ')}, viewer_changes, home_id, ${writtenColumns.join(', ')})
SELECT c.id, r.event_id, r.key, c.positions - $4 + r.nth,
  ${changeNumberIf(anyChangeCondition, '0')}, ${changeNumbers.map(([, condition]) => changeNumberIf(`r.${condition}`, '0')).join(', ')}, ${viewerChanges}, $2::text, ${writtenColumns.map((name) => `r.${name}`).join(', ')}
FROM calendars c CROSS JOIN jsonb_to_recordset($3::jsonb) AS r (nth integer, ${rowColumns}) WHERE c.id = $1
ON CONFLICT (calendar_id, event_id) DO UPDATE SET
  position = CASE WHEN ${newPositionCondition('excluded.shared_change > 0', 'excluded.open_change > 0')} THEN excluded.position ELSE p.position END,
  change = greatest(p.change, excluded.change) / (CASE WHEN p.key = excluded.key THEN 1 ELSE 0 END),
  ${changeNumbers.map(([name]) => `${name} = greatest(p.${name}, excluded.${name})`).join(', ')},
  viewer_changes = coalesce(p.viewer_changes || excluded.viewer_changes, p.viewer_changes, excluded.viewer_changes),
  ${['home_id', ...writtenColumns].map((name) => `${name} = excluded.${name}`).join(', ')}`;

const countText = assertRowCount(
  'UPDATE calendars SET changes = changes + 1, positions = positions + $2, changed_at = now() WHERE id = $1 AND time_zone = $3 RETURNING 1',
);

/** Inserts or updates entries. Counts the change at the calendar first, which fails if the zone changed. */
export const putEntries = ({ calendarId, home, zone, rows }: EntriesOfCalendar): Statement[] => [
  { name: 'count entries', text: countText, values: [calendarId, rows.length, zone] },
  {
    name: 'put entries',
    text: insertText,
    values: [
      calendarId,
      home,
      JSON.stringify(rows.map((row, index) => ({ nth: index + 1, ...row }))),
      rows.length,
    ],
  },
];

/** Writes the entries of a change on one calendar. `isRetry`: takes no stored entry for granted. */
export function writeEntries(entries: EntriesOfCalendar, isRetry: boolean): Statement[] {
  const { calendarId, zone, rows } = entries;
  const [row] = rows;
  if (isRetry || !row?.only_counters_changed || rows.length > 1) return putEntries(entries);
  const { changed_open, updated_ms, open_updated_ms, latest_ms, version, event_id, key } = row;
  const counters = [changed_open, updated_ms, open_updated_ms, latest_ms, version];
  return [
    { name: 'refresh entry', text: refreshText, values: [calendarId, zone, ...counters, event_id, key] },
  ];
}

/** Writes new times of entries, after a change of the calendar's zone. */
export const moveEntries = (calendarId: string, rows: readonly EntryRow[]): Statement => ({
  name: 'move entries',
  text: `UPDATE places p SET from_ms = r.from_ms, to_ms = r.to_ms, start_ms = r.start_ms, long = r.long
    FROM jsonb_to_recordset($2) AS r (${rowColumns}) WHERE p.calendar_id = $1 AND p.event_id = r.event_id AND p.key = r.key`,
  values: [calendarId, JSON.stringify(rows)],
});

/** Finds the `event_id` of rows that differ from the table; `missing` if the table has none. */
export const findDifferences = ({ calendarId, rows }: EntriesOfCalendar): Statement => ({
  name: 'differing entries',
  text: `SELECT r.event_id, p.calendar_id IS NULL AS missing FROM jsonb_to_recordset($2) AS r (${rowColumns})
    LEFT JOIN places p ON p.calendar_id = $1 AND p.event_id = r.event_id
    WHERE (${['key', ...derivedColumns].map((name) => `p.${name}`).join(', ')}) IS DISTINCT FROM (${['key', ...derivedColumns].map((name) => `r.${name}`).join(', ')})`,
  values: [calendarId, JSON.stringify(rows)],
});
