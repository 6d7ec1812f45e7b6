import { AppError, type Path } from '../core/kernel/errors.ts';
import type { Log } from '../core/runtime/log.ts';
import { CallerGoneError } from '../core/runtime/work-budget.ts';
import { shorten } from '../core/text/characters.ts';

/**
 * What a caller may see of an error: AppError as it is, others masked. Masked errors and UNAVAILABLE are logged under the
 * request's id. `done`: the operation was carried out, only its answer failed.
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

/** Logs UNAVAILABLE: with a cause something failed below, without one a limit was reached. */
function logUnavailable(err: AppError, requestId: string, log: Log): void {
  if (loggedFor.get(err) === requestId) return;
  loggedFor.set(err, requestId);
  const level = err.cause === undefined ? 'warn' : 'error';
  log[level]({ err, requestId }, 'unavailable');
}

/** Shortens what the client chose: keys of maps and unknown field names may have any length. */
export const shortIssue = <T extends { readonly path: Path; readonly message: string }>(issue: T): T => ({
  ...issue,
  path: issue.path.map((step) => (typeof step === 'string' ? shorten(step) : step)),
  message: shorten(issue.message),
});
