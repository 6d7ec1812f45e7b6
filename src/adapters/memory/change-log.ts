export interface Logged {
  /** The number of the last change. */
  change: number;
}

interface Line<T> {
  readonly change: number;
  readonly entry: T;
  /** The latest time at which an entry up to here was changed: it grows with the log. */
  readonly latest: number;
}

/** The order in which entries changed. A mark stands for how far it was read. */
export interface ChangeLog<T> {
  /** Notes a change of one of so many entries. */
  note(entry: T, entries: number): void;
  /** The mark of now. */
  mark(): string;
  /** The number of the change that a mark stands for; undefined for a mark of another process. */
  at(mark: string): number | undefined;
  /** Those that changed behind a change, and at a time (epoch milliseconds) or later; of the latter it may be more. */
  since(change: number, time?: number): T[];
}

/** `epoch` sets apart the marks of this process from those of one before it; `latestOf`: when an entry last changed. */
export function createChangeLog<T extends Logged>(epoch: string, latestOf: (entry: T) => number): ChangeLog<T> {
  let lines: Line<T>[] = [];
  let last = 0;
  const add = (entry: T): void => {
    lines.push({ change: entry.change, entry, latest: Math.max(lines.at(-1)?.latest ?? -Infinity, latestOf(entry)) });
  };

  return {
    note(entry, entries) {
      entry.change = last += 1;
      add(entry);
      // Only an entry's last change counts; the rest is dropped before it outgrows the entries.
      if (lines.length <= 2 * entries + 16) return;
      const kept = lines.filter(({ change, entry: { change: latest } }) => change === latest);
      lines = [];
      for (const line of kept) add(line.entry);
    },

    mark: () => `${epoch}.${last}`,

    at(mark) {
      const [of, text = ''] = mark.split('.');
      const change = Number(text);
      return of === epoch && /^\d+$/.test(text) && change <= last ? change : undefined;
    },

    since(change, time = -Infinity) {
      const first = firstIndex(lines, (line) => line.change > change && line.latest >= time);
      return lines.slice(first).filter((line) => line.entry.change === line.change).map(({ entry }) => entry);
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
