/** What was measured, and whether that is what is asked for. */
export interface Measured {
  readonly figure: string;
  readonly holds: boolean;
}

/** A figure to reach: what is done and asked for, and how it is measured. */
export interface Criterion {
  readonly title: string;
  readonly measure: () => Promise<Measured>;
  /** Where it may take longer than other tests (ms). */
  readonly limitMs?: number;
}

/** Makes a test of each criterion, and prints all figures when the tests of this file have ended. */
export function figureTable() {
  const rows: string[] = [];
  const add = (store: string, title: string, { figure, holds }: Measured): unknown =>
    rows.push(`| ${title} | ${store} | ${figure} | ${holds ? 'holds' : 'FAILS'} |`);
  afterAll(() => {
    process.stdout.write(
      `\n${['| criterion | store | figure | verdict |', '|---|---|---|---|', ...rows].join('\n')}\n\n`,
    );
  });
  return {
    check(store: string, { title, measure, limitMs }: Criterion): void {
      const run = async (): Promise<void> => {
        const measured = await measure().catch((error: unknown) => {
          add(store, title, { figure: `not measured: ${String(error).slice(0, 100)}`, holds: false });
          throw error;
        });
        add(store, title, measured);
        expect(measured).toMatchObject({ holds: true });
      };
      test(`${store}: ${title}`, run, limitMs);
    },
    /** A criterion that says nothing about a store. */
    skip: (store: string, title: string, why: string): unknown =>
      rows.push(`| ${title} | ${store} | ${why} | – |`),
  };
}

/** How often each of these came: `{ done: 1, CONFLICT: 3 }` as "1 done, 3 CONFLICT". */
export function tally(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts]
    .map(([word, count]) => `${count} ${word}`)
    .sort()
    .join(', ');
}
