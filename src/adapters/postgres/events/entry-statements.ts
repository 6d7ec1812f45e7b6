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

/** Values of a refreshed entry by name, each with its type. */
const refreshedTypes = {
  calendar_id: 'text',
  zone: 'text',
  event_id: 'text',
  key: 'text',
  changed_open: 'boolean',
  updated_ms: 'double precision',
  open_updated_ms: 'double precision',
  latest_ms: 'double precision',
  version: 'integer',
};
type RefreshedValue = keyof typeof refreshedTypes;
const refreshedNames = Object.keys(refreshedTypes) as RefreshedValue[];
const placeholderOf = (name: RefreshedValue): string => `$${refreshedNames.indexOf(name) + 1}`;

// The calendar's counter stays locked until commit, so that change numbers become visible in order. It fails if the zone changed.
// Most changes alter no index key. Writing all columns takes a fifth more of PostgreSQL's CPU time for a patch.
const countedColumns = 'changes = c.changes + 1, positions = c.positions + 1, changed_at = now()';
const buildRefresh = (valueOf: (name: RefreshedValue) => string): string =>
  `UPDATE places p SET change = c.changes, shared_change = c.changes, open_change = ${changeNumberIf(valueOf('changed_open'), 'p.open_change')},
    position = CASE WHEN ${newPositionCondition('true', valueOf('changed_open'))} THEN c.positions ELSE p.position END,
    updated_ms = ${valueOf('updated_ms')}, open_updated_ms = ${valueOf('open_updated_ms')}, latest_ms = ${valueOf('latest_ms')}, version = ${valueOf('version')}
  FROM counted c WHERE p.calendar_id = ${valueOf('calendar_id')} AND p.event_id = ${valueOf('event_id')} AND p.key = ${valueOf('key')}`;
const refreshText = `WITH counted AS (
  UPDATE calendars c SET ${countedColumns} WHERE id = $1 AND time_zone = $2 RETURNING changes, positions
), done AS (${buildRefresh(placeholderOf)} RETURNING 1) ${failUnless('1')}`;

// Refreshes entries of several calendars on one server; each value is an array. Locks the calendars in their order (`nth`) first.
// The arrays are also conditions, so that a plan made without statistics does not read all rows.
const refreshSeveralText = `WITH locked AS (
  SELECT r.* FROM unnest(${refreshedNames.map((name) => `${placeholderOf(name)}::${refreshedTypes[name]}[]`).join(', ')})
    WITH ORDINALITY AS r (${refreshedNames.join(', ')}, nth) JOIN calendars c ON c.id = r.calendar_id
  WHERE c.id = ANY ($1) ORDER BY r.nth FOR NO KEY UPDATE OF c
), counted AS (
  UPDATE calendars c SET ${countedColumns} FROM locked r
  WHERE c.id = r.calendar_id AND c.time_zone = r.zone AND c.id = ANY ($1) RETURNING c.changes, c.positions, r.*
), done AS (
  ${buildRefresh((name) => `c.${name}`)} AND p.calendar_id = ANY ($1) AND p.event_id = ANY (${placeholderOf('event_id')}) RETURNING 1
) ${failUnless('cardinality($1)')}`;

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

/** Circumstances under which entries are written. */
export interface WriteMode {
  /** Takes no stored entry for granted. */
  readonly isRetry: boolean;
  /** Allows a statement that writes on several calendars, which a cluster cannot route. */
  readonly isOneServer: boolean;
}

/** Writes the entries of a change, in the order of their calendars. */
export function writeEntries(
  calendars: readonly EntriesOfCalendar[],
  { isRetry, isOneServer }: WriteMode,
): Statement[] {
  const refreshedEntries = calendars.map(({ calendarId, zone, rows: [row, ...others] }) =>
    !isRetry && row?.only_counters_changed && others.length === 0
      ? { calendar_id: calendarId, zone, ...row }
      : undefined,
  );
  const isRefresh = refreshedEntries.every((entry) => entry !== undefined);
  if (isOneServer && isRefresh && calendars.length > 1)
    return [
      {
        name: 'refresh entries',
        text: refreshSeveralText,
        values: refreshedNames.map((name) => refreshedEntries.map((entry) => entry[name])),
      },
    ];
  return calendars.flatMap((entries, index) => {
    const entry = refreshedEntries[index];
    return entry
      ? [{ name: 'refresh entry', text: refreshText, values: refreshedNames.map((name) => entry[name]) }]
      : putEntries(entries);
  });
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
