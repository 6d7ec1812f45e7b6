import type { Issue, Path } from '../kernel/errors.ts';

/**
 * The issues of an input beside its coercion errors. `ofBody`: those its resource finds in the values that fit;
 * `rehearsed`: those a write of these values would meet, where it could be rehearsed. Paths start at the argument.
 */
export function besideCoercionErrors(coercionErrors: readonly Issue[], ofBody: readonly Issue[], rehearsed: readonly Issue[] | undefined): Issue[] {
  const isUncertain = (issue: Issue): boolean => issue.reason === 'timeRangeEmpty' && coercionErrors.some(({ path }) => path.length < 2 || times.has(path[1]));
  // A rehearsed patch compares a time that fits with a stored one in place of the one that does not: only the body counts.
  const found = rehearsed ? [...rehearsed.filter((issue) => !isUncertain(issue)), ...ofBody.filter(isUncertain)] : ofBody;
  const seen = new Set<string>();
  // Several root fields may find the same issue in one input.
  return found.filter((issue) => !concernsAny(issue, coercionErrors) && !seen.has(keyOf(issue)) && seen.add(keyOf(issue)));
}

/** Fields whose rules depend on another field: without a valid one, their own issues are uncertain. */
const dependsOn: Readonly<Record<string, string>> = { originalStartTime: 'recurringEventId', iCalUID: 'recurringEventId' };
const times: ReadonlySet<unknown> = new Set(['start', 'end']);
const keyOf = ({ path, reason, message }: Issue): string => JSON.stringify([path, reason, message]);

/** True for an issue of a value with a coercion error, or of a field that only that error left missing. */
function concernsAny({ path: at, reason }: Issue, coercionErrors: readonly Issue[]): boolean {
  const isAround = (path: Path): boolean => reason === 'required' && at.length > 1 && startsWith(path, at);
  const other = reason === 'invalid' && at.length === 2 ? dependsOn[at[1] as string] : undefined;
  return coercionErrors.some(({ path }) => startsWith(at, path) || isAround(path) || (other !== undefined && path[1] === other));
}

const startsWith = (path: Path, start: Path): boolean => start.every((step, index) => path[index] === step);
