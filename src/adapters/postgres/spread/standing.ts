import type { EventRecord } from '../../../event/model/record.ts';
import type { Database, Row } from '../database.ts';
import { grouped } from '../grouped.ts';
import { lookupKey } from '../lookup.ts';
import { queryEach } from './by-keys.ts';
import { bodiesAt, keysByHome, readAtHomes } from './records-at-home.ts';

/** `findBehind`, shard by shard. */
export async function behindOn(
  database: Database,
  calendarId: string,
  eventId: string,
  limit: number,
): Promise<readonly Row[]> {
  const entries = await database.query({
    name: 'entries behind',
    text: 'SELECT event_id, home_id, key, series_key FROM places WHERE calendar_id = $1 AND event_id COLLATE "C" > $2 ORDER BY event_id COLLATE "C" LIMIT $3',
    values: [lookupKey(calendarId), eventId, limit],
  });
  const read = await readAtHomes(
    database,
    [...keysByHome(entries)].map(([home, keys]) => [home, keys, bodiesAt]),
  );
  return entries.flatMap(({ event_id: id, home_id: home, key, series_key: series }) => {
    const record = read.of(home as string, key as string);
    return record
      ? [
          {
            event_id: id,
            body: record.body,
            series: (series === null ? undefined : read.of(home as string, series as string)?.body) ?? null,
          },
        ]
      : [];
  });
}

/** `findExceptions`, home by home: rows of the series at each place of the list, from one on. */
export async function seriesOfHomes(
  database: Database,
  series: readonly EventRecord[],
): Promise<readonly Row[]> {
  const homes = grouped(
    series.map((record, index) => ({ record, place: index + 1 })),
    ({ record }) => record.homeId,
  );
  return (
    await queryEach(
      database,
      [...homes].map(([home, own]) => ({
        name: 'exceptions at home',
        text: `SELECT asked.place, CASE WHEN s.version <> asked.version THEN s.body END AS series, x.body
      FROM unnest($2::text[], $3::int[], $4::int[]) AS asked (key, version, place)
      JOIN events s ON s.home_id = $1 AND s.key = asked.key
      LEFT JOIN events x ON x.home_id = $1 AND x.series_key = s.key`,
        values: [
          home,
          own.map(({ record }) => record.key),
          own.map(({ record }) => record.version),
          own.map(({ place }) => place),
        ],
      })),
    )
  ).flat();
}
