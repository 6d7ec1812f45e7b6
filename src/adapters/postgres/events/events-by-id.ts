import type { EventReference } from '../../../event/model/record.ts';
import { indexKey, lookupKey } from '../statements.ts';
import type { Database, Row } from '../database.ts';
import { grouped } from '../../../core/kernel/plain-data.ts';
import { exceptionOf, instanceKeys } from './load-statements.ts';

/** How often events are looked for that were not where their entries say: an import takes some to another home. */
const mostLooks = 3;

// Records that are kept with the calendar come at once; an exception that is not on the calendar is found through its series there.
const textOnCalendar = `
SELECT asked.place, p.home_id, p.key, p.series_key, q.home_id AS series_home, q.key AS of_series, asked.original, coalesce(e.body, x.body) AS body, s.body AS series
FROM unnest($2::text[], $3::text[], $4::text[], $5::int[]) AS asked (event_id, series_id, original, place)
  LEFT JOIN places p ON p.calendar_id = $1 AND p.event_id = asked.event_id
  LEFT JOIN places q ON q.calendar_id = $1 AND q.event_id = asked.series_id AND p.key IS NULL
  LEFT JOIN events e ON e.home_id = $1 AND p.home_id = $1 AND e.key = p.key
  LEFT JOIN LATERAL ${exceptionOf('q', 'asked.original', '$1')} AS x ON q.home_id = $1
  LEFT JOIN events s ON s.home_id = $1 AND s.key = CASE WHEN p.home_id = $1 THEN p.series_key ELSE x.series_key END`;

const textAtHome = `
SELECT asked.place, coalesce(e.body, x.body) AS body, s.body AS series
FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::int[]) AS asked (key, series_key, of_series, original, place)
  LEFT JOIN events e ON e.home_id = $1 AND e.key = asked.key
  LEFT JOIN events x ON x.home_id = $1 AND x.series_key = asked.of_series AND x.original = asked.original AND asked.key IS NULL
  LEFT JOIN events s ON s.home_id = $1 AND s.key = coalesce(asked.series_key, x.series_key)`;

/** A record and its series, as they are stored, for each reference, in order; `body` is null where there is none. */
export async function eventsById(
  database: Database,
  references: readonly EventReference[],
): Promise<readonly Row[]> {
  const found = new Map<number, Row>();
  let wanted = references.map((reference, place) => ({ reference, place }));
  for (let looks = 0; wanted.length > 0 && looks < mostLooks; looks += 1) {
    const entries = await entriesOf(database, wanted);
    const elsewhere = entries.filter(
      ({ body, home_id: home, series_home: seriesHome }) => body === null && (home ?? seriesHome) !== null,
    );
    const records = await recordsAtHomes(database, elsewhere);
    for (const row of [...entries, ...records]) found.set(row.place as number, row);
    const missing = new Set(
      elsewhere
        .filter(({ key, place }) => key !== null && found.get(place as number)?.body === null)
        .map(({ place }) => place),
    );
    wanted = wanted.filter(({ place }) => missing.has(place));
  }
  return references.map((_reference, place) => found.get(place) ?? { body: null, series: null });
}

async function entriesOf(
  database: Database,
  wanted: readonly { readonly reference: EventReference; readonly place: number }[],
): Promise<readonly Row[]> {
  const byCalendar = grouped(wanted, ({ reference }) => lookupKey(reference.calendarId));
  return (
    await database.read(
      [...byCalendar].map(([calendarId, own]) => {
        const named = own.map(({ reference }) => instanceKeys(reference.eventId));
        return {
          name: 'events on calendar',
          text: textOnCalendar,
          values: [
            calendarId,
            own.map(({ reference }) => indexKey(reference.eventId)),
            named.map(([id]) => id),
            named.map(([, original]) => original),
            own.map(({ place }) => place),
          ],
        };
      }),
    )
  ).flat();
}

async function recordsAtHomes(database: Database, entries: readonly Row[]): Promise<readonly Row[]> {
  const byHome = grouped(
    entries,
    ({ home_id: home, series_home: seriesHome }) => (home ?? seriesHome) as string,
  );
  return (
    await database.read(
      [...byHome].map(([home, own]) => ({
        name: 'events by entries',
        text: textAtHome,
        values: [
          home,
          ...['key', 'series_key', 'of_series', 'original', 'place'].map((column) =>
            own.map((row) => row[column]),
          ),
        ],
      })),
    )
  ).flat();
}
