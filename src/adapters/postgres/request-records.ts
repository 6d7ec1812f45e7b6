import { hash } from 'node:crypto';
import {
  type EarlierRequest,
  estimateRecordBytes,
  type RequestRecord,
  defaultRequestRecordLimits,
} from '../../core/request-record.ts';
import { type Row, sql, type Statement } from './database.ts';
import { parseRecord, serializeRecord } from './stored-json.ts';

/** Reads a row of `findRequest`. */
export const toEarlierRequest = ({ fingerprint, body }: Row): EarlierRequest =>
  Object.freeze({ fingerprint: fingerprint as string, outcome: parseRecord(body) });

/** Finds an unexpired record: a row of the kind `request`. */
export const findRequest = ({ key }: Pick<RequestRecord, 'key'>, now: number): Statement =>
  sql`/* earlier request */ SELECT 'request' AS kind, outcome AS body, fingerprint FROM requests WHERE key = ${key} AND until > ${now}`;

/** Stores the outcome of a request; fails if the same one was stored meanwhile. */
export function storeRequest(
  { caller, key, fingerprint, until }: RequestRecord,
  kind: 'bucket' | 'calendar' | 'event' | 'notification',
  outcome: object,
  now: number,
): Statement {
  // `owner`: digest of the caller and the kind, as each kind has its own share.
  const owner = hash('sha256', JSON.stringify([kind, caller]), 'base64url');
  const bytes = estimateRecordBytes(key, { fingerprint, until, outcome });
  // Fails by a division by zero, as `failUnless` does: Citus does not route an INSERT within another statement to one shard.
  return sql`/* remember request */ INSERT INTO requests AS r (key, fingerprint, until, outcome, owner, bytes)
      VALUES (${key}, ${fingerprint}, ${until}, ${serializeRecord(outcome)}, ${owner}, ${bytes})
      ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint, until = excluded.until, outcome = excluded.outcome,
        owner = excluded.owner, bytes = excluded.bytes / (CASE WHEN r.until <= ${now} THEN 1 ELSE 0 END)`;
}

/** Deletes expired records, and the oldest ones beyond the limits: of a caller, then in total, by whole seconds. */
export const trimRequests = (
  now: number,
  { maxBytes, maxBytesPerCaller } = defaultRequestRecordLimits,
): Statement[] => [
  sql`/* delete old requests */ DELETE FROM requests WHERE until <= ${now}`,
  sql`/* delete requests of a caller beyond the limit */ DELETE FROM requests WHERE key IN (
    SELECT key FROM (
      SELECT key, sum(bytes) OVER (PARTITION BY owner ORDER BY until DESC, key) AS total FROM requests
      WHERE owner IN (SELECT owner FROM requests GROUP BY owner HAVING sum(bytes) > ${maxBytesPerCaller})
    ) AS sums WHERE total > ${maxBytesPerCaller})`,
  // Grouped by second, so that shards aggregate: a row for each record would be too much for one node.
  sql`/* delete requests beyond the limit */ DELETE FROM requests WHERE until < (
    SELECT coalesce(max(second), 0) * 1000 + 1000 FROM (
      SELECT second, sum(bytes) OVER (ORDER BY second DESC) AS total
      FROM (SELECT floor(until / 1000) AS second, sum(bytes) AS bytes FROM requests GROUP BY 1) AS seconds
    ) AS sums WHERE total > ${maxBytes})`,
];
