import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Database, Row } from './database.ts';
import { queryEverywhere } from './everywhere.ts';

/** By caller: whether the records are to be looked through again. */
const busy = new WeakMap<Database, Map<string, boolean>>();

/** Records that come meanwhile are looked through together, once they are stored. */
const gatherMs = 200;

/**
 * Forgets the oldest records of a caller beyond a share, in the background: they stand on all shards. What fails is done by a later
 * call, or when their time has run out.
 */
export function forgetOldestRequests(database: Database, owner: string, most: number): void {
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
    beyond.map(({ key }) => ({
      name: 'forget request',
      text: 'DELETE FROM requests WHERE key = $1 AND owner = $2',
      values: [key, owner],
    })),
  );
}

const newestFirst = (a: Row, b: Row): number =>
  (b.until as number) - (a.until as number) || ((a.key as string) < (b.key as string) ? -1 : 1);
