import { type Issue, type Path, printPath, type Warning } from '../core/errors.ts';

const number = new Intl.NumberFormat('en');
const kinds = ['calendars', 'events', 'buckets', 'subscriptions'] as const;
type Kind = (typeof kinds)[number];
export type EntryState = 'added' | 'changed' | 'unchanged' | 'refused';

interface EntryOutcome {
  readonly state: EntryState;
  readonly issues?: readonly Issue[];
  readonly warnings?: readonly Warning[];
}

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

  /** `above`: the path of what the outcome's paths begin with. */
  note(kind: Kind, { state, issues = [], warnings = [] }: EntryOutcome, above: Path = []): void {
    this.counts[kind][state] += 1;
    for (const issue of issues) this.issues.push({ ...issue, path: [...above, ...issue.path] });
    for (const warning of warnings) this.warnings.push({ ...warning, path: [...above, ...warning.path] });
  }

  /** 0: all was taken. 1: some entries were refused. 2: all were. */
  get exitCode(): 0 | 1 | 2 {
    const all = Object.values(this.counts);
    if (all.every(({ refused }) => refused === 0)) return 0;
    return all.some(({ added, changed, unchanged }) => added + changed + unchanged > 0) ? 1 : 2;
  }

  /** The lines of the report. */
  print(): string {
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

/** Fewer events are loaded before anybody wonders. */
const fromEvents = 5000;

interface Terminal {
  write(text: string): unknown;
}

/** Writes one line to a terminal, over and over, of how far the loading of many events is. */
export function progressOn(
  terminal: Terminal,
  doing = 'Loading the seed',
): (done: number, total: number) => void {
  return (done, total) => {
    if (total < fromEvents) return;
    terminal.write(
      `\r${doing}: ${number.format(done)} of ${number.format(total)} events${done === total ? '\n' : ''}`,
    );
  };
}

/** Counts the records of an export, whose total is not known. */
export function countOn(terminal: Terminal): {
  readonly count: (done: number) => void;
  readonly end: () => void;
} {
  let last = 0;
  const write = (end: string): unknown => terminal.write(`\rExporting: ${number.format(last)} events${end}`);
  return {
    count(done) {
      last = done;
      if (done % 1000 === 0 && done >= fromEvents) write('');
    },
    end: () => void (last >= fromEvents && write('\n')),
  };
}

interface StartSettings {
  readonly demo: boolean;
  readonly databaseUrl?: string;
  readonly seedFile?: string;
}

/** Notices for operators on the data that a gateway starts with: loaded now, there from before, or none. */
export function dataNotices(
  { demo, databaseUrl, seedFile }: StartSettings,
  data: 'loaded' | 'filled before' | 'empty',
): string[] {
  return [
    ...(databaseUrl === undefined && !demo
      ? ['Everything is kept in memory and lost when the gateway stops. Set DATABASE_URL to keep it.']
      : []),
    ...(data === 'empty' ? ['The store starts empty. Set SEED_FILE to load calendars and buckets.'] : []),
    ...(data === 'filled before' && seedFile !== undefined
      ? ['SEED_FILE was not loaded: the database was filled before.']
      : []),
  ];
}
