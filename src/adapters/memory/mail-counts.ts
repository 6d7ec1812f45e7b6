import { LRUCache } from 'lru-cache';
import { countsAt, leftOfDay, type HourCounts } from '../../core/kernel/hour-counts.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { mostMailsADay } from '../../event/event.store.ts';

/** How many mails callers cause. */
export interface MailCounts {
  /** How many more this one may cause now. */
  left(caller: string): number;
  add(caller: string | undefined, mails: number): void;
}

/** The callers who caused mails last. */
const mostCallers = 10_000;

export function createMailCounts(clock: Clock): MailCounts {
  const callers = new LRUCache<string, HourCounts>({ max: mostCallers });
  const countsOf = (caller: string): HourCounts => countsAt(callers.peek(caller), clock());
  return {
    left: (caller) => leftOfDay(mostMailsADay, countsOf(caller)),
    add(caller, mails) {
      if (caller === undefined) return;
      const counts = countsOf(caller);
      callers.set(caller, { ...counts, count: counts.count + mails });
    },
  };
}
