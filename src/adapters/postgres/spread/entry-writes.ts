import type { Statement } from '../database.ts';
import {
  changeNumbers,
  replaceText,
  rowColumns,
  writtenColumns,
  type EntriesOfCalendar,
  type StoredReplacement,
} from '../events/entry-statements.ts';
import { counting } from '../transaction.ts';

// What `writeEntries` does in one statement, by statements that each go to the shard of a calendar: Citus takes an INSERT to one only
// where it stands by itself. Rows bring their place in the order (`nth`): a window function would not go there.
const columns = `nth integer, ${rowColumns}`;
const numbers = Object.entries(changeNumbers);
const changesIf = (is: string, otherwise: string): string =>
  `CASE WHEN ${is} THEN c.changes ELSE ${otherwise} END`;
const changedAtAll = `r.changed OR r.changed_for <> '[]'`;
const viewerChanges =
  '(SELECT jsonb_object_agg(identity, c.changes) FROM jsonb_array_elements_text(r.changed_for) AS identity)';
const count =
  'UPDATE calendars SET changes = changes + 1, positions = positions + $4, changed_at = now() WHERE id = $1 AND time_zone = $5';

const updateText = (replacesRecord: boolean): string => `
WITH ${replacesRecord ? `replaced AS (${replaceText(['$1', '$6', '$7', '$8', '$9', '$10'])}), ` : ''}counted AS (
  ${count}${replacesRecord ? ' AND EXISTS (SELECT FROM replaced)' : ''} RETURNING changes, positions - $4 AS position
), done AS (
  UPDATE places p SET home_id = $2, ${writtenColumns
    .slice(1)
    .map((name) => `${name} = r.${name}`)
    .join(', ')},
    position = CASE WHEN (p.shared_change = 0 AND r.changed) OR (p.open_change = 0 AND r.changed_open) THEN c.position + r.nth ELSE p.position END,
    change = ${changesIf(changedAtAll, 'p.change')}, ${numbers.map(([name, is]) => `${name} = ${changesIf(`r.${is}`, `p.${name}`)}`).join(', ')},
    viewer_changes = coalesce(p.viewer_changes || ${viewerChanges}, p.viewer_changes, ${viewerChanges})
  FROM counted c, jsonb_to_recordset($3) AS r (${columns}) WHERE p.calendar_id = $1 AND p.event_id = r.event_id AND p.key = r.key RETURNING 1
) SELECT 1 / (CASE WHEN count(*) = $4 THEN 1 ELSE 0 END) AS done FROM done`;

const insertText = `
INSERT INTO places AS p (calendar_id, event_id, key, position, change, ${Object.keys(changeNumbers).join(', ')}, viewer_changes, ${writtenColumns.join(', ')})
SELECT c.id, r.event_id, r.key, c.positions - $4 + r.nth,
  ${changesIf(changedAtAll, '0')}, ${numbers.map(([, is]) => changesIf(`r.${is}`, '0')).join(', ')}, ${viewerChanges}, $2::text, ${writtenColumns
    .slice(1)
    .map((name) => `r.${name}`)
    .join(', ')}
FROM calendars c CROSS JOIN jsonb_to_recordset($3::jsonb) AS r (${columns}) WHERE c.id = $1
ON CONFLICT (calendar_id, event_id) DO UPDATE SET
  position = CASE WHEN (p.shared_change = 0 AND excluded.shared_change > 0) OR (p.open_change = 0 AND excluded.open_change > 0) THEN excluded.position ELSE p.position END,
  change = greatest(p.change, excluded.change) / (CASE WHEN p.key = excluded.key THEN 1 ELSE 0 END),
  ${Object.keys(changeNumbers)
    .map((name) => `${name} = greatest(p.${name}, excluded.${name})`)
    .join(', ')},
  viewer_changes = coalesce(p.viewer_changes || excluded.viewer_changes, p.viewer_changes, excluded.viewer_changes), ${writtenColumns.map((name) => `${name} = excluded.${name}`).join(', ')}`;

const countText = counting(
  'UPDATE calendars SET changes = changes + 1, positions = positions + $2, changed_at = now() WHERE id = $1 AND time_zone = $3 RETURNING 1',
  '1',
);
const updateAlone = updateText(false);
const updateWithRecord = updateText(true);

const numberedValues = ({ calendarId, home, rows }: EntriesOfCalendar): unknown[] => [
  calendarId,
  home,
  JSON.stringify(rows.map((row, index) => ({ nth: index + 1, ...row }))),
  rows.length,
];

/** Writes entries, some of which may not stand there yet. */
export const putEntries = (entries: EntriesOfCalendar): Statement[] => [
  {
    name: 'count entries',
    text: countText,
    values: [entries.calendarId, entries.rows.length, entries.zone ?? null],
  },
  { name: 'put entries', text: insertText, values: numberedValues(entries) },
];

/** Writes entries that all stand there; fails where one does not. */
export const updateEntries = (entries: EntriesOfCalendar): Statement => ({
  name: 'update entries',
  text: updateAlone,
  values: [...numberedValues(entries), entries.zone ?? null],
});

/** The same for entries on the home of a record, which is replaced: first, so that who waits for it holds no counter of a calendar. */
export const updateWithEntries = (
  [, ...record]: StoredReplacement,
  entries: EntriesOfCalendar,
): Statement => ({
  name: 'replace event and entries',
  text: updateWithRecord,
  values: [...numberedValues(entries), entries.zone ?? null, ...record],
});
