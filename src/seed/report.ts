import type { Issue, Warning } from '../core/kernel/errors.ts';
import { printPath } from '../core/kernel/path.ts';

export const kinds = ['calendars', 'events', 'buckets', 'subscriptions'] as const;
export type Kind = (typeof kinds)[number];
export type EntryState = 'added' | 'changed' | 'unchanged' | 'refused';
type Counts = Record<EntryState, number>;

/** What became of the entries of a file. */
export class ImportReport {
  readonly counts: Readonly<Record<Kind, Counts>> = {
    calendars: none(),
    events: none(),
    buckets: none(),
    subscriptions: none(),
  };
  readonly issues: Issue[] = [];
  /** Warnings of entries that were taken, but not as they stand in the file. */
  readonly warnings: Warning[] = [];

  note(
    kind: Kind,
    state: EntryState,
    issues: readonly Issue[] = [],
    warnings: readonly Warning[] = [],
  ): void {
    this.counts[kind][state] += 1;
    for (const issue of issues) this.issues.push(issue);
    for (const warning of warnings) this.warnings.push(warning);
  }

  /** 0: all was taken. 1: some entries were refused. 2: all were. */
  get exitCode(): 0 | 1 | 2 {
    const all = Object.values(this.counts);
    if (all.every(({ refused }) => refused === 0)) return 0;
    return all.some(({ added, changed, unchanged }) => added + changed + unchanged > 0) ? 1 : 2;
  }

  /** The lines of the report. */
  print(): string {
    const number = new Intl.NumberFormat('en');
    const counted = kinds.map((kind) => {
      const figures = Object.entries(this.counts[kind]).map(
        ([state, count]) => `${number.format(count)} ${state}`,
      );
      return `${kind[0]?.toUpperCase()}${kind.slice(1)}: ${figures.join(', ')}.`;
    });
    const said = [...this.issues, ...this.warnings].map(
      ({ path, message }) => `  ${printPath(path)}: ${message}`,
    );
    return [...counted, ...said].join('\n');
  }
}

const none = (): Counts => ({ added: 0, changed: 0, unchanged: 0, refused: 0 });
