import { connectionOf } from '../../../src/core/kernel/page.ts';

test('a page becomes a connection: nodes, edges, and the cursors at both ends', () => {
  const edges = ['a', 'b', 'c'].map((node) => ({ node, cursor: `cursor of ${node}` }));
  expect(connectionOf({ edges, hasNextPage: true, hasPreviousPage: false })).toEqual({
    edges,
    nodes: ['a', 'b', 'c'],
    pageInfo: {
      hasNextPage: true,
      hasPreviousPage: false,
      startCursor: 'cursor of a',
      endCursor: 'cursor of c',
    },
  });
});

test('an empty page has no cursors', () => {
  expect(connectionOf({ edges: [], hasNextPage: false, hasPreviousPage: true })).toEqual({
    edges: [],
    nodes: [],
    pageInfo: { hasNextPage: false, hasPreviousPage: true, startCursor: null, endCursor: null },
  });
});
