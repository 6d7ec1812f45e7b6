import { notOffered } from '../../../core/coercion/input-names.ts';
import type { Path } from '../../../core/kernel/errors.ts';
import { shortIssue } from '../../../operations/failure.ts';

/** Something that was accepted and not applied; its path begins at the body's root. */
export interface BodyWarning {
  readonly path: Path;
  readonly reason: string;
  readonly message: string;
}

/** Of the header, as clients and proxies bear it. */
const maxBytes = 4096;

export const unknownField = (path: Path): BodyWarning => ({
  path,
  reason: 'unknownField',
  message: 'There is no such field: it was left out.',
});

export const notOfferedField = (path: Path): BodyWarning => ({
  ...notOffered(String(path.at(-1))),
  path,
});

/** The header that lists warnings: JSON in ASCII, as many as there is room for. Undefined without any. */
export function warningsHeader(warnings: readonly BodyWarning[]): string | undefined {
  if (warnings.length === 0) return undefined;
  const entries: string[] = [];
  let length = 2 + room;
  for (const warning of warnings) {
    const { path, reason, message } = shortIssue(warning);
    const entry = ascii({ path, reason, message });
    if (length + entry.length + 1 > maxBytes) break;
    entries.push(entry);
    length += entry.length + 1;
  }
  const more = warnings.length - entries.length;
  if (more > 0)
    entries.push(ascii({ path: [], reason: 'incomplete', message: `Warnings that were left out: ${more}.` }));
  return `[${entries.join(',')}]`;
}

/** For the entry that says how many were left out. */
const room = 100;

const ascii = (value: object): string =>
  JSON.stringify(value).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
