import { type Issue, type Path, formatPath, type Warning } from '../core/errors.ts';

const numberFormat = new Intl.NumberFormat('en');
/** Kind of entries as it is printed; `subscriptions` are the notifications of buckets. */
type EntryKind = keyof ImportReport['counts'];
export type EntryState = 'added' | 'changed' | 'unchanged' | 'refused';

interface EntryOutcome {
  readonly state: EntryState;
  readonly issues?: readonly Issue[];
  readonly warnings?: readonly Warning[];
}

const zeroCounts: Readonly<Record<EntryState, number>> = { added: 0, changed: 0, unchanged: 0, refused: 0 };

/** Outcome of an import: counts by state, issues and warnings. */
export class ImportReport {
  readonly counts = {
    calendars: { ...zeroCounts },
    events: { ...zeroCounts },
    buckets: { ...zeroCounts },
    subscriptions: { ...zeroCounts },
  };
  readonly issues: Issue[] = [];
  /** Warnings about entries that were imported with modifications. */
  readonly warnings: Warning[] = [];

  /** Records the outcome of an entry. `prefix`: start of its paths. */
  addOutcome(kind: EntryKind, { state, issues = [], warnings = [] }: EntryOutcome, prefix: Path = []): void {
    this.counts[kind][state] += 1;
    for (const issue of issues) this.issues.push({ ...issue, path: [...prefix, ...issue.path] });
    for (const warning of warnings) this.warnings.push({ ...warning, path: [...prefix, ...warning.path] });
  }

  /** Exit code: 0 if all entries were imported, 1 if some were refused, 2 if all were. */
  get exitCode(): 0 | 1 | 2 {
    const counts = Object.values(this.counts);
    if (counts.every(({ refused }) => refused === 0)) return 0;
    return counts.some(({ added, changed, unchanged }) => added + changed + unchanged > 0) ? 1 : 2;
  }

  /** Formats the report for a terminal: counts, then issues and warnings. */
  format(): string {
    const countLines = Object.entries(this.counts).map(([kind, counts]) => {
      const stateCounts = Object.entries(counts).map(
        ([state, count]) => `${numberFormat.format(count)} ${state}`,
      );
      return `${kind.charAt(0).toUpperCase()}${kind.slice(1)}: ${stateCounts.join(', ')}.`;
    });
    const messages = [...this.issues, ...this.warnings].map(
      ({ path, message }) => `  ${formatPath(path)}: ${message}`,
    );
    return [...countLines, ...messages].join('\n');
  }
}

/** Number of events from which progress is shown. */
const minProgressEvents = 5000;

/** Output stream, such as `process.stderr`. */
interface Terminal {
  write(text: string): unknown;
}

/** Creates a function that updates a line on a terminal while many events are loaded. An export knows the total at its end. */
export function createProgressLine(
  terminal: Terminal,
  label = 'Loading the seed',
): (done: number, total?: number) => void {
  return (done, total) => {
    if ((total ?? done) < minProgressEvents) return;
    const totalText = total === undefined ? '' : ` of ${numberFormat.format(total)}`;
    terminal.write(
      `\r${label}: ${numberFormat.format(done)}${totalText} events${done === total ? '\n' : ''}`,
    );
  };
}

interface StartSettings {
  readonly demo: boolean;
  readonly databaseUrl?: string;
  readonly seedFile?: string;
}

/** Describes for operators whether the gateway has data at its start: just loaded, loaded earlier, or none. */
export function describeStartData(
  { demo, databaseUrl, seedFile }: StartSettings,
  data: 'loaded' | 'filled before' | 'empty',
): string[] {
  return [
    ...(databaseUrl === undefined && !demo
      ? ['Data is kept in memory and lost when the gateway stops. Set DATABASE_URL to keep it.']
      : []),
    ...(data === 'empty' ? ['The store starts empty. Set SEED_FILE to load calendars and buckets.'] : []),
    ...(data === 'filled before' && seedFile !== undefined
      ? ['SEED_FILE was not loaded: the database has data.']
      : []),
  ];
}
