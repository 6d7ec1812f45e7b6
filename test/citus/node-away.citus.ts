import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { openDatabase, type DatabasePool } from '../../src/adapters/postgres/database.ts';
import { changeChannel, startListener } from '../../src/adapters/postgres/listen.ts';
import { migrate } from '../../src/adapters/postgres/migrations/migrations.ts';
import { queryShards } from '../../src/adapters/postgres/query-shards.ts';
import { eventually } from '../eventually.ts';
import { silentLog } from '../log-lines.ts';
import { createDatabase, type TestDatabase } from '../postgres-server.ts';

const ids = Array.from({ length: 40 }, (_, index) => `calendar${index}`);
const changeCalendarSql = 'UPDATE calendars SET changes = changes + 1, changed_at = now() WHERE id = $1';

describe('while a node of a cluster is away', () => {
  let server: TestDatabase;
  let database: DatabasePool;
  let directClient: pg.Client;
  /** Ids of the calendars on the node that is lost, and of all other calendars. */
  let lostIds: readonly string[];
  let otherIds: readonly string[];
  let lostPort: number;

  beforeAll(async () => {
    if (!process.env.CITUS_URL)
      throw new Error(
        'CITUS_URL is not set: the URL of a database on the coordinator of a Citus cluster, whose nodes this database knows (docs/scaling.md).',
      );
    server = await createDatabase();
    database = openDatabase(server.url, silentLog);
    await migrate(database);
    directClient = new pg.Client(server.url);
    await directClient.connect();
    for (const id of ids)
      await directClient.query(
        "INSERT INTO calendars (id, body, time_zone, added, changed_at) VALUES ($1, '{}', 'UTC', 1, 'epoch')",
        [id],
      );
    const portsByCalendar: [id: string, port: number][] = [];
    for (const id of ids) {
      const {
        rows: [node],
      } = await directClient.query<{ nodeport: number }>(
        "SELECT n.nodeport FROM pg_dist_placement p JOIN pg_dist_node n USING (groupid) WHERE p.shardid = get_shard_id_for_distribution_column('calendars', $1::text)",
        [id],
      );
      portsByCalendar.push([id, node?.nodeport ?? 0]);
    }
    lostPort = Math.max(...portsByCalendar.map(([, nodePort]) => nodePort));
    lostIds = portsByCalendar.filter(([, nodePort]) => nodePort === lostPort).map(([id]) => id);
    otherIds = portsByCalendar.filter(([, nodePort]) => nodePort !== lostPort).map(([id]) => id);
  }, 120_000);
  afterAll(async () => {
    await directClient?.end();
    await database?.close();
    await server?.remove();
  }, 120_000);

  /** Sets a closed port for the node, so that the coordinator finds it dead. */
  const loseNode = (): Promise<unknown> =>
    directClient.query('UPDATE pg_dist_node SET nodeport = 1 WHERE nodeport = $1', [lostPort]);
  const restoreNode = (): Promise<unknown> =>
    directClient.query('UPDATE pg_dist_node SET nodeport = $1 WHERE nodeport = 1', [lostPort]);
  const queryCalendars = async (): Promise<{ readonly ids: unknown[]; readonly isComplete: boolean }> => {
    const { rows, isComplete } = await queryShards(database, ['calendars'], (table) => ({
      text: `SELECT id, changes FROM ${table('calendars')} c WHERE time_zone = 'UTC'`,
    }));
    return { ids: rows.map(({ id }) => id).sort(), isComplete };
  };
  const sortedIds = [...ids].sort();

  test('a query of all shards returns rows of available nodes and is marked as incomplete', async () => {
    expect([lostIds.length > 0, otherIds.length > 0]).toEqual([true, true]);
    expect(await queryCalendars()).toEqual({ ids: sortedIds, isComplete: true });
    await loseNode();
    try {
      for (let times = 0; times < 2; times += 1)
        expect(await queryCalendars()).toEqual({ ids: [...otherIds].sort(), isComplete: false });
    } finally {
      await restoreNode();
    }
    for (let times = 0; times < 2; times += 1)
      expect(await queryCalendars()).toEqual({ ids: sortedIds, isComplete: true });
  }, 60_000);

  test('a request for a calendar of that node is UNAVAILABLE, and the connection serves others', async () => {
    const [lostCalendar = '', otherCalendar = ''] = [lostIds[0], otherIds[0]];
    await loseNode();
    try {
      await expect(database.query({ text: changeCalendarSql, values: [lostCalendar] })).rejects.toMatchObject(
        {
          code: 'UNAVAILABLE',
        },
      );
      const { totalCount } = database.pool;
      for (let times = 0; times < 5; times += 1) {
        await expect(
          database.query({ text: changeCalendarSql, values: [lostCalendar] }),
        ).rejects.toMatchObject({
          code: 'UNAVAILABLE',
        });
        await database.query({ text: changeCalendarSql, values: [otherCalendar] });
      }
      expect(database.pool.totalCount).toBe(totalCount);
    } finally {
      await restoreNode();
    }
    await database.query({ text: changeCalendarSql, values: [lostCalendar] });
  }, 60_000);

  test('a listener reports changes on other nodes, and those on that node when it is back', async () => {
    const errors: unknown[] = [];
    const reportedIds = new Set<string>();
    const listener = await startListener(
      server.url,
      { ...silentLog, error: (details) => void errors.push(details) },
      database,
    );
    const stopWatching = listener.watch(changeChannel, (id) => void reportedIds.add(id));
    const [idOnLostNode = '', idOnOtherNode = ''] = [lostIds[1], otherIds[1]];
    try {
      await loseNode();
      // Longer than the interval that a poll covers.
      await pause(22_000);
      await directClient.query(changeCalendarSql, [idOnOtherNode]);
      await eventually(async () => expect([...reportedIds]).toContain(idOnOtherNode));
      expect([...reportedIds]).not.toContain(idOnLostNode);
    } finally {
      await restoreNode();
    }
    // The change is dated to when the node was lost.
    await directClient.query(
      "UPDATE calendars SET changes = changes + 1, changed_at = now() - interval '20 seconds' WHERE id = $1",
      [idOnLostNode],
    );
    await eventually(async () => expect([...reportedIds]).toContain(idOnLostNode));
    stopWatching();
    await listener.close();
    expect(errors).toEqual([]);
  }, 90_000);
});
