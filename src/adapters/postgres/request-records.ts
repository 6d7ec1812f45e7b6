import { hash } from 'node:crypto';
import { recordBytes, requestRecordLimits, type EarlierRequest, type RequestRecord } from '../../core/kernel/request-record.ts';
import type { Statement } from './database.ts';
import { fromStored, toStored } from './stored-json.ts';
import { counting } from './transaction.ts';

export const earlierFrom = (fingerprint: unknown, outcome: unknown): EarlierRequest =>
  Object.freeze({ fingerprint: fingerprint as string, outcome: fromStored(outcome) });

interface Kept {
  readonly outcome: object;
  readonly now: number;
  /** Each kind of resource has a share of its own. */
  readonly kind: 'bucket' | 'calendar' | 'event' | 'notification';
  readonly bytesPerCaller?: number;
}

/** How often a caller's records are summed up while as many come as fit into the share: each time would be too dear. */
const looksPerShare = 64;

/**
 * Keeps the outcome of a request; fails where the same request was stored meanwhile and its time has not run out. Beyond
 * the caller's share, and a 64th of it on the average, the caller's oldest records are forgotten before their time.
 */
export function rememberRequest({ caller, key, fingerprint, until }: RequestRecord, kept: Kept): Statement[] {
  const { outcome, now, kind, bytesPerCaller = requestRecordLimits.bytesPerCaller } = kept;
  const owner = hash('sha256', JSON.stringify([kind, caller]), 'base64url');
  const bytes = recordBytes(key, { fingerprint, until, outcome });
  const remember: Statement = { name: 'remember request', text: rememberText, values: [key, fingerprint, until, toStored(outcome), owner, bytes, now] };
  const isDue = Math.random() * bytesPerCaller < bytes * looksPerShare;
  return isDue ? [remember, { name: 'forget oldest requests', text: forgetText, values: [owner, bytesPerCaller] }] : [remember];
}

const rememberText = counting(
  `INSERT INTO requests AS r (key, fingerprint, until, outcome, owner, bytes) VALUES ($1, $2, $3, $4, $5, $6)
   ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint, until = excluded.until, outcome = excluded.outcome, owner = excluded.owner, bytes = excluded.bytes
   WHERE r.until <= $7 RETURNING 1`,
  '1',
);

const forgetText = `DELETE FROM requests WHERE key IN (
  SELECT r.key FROM requests r JOIN (SELECT key, sum(bytes) OVER (ORDER BY until DESC, key) AS total FROM requests WHERE owner = $1) AS s ON s.key = r.key
  WHERE s.total > $2 FOR UPDATE OF r SKIP LOCKED)`;

/** Forgets the records whose time has run out, and the oldest of all beyond the limit. */
export const trimRequests = (now: number, most = requestRecordLimits.bytes): Statement[] => [
  { name: 'delete old requests', text: 'DELETE FROM requests WHERE until <= $1', values: [now] },
  {
    name: 'delete requests beyond the limit',
    text: `DELETE FROM requests r USING (
        SELECT key, sum(bytes) OVER (ORDER BY until DESC, key) AS total FROM requests WHERE (SELECT sum(bytes) FROM requests) > $1
      ) AS s WHERE r.key = s.key AND s.total > $1`,
    values: [most],
  },
];
