import { AppError, type Path } from '../core/kernel/errors.ts';
import type { Log } from '../core/runtime/log.ts';
import { CallerGoneError } from '../core/runtime/limits.ts';
import { shorten } from '../core/text/characters.ts';

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
