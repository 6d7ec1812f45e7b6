import { type Database, type Row, sql, type Statement } from './database.ts';
import pg from 'pg';
import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Maker } from '../../core/quota.ts';
import {
  type EarlierRequest,
  recordBytes,
  type RequestRecord,
  requestRecordLimits,
} from '../../core/request-record.ts';
import { queryEverywhere } from './everywhere.ts';
import { fromStored, toStored } from './stored-json.ts';
import { lookupKey } from './transaction.ts';

/** The kinds of things that are counted for each caller and day. */
type MadeKind = 'bucket' | 'calendar';

/** Finds how many a maker has made on a day: a row of the kind `made`. */
export const findMade = (kind: MadeKind, { identity, day }: Maker): Statement =>
  sql`/* made */ SELECT 'made' AS kind, count AS n FROM made
    WHERE identity = ${lookupKey(identity)} AND kind = ${kind} AND day = ${day}::date`;

/** Lets those who make something for the same maker take turns. */
export const lockMade = (kind: MadeKind, { identity, day }: Maker): Statement =>
  sql`/* lock made */ SELECT FROM made WHERE identity = ${lookupKey(identity)} AND kind = ${kind} AND day = ${day}::date FOR UPDATE`;

/**
 * Counts one more; fails where others have counted since there were `before`. By a division by zero, as in `failUnless`: an INSERT inside
 * of another statement is not led to one shard.
 */
export const countMade = (kind: MadeKind, { identity, day }: Maker, before: number): Statement =>
  sql`/* count made */ INSERT INTO made AS m (identity, kind, day, count) VALUES (${lookupKey(identity)}, ${kind}, ${day}::date, 1)
    ON CONFLICT (identity, kind, day) DO UPDATE SET count = (m.count + 1) / (CASE WHEN m.count = ${before} THEN 1 ELSE 0 END)`;

const keptDays = 2;

/** Forgets what was made on days that are over everywhere. */
export const trimMade = (now: number): Statement =>
  sql`/* delete old counts */ DELETE FROM made WHERE day < ${new Date(now - keptDays * 86_400_000).toISOString().slice(0, 10)}::date`;

/** By caller: whether the records are to be looked through again. */
const busy = new WeakMap<Database, Map<string, boolean>>();

/** Records that come meanwhile are looked through together, once they are stored. */
const gatherMs = 200;

/**
 * Forgets the oldest records of a caller beyond a share, in the background: they stand on all shards. What fails is done by a later
 * call, or when their time has run out.
 */
function forgetOldestRequests(database: Database, owner: string, most: number): void {
  const owners = busy.get(database) ?? new Map<string, boolean>();
  busy.set(database, owners);
  const isBusy = owners.has(owner);
  owners.set(owner, true);
  if (!isBusy) void forgetSoon(database, owners, owner, most);
}

async function forgetSoon(
  database: Database,
  owners: Map<string, boolean>,
  owner: string,
  most: number,
): Promise<void> {
  while (owners.get(owner)) {
    await pause(gatherMs, undefined, { ref: false });
    owners.set(owner, false);
    await forget(database, owner, most).catch(() => undefined);
  }
  owners.delete(owner);
}

async function forget(database: Database, owner: string, most: number): Promise<void> {
  const rows = await queryEverywhere(database, ['requests'], (table) => ({
    title: 'records of a caller',
    text: `SELECT key, until, bytes FROM ${table('requests')} WHERE owner = ${pg.escapeLiteral(owner)}`,
  }));
  let total = 0;
  const beyond = rows.toSorted(newestFirst).filter(({ bytes }) => (total += bytes as number) > most);
  await database.read(
    beyond.map(
      ({ key }) => sql`/* forget request */ DELETE FROM requests WHERE key = ${key} AND owner = ${owner}`,
    ),
  );
}

const newestFirst = (a: Row, b: Row): number =>
  (b.until as number) - (a.until as number) || ((a.key as string) < (b.key as string) ? -1 : 1);

export const earlierFrom = (fingerprint: unknown, outcome: unknown): EarlierRequest =>
  Object.freeze({ fingerprint: fingerprint as string, outcome: fromStored(outcome) });

/** Finds the outcome of a request by itself, on its own shard: a row of the kind `request`. */
export const findRequest = ({ key }: Pick<RequestRecord, 'key'>, now: number): Statement =>
  sql`/* earlier request */ SELECT 'request' AS kind, outcome AS body, fingerprint AS a FROM requests WHERE key = ${key} AND until > ${now}`;

interface Kept {
  readonly database: Database;
  /** Undefined where nothing is to be kept. */
  readonly outcome: object | undefined;
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
export function rememberRequest(request: RequestRecord | undefined, kept: Kept): Statement[] {
  const { database, outcome, now, kind, bytesPerCaller = requestRecordLimits.bytesPerCaller } = kept;
  if (!request || !outcome) return [];
  const { caller, key, fingerprint, until } = request;
  const owner = hash('sha256', JSON.stringify([kind, caller]), 'base64url');
  const bytes = recordBytes(key, { fingerprint, until, outcome });
  if (Math.random() * bytesPerCaller < bytes * looksPerShare)
    forgetOldestRequests(database, owner, bytesPerCaller);
  // A division by zero, as in `failUnless`: an INSERT inside of another statement is not led to one shard.
  return [
    sql`/* remember request */ INSERT INTO requests AS r (key, fingerprint, until, outcome, owner, bytes)
      VALUES (${key}, ${fingerprint}, ${until}, ${toStored(outcome)}, ${owner}, ${bytes})
      ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint, until = excluded.until, outcome = excluded.outcome,
        owner = excluded.owner, bytes = excluded.bytes / (CASE WHEN r.until <= ${now} THEN 1 ELSE 0 END)`,
  ];
}

/** Forgets the records whose time has run out, and the oldest of all beyond the limit, by whole seconds. */
export const trimRequests = (now: number, most = requestRecordLimits.bytes): Statement[] => [
  sql`/* delete old requests */ DELETE FROM requests WHERE until <= ${now}`,
  // Shards are summed up by themselves: a row for each record would be too much for one node.
  sql`/* delete requests beyond the limit */ DELETE FROM requests WHERE until < (
    SELECT coalesce(max(second), 0) * 1000 + 1000 FROM (
      SELECT second, sum(bytes) OVER (ORDER BY second DESC) AS total
      FROM (SELECT floor(until / 1000) AS second, sum(bytes) AS bytes FROM requests GROUP BY 1) AS seconds
    ) AS sums WHERE total > ${most})`,
];
