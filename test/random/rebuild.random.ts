import pg from 'pg';
import { rebuild } from '../../src/adapters/postgres/rebuild.ts';
import { silentLog } from '../log-lines.ts';
import { describeWithPostgres, usePostgres } from '../postgres-server.ts';
import { OperationSequence } from './operation-sequence.ts';
import { chooseLength, seeds } from './seed.ts';
import { openPostgresWorld } from './worlds.ts';

const stepCount = chooseLength(80, 250);
const bytesQuery =
  'SELECT bucket, sum(bytes) AS bytes FROM outbox_bytes GROUP BY bucket HAVING sum(bytes) <> 0';
/** Queries of derived rows, which a rebuild restores. `numbers` leaves out rows that are deleted below. */
const derivedQueries = {
  calendars: 'SELECT id, time_zone, body FROM calendars ORDER BY id',
  access: 'SELECT * FROM access ORDER BY calendar_id, identity',
  managers: 'SELECT * FROM managers ORDER BY bucket, identity',
  primaries: 'SELECT * FROM primaries ORDER BY owner_key',
  events: 'SELECT * FROM events ORDER BY home_id, key',
  places: `SELECT calendar_id, event_id, home_id, key, series_key, from_ms, to_ms, start_ms, long, ical_uid, cancelled, recurs, along, updated_ms,
    open_updated_ms, latest_ms, viewers, hidden_from FROM places ORDER BY calendar_id, event_id`,
  numbers: `SELECT calendar_id, event_id, position, change, shared_change, open_change, series_change, viewer_changes FROM places
    WHERE abs(hashtext(event_id) % 4) < 3 ORDER BY calendar_id, event_id`,
  notifications: 'SELECT * FROM notifications ORDER BY bucket, id',
  topics: 'SELECT * FROM topics ORDER BY topic, bucket',
  bytes: `${bytesQuery} ORDER BY bucket`,
};
/** Statements that corrupt derived rows. A hash of the event id divides the `places` among three of them. */
const corruptions = [
  `UPDATE calendars SET time_zone = 'Asia/Tokyo'`,
  'DELETE FROM access WHERE identity < calendar_id',
  'TRUNCATE primaries, managers, topics, outbox_bytes',
  'UPDATE events SET version = version + 1',
  `UPDATE notifications SET topic = 'another'`,
  `UPDATE places SET from_ms = from_ms + 1, ical_uid = 'another', viewers = '{"another": 1}' WHERE abs(hashtext(event_id) % 4) = 1`,
  `UPDATE places SET hidden_from = '["another"]', open_updated_ms = 0, cancelled = NOT cancelled WHERE abs(hashtext(event_id) % 4) = 2`,
  // Rows of exceptions may be outdated, so those are not deleted: a rebuild would not restore them.
  'DELETE FROM places WHERE abs(hashtext(event_id) % 4) = 3 AND series_key IS NULL',
];

describeWithPostgres('the derived rows in PostgreSQL, after random operations', () => {
  const { createMigratedUrl } = usePostgres();

  test.each(seeds)('are restored by a rebuild (seed %i)', async (seed) => {
    const url = await createMigratedUrl();
    const world = await openPostgresWorld(url, 2);
    const client = new pg.Client(url);
    await client.connect();
    const readDerivedRows = async (): Promise<object> => {
      const rows: Record<string, unknown> = {};
      for (const [name, statement] of Object.entries(derivedQueries))
        rows[name] = (await client.query(statement)).rows;
      return rows;
    };
    try {
      const operations = new OperationSequence(seed);
      for (let step = 1; step <= stepCount; step += 1) await world.send(operations.next());
      await world.waitUntilSettled();
      await expect(rebuild(url, silentLog)).rejects.toThrow(
        'A gateway is running on this database. Stop all of them first.',
      );
      await world.close();
      const rowsBefore = await readDerivedRows();
      expect(await rebuild(url, silentLog)).toMatchObject({ repaired: 0 });
      expect(await readDerivedRows()).toEqual(rowsBefore);
      for (const statement of corruptions) await client.query(statement);
      expect((await rebuild(url, silentLog)).repaired).toBeGreaterThan(0);
      expect(await readDerivedRows()).toEqual(rowsBefore);
    } finally {
      await client.end();
    }
  });
});
