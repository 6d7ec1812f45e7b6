import { hash } from 'node:crypto';
import {
  recordBytes,
  requestRecordLimits,
  type EarlierRequest,
  type RequestRecord,
} from '../../core/kernel/request-record.ts';
import type { Database, Statement } from './database.ts';
import { forgetOldestRequests } from './oldest-requests.ts';
import { fromStored, toStored } from './stored-json.ts';

export const earlierFrom = (fingerprint: unknown, outcome: unknown): EarlierRequest =>
  Object.freeze({ fingerprint: fingerprint as string, outcome: fromStored(outcome) });

/** Finds the outcome of a request by itself, on its own shard: a row of the kind `request`. */
export const findRequest = ({ key }: Pick<RequestRecord, 'key'>, now: number): Statement => ({
  name: 'earlier request',
  text: `SELECT 'request' AS kind, outcome AS body, fingerprint AS a FROM requests WHERE key = $1 AND until > $2`,
  values: [key, now],
});

interface Kept {
  readonly database: Database;
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
 * the caller's share, and a 64th of it on the average, the caller's oldest records are forgotten before their time: in the background, as
 * they stand on all shards.
 */
export function rememberRequest({ caller, key, fingerprint, until }: RequestRecord, kept: Kept): Statement[] {
  const { database, outcome, now, kind, bytesPerCaller = requestRecordLimits.bytesPerCaller } = kept;
  const owner = hash('sha256', JSON.stringify([kind, caller]), 'base64url');
  const bytes = recordBytes(key, { fingerprint, until, outcome });
  const remember: Statement = {
    name: 'remember request',
    text: rememberText,
    values: [key, fingerprint, until, toStored(outcome), owner, bytes, now],
  };
  if (Math.random() * bytesPerCaller < bytes * looksPerShare)
    forgetOldestRequests(database, owner, bytesPerCaller);
  return [remember];
}

// A division by zero, as in `counting`: an INSERT inside of another statement is not led to one shard.
const rememberText = `INSERT INTO requests AS r (key, fingerprint, until, outcome, owner, bytes) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint, until = excluded.until, outcome = excluded.outcome, owner = excluded.owner,
    bytes = excluded.bytes / (CASE WHEN r.until <= $7 THEN 1 ELSE 0 END)`;

/** Forgets the records whose time has run out, and the oldest of all beyond the limit, by whole seconds. */
export const trimRequests = (now: number, most = requestRecordLimits.bytes): Statement[] => [
  { name: 'delete old requests', text: 'DELETE FROM requests WHERE until <= $1', values: [now] },
  { name: 'delete requests beyond the limit', text: trimText, values: [most] },
];

/** Shards are summed up by themselves: a row for each record would be too much for one node. */
const trimText = `DELETE FROM requests WHERE until < (
    SELECT coalesce(max(second), 0) * 1000 + 1000 FROM (
      SELECT second, sum(bytes) OVER (ORDER BY second DESC) AS total FROM (SELECT floor(until / 1000) AS second, sum(bytes) AS bytes FROM requests GROUP BY 1) AS seconds
    ) AS sums WHERE total > $1)`;
