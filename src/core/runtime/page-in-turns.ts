import { connectionOf, type Page } from '../kernel/page.ts';
import { eventLoop } from './event-loop.ts';

/** So many entries are presented before others get their turn. */
const turn = 25;

/**
 * A page in the form of Relay's connections, the entries of a long one ready a few at a time: whoever completes them
 * works in turns with other requests.
 */
export function connectionInTurns<N>(page: Page<N>) {
  const { edges, nodes, pageInfo } = connectionOf(page);
  return {
    get edges() {
      return inTurns(edges);
    },
    get nodes() {
      return inTurns(nodes);
    },
    pageInfo,
  };
}

function inTurns<T>(entries: readonly T[]): (T | Promise<T>)[] {
  let before: Promise<unknown> = Promise.resolve();
  let current: Promise<unknown> | undefined;
  return entries.map((entry, index) => {
    if (index < turn) return entry;
    if (index % turn === 0) before = current = before.then(eventLoop.giveWay);
    return current?.then(() => entry) ?? entry;
  });
}
