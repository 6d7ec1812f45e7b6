import type { Issue, Path } from './errors.ts';

/**
 * What is told of an input beside where it does not fit its schema. `ofBody`: what its resource says of the rest by itself;
 * `rehearsed`: what a write of the rest would be told, where that could be found out. Paths start at the argument.
 */
export function besideCoercionErrors(coercionErrors: readonly Issue[], ofBody: readonly Issue[], rehearsed: readonly Issue[] | undefined): Issue[] {
  const isUncertain = (issue: Issue): boolean => issue.reason === 'timeRangeEmpty' && coercionErrors.some(({ path }) => path.length < 2 || times.has(path[1]));
  // Which of two times is later is for the body alone to say where one did not fit: a stored one stood in for it.
  const found = rehearsed ? [...rehearsed.filter((issue) => !isUncertain(issue)), ...ofBody.filter(isUncertain)] : ofBody;
  const told = new Set<string>();
  // Several root fields may find the same in one input.
  return found.filter((issue) => !concernsAny(issue, coercionErrors) && !told.has(keyOf(issue)) && told.add(keyOf(issue)));
}

/** What goes with another field, or not with it: which of both cannot be said where that did not fit. */
const goesWith: Readonly<Record<string, string>> = { originalStartTime: 'recurringEventId', iCalUID: 'recurringEventId' };
const times: ReadonlySet<unknown> = new Set(['start', 'end']);
const keyOf = ({ path, reason, message }: Issue): string => JSON.stringify([path, reason, message]);

/** True when an issue speaks of a place that did not fit, or of what is missing around it for that reason. */
function concernsAny({ path: told, reason }: Issue, coercionErrors: readonly Issue[]): boolean {
  const isAround = (path: Path): boolean => reason === 'required' && told.length > 1 && startsWith(path, told);
  const other = reason === 'invalid' && told.length === 2 ? goesWith[told[1] as string] : undefined;
  return coercionErrors.some(({ path }) => startsWith(told, path) || isAround(path) || (other !== undefined && path[1] === other));
}

const startsWith = (path: Path, start: Path): boolean => start.every((step, index) => path[index] === step);
