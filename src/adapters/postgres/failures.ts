import { AppError, errorOf } from '../../core/errors.ts';
import { unstorableMessage } from '../../core/text/characters.ts';

/** Seconds after which a client may try again. */
const retryAfter = 2;

/** The database cannot be asked now, or cannot take a change now: nothing is wrong with the request. */
export const unavailable = (why: string, cause?: unknown): AppError =>
  new AppError(
    'UNAVAILABLE',
    'backendError',
    `${why} Try again in ${retryAfter} seconds.`,
    [],
    { retryAfter },
    cause,
  );

export const takesNoChanges = 'The database takes no changes at the moment.';

const textOf = (error: unknown, name: 'code' | 'message' | 'routine'): string => {
  const text = (error as { readonly [property in typeof name]?: unknown } | null | undefined)?.[name];
  return typeof text === 'string' ? text : '';
};

/** Of an error of PostgreSQL its SQLSTATE (appendix A of its manual), of one of the network the code of the system. */
const codeOf = (error: unknown): string => textOf(error, 'code');

/** A standby, whose primary is elsewhere, or a database that was made read-only. */
const readOnly = '25006';

/** SQLSTATEs, or their first characters, that say: not now. */
const notNow = [
  '08',
  '53',
  '57P',
  '58', // connection, resources (53100: the disk is full), shutdown, system
  '57014',
  '55P03',
  '25P03', // statement, lock and idle timeouts
  readOnly,
  '40001',
  '40P01', // others were faster
  '3D000',
  '28', // the server is being set up or its passwords are changed
];

/** After these a connection is of no use any more. */
const broken = ['08', '57P', '58', readOnly, '25P03'];

/** The places in Citus's code that pass on what became of a node: the session with the coordinator goes on. */
const ofAnotherNode = ['ReportConnectionError', 'ReportResultError', 'CheckConnectionTimeout'];

/** What Citus gives no code of its own: a node was lost while a statement ran, or before it had confirmed a transaction. */
const lostNode = new RegExp(
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
const unnamed = 'XX000';

const isState = (code: string): boolean => /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code);
const startsWith = (code: string, states: readonly string[]): boolean =>
  states.some((state) => code.startsWith(state));

/** The statement took longer than it may. */
export const isOutOfTime = (error: unknown): boolean => codeOf(error) === '57014';

const waitingOn = new WeakSet<object>();

/** A session of Citus whose statement ran out of time may wait on for a node that is silent, and whoever uses it next with it. */
export const ofCluster = (error: unknown): void => {
  if (isOutOfTime(error)) waitingOn.add(error as object);
};

/** Whether an error leaves open if its transaction was committed: the session was lost, or gave no answer. */
export const isOutcomeUnknown = (error: unknown): boolean => {
  const code = codeOf(error);
  if (!isState(code)) return true;
  return startsWith(code, broken) && !ofAnotherNode.includes(textOf(error, 'routine'));
};

/** Whether a connection that gave this error has to be closed. */
export const isBroken = (error: unknown): boolean =>
  waitingOn.has(error as object) || isOutcomeUnknown(error);

/** The database, or the node of a cluster that was asked, could not do it now. */
export const isAway = (error: unknown): boolean => error instanceof AppError && error.code === 'UNAVAILABLE';

/** The result of work; another one where the database, or the node, is away. */
export const unlessAway = <T>(work: Promise<T>, otherwise: T): Promise<T> =>
  work.catch((error: unknown) => {
    if (isAway(error)) return otherwise;
    throw error;
  });

/** The check of a statement failed, or a unique key was taken: what was loaded is not what is stored now. */
export const isConflict = (error: unknown): boolean =>
  ['22012', '23505', '40001', '40P01'].includes(codeOf(error));

const networkCodes = /^E(CONN|PIPE|TIMEDOUT|HOST|NET|AI_|NOTFOUND)/;
/** Errors that the client library words itself, without a code. */
const networkMessages =
  /connection (terminated|error|closed|timeout)|timeout exceeded|read timeout|not queryable|stream (was )?destroyed|cannot use a pool/i;

/**
 * The error that a caller of the store is to meet. Decided by code and message, not by `instanceof Error`: errors of node's
 * own modules may come from another realm.
 */
export function failureOf(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const code = codeOf(error);
  if (isState(code)) {
    // Text with U+0000 or half a surrogate pair.
    if (code === '22021' || code === '22P05')
      return errorOf('BAD_USER_INPUT', [{ path: [], reason: 'invalid', message: unstorableMessage }]);
    if (code === readOnly) return unavailable(takesNoChanges, error);
    const isNotNow =
      startsWith(code, notNow) || (code === unnamed && lostNode.test(textOf(error, 'message')));
    return isNotNow ? unavailable('The database cannot do this at the moment.', error) : error;
  }
  const isOfNetwork = networkCodes.test(code) || networkMessages.test(textOf(error, 'message'));
  return isOfNetwork ? unavailable('The database does not answer in time.', error) : error;
}
