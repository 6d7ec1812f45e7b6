import type { Path } from '../../../core/kernel/errors.ts';
import { maxIssues } from '../../../core/kernel/report.ts';
import { shorten } from '../../../core/text/characters.ts';
import type { ClientError } from '../errors.ts';

/** Beyond these, errors of documents are not even looked at. */
export const maxErrors = 20;
const maxBytes = 16_000;

/** As many of the errors, and of their issues, as a short answer holds: a request cannot order a long one by its faults. */
export function bounded(errors: readonly ClientError[]): ClientError[] {
  let left = maxBytes;
  const take = (part: object): boolean => (left -= Buffer.byteLength(JSON.stringify(part))) >= 0;
  const kept: ClientError[] = [];
  for (const [index, error] of errors.entries()) {
    const { issues, ...rest } = error.extensions;
    // A field that is null without an error would be a riddle: of those that ran, each keeps its error.
    const fits = take({ ...error, extensions: rest }) && index < maxErrors;
    if (!fits && index > 0 && error.path === undefined) continue;
    kept.push({ ...error, extensions: { ...rest, issues: issues.slice(0, maxIssues).map(shortIssue).filter(take) } });
  }
  return kept;
}

/** Keys of maps, and names that are no fields, are the client's and may be of any length. */
export const shortIssue = <T extends { readonly path: Path; readonly message: string }>(issue: T): T => ({
  ...issue,
  path: issue.path.map((step) => (typeof step === 'string' ? shorten(step) : step)),
  message: shorten(issue.message),
});
