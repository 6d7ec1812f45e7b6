import type { ZodType, core } from 'zod';
import type { Issue, Path, Reason } from './errors.ts';
import { isFields } from './patch.ts';

/**
 * Every problem zod finds in a value, with the path prefixed.
 * A refinement names its own reason through `params: { reason }`; the rest follows from the kind of problem.
 */
export function issuesOf(schema: ZodType, value: unknown, prefix: Path = []): Issue[] {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return [];
  return result.error.issues.flatMap((issue): Issue[] => {
    const path = [...prefix, ...issue.path.filter((step) => typeof step !== 'symbol')];
    if (issue.code !== 'unrecognized_keys') return [{ path, reason: reasonOf(issue), message: issue.message }];
    return issue.keys.map((key) => ({ path: [...path, key], reason: 'invalid', message: 'There is no such field.' }));
  });
}

function reasonOf(issue: core.$ZodIssue): Reason {
  if (issue.code === 'custom') return (issue.params?.reason as Reason | undefined) ?? 'invalid';
  if (issue.code === 'too_big' && issue.origin === 'string') return 'tooLong';
  if (issue.code === 'too_big' && issue.origin === 'array') return 'tooMany';
  return issue.input === undefined ? 'required' : 'invalid';
}

/**
 * Refuses text that cannot be stored everywhere or written as UTF-8: U+0000 and lone surrogates,
 * in values and in map keys (RFC 8259 section 8.2 warns of both).
 */
export function textIssues(value: unknown, path: Path): Issue[] {
  if (typeof value === 'string') return badText.test(value) ? [textIssue(path)] : [];
  if (Array.isArray(value)) return value.flatMap((entry, index) => textIssues(entry, [...path, index]));
  if (!isFields(value)) return [];
  return Object.keys(value).flatMap((key) =>
    badText.test(key) ? [textIssue([...path, key])] : textIssues(value[key], [...path, key]),
  );
}

const badText = /\u0000|\p{Surrogate}/u;

const textIssue = (path: Path): Issue => ({
  path,
  reason: 'invalid',
  message: 'Text must be valid Unicode without the character U+0000 and without half surrogate pairs.',
});
