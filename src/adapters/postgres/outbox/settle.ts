import { type Database, type Row, sql, type Statement } from '../database.ts';
import pg from 'pg';
import { groupByKey } from '../../../core/json.ts';
import {
  countDropped,
  formatDeliveryKey,
  type DroppedItems,
  type DropRequest,
  type Release,
  type Settlement,
} from '../../../outbox/outbox.store.ts';
import { queryShardRows } from '../query-shards.ts';
import { catchUnavailable } from '../failures.ts';
import { begin, commit, runWithRollback } from '../transaction.ts';
import { insertRows } from '../statements.ts';
import { topicChannel } from '../listen.ts';
import { waitingBytesOf } from './waiting-bytes.ts';

/** Settles deliveries of an owner. Appends to a topic's log hold an advisory lock until commit, so that positions become visible in order. */
export async function settleForOwner(
  database: Database,
  owner: string,
  settlements: readonly Settlement[],
  now: number,
): Promise<void> {
  const releasedDeliveries = settlements.flatMap(({ outcome, ...delivery }) =>
    typeof outcome === 'object' ? [{ ...delivery, ...outcome }] : [],
  );
  const releaseStatements =
    releasedDeliveries.length > 0 ? [releaseDeliveries(owner, releasedDeliveries, now)] : [];
  const endedDeliveries = settlements.filter(({ outcome }) => typeof outcome === 'string');
  if (endedDeliveries.length === 0) {
    await database.read(releaseStatements);
    return;
  }
  const doneDeliveries = endedDeliveries.filter(({ outcome }) => outcome === 'done');
  const topics = [...new Set(doneDeliveries.flatMap(({ topic }) => topic ?? []))];
  const logStatements =
    topics.length === 0
      ? []
      : [
          lockTopics(topics),
          reservePositions(doneDeliveries.length),
          ...topics.map(findLastPosition),
          markLogged(owner, doneDeliveries),
        ];
  const deletedRows = await runWithRollback(database, async ({ run }) => {
    const [, ...results] = await run([
      begin,
      ...logStatements,
      deleteDeliveries(owner, endedDeliveries),
      ...releaseStatements,
    ]);
    const deliveryRows = results[logStatements.length] as readonly Row[];
    const doneKeys = new Set(doneDeliveries.map(formatDeliveryKey));
    // The results of `logStatements`, in their order.
    const [, positionRows = [], ...lastPositionRows] = results;
    const logRows = toLogRows(
      topics.length === 0
        ? []
        : deliveryRows.filter((row) => doneKeys.has(formatDeliveryKey(toItemKey(row)))),
      positionRows.map(({ seq }) => seq as number),
      new Map(topics.map((topic, index) => [topic, lastPositionRows[index]?.[0]?.seq as number])),
    );
    await run([
      ...(logRows.length > 0 ? [addToLog(logRows, now)] : []),
      dropEmptyQueues(owner, deliveryRows),
      commit,
      ...(logRows.length > 0 ? [notifyTopics(logRows)] : []),
    ]);
    return deliveryRows;
  });
  waitingBytesOf(database).subtract(owner, deletedRows);
}

/** Identifies a delivery of an owner. */
type ItemKey = Pick<Settlement, 'id' | 'destination'>;

const toItemKey = ({ id, destination }: Row) => ({ id, destination }) as ItemKey;

/** Deletes old unclaimed deliveries, owner by owner. Skips owners whose node is unavailable. */
export async function dropWaiting(
  database: Database,
  { storedUntil, destination, limit }: DropRequest,
  now: number,
): Promise<readonly DroppedItems[]> {
  const idleRows = await queryShardRows(database, ['deliveries'], (table) => ({
    title: 'idle deliveries',
    text: `SELECT bucket, destination, ordering_key, id, stored_at FROM ${table('deliveries')} d WHERE stored_at <= ${storedUntil} ${destination === undefined ? '' : `AND destination = ${pg.escapeLiteral(destination)}`}
    AND NOT (session IS NOT NULL AND held_until > ${now}) ORDER BY stored_at LIMIT ${limit}`,
  }));
  const oldestRows = idleRows
    .toSorted((a, b) => (a.stored_at as number) - (b.stored_at as number))
    .slice(0, limit);
  const droppedItems: DroppedItems[] = [];
  for (const [owner, rows] of groupByKey(oldestRows, ({ bucket }) => bucket as string))
    droppedItems.push(...(await catchUnavailable(dropForOwner(database, owner, rows, now), [])));
  return droppedItems;
}

async function dropForOwner(
  database: Database,
  owner: string,
  rows: readonly Row[],
  now: number,
): Promise<readonly DroppedItems[]> {
  const deletedRows = await runWithRollback(database, async ({ run }) => {
    const [, , deletedDeliveries = []] = await run([
      begin,
      lockQueues(owner, rows),
      deleteDeliveries(owner, rows.map(toItemKey), now),
    ]);
    await run([dropEmptyQueues(owner, deletedDeliveries), commit]);
    return deletedDeliveries;
  });
  waitingBytesOf(database).subtract(owner, deletedRows);
  return countDropped(
    deletedRows.map(({ destination, topic, attributes }) => [
      destination as string,
      {
        topic: (topic ?? undefined) as string | undefined,
        attributes: JSON.parse(attributes as string) as Record<string, string>,
      },
    ]),
  );
}

/** Locks queues before their deliveries, and in one order, as claims and changes do: otherwise they would wait for each other in a circle. */
const lockQueues = (owner: string, rows: readonly Row[]) => sql`/* lock idle queues */
  SELECT FROM delivery_queues WHERE bucket = ${owner} AND (destination, ordering_key) IN
    (SELECT * FROM unnest(${rows.map(({ destination }) => destination)}::text[], ${rows.map(({ ordering_key: key }) => key)}::text[]))
  ORDER BY destination COLLATE "C", ordering_key COLLATE "C" FOR UPDATE`;

/** Locks the logs of topics in one order, so that transactions do not wait for each other in a circle. */
const lockTopics = (
  topics: readonly string[],
) => sql`/* lock topics */ SELECT pg_advisory_xact_lock(hashtext('published'), key) FROM (SELECT DISTINCT hashtext(topic) AS key
    FROM unnest(${topics}::text[]) AS topic ORDER BY key) AS topics`;

/** Reserves log positions for up to `count` items. */
const reservePositions = (count: number): Statement =>
  sql`/* positions in logs */ SELECT nextval(pg_get_serial_sequence('published', 'seq')) AS seq FROM generate_series(1, ${count})`;

const findLastPosition = (topic: string): Statement =>
  sql`/* last of topic */ SELECT coalesce(max(seq), 0) AS seq FROM published WHERE topic = ${topic}`;

/** A deleted delivery with its position in the log, and that of the topic's message before (`previous`). */
type LogRow = Row & { readonly topic: string; readonly seq: number; readonly previous: number };

/** Rows for items that are not in the log yet, each once, after the last position of their topic. */
function toLogRows(
  rows: readonly Row[],
  positions: readonly number[],
  lastPositions: Map<string, number>,
): LogRow[] {
  const firstRowsById = new Map(
    rows
      .filter(({ logged, topic }) => !logged && topic !== null)
      .toReversed()
      .map((row) => [row.id, row]),
  );
  return rows
    .filter((row) => firstRowsById.get(row.id) === row)
    .map((row, index) => {
      const [topic, seq] = [row.topic as string, positions[index] as number];
      const previous = lastPositions.get(topic) as number;
      lastPositions.set(topic, seq);
      return { ...row, topic, seq, previous };
    });
}

const addToLog = (rows: readonly LogRow[], now: number): Statement =>
  insertRows(
    'add to log',
    'published (topic, seq, previous, id, ordering_key, attributes, data, bytes, published_at) OVERRIDING SYSTEM VALUE',
    rows,
    (row, parameter) => {
      const [topic, key, attributes, data] = [
        parameter(row.topic, 'text'),
        parameter(row.ordering_key, 'text'),
        parameter(row.attributes, 'jsonb'),
        parameter(row.data, 'text'),
      ];
      return [
        topic,
        parameter(row.seq, 'bigint'),
        parameter(row.previous, 'bigint'),
        parameter(row.id, 'text'),
        key,
        attributes,
        data,
        `100 + octet_length(${data}) + octet_length(${attributes}::text) + octet_length(${topic}) + 2 * octet_length(${key})`,
        parameter(now, 'float8'),
      ];
    },
  );

const notifyTopics = (rows: readonly LogRow[]): Statement =>
  sql`/* notify of messages */ SELECT pg_notify(${topicChannel}, topic) FROM unnest(${[...new Set(rows.map(({ topic }) => topic))]}::text[]) AS topic`;

/** Marks items as logged for their other destinations, which then do not add them to the log again. */
const markLogged = (owner: string, doneDeliveries: readonly Settlement[]) => sql`/* mark logged */
  WITH item AS MATERIALIZED (
    SELECT DISTINCT destination, ordering_key FROM deliveries
    WHERE bucket = ${owner} AND id = ANY (${doneDeliveries.map(({ id }) => id)}::text[])
  ), locked AS MATERIALIZED (
    SELECT q.destination, q.ordering_key
    FROM delivery_queues q JOIN item USING (destination, ordering_key) WHERE q.bucket = $1
    ORDER BY q.destination COLLATE "C", q.ordering_key COLLATE "C" FOR UPDATE OF q
  ) UPDATE deliveries o SET logged = true FROM locked l
    WHERE o.bucket = $1 AND o.destination = l.destination AND o.ordering_key = l.ordering_key AND o.id = ANY ($2::text[]) AND NOT o.logged
    AND NOT EXISTS (SELECT
    FROM unnest($2::text[], ${doneDeliveries.map(({ destination }) => destination)}::text[]) AS k (id, destination)
      WHERE k.id = o.id AND k.destination = o.destination)`;

/**
 * Deletes deliveries, except those that are claimed after `claimsEndedAt` (epoch ms), and returns them in the given order; their queues
 * no longer count as failing. In all SQL of this file, `o` is a delivery, `q` a queue, `b` a shared body, `k`, `w` or `r` a row of the
 * parameters.
 */
const deleteDeliveries = (
  owner: string,
  keys: readonly ItemKey[],
  claimsEndedAt = Infinity,
) => sql`/* forget deliveries */
  WITH gone AS (
    DELETE FROM deliveries o USING unnest(${keys.map(({ id }) => id)}::text[], ${keys.map(({ destination }) => destination)}::text[]) WITH ORDINALITY AS k (id, destination, nth)
    WHERE o.bucket = ${owner} AND o.id = k.id AND o.destination = k.destination
      AND NOT (o.session IS NOT NULL AND o.held_until > ${claimsEndedAt}::float8) RETURNING o.*, k.nth
  ), turned AS (
    UPDATE delivery_queues q SET failing = false, claims = claims + 1, served = ${servedSeconds()}::float8
    FROM (SELECT DISTINCT destination, ordering_key FROM gone) g
    WHERE q.bucket = $3 AND q.destination = g.destination AND q.ordering_key = g.ordering_key AND q.failing
  ) SELECT g.destination, g.ordering_key, g.id, g.topic, g.attributes, coalesce(b.data, g.data) AS data, g.bytes, g.logged
    FROM gone g LEFT JOIN delivery_bodies b ON b.bucket = $3 AND b.id = g.body_id ORDER BY g.nth`;

/** Deletes empty queues, unless items were added meanwhile or another transaction holds the queue. */
const dropEmptyQueues = (owner: string, deletedRows: readonly Row[]) => sql`/* drop empty queues */
  WITH empty AS MATERIALIZED (
    SELECT DISTINCT q.destination, q.ordering_key, q.additions FROM delivery_queues q
    JOIN unnest(${deletedRows.map(({ destination }) => destination)}::text[], ${deletedRows.map(({ ordering_key: key }) => key)}::text[]) AS w (destination, ordering_key) USING (destination, ordering_key)
    WHERE q.bucket = ${owner} AND NOT EXISTS (SELECT FROM deliveries o
    WHERE o.bucket = $3 AND o.destination = q.destination AND o.ordering_key = q.ordering_key)
  ), locked AS MATERIALIZED (
    SELECT q.destination, q.ordering_key
    FROM delivery_queues q JOIN empty e ON q.destination = e.destination AND q.ordering_key = e.ordering_key AND q.additions = e.additions
    WHERE q.bucket = $3 ORDER BY q.destination COLLATE "C", q.ordering_key COLLATE "C" FOR UPDATE OF q SKIP LOCKED
  ) DELETE FROM delivery_queues q USING locked l
    WHERE q.bucket = $3 AND q.destination = l.destination AND q.ordering_key = l.ordering_key`;

/** Ends claims unless another relay has taken over. A delay makes the queue count as failing and served. */
const releaseDeliveries = (
  owner: string,
  released: readonly (ItemKey & Release)[],
  now: number,
) => sql`/* release deliveries */
  WITH asked AS MATERIALIZED (
    SELECT o.destination, o.ordering_key, o.seq, r.attempt, r.delay
    FROM unnest(${released.map(({ id }) => id)}::text[], ${released.map(({ destination }) => destination)}::text[], ${released.map(({ attempt }) => attempt)}::integer[], ${released.map(({ delayMs }) => delayMs)}::float8[]) AS r (id, destination, attempt, delay)
    JOIN deliveries o ON o.id = r.id AND o.destination = r.destination AND o.attempt = r.attempt WHERE o.bucket = ${owner}
  ), locked AS MATERIALIZED (
    SELECT q.destination, q.ordering_key FROM delivery_queues q
    WHERE q.bucket = $5 AND (q.destination, q.ordering_key) IN (SELECT destination, ordering_key FROM asked)
    ORDER BY q.destination COLLATE "C", q.ordering_key COLLATE "C" FOR UPDATE
  ), turned AS (
    UPDATE delivery_queues q
    SET claims = claims + 1, failing = q.failing OR d.delay > 0, served = CASE WHEN d.delay > 0 THEN ${servedSeconds()}::float8 ELSE q.served END
    FROM locked l JOIN (SELECT destination, ordering_key, max(delay) AS delay
    FROM asked GROUP BY 1, 2) d USING (destination, ordering_key)
    WHERE q.bucket = $5 AND q.destination = l.destination AND q.ordering_key = l.ordering_key
  ) UPDATE deliveries o SET held_until = ${now} + a.delay, session = NULL, failures = o.failures + (a.delay > 0)::integer
    FROM asked a JOIN locked l USING (destination, ordering_key)
    WHERE o.bucket = $5 AND o.destination = a.destination AND o.ordering_key = a.ordering_key AND o.seq = a.seq AND o.attempt = a.attempt`;

/** Epoch seconds, at least the database's time. Computed here, as Citus routes no statement with a volatile function to one shard. */
export const servedSeconds = (): number => (Date.now() + 1) / 1000;
