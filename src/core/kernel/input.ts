import type { ZodMiniType, core } from 'zod/mini';
import type { Issue, Path, Reason } from './errors.ts';

/**
 * Every problem zod finds in a value, with the path prefixed.
 * A refinement names its own reason through `params: { reason }`, beside the figures of its message; the rest follows
 * from the kind of problem.
 */
export function issuesOf(schema: ZodMiniType, value: unknown, prefix: Path = []): Issue[] {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return [];
  return result.error.issues.flatMap((issue): Issue[] => {
    const path = [...prefix, ...issue.path.filter((step) => typeof step !== 'symbol')];
    if (issue.code !== 'unrecognized_keys') {
      const params = paramsOf(issue);
      return [{ path, reason: reasonOf(issue), message: issue.message, ...(params && { params }) }];
    }
    return issue.keys.map((key) => ({ path: [...path, key], reason: 'invalid', message: 'There is no such field.' }));
  });
}

/** The figures that a refinement gives with its issue. */
function paramsOf(issue: core.$ZodIssue): Issue['params'] {
  const { reason: _reason, ...figures } = issue.code === 'custom' ? (issue.params ?? {}) : {};
  return Object.keys(figures).length > 0 ? (figures) : undefined;
}

function reasonOf(issue: core.$ZodIssue): Reason {
  if (issue.code === 'custom') return (issue.params?.reason as Reason | undefined) ?? 'invalid';
  if (issue.code === 'too_big' && issue.origin === 'string') return 'tooLong';
  if (issue.code === 'too_big' && issue.origin === 'array') return 'tooMany';
  return issue.input === undefined ? 'required' : 'invalid';
}

/** As many issues as an error tells; what comes behind them is not looked at. */
const mostIssues = 100;

/**
 * Refuses text that cannot be stored everywhere or written as UTF-8: U+0000 and lone surrogates,
 * in values and in map keys (RFC 8259 section 8.2 warns of both). At most 100 issues.
 */
export function textIssues(value: unknown, path: Path): Issue[] {
  const issues: Issue[] = [];
  collectTextIssues(value, [...path], issues);
  return issues;
}

/** `path` is where the value is; it is the same again afterwards. */
function collectTextIssues(value: unknown, path: (string | number)[], issues: Issue[]): void {
  if (typeof value === 'string' && hasBadText(value)) issues.push(textIssue(path));
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    if (issues.length >= mostIssues) return;
    path.push(Array.isArray(value) ? Number(key) : key);
    if (!Array.isArray(value) && hasBadText(key)) issues.push(textIssue(path));
    else collectTextIssues((value as Record<string, unknown>)[key], path, issues);
    path.pop();
  }
}

/** True for a string with U+0000 or half a surrogate pair. */
export const hasBadText = (value: string): boolean => badText.test(value);

const badText = /\u0000|\p{Surrogate}/u;

export const badTextMessage = 'A string must be valid Unicode without the character U+0000 and without lone surrogates.';

const textIssue = (path: Path): Issue => ({ path: [...path], reason: 'invalid', message: badTextMessage });
