import { format } from 'node:util';

type Row = Readonly<Record<string, unknown>> | readonly unknown[];

/** Skips the tests of `register` with these titles, each for a reason. Returns titles that no test has. */
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
      const included = rows.filter((row) =>
        isIncluded(formatTitle(title, typeof row === 'object' ? row : [row])),
      );
      if (included.length > 0) originalTest.each(included as Row[])(title, run as never, timeout);
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
