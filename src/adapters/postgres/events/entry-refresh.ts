import type { Statement } from '../database.ts';
import { replaceText, type EntriesOfCalendar, type StoredReplacement } from './entry-statements.ts';

// Most changes alter nothing by which lists find an event. To write all columns of an entry then takes PostgreSQL 8 % longer for the
// whole patch; on a cluster, where each node plans each statement anew, this one takes half as long again.
const refreshText = (replaceRecord?: string): string => `
WITH ${replaceRecord ? `replaced AS (${replaceRecord}), ` : ''}counted AS (
  UPDATE calendars SET changes = changes + 1, positions = positions + 1, changed_at = now()
  WHERE id = $1 AND time_zone = $2${replaceRecord ? ' AND EXISTS (SELECT FROM replaced)' : ''} RETURNING changes, positions
), done AS (
  UPDATE places p SET change = c.changes, shared_change = c.changes, open_change = CASE WHEN $3 THEN c.changes ELSE p.open_change END,
    position = CASE WHEN p.shared_change = 0 OR ($3 AND p.open_change = 0) THEN c.positions ELSE p.position END,
    updated_ms = $4, open_updated_ms = $5, latest_ms = $6, version = $7
  FROM counted c WHERE p.calendar_id = $1 AND p.event_id = $8 AND p.key = $9 RETURNING 1
) SELECT 1 / (CASE WHEN count(*) = 1 THEN 1 ELSE 0 END) AS done FROM done`;

const alone = refreshText();
// The record first, as everywhere: who waits for it holds no counter of a calendar.
const withRecord = refreshText(replaceText(['$1', '$9', '$10', '$7', '$11', '$12']));

const valuesOf = ({ calendarId, zone, rows: [row, ...others] }: EntriesOfCalendar): unknown[] | undefined =>
  row?.is_refreshed && others.length === 0
    ? [
        calendarId,
        zone ?? null,
        row.changed_open,
        row.updated_ms,
        row.open_updated_ms,
        row.latest_ms,
        row.version,
        row.event_id,
        row.key,
      ]
    : undefined;

/** Writes the numbers and times of change of an entry; fails where it does not stand there. Undefined where there is more to write of a calendar. */
export function refreshEntry(entries: EntriesOfCalendar): Statement | undefined {
  const values = valuesOf(entries);
  return values && { name: 'refresh entry', text: alone, values };
}

/** The same on the home of the event's record, which is replaced: one statement is a transaction. */
export function refreshWithRecord(
  [, , before, , body, exceptionRevision]: StoredReplacement,
  entries: EntriesOfCalendar,
): Statement | undefined {
  const values = valuesOf(entries);
  return (
    values && {
      name: 'replace event, refresh entry',
      text: withRecord,
      values: [...values, before, body, exceptionRevision],
    }
  );
}
