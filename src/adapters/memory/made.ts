import type { Maker } from '../../core/kernel/daily-limit.ts';

/** What callers have made today, for the stores of one process. */
export interface MadeCounts {
  of(kind: 'bucket' | 'calendar', maker: Maker | undefined): number;
  add(kind: 'bucket' | 'calendar', maker: Maker | undefined): void;
}

/** Counts of one day: those of the day before are forgotten with the first of the next. */
export function createMadeCounts(): MadeCounts {
  let today = '';
  let counts = new Map<string, number>();
  const of: MadeCounts['of'] = (kind, maker) =>
    maker && maker.day === today ? (counts.get(`${kind} ${maker.identity}`) ?? 0) : 0;
  return {
    of,
    add(kind, maker) {
      if (!maker) return;
      if (maker.day !== today) {
        today = maker.day;
        counts = new Map();
      }
      counts.set(`${kind} ${maker.identity}`, of(kind, maker) + 1);
    },
  };
}
