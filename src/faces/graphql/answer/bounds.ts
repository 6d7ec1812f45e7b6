import type { Path } from '../../../core/kernel/errors.ts';
import { maxIssues } from '../../../core/kernel/report.ts';
import { shorten } from '../../../core/text/characters.ts';
import type { ClientError } from '../errors.ts';

/** Errors of a document beyond this number are dropped. */
export const maxErrors = 20;
const maxBytes = 16_000;

/** Keeps as many errors and issues as fit into a short answer, so that a faulty request cannot produce a long one. */
export function bounded(errors: readonly ClientError[]): ClientError[] {
  let left = maxBytes;
  const take = (part: object): boolean => (left -= Buffer.byteLength(JSON.stringify(part))) >= 0;
  const taken: ClientError[] = [];
  for (const [index, error] of errors.entries()) {
    const { issues, ...rest } = error.extensions;
    // Errors of fields that ran are always kept: each explains a null.
    const fits = take({ ...error, extensions: rest }) && index < maxErrors;
    if (!fits && index > 0 && error.path === undefined) continue;
    taken.push({ ...error, extensions: { ...rest, issues: issues.slice(0, maxIssues).map(shortIssue).filter(take) } });
  }
  return taken;
}

/** Shortens what the client chose: keys of maps and unknown field names may have any length. */
export const shortIssue = <T extends { readonly path: Path; readonly message: string }>(issue: T): T => ({
  ...issue,
  path: issue.path.map((step) => (typeof step === 'string' ? shorten(step) : step)),
  message: shorten(issue.message),
});
