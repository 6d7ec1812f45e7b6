import type { Issue } from './errors.ts';
import { eventLoop } from './runtime/event-loop.ts';

/** A page of a list. The page after an entry's cursor begins with the next entry. */
export interface Page<N> {
  readonly edges: readonly { readonly cursor: string; readonly node: N }[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

/** Refuses a page of none, or of more entries than one may have. */
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

/** A page in the form of Relay's connections. A cursor is read, and so made, where it is asked for. */
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

const chunkEntries = 25;

/** A page as a connection. Entries of a long page become ready in chunks of 25, so that completing them yields to other requests. */
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
    if (index < chunkEntries) return entry;
    if (index % chunkEntries === 0) previous = current = previous.then(eventLoop.yield);
    return current?.then(() => entry) ?? entry;
  });
}
