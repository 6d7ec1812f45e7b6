import type { Issue, Path, Reason } from '../kernel/errors.ts';

/** How the fields of an input, or arguments, depend on each other. */
export interface FieldRelations {
  /** Fields whose rules read another field: with a coercion error in that one, their own issues are uncertain. */
  readonly dependsOn: Readonly<Record<string, string>>;
  /** Fields that are compared, by the reason of the issue: with a coercion error in one of them, only the body is compared. */
  readonly compared: Readonly<Partial<Record<Reason, readonly string[]>>>;
}

export const noRelations: FieldRelations = { dependsOn: {}, compared: {} };

/**
 * The issues of an input beside its coercion errors. `ofBody`: those its resource finds in the values that fit;
 * `rehearsed`: those a write of these values would meet, where it could be rehearsed. Paths start at the argument.
 */
export function besideCoercionErrors(
  coercionErrors: readonly Issue[],
  ofBody: readonly Issue[],
  rehearsed: readonly Issue[] | undefined,
  { dependsOn, compared }: FieldRelations,
): Issue[] {
  const hasError = (field: string | undefined): boolean =>
    field !== undefined && coercionErrors.some(({ path }) => path[1] === field);
  // A rehearsed patch would compare a value that fits with a stored one.
  const isUncertain = ({ reason }: Issue): boolean =>
    compared[reason] !== undefined &&
    (coercionErrors.some(({ path }) => path.length < 2) || compared[reason].some(hasError));
  const hasArgumentError = (argument: string | undefined): boolean =>
    argument !== undefined && coercionErrors.some(({ path }) => path[0] === argument);
  const dependsOnError = ({ path, reason }: Issue): boolean => {
    const on = dependsOn[path.at(-1) as string];
    return (
      reason === 'invalid' &&
      ((path.length === 2 && hasError(on)) || (path.length === 1 && hasArgumentError(on)))
    );
  };
  const found = rehearsed
    ? [...rehearsed.filter((issue) => !isUncertain(issue)), ...ofBody.filter(isUncertain)]
    : ofBody;
  const seen = new Set<string>();
  // Several root fields may find the same issue in one input.
  return found.filter(
    (issue) =>
      !concernsAny(issue, coercionErrors) &&
      !dependsOnError(issue) &&
      !seen.has(keyOf(issue)) &&
      seen.add(keyOf(issue)),
  );
}

const keyOf = ({ path, reason, message }: Issue): string => JSON.stringify([path, reason, message]);

/** True for an issue of a value with a coercion error, or of a field that only that error left missing. */
function concernsAny({ path: at, reason }: Issue, coercionErrors: readonly Issue[]): boolean {
  const isAround = (path: Path): boolean => reason === 'required' && at.length > 1 && startsWith(path, at);
  return coercionErrors.some(({ path }) => startsWith(at, path) || isAround(path));
}

const startsWith = (path: Path, start: Path): boolean => start.every((step, index) => path[index] === step);
