import { AppError, errorOf } from '../../core/errors.ts';
import { unstorableMessage } from '../../core/text/characters.ts';

const retryAfterSeconds = 2;

/** The error for a database that is temporarily unavailable; the request itself is valid. */
export const unavailableError = (reason: string, cause?: unknown): AppError =>
  new AppError(
    'UNAVAILABLE',
    'backendError',
    `${reason} Try again in ${retryAfterSeconds} seconds.`,
    [],
    { retryAfter: retryAfterSeconds },
    cause,
  );

/** Message while only reads are possible, as on a standby. */
const readOnlyMessage = 'The database accepts no changes at the moment.';

const propertyOf = (error: unknown, name: 'code' | 'message' | 'routine'): string => {
  const text = (error as { readonly [property in typeof name]?: unknown } | null | undefined)?.[name];
  return typeof text === 'string' ? text : '';
};

/** The SQLSTATE of a PostgreSQL error (appendix A of its manual), or the system's code of a network error. */
const codeOf = (error: unknown): string => propertyOf(error, 'code');

/** SQLSTATE of a standby or a read-only database. */
const readOnlyState = '25006';

/** SQLSTATEs, or their prefixes, of temporary failures. */
const temporaryStates = [
  // Connection, resources (53100: the disk is full), shutdown, system.
  ...['08', '53', '57P', '58'],
  // Statement, lock and idle timeouts.
  ...['57014', '55P03', '25P03'],
  readOnlyState,
  // Conflicts with concurrent transactions.
  ...['40001', '40P01'],
  // The server is being set up, or its passwords are changed.
  ...['3D000', '28'],
];

/** SQLSTATE prefixes after which the connection must be closed. */
const brokenStates = ['08', '57P', '58', readOnlyState, '25P03'];

/** Routines of Citus that report a node's failure: the session with the coordinator remains usable. */
const nodeFailureRoutines = ['ReportConnectionError', 'ReportResultError', 'CheckConnectionTimeout'];

/** Messages of Citus without a SQLSTATE of their own: a node was lost during a statement or before it confirmed a transaction. */
const lostNodeMessages = new RegExp(
  [
    'server closed the connection',
    'connection has been closed',
    'connection not open',
    'no connection to the server',
    'SSL SYSCALL error',
    'could not (receive data from|send data to) server',
    'connection to the remote node',
    'connection establishment for node',
    'connections to the node',
    'terminating connection',
    'postmaster was shut down',
    'database system is (starting up|shutting down|in recovery mode)',
    'could not commit transaction for shard',
    'failed to (prepare|commit) transaction',
    'failure on connection marked as essential',
  ].join('|'),
  'i',
);
/** SQLSTATE of errors without one of their own. */
const internalError = 'XX000';

/** Whether a code is an SQLSTATE and not a code of Node.js such as `EPIPE`. */
const isSqlState = (code: string): boolean => /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code);
const hasStatePrefix = (code: string, states: readonly string[]): boolean =>
  states.some((state) => code.startsWith(state));

export const isStatementTimeout = (error: unknown): boolean => codeOf(error) === '57014';

/** Statement timeouts that occurred on sessions with a Citus cluster. */
const clusterTimeouts = new WeakSet<object>();

/** Marks a timeout on a Citus session as broken: the session may still wait for a silent node and block its next user. */
export const markClusterTimeout = (error: unknown): void => {
  if (isStatementTimeout(error)) clusterTimeouts.add(error as object);
};

/** Whether the transaction may or may not have been committed: the session was lost or did not answer. */
export const isOutcomeUnknown = (error: unknown): boolean => {
  const code = codeOf(error);
  if (!isSqlState(code)) return true;
  return hasStatePrefix(code, brokenStates) && !nodeFailureRoutines.includes(propertyOf(error, 'routine'));
};

/** Whether the connection has to be closed after this error. */
export const isConnectionBroken = (error: unknown): boolean =>
  clusterTimeouts.has(error as object) || isOutcomeUnknown(error);

export const isUnavailable = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'UNAVAILABLE';

/** Returns the result of an operation, or `fallback` while the database or a node is unavailable. */
export const catchUnavailable = <T>(operation: Promise<T>, fallback: T): Promise<T> =>
  operation.catch((error: unknown) => {
    if (isUnavailable(error)) return fallback;
    throw error;
  });

/** Whether the loaded state is outdated: a row check failed (22012), a key was taken, or transactions conflicted. */
export const isConflict = (error: unknown): boolean =>
  ['22012', '23505', '40001', '40P01'].includes(codeOf(error));

const networkCodes = /^E(CONN|PIPE|TIMEDOUT|HOST|NET|AI_|NOTFOUND)/;
/** Messages of the client library, which have no code. */
const networkMessages =
  /connection (terminated|error|closed|timeout)|timeout exceeded|read timeout|not queryable|stream (was )?destroyed|cannot use a pool/i;

/** Converts an error of the client library. Not by `instanceof Error`, as errors of Node.js modules may come from another realm. */
export function failureOf(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const code = codeOf(error);
  if (isSqlState(code)) {
    // Text with U+0000 or a lone surrogate.
    if (code === '22021' || code === '22P05')
      return errorOf('BAD_USER_INPUT', [{ path: [], reason: 'invalid', message: unstorableMessage }]);
    if (code === readOnlyState) return unavailableError(readOnlyMessage, error);
    const isTemporary =
      hasStatePrefix(code, temporaryStates) ||
      (code === internalError && lostNodeMessages.test(propertyOf(error, 'message')));
    return isTemporary ? unavailableError('The database cannot do this at the moment.', error) : error;
  }
  const isNetworkFailure = networkCodes.test(code) || networkMessages.test(propertyOf(error, 'message'));
  return isNetworkFailure ? unavailableError('The database does not answer in time.', error) : error;
}
