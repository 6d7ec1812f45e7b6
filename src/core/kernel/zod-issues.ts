import type { ZodMiniType, core } from 'zod/mini';
import type { Issue, Path, Reason } from './errors.ts';

/**
 * The issues that zod finds in a value. A refinement names its reason and the values of its message by
 * `params: { reason, ...values }`; other reasons follow from zod's code.
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
    return issue.keys.map((key) => ({
      path: [...path, key],
      reason: 'invalid',
      message: 'There is no such field.',
    }));
  });
}

function paramsOf(issue: core.$ZodIssue): Issue['params'] {
  const { reason: _reason, ...params } = issue.code === 'custom' ? (issue.params ?? {}) : {};
  return Object.keys(params).length > 0 ? params : undefined;
}

function reasonOf(issue: core.$ZodIssue): Reason {
  if (issue.code === 'custom') return (issue.params?.reason as Reason | undefined) ?? 'invalid';
  if (issue.code === 'too_big' && issue.origin === 'string') return 'tooLong';
  if (issue.code === 'too_big' && issue.origin === 'array') return 'tooMany';
  return issue.input === undefined ? 'required' : 'invalid';
}
