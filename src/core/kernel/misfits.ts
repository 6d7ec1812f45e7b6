import type { Issue, Path } from './errors.ts';

/**
 * What is told of an input beside where it does not fit its schema. `ofBody`: what its resource says of the rest by itself;
 * `rehearsed`: what a write of the rest would be told, where that could be found out. Paths start at the argument.
 */
export function besideMisfits(misfits: readonly Issue[], ofBody: readonly Issue[], rehearsed: readonly Issue[] | undefined): Issue[] {
  // Which of two times is later is for the body alone to say: the stored one stood in for a time that did not fit.
  const found = rehearsed ? [...rehearsed.filter((issue) => !isOrder(issue)), ...ofBody.filter(isOrder)] : ofBody;
  return found.filter((issue) => !concernsAny(issue, misfits));
}

const isOrder = ({ reason }: Issue): boolean => reason === 'timeRangeEmpty';

/** True when an issue speaks of a place that did not fit, or of what is missing around it for that reason. */
function concernsAny({ path: told, reason }: Issue, misfits: readonly Issue[]): boolean {
  const isAround = (path: Path): boolean => reason === 'required' && told.length > 1 && startsWith(path, told) && typeof path[told.length] === 'string';
  return misfits.some(({ path }) => startsWith(told, path) || isAround(path));
}

const startsWith = (path: Path, start: Path): boolean => start.every((step, index) => path[index] === step);
