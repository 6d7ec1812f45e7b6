import type { EventStore, WorkItem } from '../../../event/event.store.ts';
import type { Database, Row } from '../database.ts';
import { clearCalendar } from './clear-calendar.ts';

const separator = ' ';

// A record that an exception lies over comes first. `$3 … $5` is the cursor.
const inviting = `
SELECT home_id, key, series_key IS NOT NULL AS is_exception, coalesce(body #>> '{instance,series,eventId}', body #>> ARRAY['copies', home_id, 'id']) AS id, original
FROM events WHERE guests IS NOT NULL AND guests @> jsonb_build_array($1::text) AND NOT jsonb_exists(body -> 'copies', $2::text)
  AND (series_key IS NOT NULL, home_id, key) > ($3::boolean, $4::text, $5::text)
ORDER BY series_key IS NOT NULL, home_id, key LIMIT $6`;

const atHome = `SELECT key, body #>> ARRAY['copies', home_id, 'id'] AS id FROM events WHERE home_id = $1 AND series_key IS NULL AND key > $2 ORDER BY key LIMIT $3`;

/** What background jobs ask for: all of it is found by indexes, however many events there are. */
export function createEventWork(
  database: Database,
): Pick<EventStore, 'eventsInviting' | 'eventsAtHome' | 'clearCalendar'> {
  return {
    // Of all shards, or not at all: a job that cannot be gone on with now comes again.
    async eventsInviting(address, calendarId, behind, limit) {
      const [isException, home, key] = behind?.split(separator) ?? ['false', '', ''];
      const rows = await database.query({
        name: 'events inviting',
        text: inviting,
        values: [address, calendarId, isException, decoded(home), key, limit],
      });
      return rows.map((row) => ({
        cursor: [row.is_exception, encodeURIComponent(row.home_id as string), row.key].join(separator),
        ...referenceOf(row),
      }));
    },

    async eventsAtHome(calendarId, behind, limit) {
      const rows = await database.query({
        name: 'events at home',
        text: atHome,
        values: [calendarId, behind ?? '', limit],
      });
      return rows.map(({ key, id }) => ({ cursor: key as string, calendarId, eventId: id as string }));
    },

    clearCalendar: (calendarId, limit) => clearCalendar(database, calendarId, limit),
  };
}

const decoded = (text = ''): string => decodeURIComponent(text);

function referenceOf({ home_id: home, id, original }: Row): Omit<WorkItem, 'cursor'> {
  return {
    calendarId: home as string,
    eventId: original === null ? (id as string) : `${id as string}_${original as string}`,
  };
}
