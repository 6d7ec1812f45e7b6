import type { Issue } from './errors.ts';
import { eventLoop } from './runtime/event-loop.ts';

/** A page of a list. The page after a cursor begins with the entry that follows the cursor's. */
export interface Page<Node> {
  readonly edges: readonly { readonly cursor: string; readonly node: Node }[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

/** Lists the issue of a page size out of range. `first`: the argument with the size. */
export function pageSizeIssues(first: number | null | undefined, max: number): Issue[] {
  if (typeof first !== 'number' || (first >= 1 && first <= max)) return [];
  const params = { min: 1, max, actual: first };
  return [{ path: ['first'], reason: 'invalid', message: `first must be from 1 to ${max}.`, params }];
}

/** Entries that resolve in one turn of the event loop. */
const entriesPerChunk = 25;

/**
 * Builds a Relay connection whose entries resolve in chunks, so that other requests run between them. Cursors are getters, so they
 * are only computed if selected.
 */
export function chunkedConnection<Node>({ edges, hasNextPage, hasPreviousPage }: Page<Node>) {
  return {
    get edges() {
      return resolveInChunks(edges);
    },
    get nodes() {
      return resolveInChunks(edges.map(({ node }) => node));
    },
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

/** Delays entries after the first chunk by one turn of the event loop for each chunk. */
function resolveInChunks<Entry>(entries: readonly Entry[]): (Entry | Promise<Entry>)[] {
  let turn: Promise<unknown> = Promise.resolve();
  return entries.map((entry, index) => {
    if (index < entriesPerChunk) return entry;
    if (index % entriesPerChunk === 0) turn = turn.then(eventLoop.yield);
    return turn.then(() => entry);
  });
}
