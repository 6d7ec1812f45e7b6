/** A measured figure, and whether it meets its criterion. */
export interface Measurement {
  readonly figure: string;
  readonly holds: boolean;
}

/** A criterion with its measurement. */
export interface Criterion {
  readonly title: string;
  readonly measure: () => Promise<Measurement>;
  /** Time limit in ms, if longer than that of other tests. */
  readonly limitMs?: number;
}

/** Turns criteria into tests, and prints all figures after the tests of the file. */
export function createFigureTable() {
  const rows: string[] = [];
  const addRow = (store: string, title: string, { figure, holds }: Measurement): unknown =>
    rows.push(`| ${title} | ${store} | ${figure} | ${holds ? 'holds' : 'FAILS'} |`);
  afterAll(() => {
    process.stdout.write(
      `\n${['| criterion | store | figure | verdict |', '|---|---|---|---|', ...rows].join('\n')}\n\n`,
    );
  });
  return {
    /** Registers a test that takes a measurement, which must hold. */
    registerTest(store: string, { title, measure, limitMs }: Criterion): void {
      const run = async (): Promise<void> => {
        const measurement = await measure().catch((error: unknown) => {
          addRow(store, title, { figure: `not measured: ${String(error).slice(0, 100)}`, holds: false });
          throw error;
        });
        addRow(store, title, measurement);
        expect(measurement).toMatchObject({ holds: true });
      };
      test(`${store}: ${title}`, run, limitMs);
    },
    /** Lists a criterion that does not apply to a store. */
    addSkippedRow: (store: string, title: string, reason: string): unknown =>
      rows.push(`| ${title} | ${store} | ${reason} | – |`),
  };
}

/** Counts outcomes: "1 done, 3 CONFLICT". */
export function tally(outcomes: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const outcome of outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return [...counts]
    .map(([outcome, count]) => `${count} ${outcome}`)
    .sort()
    .join(', ');
}
