import type { Issue } from './errors.ts';
import { eventLoop } from './runtime/event-loop.ts';

/** A page of a list. The page after a cursor begins with the entry behind it. */
export interface Page<N> {
  readonly edges: readonly { readonly cursor: string; readonly node: N }[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

export const sizeIssues = (first: number | null | undefined, max: number): Issue[] =>
  typeof first === 'number' && (first < 1 || first > max)
    ? [
        {
          path: ['first'],
          reason: 'invalid',
          message: `first must be from 1 to ${max}.`,
          params: { min: 1, max, actual: first },
        },
      ]
    : [];

/** Builds a Relay connection. Cursors are getters, so they are only computed if selected. */
function connectionOf<N>({ edges, hasNextPage, hasPreviousPage }: Page<N>) {
  return {
    edges: [...edges],
    nodes: edges.map(({ node }) => node),
    pageInfo: {
      hasNextPage,
      hasPreviousPage,
      get startCursor(): string | null {
        return edges.at(0)?.cursor ?? null;
      },
      get endCursor(): string | null {
        return edges.at(-1)?.cursor ?? null;
      },
    },
  };
}

const entriesPerChunk = 25;

/** Builds a Relay connection whose entries resolve in chunks, so that other requests run between them. */
export function chunkedConnection<N>(page: Page<N>) {
  const { edges, nodes, pageInfo } = connectionOf(page);
  return {
    get edges() {
      return chunked(edges);
    },
    get nodes() {
      return chunked(nodes);
    },
    pageInfo,
  };
}

function chunked<T>(entries: readonly T[]): (T | Promise<T>)[] {
  let previous: Promise<unknown> = Promise.resolve();
  let current: Promise<unknown> | undefined;
  return entries.map((entry, index) => {
    if (index < entriesPerChunk) return entry;
    if (index % entriesPerChunk === 0) previous = current = previous.then(eventLoop.yield);
    return current?.then(() => entry) ?? entry;
  });
}
