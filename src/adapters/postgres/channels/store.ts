import {
  type ChannelChange,
  type ChannelClaim,
  type ChannelClaimLimits,
  type ChannelRecord,
  type ChannelStore,
  hostOf,
  maxConnectionsPerHost,
  selectCandidates,
} from '../../../channel/channel.store.ts';
import { deepFreeze } from '../../../core/json.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { type Database, type Row, sql, type Statement, createKeyedLimit } from '../database.ts';
import { queryShardRows } from '../query-shards.ts';
import { begin, commit, runWithRollback, storeSeparately, withRowCountCheck } from '../transaction.ts';
import { lookupKey, queryByKeys } from '../statements.ts';

/** The channel store in PostgreSQL. */
export function createPostgresChannelStore(database: Database, clock: Clock): ChannelStore {
  // Concurrent changes of one identity wait here, so that they use one connection.
  const limitByIdentity = createKeyedLimit(1, 30_000);
  const storeWrites = storeSeparately(database);

  return {
    changeChannels: (identity, decide) =>
      limitByIdentity(identity, () =>
        runWithRollback(database, async ({ run }) => {
          const key = lookupKey(identity);
          const [, , rows = []] = await run([begin, lockIdentity(key), findChannels(key, clock())]);
          const change = decide(rows.map(toRecord));
          await run([...writeChange(change), commit]);
          return change.result;
        }),
      ),

    async claim(limits) {
      const now = clock();
      const rows = await findChannelRows(database, now, limits);
      const [leasedRows, dueRows] = [true, false].map((isLeased) =>
        rows.filter((row) => row.is_leased === isLeased),
      ) as [Row[], Row[]];
      const leasedHosts = leasedRows.map(({ host }) => host as string);
      const candidates = selectCandidates(dueRows.map(toCandidate), leasedHosts, limits);
      const claimedRows = await queryByKeys(
        database,
        candidates.map(({ row }) => row),
        (row) => claimStatement(row, now, now + limits.leaseMs),
      );
      return claimedRows.map(toClaim);
    },

    async settle(claim, progress) {
      const { channel, leasedUntil } = claim;
      const { calendarId, identity, id } = channel;
      if (progress === 'ended') {
        // Fails if the claim has passed to another gateway, or the creator stopped the channel.
        const deletion = sql`/* end channel */ DELETE FROM channels
          WHERE calendar_id = ${calendarId} AND identity = ${identity} AND id = ${id} AND leased_until = ${leasedUntil} RETURNING 1`;
        await storeWrites({ statements: [withRowCountCheck(deletion), removeChannelId(channel)] });
        return;
      }
      const { owesSync, revision, failures, failingSince = null, due } = progress;
      await database.query(sql`/* settle channel */ UPDATE channels SET owes_sync = ${owesSync}, revision = ${revision}, failures = ${failures},
          failing_since = ${failingSince}, due = ${due}, leased_until = 0
        WHERE calendar_id = ${calendarId} AND identity = ${identity} AND id = ${id} AND leased_until = ${leasedUntil}`);
    },
  };
}

const toRecord = ({ body }: Row): ChannelRecord => deepFreeze(JSON.parse(body as string) as ChannelRecord);

/** Serializes changes of an identity's channels by all gateways, until the transaction ends. */
const lockIdentity = (identity: string): Statement =>
  sql`/* lock channels */ SELECT pg_advisory_xact_lock(hashtext('channels'), hashtext(${identity}))`;

const findChannels = (identity: string, now: number): Statement =>
  sql`/* channels of */ SELECT body FROM channel_ids WHERE identity = ${identity} AND expiration > ${now}`;

/** Statements that store a decision on channels. */
function writeChange<T>({ insert, remove }: ChannelChange<T>): Statement[] {
  return [
    ...(remove ? [removeChannel(remove), removeChannelId(remove)] : []),
    ...(insert ? insertChannel(insert.channel, insert.revision) : []),
  ];
}

const removeChannel = ({ calendarId, identity, id }: ChannelRecord): Statement =>
  sql`/* remove channel */ DELETE FROM channels WHERE calendar_id = ${calendarId} AND identity = ${identity} AND id = ${id}`;

const removeChannelId = ({ identity, id }: ChannelRecord): Statement =>
  sql`/* remove channel id */ DELETE FROM channel_ids WHERE identity = ${identity} AND id = ${id}`;

/** Inserts a channel, or replaces an expired one with the same id. */
function insertChannel(channel: ChannelRecord, revision: string): Statement[] {
  const { calendarId, identity, id, expiration } = channel;
  const body = JSON.stringify(channel);
  return [
    sql`/* add channel id */ INSERT INTO channel_ids (identity, id, expiration, body) VALUES (${identity}, ${id}, ${expiration}, ${body})
      ON CONFLICT (identity, id) DO UPDATE SET expiration = excluded.expiration, body = excluded.body`,
    removeChannel(channel),
    sql`/* add channel */ INSERT INTO channels (calendar_id, identity, id, host, expiration, body, revision)
      VALUES (${calendarId}, ${identity}, ${id}, ${hostOf(channel)}, ${expiration}, ${body}, ${revision})`,
  ];
}

/** Maximum leases of all gateways that count towards the limits of hosts. */
const maxLeases = 2_000;

/**
 * Finds leased channels (`h`), and due ones without those beyond the limit of their host. A calendar has news if
 * its number of changes differs from that in the channel's revision. `c`: the channel's calendar.
 */
const findChannelRows = (
  database: Database,
  now: number,
  { limit }: ChannelClaimLimits,
): Promise<readonly Row[]> =>
  queryShardRows(database, ['channels', 'calendars'], (table) => ({
    title: 'due channels',
    text: `SELECT calendar_id, identity, id, host, due, is_failing, is_leased FROM (
      SELECT h.calendar_id, h.identity, h.id, h.host, h.due, h.failures > 0 AS is_failing, h.leased_until > ${now} AS is_leased,
        row_number() OVER (PARTITION BY h.host ORDER BY h.leased_until > ${now} DESC, h.failures > 0, h.due, h.identity, h.id) AS host_rank
      FROM ${table('channels')} h LEFT JOIN ${table('calendars')} c ON c.id = h.calendar_id
      WHERE h.expiration > ${now} AND (h.leased_until > ${now} OR h.due <= ${now}
        AND (h.owes_sync OR c.changes IS DISTINCT FROM split_part(h.revision, '.', 2)::bigint))
    ) AS ranked WHERE is_leased OR host_rank <= ${maxConnectionsPerHost}
    ORDER BY is_leased DESC, is_failing, due LIMIT ${maxLeases + limit}`,
  }));

/** Converts a row for `selectCandidates`. */
const toCandidate = (row: Row) => ({
  row,
  host: row.host as string,
  isFailing: row.is_failing as boolean,
  due: row.due as number,
});

/** Claims a channel, unless another gateway did so since it was read. */
const claimStatement = (
  { calendar_id: calendarId, identity, id, due }: Row,
  now: number,
  leasedUntil: number,
) => sql`/* claim channel */ UPDATE channels SET leased_until = ${leasedUntil}, messages = messages + (NOT owes_sync)::integer
    WHERE calendar_id = ${calendarId} AND identity = ${identity} AND id = ${id} AND due = ${due} AND leased_until <= ${now}
    RETURNING body, revision, owes_sync, messages, failures, failing_since, due, leased_until`;

const toClaim = (row: Row): ChannelClaim => ({
  channel: toRecord(row),
  progress: {
    owesSync: row.owes_sync as boolean,
    revision: row.revision as string,
    failures: row.failures as number,
    failingSince: (row.failing_since ?? undefined) as number | undefined,
    due: row.due as number,
  },
  messageNumber: row.messages as number,
  leasedUntil: row.leased_until as number,
});

/** Statements that delete expired channels. */
export const trimChannels = (now: number): readonly Statement[] => [
  sql`/* delete expired channels */ DELETE FROM channels WHERE expiration <= ${now}`,
  sql`/* delete expired channel ids */ DELETE FROM channel_ids WHERE expiration <= ${now}`,
];
