export interface Logged {
  /** The number of the last change that everybody sees. */
  change: number;
  /** Of the last one that this user alone sees, by identity. */
  changesFor?: Map<string, number>;
}

interface Line<T> {
  readonly change: number;
  readonly entry: T;
  /** Who alone sees the change; absent for one that everybody sees. */
  readonly identity: string | undefined;
  /** The latest time at which an entry up to here was changed: it grows with the log. */
  readonly latest: number;
}

/** Fixed, so that a revision's length does not reveal how many changes there were. */
const digits = 15;

/**
 * The order in which entries changed. A revision stands for how far it has come; `epoch` sets apart the revisions of this
 * process from those of one before it. `latestOf`: when an entry last changed.
 */
export function createChangeLog<T extends Logged>(epoch: string, latestOf: (entry: T) => number) {
  let lines: Line<T>[] = [];
  let last = 0;
  /** How many lines were left by the last clean-up. */
  let remaining = 0;
  const add = (change: number, entry: T, identity: string | undefined): void => {
    lines.push({
      change,
      entry,
      identity,
      latest: Math.max(lines.at(-1)?.latest ?? -Infinity, latestOf(entry)),
    });
  };
  /** Only the last change of an entry counts, for everybody and for each user. */
  const isLast = ({ change, entry, identity }: Line<T>): boolean =>
    change === (identity === undefined ? entry.change : entry.changesFor?.get(identity));

  return {
    /** Notes a change of one of so many entries; with an identity, one that this user alone sees. */
    note(entry: T, entries: number, identity?: string): void {
      last += 1;
      if (identity === undefined) entry.change = last;
      else (entry.changesFor ??= new Map<string, number>()).set(identity, last);
      add(last, entry, identity);
      // What counts no more is dropped before it outgrows the entries.
      if (lines.length <= 2 * entries + 16 + remaining) return;
      const live = lines.filter(isLast);
      lines = [];
      for (const line of live) add(line.change, line.entry, line.identity);
      remaining = lines.length;
    },

    /** The revision of now. */
    revision: () => `${epoch}.${String(last).padStart(digits, '0')}`,

    /** The number of the change that a revision stands for; undefined for a revision of another process. */
    at(revision: string): number | undefined {
      const [of, text = ''] = revision.split('.');
      const change = Number(text);
      return of === epoch && /^\d+$/.test(text) && change <= last ? change : undefined;
    },

    /** Entries that changed for a user behind a change, and at a time (epoch milliseconds) or later; some may have changed earlier. */
    since(change: number, identity: string, time = -Infinity): T[] {
      const first = firstIndex(lines, (line) => line.change > change && line.latest >= time);
      const seen = lines
        .slice(first)
        .filter((line) => (line.identity === undefined || line.identity === identity) && isLast(line));
      return [...new Set(seen.map(({ entry }) => entry))];
    },
  };
}

/** The index of the first entry that a rising condition holds for, by bisection; the length when there is none. */
export function firstIndex<T>(list: readonly T[], holds: (entry: T) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(list[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}
