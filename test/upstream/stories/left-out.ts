import { format } from 'node:util';

type Row = Readonly<Record<string, unknown>> | readonly unknown[];

/** Leaves out tests by their titles, of those that `register` names; each with the reason. The titles that none had. */
export async function leavingOut(
  reasons: Readonly<Record<string, string>>,
  register: () => Promise<unknown>,
): Promise<readonly string[]> {
  const unused = new Set(Object.keys(reasons));
  const stays = (title: string): boolean => {
    unused.delete(title);
    return !Object.hasOwn(reasons, title);
  };
  const all = globalThis.test;
  const titled = (title: string, row: unknown): string =>
    Array.isArray(row)
      ? format(title.replaceAll('%p', '%j'), ...row.slice(0, title.match(/%[a-z]/g)?.length ?? 0))
      : title.replaceAll(/\$(\w+)/g, (_text, name: string) =>
          String((row as Readonly<Record<string, unknown>>)[name]),
        );
  const each =
    (rows: readonly unknown[]) =>
    (title: string, run: (...row: unknown[]) => unknown, timeout?: number): void => {
      const left = rows.filter((row) => stays(titled(title, typeof row === 'object' ? row : [row])));
      if (left.length > 0) all.each(left as Row[])(title, run as never, timeout);
    };
  const some = (title: string, run: () => Promise<void>, timeout?: number): void => {
    if (stays(title)) all(title, run, timeout);
  };
  globalThis.test = Object.assign(some, all, { each });
  try {
    await register();
  } finally {
    globalThis.test = all;
  }
  return [...unused];
}
