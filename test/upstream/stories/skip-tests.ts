import { format } from 'node:util';

/** A row of `test.each`. */
type Row = Readonly<Record<string, unknown>> | readonly unknown[];

/**
 * Calls `register`, which declares tests, and skips those whose titles have a reason to be skipped. Returns
 * the titles that no test has.
 */
export async function skipTests(
  reasons: Readonly<Record<string, string>>,
  register: () => Promise<unknown>,
): Promise<readonly string[]> {
  const unmatchedTitles = new Set(Object.keys(reasons));
  const isIncluded = (title: string): boolean => {
    unmatchedTitles.delete(title);
    return !Object.hasOwn(reasons, title);
  };
  const originalTest = globalThis.test;
  const formatTitle = (title: string, row: unknown): string =>
    Array.isArray(row)
      ? format(title.replaceAll('%p', '%j'), ...row.slice(0, title.match(/%[a-z]/g)?.length ?? 0))
      : title.replaceAll(/\$(\w+)/g, (_text, name: string) =>
          String((row as Readonly<Record<string, unknown>>)[name]),
        );
  const each =
    (rows: readonly unknown[]) =>
    (title: string, run: (...row: unknown[]) => unknown, timeout?: number): void => {
      const includedRows = rows.filter((row) =>
        isIncluded(formatTitle(title, typeof row === 'object' ? row : [row])),
      );
      if (includedRows.length > 0) originalTest.each(includedRows as Row[])(title, run as never, timeout);
    };
  const testIfIncluded = (title: string, run: () => Promise<void>, timeout?: number): void => {
    if (isIncluded(title)) originalTest(title, run, timeout);
  };
  globalThis.test = Object.assign(testIfIncluded, originalTest, { each });
  try {
    await register();
  } finally {
    globalThis.test = originalTest;
  }
  return [...unmatchedTitles];
}
