import { connectionOf, type Page } from '../kernel/page.ts';
import { eventLoop } from './event-loop.ts';

const chunkEntries = 25;

/**
 * A page in the form of Relay's connections. Entries of a long page become ready in chunks of 25, so that completing them
 * yields to other requests.
 */
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
