import { runInNewContext } from 'node:vm';
import {
  failureOf,
  isConnectionBroken,
  markClusterTimeout,
} from '../../../src/adapters/postgres/failures.ts';
import type { AppError } from '../../../src/core/errors.ts';

/** Creates an error of another realm, as Node's own modules throw them in Jest's context. */
const createForeignError = (code: string, message = 'it failed'): unknown =>
  runInNewContext('Object.assign(new Error(message), { code })', { code, message });

describe('failureOf', () => {
  test.each(['ECONNREFUSED', 'ENOTFOUND', 'EPIPE', '57P01', '57014', '53300', '08006'])(
    'reports %s as UNAVAILABLE with its cause, in any realm',
    (code) => {
      const cause = createForeignError(code);
      expect(cause).not.toBeInstanceOf(Error);
      expect(failureOf(cause)).toMatchObject({ code: 'UNAVAILABLE', reason: 'backendError', cause });
    },
  );

  test.each(['42601', '23502', 'ERR_INVALID_ARG_TYPE'])(
    'returns %s unchanged, a fault of the program',
    (code) => {
      const fault = createForeignError(code);
      expect(failureOf(fault)).toBe(fault);
    },
  );

  test.each([undefined, null, 'text', 7])('returns %p unchanged, which is no error', (thrown) => {
    expect(failureOf(thrown)).toBe(thrown);
  });

  test('says of a read-only database that it accepts no changes', () => {
    const { message } = failureOf(createForeignError('25006')) as AppError;
    expect(message).toBe('The database accepts no changes at the moment. Try again in 2 seconds.');
    expect((failureOf(createForeignError('57014')) as AppError).message).not.toMatch(/does not answer/);
  });
});

/**
 * Errors of Citus 13.2 when a node or the coordinator is killed, stopped or frozen, or its connections are ended:
 * SQLSTATE, routine, message, and whether the session with the coordinator is lost.
 */
const nodeFailures = [
  ['08006', 'ReportConnectionError', 'connection to the remote node failed: connection not open', 'goes on'],
  ['08006', 'CheckConnectionTimeout', 'could not establish any connections to the node', 'goes on'],
  ['57P01', 'ReportResultError', 'terminating connection due to administrator command', 'goes on'],
  ['XX000', 'ErrorIfPostCommitFailedShardPlacements', 'could not commit transaction for shard 1', 'goes on'],
  ['XX000', 'ReportResultError', 'server closed the connection unexpectedly', 'goes on'],
  ['XX000', 'ReportResultError', 'SSL connection has been closed unexpectedly', 'goes on'],
  ['XX000', 'CheckRemoteTransactionsHealth', 'failure on connection marked as essential: …', 'goes on'],
  ['XX000', 'FinishRemoteTransactionPrepare', "failed to prepare transaction 'citus_0' on host …", 'goes on'],
  ['XX000', 'ProcessWaitEvents', 'postmaster was shut down, exiting', 'goes on'],
  ['57P01', 'secure_read', 'terminating connection due to unexpected postmaster exit', 'lost'],
  ['57P01', 'ProcessInterrupts', 'terminating connection due to administrator command', 'lost'],
  ['57P03', 'ProcessStartupPacket', 'the database system is shutting down', 'lost'],
] as const;

describe('failureOf on a cluster', () => {
  test.each(nodeFailures)(
    'reports %s of %s (%s) as UNAVAILABLE, and the session with the coordinator %s',
    (code, routine, message, session) => {
      const cause = Object.assign(createForeignError(code, message) as object, { routine });
      expect(failureOf(cause)).toMatchObject({ code: 'UNAVAILABLE', reason: 'backendError', cause });
      expect(isConnectionBroken(cause)).toBe(session === 'lost');
    },
  );

  test('treats the session as broken after a marked statement timeout, as it may wait for a silent node', () => {
    const [timeoutError, otherError] = [createForeignError('57014'), createForeignError('40P01')];
    expect([isConnectionBroken(timeoutError), isConnectionBroken(otherError)]).toEqual([false, false]);
    for (const error of [timeoutError, otherError, undefined, 'text']) markClusterTimeout(error);
    expect([isConnectionBroken(timeoutError), isConnectionBroken(otherError)]).toEqual([true, false]);
  });

  test.each(['cache lookup failed for type 17', 'unrecognized node type: 7'])(
    'keeps XX000 with "%s", a fault of the program',
    (message) => {
      const fault = createForeignError('XX000', message);
      expect(failureOf(fault)).toBe(fault);
    },
  );
});
