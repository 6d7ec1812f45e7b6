import { AppError, errorOf, type ErrorCode, type Issue } from '../core/kernel/errors.ts';
import { Report } from '../core/kernel/report.ts';
import { eventLoop } from '../core/runtime/event-loop.ts';
import type { OperationContext } from './context.ts';
import type { Operation } from './operation.ts';

/** An operation that was called with arguments some of which do not fit the schema. */
export interface InvalidCall {
  readonly operation: Operation;
  /** Arguments without coercion errors. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Whether they suffice for a dry run of a write, and the schema knows one. */
  readonly supportsDryRun: boolean;
}

/** Refusals that are reported beside coercion errors. With others the write might have failed in another way. */
const reported: ReadonlySet<ErrorCode> = new Set(['BAD_USER_INPUT', 'FORBIDDEN', 'PRECONDITION_FAILED']);

/**
 * Builds the error of a request with coercion errors. Dry-runs each write with what fits; otherwise, or if its error must stay
 * hidden, checks the arguments alone. A refusal comes first, because the error's reason is that of its first issue.
 */
export async function inputError(
  coercionErrors: readonly Issue[],
  calls: readonly InvalidCall[],
  context: OperationContext,
): Promise<AppError> {
  const report = new Report(coercionErrors);
  let refusal: Outcome | undefined;
  for (const call of report.isFull() ? [] : calls) {
    const outcome = await dryRun(call, context);
    if (outcome?.code !== 'BAD_USER_INPUT') refusal ??= outcome;
    report.addRuleIssues(checkArguments(call), outcome?.issues);
  }
  const { issues } = report;
  if (!refusal) return errorOf('BAD_USER_INPUT', issues);
  return errorOf(refusal.code, [...issues.slice(coercionErrors.length), ...coercionErrors], refusal.details);
}

type Outcome = Pick<AppError, 'code' | 'details' | 'issues'>;

/** Runs a write that stores nothing. Undefined where there is none, and for an error that is not to be reported. */
async function dryRun(
  { operation, args, supportsDryRun }: InvalidCall,
  context: OperationContext,
): Promise<Outcome | undefined> {
  if (operation.kind !== 'write' || !supportsDryRun) return undefined;
  await eventLoop.enter();
  try {
    await operation.run({ ...args, validateOnly: true } as never, context);
    return { code: 'BAD_USER_INPUT', details: {}, issues: [] };
  } catch (error) {
    return error instanceof AppError && reported.has(error.code) ? error : undefined;
  }
}

const checkArguments = ({ operation, args }: InvalidCall): readonly Issue[] =>
  operation.kind === 'stream' ? [] : operation.check(args as never);
