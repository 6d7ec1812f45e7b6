import { runInNewContext } from 'node:vm';
import { failureOf, isBroken, ofCluster } from '../../../src/adapters/postgres/failures.ts';
import type { AppError } from '../../../src/core/errors.ts';

/** Errors of node's own modules come from another realm wherever the program runs in a context of its own, as here. */
const foreign = (code: string, message = 'it failed'): unknown =>
  runInNewContext('Object.assign(new Error(message), { code })', { code, message });

describe('what a failure of the database is to a caller', () => {
  test.each(['ECONNREFUSED', 'ENOTFOUND', 'EPIPE', '57P01', '57014', '53300', '08006'])(
    '%s is UNAVAILABLE, in whichever realm it arose, and keeps its cause',
    (code) => {
      const cause = foreign(code);
      expect(cause).not.toBeInstanceOf(Error);
      expect(failureOf(cause)).toMatchObject({ code: 'UNAVAILABLE', reason: 'backendError', cause });
    },
  );

  test.each(['42601', '23502', 'ERR_INVALID_ARG_TYPE'])('%s is a fault of the program: it stays', (code) => {
    const fault = foreign(code);
    expect(failureOf(fault)).toBe(fault);
  });

  test.each([undefined, null, 'text', 7])('%p is no error of the database', (thrown) => {
    expect(failureOf(thrown)).toBe(thrown);
  });

  test('does not say that a database that only takes no changes is silent', () => {
    const { message } = failureOf(foreign('25006')) as AppError;
    expect(message).toBe('The database takes no changes at the moment. Try again in 2 seconds.');
    expect((failureOf(foreign('57014')) as AppError).message).not.toMatch(/does not answer/);
  });
});

/**
 * SQLSTATE, routine and message of what Citus 13.2 says when a node or the coordinator is killed, stopped or frozen, or its
 * connections are ended; "lost": the session with the coordinator is, too.
 */
const ofNodes = [
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

describe('of a cluster', () => {
  test.each(ofNodes)(
    '%s of %s (%s) is UNAVAILABLE, and the session with the coordinator %s',
    (code, routine, message, session) => {
      const cause = Object.assign(foreign(code, message) as object, { routine });
      expect(failureOf(cause)).toMatchObject({ code: 'UNAVAILABLE', reason: 'backendError', cause });
      expect(isBroken(cause)).toBe(session === 'lost');
    },
  );

  test('a statement that ran out of time leaves a session that may wait for a silent node: it is given up there, and only there', () => {
    const [timeout, other] = [foreign('57014'), foreign('40P01')];
    expect([isBroken(timeout), isBroken(other)]).toEqual([false, false]);
    for (const error of [timeout, other, undefined, 'text']) ofCluster(error);
    expect([isBroken(timeout), isBroken(other)]).toEqual([true, false]);
  });

  test.each(['cache lookup failed for type 17', 'unrecognized node type: 7'])(
    'XX000 with "%s" is a fault, and stays as it is',
    (message) => {
      const fault = foreign('XX000', message);
      expect(failureOf(fault)).toBe(fault);
    },
  );
});
