import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { openDatabase, type DatabasePool } from '../../src/adapters/postgres/database.ts';
import { changeChannel, startListener } from '../../src/adapters/postgres/listen.ts';
import { migrate } from '../../src/adapters/postgres/migrations/migrations.ts';
import { lookEverywhere } from '../../src/adapters/postgres/everywhere.ts';
import { eventually } from '../eventually.ts';
import { silentLog } from '../log-lines.ts';
import { createDatabase, type TestDatabase } from '../postgres-server.ts';

const ids = Array.from({ length: 40 }, (_, index) => `calendar${index}`);
const change = 'UPDATE calendars SET changes = changes + 1, changed_at = now() WHERE id = $1';

describe('while a node of a cluster is away', () => {
  let server: TestDatabase;
  let database: DatabasePool;
  let direct: pg.Client;
  /** The calendars that stand on the node that goes, and the others. */
  let onLost: readonly string[];
  let onOthers: readonly string[];
  let port: number;

  beforeAll(async () => {
    if (!process.env.CITUS_URL)
      throw new Error(
        'CITUS_URL is not set: the URL of a database on the coordinator of a Citus cluster, whose nodes this database knows (docs/scaling.md).',
      );
    server = await createDatabase();
    database = openDatabase(server.url, silentLog);
    await migrate(database);
    direct = new pg.Client(server.url);
    await direct.connect();
    for (const id of ids)
      await direct.query(
        "INSERT INTO calendars (id, body, time_zone, added, changed_at) VALUES ($1, '{}', 'UTC', 1, 'epoch')",
        [id],
      );
    const places: [id: string, port: number][] = [];
    for (const id of ids) {
      const {
        rows: [node],
      } = await direct.query<{ nodeport: number }>(
        "SELECT n.nodeport FROM pg_dist_placement p JOIN pg_dist_node n USING (groupid) WHERE p.shardid = get_shard_id_for_distribution_column('calendars', $1::text)",
        [id],
      );
      places.push([id, node?.nodeport ?? 0]);
    }
    port = Math.max(...places.map(([, of]) => of));
    onLost = places.filter(([, of]) => of === port).map(([id]) => id);
    onOthers = places.filter(([, of]) => of !== port).map(([id]) => id);
  }, 120_000);
  afterAll(async () => {
    await direct?.end();
    await database?.close();
    await server?.remove();
  }, 120_000);

  /** Nobody answers where the coordinator looks for the node: as when its server was killed. */
  const lose = (): Promise<unknown> =>
    direct.query('UPDATE pg_dist_node SET nodeport = 1 WHERE nodeport = $1', [port]);
  const restore = (): Promise<unknown> =>
    direct.query('UPDATE pg_dist_node SET nodeport = $1 WHERE nodeport = 1', [port]);
  const look = async (): Promise<{ readonly ids: unknown[]; readonly complete: boolean }> => {
    const { rows, complete } = await lookEverywhere(database, ['calendars'], (table) => ({
      text: `SELECT id, changes FROM ${table('calendars')} c WHERE time_zone = 'UTC'`,
    }));
    return { ids: rows.map(({ id }) => id).sort(), complete };
  };
  const all = [...ids].sort();

  test('a look finds what the others have, and tells that it is not all', async () => {
    expect([onLost.length > 0, onOthers.length > 0]).toEqual([true, true]);
    expect(await look()).toEqual({ ids: all, complete: true });
    await lose();
    try {
      for (let times = 0; times < 2; times += 1)
        expect(await look()).toEqual({ ids: [...onOthers].sort(), complete: false });
    } finally {
      await restore();
    }
    for (let times = 0; times < 2; times += 1) expect(await look()).toEqual({ ids: all, complete: true });
  }, 60_000);

  test('a request for a calendar of that node is UNAVAILABLE, on the same connection others are answered', async () => {
    const [lost = '', other = ''] = [onLost[0], onOthers[0]];
    await lose();
    try {
      await expect(database.query({ text: change, values: [lost] })).rejects.toMatchObject({
        code: 'UNAVAILABLE',
      });
      const { totalCount } = database.pool;
      for (let times = 0; times < 5; times += 1) {
        await expect(database.query({ text: change, values: [lost] })).rejects.toMatchObject({
          code: 'UNAVAILABLE',
        });
        await database.query({ text: change, values: [other] });
      }
      expect(database.pool.totalCount).toBe(totalCount);
    } finally {
      await restore();
    }
    await database.query({ text: change, values: [lost] });
  }, 60_000);

  test('a listener tells of changes on the others, and of those on that node when it is back', async () => {
    const errors: unknown[] = [];
    const told = new Set<string>();
    const listener = await startListener(
      server.url,
      { ...silentLog, error: (details) => void errors.push(details) },
      database,
    );
    const stop = listener.watch(changeChannel, (id) => void told.add(id));
    const [lost = '', other = ''] = [onLost[1], onOthers[1]];
    try {
      await lose();
      // Longer than any look goes back.
      await pause(22_000);
      await direct.query(change, [other]);
      await eventually(async () => expect([...told]).toContain(other));
      expect([...told]).not.toContain(lost);
    } finally {
      await restore();
    }
    // As if it had been written just when the node went.
    await direct.query(
      "UPDATE calendars SET changes = changes + 1, changed_at = now() - interval '20 seconds' WHERE id = $1",
      [lost],
    );
    await eventually(async () => expect([...told]).toContain(lost));
    stop();
    await listener.close();
    expect(errors).toEqual([]);
  }, 90_000);
});
