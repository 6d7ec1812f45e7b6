import { formatRevision, parseRevision } from '../../event/event.store.ts';

/** An entry with the numbers of its last changes. */
export interface LoggedEntry {
  /** Number of the last change that everybody sees; 0 for none. */
  sharedChange: number;
  /** Numbers of the last changes that only one user sees, by identity. */
  changesFor?: Map<string, number>;
}

/** A change of an entry. A later change of the same kind supersedes the line (`isLatest`). */
interface LogLine<T> {
  readonly change: number;
  readonly entry: T;
  /** The only user who sees the change; absent for one that everybody sees. */
  readonly identity: string | undefined;
  /** Maximum of the change times up to this line (epoch ms): never decreases, so it can be bisected. */
  readonly latestTimeMs: number;
}

/** Superseded lines that a log may have in any case, so that small logs are seldom trimmed. */
const minSurplusLines = 16;

/**
 * Logs the order in which entries changed. Revisions are positions in this log. `revisionPrefix` differs for
 * each process. `changeTimeMsOf`: time of an entry's last change (epoch ms).
 */
export function createChangeLog<T extends LoggedEntry>(
  revisionPrefix: string,
  changeTimeMsOf: (entry: T) => number,
) {
  let lines: LogLine<T>[] = [];
  let lastChange = 0;
  let lineCountAfterTrim = 0;
  const addLine = (change: number, entry: T, identity: string | undefined): void => {
    lines.push({
      change,
      entry,
      identity,
      latestTimeMs: Math.max(lines.at(-1)?.latestTimeMs ?? -Infinity, changeTimeMsOf(entry)),
    });
  };
  const isLatest = ({ change, entry, identity }: LogLine<T>): boolean =>
    change === (identity === undefined ? entry.sharedChange : entry.changesFor?.get(identity));

  return {
    /** Logs a change; with `identity`, one that only this user sees. `entryCount`: entries of the calendar. */
    logChange(entry: T, entryCount: number, identity?: string): void {
      lastChange += 1;
      if (identity === undefined) entry.sharedChange = lastChange;
      else (entry.changesFor ??= new Map<string, number>()).set(identity, lastChange);
      addLine(lastChange, entry, identity);
      // Drops superseded lines once the lines added since the last trim are twice as many as the entries.
      if (lines.length <= 2 * entryCount + minSurplusLines + lineCountAfterTrim) return;
      const currentLines = lines.filter(isLatest);
      lines = [];
      for (const line of currentLines) addLine(line.change, line.entry, line.identity);
      lineCountAfterTrim = lines.length;
    },

    currentRevision: () => formatRevision(revisionPrefix, lastChange),

    /** Change number of a revision; undefined for a revision of another process. */
    changeNumberOf: (revision: string) => parseRevision(revision, revisionPrefix, lastChange),

    /**
     * Lists entries with a change after `afterChange` that the user saw. Some may have changed before
     * `minTimeMs` (epoch ms).
     */
    listSince(afterChange: number, identity: string, minTimeMs = -Infinity): T[] {
      const firstLine = findFirstIndex(
        lines,
        (line) => line.change > afterChange && line.latestTimeMs >= minTimeMs,
      );
      const visibleLines = lines
        .slice(firstLine)
        .filter((line) => (line.identity === undefined || line.identity === identity) && isLatest(line));
      return [...new Set(visibleLines.map(({ entry }) => entry))];
    },
  };
}

/** Bisects for the index of the first entry that meets a monotonic condition; the length of the list if there is none. */
export function findFirstIndex<T>(list: readonly T[], isMet: (entry: T) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isMet(list[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}
