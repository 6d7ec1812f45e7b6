import type { Row, Statement } from '../../../src/adapters/postgres/database.ts';
import { unavailable } from '../../../src/adapters/postgres/failures.ts';
import { createSearch, latenessOn, publishedTopics } from '../../../src/adapters/postgres/listen.ts';
import type { AskedEverywhere } from '../../../src/adapters/postgres/everywhere.ts';

const minute = (count: number): Date => new Date(Date.UTC(2027, 0, 1, 0, count));
/** One, so that moments are easily behind it. */
const lateness = 60_000;

/** A cluster as a coordinator tells of it: nodes with a shard and a row each, of which some are away. */
function fakeCluster(nodes: readonly string[]) {
  const away = new Set<string>();
  const since: string[] = [];
  const rowOf = (node: string): string => JSON.stringify({ topic: `topic on ${node}` });
  const answers: Record<string, (statement: Statement) => readonly Row[]> = {
    'time of recovery': () => [{ ms: 60_000 }],
    'published topics': ({ text }) => {
      since.push(/FROM '([^']+)'/.exec(text)?.[1] ?? '');
      if (away.size > 0) throw unavailable('A node is away.');
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
      since.push(/FROM '([^']+)'/.exec(command as string)?.[1] ?? '');
      expect(command).toContain(`FROM "published_${port as number}" p`.replaceAll('"', ''));
      return away.has(node as string)
        ? [{ success: false, result: 'could not connect' }]
        : [{ success: true, result: JSON.stringify([rowOf(node as string)]) }];
    },
  };
  const cluster: AskedEverywhere = {
    query: async (statement) =>
      (answers[statement.title ?? ''] as (of: Statement) => readonly Row[])(statement),
  };
  return { cluster, away, since };
}

describe('what was missed on a cluster', () => {
  test('is looked for on the nodes that are there, and on one that was away from before it went until all that was on its way is seen', async () => {
    const { cluster, away, since } = fakeCluster(['a', 'b']);
    const search = createSearch(publishedTopics, lateness);
    const look = async (from: number, to: number): Promise<unknown> => {
      since.length = 0;
      const rows = await search.find(cluster, minute(from), minute(to));
      return {
        topics: rows.map(({ topic }) => topic),
        since: [...new Set(since)],
        isBehind: search.isBehind(),
      };
    };
    const [both, one] = [['topic on a', 'topic on b'], ['topic on a']];
    const at = (count: number): string[] => [minute(count - 1).toISOString()];
    expect(await look(10, 11)).toEqual({ topics: both, since: at(10), isBehind: false });
    away.add('b');
    expect(await look(11, 12)).toEqual({ topics: one, since: at(11), isBehind: true });
    expect(await look(12, 13)).toEqual({ topics: one, since: at(12), isBehind: true });
    away.clear();
    expect(await look(13, 14)).toMatchObject({ topics: both, isBehind: true });
    expect(await look(14, 15)).toMatchObject({ topics: both, since: at(11), isBehind: true });
    expect(await look(15, 16)).toMatchObject({ topics: both, isBehind: false });
  });

  test('is not told where no node answers, and counts as missed', async () => {
    const { cluster, away } = fakeCluster(['a', 'b']);
    const search = createSearch(publishedTopics, lateness);
    away.add('a').add('b');
    expect(await search.find(cluster, minute(1), minute(2))).toEqual([]);
    expect(search.isBehind()).toBe(true);
  });

  test('that fails for another reason fails', async () => {
    const wrong: AskedEverywhere = { query: () => Promise.reject(new Error('wrong')) };
    await expect(createSearch(publishedTopics, lateness).find(wrong, minute(1), minute(2))).rejects.toThrow(
      'wrong',
    );
  });

  test('may come as late as transactions in doubt are brought to their end', async () => {
    const { cluster } = fakeCluster([]);
    expect(await latenessOn(cluster)).toBeGreaterThan(60_000);
    expect(await latenessOn({ query: () => Promise.resolve([{ ms: null }]) })).toBeLessThan(60_000);
  });
});
