import { deepFreeze } from '../../core/kernel/freeze.ts';
import type { EarlierRequest, RequestRecord } from '../../core/kernel/request-record.ts';
import type { Statement } from './database.ts';
import { counting } from './transaction.ts';

export const earlierFrom = (fingerprint: unknown, outcome: unknown): EarlierRequest =>
  deepFreeze({ fingerprint: fingerprint as string, outcome });

/** Keeps the outcome of a request; fails where the same request was stored meanwhile and its time has not run out. */
export const rememberRequest = ({ key, fingerprint, until }: RequestRecord, outcome: unknown, now: number): Statement => ({
  name: 'remember request',
  text: counting(
    `INSERT INTO requests AS r (key, fingerprint, until, outcome) VALUES ($1, $2, $3, $4)
     ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint, until = excluded.until, outcome = excluded.outcome
     WHERE r.until <= $5 RETURNING 1`,
    '1',
  ),
  values: [key, fingerprint, until, JSON.stringify(outcome), now],
});
