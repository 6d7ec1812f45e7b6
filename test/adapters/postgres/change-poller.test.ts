import type { Row, Statement } from '../../../src/adapters/postgres/database.ts';
import { unavailableError } from '../../../src/adapters/postgres/failures.ts';
import {
  createChangePoller,
  readMaxLatenessMs,
  publishedTopicsQuery,
} from '../../../src/adapters/postgres/listen.ts';
import type { ShardedDatabase } from '../../../src/adapters/postgres/query-shards.ts';

const minuteAt = (minute: number): Date => new Date(Date.UTC(2027, 0, 1, 0, minute));
const latenessMs = 60_000;

/**
 * Creates a fake Citus coordinator: each node has one shard with one row, and may be away. `sinceTimes`: the times from which
 * changes were queried.
 */
function createFakeCluster(nodes: readonly string[]) {
  const awayNodes = new Set<string>();
  const sinceTimes: string[] = [];
  const rowOf = (node: string): string => JSON.stringify({ topic: `topic on ${node}` });
  const responsesByTitle: Record<string, (statement: Statement) => readonly Row[]> = {
    'is cluster': () => [{ found: true }],
    'time of recovery': () => [{ ms: 60_000 }],
    'published topics': ({ text }) => {
      sinceTimes.push(/FROM '([^']+)'/.exec(text)?.[1] ?? '');
      if (awayNodes.size > 0) throw unavailableError('A node is away.');
      return nodes.map((node) => ({ row: rowOf(node) }));
    },
    'shards by node': () =>
      nodes.map((node, index) => ({
        nodename: node,
        nodeport: index,
        shards: JSON.stringify([{ published: `published_${index}` }]),
      })),
    'ask a node': ({ values }) => {
      const [node, port, command] = values as readonly unknown[];
      sinceTimes.push(/FROM '([^']+)'/.exec(command as string)?.[1] ?? '');
      expect(command).toContain(`FROM "published_${port as number}" p`.replaceAll('"', ''));
      return awayNodes.has(node as string)
        ? [{ success: false, result: 'could not connect' }]
        : [{ success: true, result: JSON.stringify([rowOf(node as string)]) }];
    },
  };
  const cluster: ShardedDatabase = {
    query: async (statement) =>
      (responsesByTitle[statement.title ?? ''] as (of: Statement) => readonly Row[])(statement),
  };
  return { cluster, awayNodes, sinceTimes };
}

describe('createChangePoller: changes missed on a cluster', () => {
  test('are read from available nodes, and from a returned node since before it was away', async () => {
    const { cluster, awayNodes, sinceTimes } = createFakeCluster(['a', 'b']);
    const poller = createChangePoller(publishedTopicsQuery, latenessMs);
    const findMissed = async (from: number, to: number): Promise<unknown> => {
      sinceTimes.length = 0;
      const rows = await poller.find(cluster, minuteAt(from), minuteAt(to));
      return {
        topics: rows.map(({ topic }) => topic),
        since: [...new Set(sinceTimes)],
        isIncomplete: poller.isIncomplete(),
      };
    };
    const [topicsOfBoth, topicsOfA] = [['topic on a', 'topic on b'], ['topic on a']];
    const sinceMinuteBefore = (count: number): string[] => [minuteAt(count - 1).toISOString()];
    expect(await findMissed(10, 11)).toEqual({
      topics: topicsOfBoth,
      since: sinceMinuteBefore(10),
      isIncomplete: false,
    });
    awayNodes.add('b');
    expect(await findMissed(11, 12)).toEqual({
      topics: topicsOfA,
      since: sinceMinuteBefore(11),
      isIncomplete: true,
    });
    expect(await findMissed(12, 13)).toEqual({
      topics: topicsOfA,
      since: sinceMinuteBefore(12),
      isIncomplete: true,
    });
    awayNodes.clear();
    expect(await findMissed(13, 14)).toMatchObject({ topics: topicsOfBoth, isIncomplete: true });
    expect(await findMissed(14, 15)).toMatchObject({
      topics: topicsOfBoth,
      since: sinceMinuteBefore(11),
      isIncomplete: true,
    });
    expect(await findMissed(15, 16)).toMatchObject({ topics: topicsOfBoth, isIncomplete: false });
  });

  test('are found by no query while no node responds, and stay marked as incomplete', async () => {
    const { cluster, awayNodes } = createFakeCluster(['a', 'b']);
    const poller = createChangePoller(publishedTopicsQuery, latenessMs);
    awayNodes.add('a').add('b');
    expect(await poller.find(cluster, minuteAt(1), minuteAt(2))).toEqual([]);
    expect(poller.isIncomplete()).toBe(true);
  });

  test('cause an error if a query fails for another reason', async () => {
    const failingDatabase: ShardedDatabase = { query: () => Promise.reject(new Error('wrong')) };
    await expect(
      createChangePoller(publishedTopicsQuery, latenessMs).find(failingDatabase, minuteAt(1), minuteAt(2)),
    ).rejects.toThrow('wrong');
  });

  test('may appear as late as in-doubt transactions are recovered', async () => {
    const { cluster } = createFakeCluster([]);
    expect(await readMaxLatenessMs(cluster)).toBeGreaterThan(60_000);
    expect(await readMaxLatenessMs({ query: () => Promise.resolve([{ ms: null }]) })).toBeLessThan(60_000);
  });
});
