import { maxIssues } from '../../../core/kernel/report.ts';
import { shortIssue } from '../../../operations/failure.ts';
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
    taken.push({
      ...error,
      extensions: { ...rest, issues: issues.slice(0, maxIssues).map(shortIssue).filter(take) },
    });
  }
  return taken;
}
