import pg from 'pg';
import { rebuild } from '../../src/adapters/postgres/rebuild.ts';
import { silentLog } from '../log-lines.ts';
import { describeWithPostgres, usePostgres } from '../postgres-server.ts';
import { Operations } from './operations.ts';
import { historyLength, seeds } from './seed.ts';
import { postgresWorld } from './worlds.ts';

const steps = historyLength(80, 250);
const counted = 'SELECT bucket, sum(bytes) AS bytes FROM outbox_bytes GROUP BY bucket HAVING sum(bytes) <> 0';
const derived = {
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
  bytes: `${counted} ORDER BY bucket`,
};
const spoilt = [
  `UPDATE calendars SET time_zone = 'Asia/Tokyo'`,
  'DELETE FROM access WHERE identity < calendar_id',
  'TRUNCATE primaries, managers, topics, outbox_bytes',
  'UPDATE events SET version = version + 1',
  `UPDATE notifications SET topic = 'another'`,
  `UPDATE places SET from_ms = from_ms + 1, ical_uid = 'another', viewers = '{"another": 1}' WHERE abs(hashtext(event_id) % 4) = 1`,
  `UPDATE places SET hidden_from = '["another"]', open_updated_ms = 0, cancelled = NOT cancelled WHERE abs(hashtext(event_id) % 4) = 2`,
  // Of an exception a row may be there though it does not stand on the calendar any more.
  'DELETE FROM places WHERE abs(hashtext(event_id) % 4) = 3 AND series_key IS NULL',
];

describeWithPostgres('what PostgreSQL keeps beside the records, after random operations', () => {
  const { fresh } = usePostgres();

  test.each(seeds)('follows from the records, and is what a rebuild makes (seed %i)', async (seed) => {
    const url = await fresh();
    const world = await postgresWorld(url, 2);
    const client = new pg.Client(url);
    await client.connect();
    const all = async (): Promise<object> => {
      const found: Record<string, unknown> = {};
      for (const [name, text] of Object.entries(derived)) found[name] = (await client.query(text)).rows;
      return found;
    };
    try {
      const operations = new Operations(seed);
      for (let step = 1; step <= steps; step += 1) await world.send(operations.next());
      await world.settled();
      await expect(rebuild(url, silentLog)).rejects.toThrow(
        'A gateway is running on this database. Stop all of them first.',
      );
      await world.close();
      const before = await all();
      expect(await rebuild(url, silentLog)).toMatchObject({ mended: 0 });
      expect(await all()).toEqual(before);
      for (const text of spoilt) await client.query(text);
      expect((await rebuild(url, silentLog)).mended).toBeGreaterThan(0);
      expect(await all()).toEqual(before);
    } finally {
      await client.end();
    }
  });
});
