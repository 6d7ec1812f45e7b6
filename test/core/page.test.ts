import { chunkedConnection } from '../../src/core/page.ts';

const createPage = (count: number) => ({
  edges: Array.from({ length: count }, (_, n) => ({ cursor: `c${n}`, node: n })),
  hasNextPage: false,
  hasPreviousPage: false,
});

const awaitAll = <T>(entries: readonly (T | Promise<T>)[]): Promise<T[]> =>
  Promise.all(entries.map(async (entry) => entry));

describe('a chunked page', () => {
  test('has all its entries, in their order', async () => {
    const { nodes, edges, pageInfo } = chunkedConnection(createPage(130));
    expect(await awaitAll(nodes)).toEqual(Array.from({ length: 130 }, (_, n) => n));
    expect(await awaitAll(edges)).toEqual(createPage(130).edges);
    expect(pageInfo).toMatchObject({ startCursor: 'c0', endCursor: 'c129' });
  });

  test('yields between chunks when it is long', async () => {
    const resolutionOrder: unknown[] = [];
    const entries = chunkedConnection(createPage(100)).nodes.map(async (entry) =>
      resolutionOrder.push(await entry),
    );
    setImmediate(() => resolutionOrder.push('another'));
    await Promise.all(entries);
    expect(resolutionOrder).toHaveLength(101);
    expect(resolutionOrder.indexOf('another')).toBeLessThan(100);
  });
});
