import { besideCoercionErrors, type FieldRelations } from '../core/coercion/other-issues.ts';
import { AppError, errorOf, type ErrorCode, type Issue } from '../core/kernel/errors.ts';
import { maxIssues } from '../core/kernel/report.ts';
import type { OperationContext } from './context.ts';
import type { InputChecks } from './module.ts';
import type { Operation } from './operation.ts';

/** Arguments that were read, and the issues of those that do not fit; paths start at the argument. */
export interface ReadArguments {
  readonly args: Readonly<Record<string, unknown>>;
  readonly issues: readonly Issue[];
}

/** The outcome of writes that were run with `validateOnly`. */
export interface Rehearsal {
  /** BAD_USER_INPUT, or the code of what was refused. */
  readonly code: ErrorCode;
  /** Of a refusal, beside its issues. */
  readonly details: AppError['details'];
  /** Paths start at the argument. */
  readonly issues: readonly Issue[];
}

/** Refusals that are reported beside coercion errors. With others the write might have failed in another way. */
const reported: ReadonlySet<ErrorCode> = new Set(['BAD_USER_INPUT', 'FORBIDDEN', 'PRECONDITION_FAILED']);

/** Runs a write with `validateOnly`. Undefined when its error is not to be reported: what the caller may not see stays unknown. */
export async function rehearsalOf(run: () => unknown): Promise<Rehearsal | undefined> {
  try {
    await run();
    return { code: 'BAD_USER_INPUT', details: {}, issues: [] };
  } catch (error) {
    return error instanceof AppError && reported.has(error.code) ? error : undefined;
  }
}

export function relationsOf(checks: InputChecks): FieldRelations {
  const all = Object.values(checks).map(({ relations }) => relations);
  return {
    dependsOn: Object.assign(
      {},
      ...all.map((relations) => relations?.dependsOn),
    ) as FieldRelations['dependsOn'],
    compared: Object.assign({}, ...all.map((relations) => relations?.compared)) as FieldRelations['compared'],
  };
}

/** The error of an input that does not fit the schema, with all that is wrong with it. A refusal comes first: the error's reason is that of its first issue. */
export function inputError(
  rehearsal: Rehearsal | undefined,
  coercionErrors: readonly Issue[],
  others: readonly Issue[],
): AppError {
  const { code = 'BAD_USER_INPUT', details } = rehearsal ?? {};
  const issues = code === 'BAD_USER_INPUT' ? [...coercionErrors, ...others] : [...others, ...coercionErrors];
  return errorOf(code, issues.slice(0, maxIssues), details);
}

interface Declared {
  readonly operation: Operation;
  readonly inputTypes: ReadonlyMap<string, string>;
  readonly required: readonly string[];
}

/** The error for arguments some of which do not fit: with the issues of those that do, and what a write of them would meet. */
export async function faultOf(
  { operation, inputTypes, required }: Declared,
  { args, issues }: ReadArguments,
  checks: InputChecks,
  context: OperationContext,
): Promise<AppError> {
  const runs =
    issues.length < maxIssues &&
    operation.kind === 'write' &&
    operation.canRehearse &&
    required.every((name) => args[name] !== undefined);
  const rehearsal = runs
    ? await rehearsalOf(() => operation.run({ ...args, validateOnly: true } as never, context))
    : undefined;
  const ofBody = [...inputTypes].flatMap(([name, type]) => {
    const found = (args[name] ?? null) === null ? [] : (checks[type]?.issuesOf(args[name]) ?? []);
    return found.map((issue) => ({ ...issue, path: [name, ...issue.path] }));
  });
  const ofArguments = operation.kind === 'stream' ? [] : (operation.issuesOf?.(args as never) ?? []);
  return inputError(
    rehearsal,
    issues,
    besideCoercionErrors(issues, [...ofArguments, ...ofBody], rehearsal?.issues, relationsOf(checks)),
  );
}
