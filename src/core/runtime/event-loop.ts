/** How long work may go on in one turn of the event loop before what would begin is put off to a later one. */
const sliceMs = 10;
/** So many are planned to go on in one turn, as far as its time allows. */
const planned = 100;

/** The turns of the event loop, shared by all requests: whoever comes first goes on first. */
export interface EventLoop {
  /** To be awaited before work begins: undefined while there is time in this turn, else when it is the caller's turn. */
  readonly enter: () => Promise<void> | undefined;
  /** To be awaited in the middle of long work: lets others run before it goes on. */
  readonly giveWay: () => Promise<void>;
}

/**
 * Divides the event loop's time. Without it a hundred requests that arrive together are worked on one after the other in
 * a single turn, and so do the continuations of all that gave way in the same turn.
 */
export function createEventLoop(now: () => number = () => performance.now()): EventLoop {
  const waiting: (() => void)[] = [];
  let begun: number | undefined;

  /** Whether this turn has had its time. The first look at it begins the count. */
  const isOver = (): boolean => {
    if (begun !== undefined) return now() - begun > sliceMs;
    begun = now();
    setImmediate(endTurn);
    return false;
  };

  const endTurn = (): void => {
    begun = undefined;
    // Each by itself: what it does when it goes on is done before the next one looks at the time.
    for (let count = Math.min(waiting.length, planned); count > 0; count -= 1) setImmediate(goOn);
  };

  const goOn = (): void => {
    if (waiting.length > 0 && !isOver()) waiting.shift()?.();
  };

  const wait = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));

  return {
    enter: () => (isOver() || waiting.length > 0 ? wait() : undefined),
    giveWay: () => {
      isOver(); // what waits goes on after the turn has ended, which is noticed from its first look on
      return wait();
    },
  };
}

/** Of this process, which has one event loop. */
export const eventLoop: EventLoop = createEventLoop();
