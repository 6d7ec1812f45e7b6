import { eventLoop } from './event-loop.ts';

/** Runs one piece of work after the other, and lets others run between them. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

/** `goOn` throws when no more work is to begin. */
export function createTurns(goOn: () => void = () => undefined): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(() => {
      goOn();
      return work();
    });
    last = result.then(eventLoop.giveWay, eventLoop.giveWay);
    return result;
  };
}
