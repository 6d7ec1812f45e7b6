import { AppError, type ErrorCode, errorOf, type Issue, type Path } from '../core/errors.ts';
import { Report } from '../core/report.ts';
import { eventLoop } from '../core/runtime/event-loop.ts';
import { CallerGoneError } from '../core/runtime/limits.ts';
import type { Log } from '../core/runtime/log.ts';
import { shorten } from '../core/text/characters.ts';
import type { OperationContext } from './context.ts';
import type { Operation } from './operation.ts';

/**
 * Converts an error to what a caller may see: AppError as it is, others masked. Masked errors are logged under the request's id,
 * UNAVAILABLE once a second for each cause; counts of the last second are lost when the gateway ends. `done`: the operation was
 * carried out, only its answer failed.
 */
export function failureOf(error: unknown, requestId: string, log: Log, done = false): AppError {
  if (error instanceof AppError) {
    if (error.code === 'UNAVAILABLE' && !(error instanceof CallerGoneError))
      logUnavailable(error, requestId, log);
    return error;
  }
  log.error({ err: error, requestId }, 'an unexpected error was masked');
  const what = done
    ? 'This was carried out, but its answer could not be built. Read the result instead of sending it again.'
    : 'Something went wrong on the server.';
  return new AppError(
    'INTERNAL_SERVER_ERROR',
    'internalError',
    `${what} The operators find it under the id ${requestId}.`,
  );
}

/** The request for which an error was logged last: several of its fields may share the error. */
const loggedFor = new WeakMap<AppError, string>();

/** How long (ms) failures of one cause are gathered behind the first: while a database is away, all requests fail by it. */
const gatherMs = 1000;

interface Failed {
  readonly err: AppError;
  readonly requestId: string;
}

/** Failures that wait for their line, by cause. */
type Gathered = Map<string, { count: number; last: Failed }>;
const gatheredFor = new WeakMap<Log, Gathered>();

/** Logs UNAVAILABLE: the first failure of a cause at once, further ones as one line a second with their `count`. */
function logUnavailable(err: AppError, requestId: string, log: Log): void {
  if (loggedFor.get(err) === requestId) return;
  loggedFor.set(err, requestId);
  const gathered = gatheredFor.get(log) ?? (new Map() as Gathered);
  gatheredFor.set(log, gathered);
  const cause = causeKey(err);
  const last = { err, requestId };
  const same = gathered.get(cause);
  if (same) {
    same.count += 1;
    same.last = last;
    return;
  }
  writeUnavailable(log, last);
  gatherBehind(gathered, cause, last, log);
}

function gatherBehind(gathered: Gathered, cause: string, last: Failed, log: Log): void {
  const same = { count: 0, last };
  gathered.set(cause, same);
  setTimeout(() => {
    gathered.delete(cause);
    if (same.count === 0) return;
    writeUnavailable(log, { ...same.last, count: same.count });
    gatherBehind(gathered, cause, same.last, log);
  }, gatherMs).unref();
}

/** Failures with the same key share a line. The AggregateError of a refused connection has no message. */
function causeKey({ message, cause }: AppError): string {
  const below = (cause ?? {}) as { code?: string; message?: string; statement?: string };
  return [message, below.code, below.message, below.statement].join('\n');
}

/** With a cause something failed below, without one a limit was reached. */
const writeUnavailable = (log: Log, line: Failed & { readonly count?: number }): void =>
  log[line.err.cause === undefined ? 'warn' : 'error'](line, 'unavailable');

/** Shortens what the client chose: keys of maps and unknown field names may have any length. */
export const shortIssue = <T extends { readonly path: Path; readonly message: string }>(issue: T): T => ({
  ...issue,
  path: issue.path.map((step) => (typeof step === 'string' ? shorten(step) : step)),
  message: shorten(issue.message),
});

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
