import { AppError, type ErrorCode, errorOf, type Issue, type Path } from '../core/errors.ts';
import type { Fields } from '../core/json.ts';
import { memoizeByObject } from '../core/memoize.ts';
import { Report } from '../core/report.ts';
import { eventLoop } from '../core/runtime/event-loop.ts';
import { CallerGoneError } from '../core/runtime/limits.ts';
import type { Log } from '../core/runtime/log.ts';
import { shorten } from '../core/text/characters.ts';
import type { OperationContext } from './context.ts';
import type { Operation } from './operation.ts';

/**
 * Converts an error to one for callers: unknown errors are logged and masked. `hasSucceeded`: the operation
 * succeeded, only its response failed.
 */
export function toAppError(error: unknown, requestId: string, log: Log, hasSucceeded = false): AppError {
  if (error instanceof AppError) {
    if (error.code === 'UNAVAILABLE' && !(error instanceof CallerGoneError))
      logUnavailable(error, requestId, log);
    return error;
  }
  log.error({ err: error, requestId }, 'an unexpected error was masked');
  const outcome = hasSucceeded
    ? 'This was carried out, but the response could not be built. Read the result instead of sending it again.'
    : 'Something went wrong on the server.';
  return new AppError(
    'INTERNAL_SERVER_ERROR',
    'internalError',
    `${outcome} The operators find it under the id ${requestId}.`,
  );
}

/** Id of the request for which an error was logged last, since several fields of a request may share the error. */
const loggedRequestIds = new WeakMap<AppError, string>();

/** Interval (ms) for which repeated failures of a cause are counted, since all requests fail while a database is down. */
const aggregationMs = 1000;

/** Fields of the log line of a failure. */
interface LoggedFailure {
  readonly err: AppError;
  readonly requestId: string;
}

/** Failures that are not logged yet, by cause. Counts of the last interval are lost when the gateway ends. */
const pendingFailuresOf = memoizeByObject(
  (_log: Log) => new Map<string, { count: number; latest: LoggedFailure }>(),
);

/** Logs UNAVAILABLE: the first failure of a cause at once, repeats as one line a second with their `count`. */
function logUnavailable(err: AppError, requestId: string, log: Log): void {
  if (loggedRequestIds.get(err) === requestId) return;
  loggedRequestIds.set(err, requestId);
  const failure = { err, requestId };
  const repeats = pendingFailuresOf(log).get(causeKey(err));
  if (repeats) {
    repeats.count += 1;
    repeats.latest = failure;
    return;
  }
  writeUnavailable(log, failure);
  scheduleRepeatsLog(failure, log);
}

/** Logs the repeats of a failure's cause after an interval, until an interval passes without one. */
function scheduleRepeatsLog(failure: LoggedFailure, log: Log): void {
  const failures = pendingFailuresOf(log);
  const cause = causeKey(failure.err);
  const repeats = { count: 0, latest: failure };
  failures.set(cause, repeats);
  setTimeout(() => {
    failures.delete(cause);
    if (repeats.count === 0) return;
    writeUnavailable(log, { ...repeats.latest, count: repeats.count });
    scheduleRepeatsLog(repeats.latest, log);
  }, aggregationMs).unref();
}

/** Returns the key by which failures share a line. The AggregateError of a refused connection has no message. */
function causeKey({ message, cause }: AppError): string {
  const details = (cause ?? {}) as { code?: string; message?: string; statement?: string };
  return [message, details.code, details.message, details.statement].join('\n');
}

/** Logs an error if a cause shows that a dependency failed, or a warning for an exceeded limit. */
const writeUnavailable = (log: Log, failure: LoggedFailure & { readonly count?: number }): void =>
  log[failure.err.cause === undefined ? 'warn' : 'error'](failure, 'unavailable');

/** Shortens text chosen by the client: map keys and unknown field names may have any length. */
export const shortenIssue = <T extends { readonly path: Path; readonly message: string }>(issue: T): T => ({
  ...issue,
  path: issue.path.map((step) => (typeof step === 'string' ? shorten(step) : step)),
  message: shorten(issue.message),
});

/** Call of an operation whose arguments have coercion errors. */
export interface InvalidCall {
  readonly operation: Operation;
  /** Arguments without coercion errors. */
  readonly args: Fields;
  /** Whether the schema offers a dry run, and `args` suffice for it. */
  readonly supportsDryRun: boolean;
}

/** Codes of dry-run errors that are reported besides coercion errors. Others might not occur with valid arguments. */
const reportedCodes: ReadonlySet<ErrorCode> = new Set(['BAD_USER_INPUT', 'FORBIDDEN', 'PRECONDITION_FAILED']);

/** Creates the error of a request with coercion errors, including issues of a dry run. A refusal comes first and determines the error's reason. */
export async function createInputError(
  coercionErrors: readonly Issue[],
  calls: readonly InvalidCall[],
  context: OperationContext,
): Promise<AppError> {
  const report = new Report(coercionErrors);
  let firstRefusal: AppError | undefined;
  for (const call of report.isFull() ? [] : calls) {
    const error = await findDryRunError(call, context);
    if (error?.code !== 'BAD_USER_INPUT') firstRefusal ??= error;
    report.addRuleIssues(findArgumentIssues(call), error?.issues);
  }
  const { issues } = report;
  if (!firstRefusal) return errorOf('BAD_USER_INPUT', issues);
  return errorOf(
    firstRefusal.code,
    [...issues.slice(coercionErrors.length), ...coercionErrors],
    firstRefusal.details,
  );
}

/** Runs a write without storing anything. Returns its error, unless it must not be reported. */
async function findDryRunError(
  { operation, args, supportsDryRun }: InvalidCall,
  context: OperationContext,
): Promise<AppError | undefined> {
  if (operation.kind !== 'write' || !supportsDryRun) return undefined;
  await eventLoop.enter();
  try {
    await operation.run({ ...args, validateOnly: true } as never, context);
    return undefined;
  } catch (error) {
    return error instanceof AppError && reportedCodes.has(error.code) ? error : undefined;
  }
}

const findArgumentIssues = ({ operation, args }: InvalidCall): readonly Issue[] =>
  operation.kind === 'stream' ? [] : operation.check(args as never);
