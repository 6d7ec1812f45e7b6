import { type Database, type Row, sql, type Statement } from '../database.ts';
import pg from 'pg';
import { grouped } from '../../../core/patch.ts';
import {
  countDropped,
  deliveryKey,
  droppedOf,
  type Dropped,
  type GiveUp,
  type Outcome,
  type Settlement,
} from '../../../outbox/outbox.store.ts';
import { queryEverywhere } from '../everywhere.ts';
import { unlessAway } from '../failures.ts';
import { begin, commit, insertRows, rollingBack } from '../transaction.ts';
import { topicChannel } from '../listen.ts';
import { turnTime } from './claim.ts';
import { waitingBytesOf } from './store.ts';

const isRelease = (outcome: Outcome): outcome is Exclude<Outcome, string> => typeof outcome === 'object';

/**
 * Settles deliveries of one owner: two round trips. The log of a topic is on a shard of its own, its positions and the locks of topics
 * are on the coordinator. Whoever adds to a topic's log holds the topic's lock until the end of the transaction, so that positions in
 * the log become visible in their order, and each item is added once.
 */
export async function settleOfOwner(
  database: Database,
  owner: string,
  settlements: readonly Settlement[],
  now: number,
): Promise<void> {
  const gone = settlements.filter(({ outcome }) => !isRelease(outcome));
  const done = gone.filter(({ outcome }) => outcome === 'done');
  const topics = [...new Set(done.flatMap(({ topic }) => topic ?? []))];
  const released = settlements.flatMap(({ outcome, ...one }) =>
    isRelease(outcome) ? [{ ...one, ...outcome }] : [],
  );
  const releasing = released.length > 0 ? [release(owner, released, now)] : [];
  if (gone.length === 0) return void (await database.query(release(owner, released, now)));
  const rows = await rollingBack(database, async ({ run, runAll }) => {
    const forLog =
      topics.length === 0
        ? []
        : [lockTopics(topics), positions(done.length), ...topics.map(lastOfTopic), markLogged(owner, done)];
    const found = await runAll([begin, ...forLog, forget(owner, gone), ...releasing]);
    const forgotten = found[1 + forLog.length] as readonly Row[];
    const isDone = new Set(done.map(deliveryKey));
    const log =
      topics.length === 0
        ? []
        : logRows(
            forgotten.filter((row) => isDone.has(deliveryKey(itemKey(row)))),
            (found[2] as readonly Row[]).map(({ seq }) => seq as number),
            new Map(topics.map((topic, index) => [topic, found[3 + index]?.[0]?.seq as number])),
          );
    await run([
      ...(log.length > 0 ? [addToLog(log, now)] : []),
      dropEmpty(owner, forgotten),
      commit,
      ...(log.length > 0 ? [notifyOf([...new Set(log.map(({ topic }) => topic))])] : []),
    ]);
    return forgotten;
  });
  discount(database, owner, rows);
}

type ItemKey = Pick<Settlement, 'id' | 'destination'>;

const itemKey = ({ id, destination }: Row): ItemKey => ({
  id: id as string,
  destination: destination as string,
});

function discount(database: Database, owner: string, gone: readonly Row[]): void {
  const limits = waitingBytesOf(database);
  for (const { destination, bytes } of gone) limits.added(destination as string, owner, -(bytes as number));
}

/** Forgets old deliveries that nobody attempts now, owner by owner; those whose node is away wait for a later call. */
export async function giveUp(
  database: Database,
  { storedBy, destination, limit }: GiveUp,
  now: number,
): Promise<readonly Dropped[]> {
  const found = await queryEverywhere(database, ['deliveries'], (table) => ({
    title: 'idle deliveries',
    text: `SELECT bucket, destination, ordering_key, id, stored_at FROM ${table('deliveries')} d WHERE stored_at <= ${storedBy} ${destination === undefined ? '' : `AND destination = ${pg.escapeLiteral(destination)}`}
    AND NOT (session IS NOT NULL AND held_until > ${now}) ORDER BY stored_at LIMIT ${limit}`,
  }));
  const oldest = found.toSorted((a, b) => (a.stored_at as number) - (b.stored_at as number)).slice(0, limit);
  const dropped: Dropped[] = [];
  for (const [owner, rows] of grouped(oldest, ({ bucket }) => bucket as string))
    dropped.push(...(await unlessAway(giveUpOfOwner(database, owner, rows, now), [])));
  return dropped;
}

async function giveUpOfOwner(
  database: Database,
  owner: string,
  rows: readonly Row[],
  now: number,
): Promise<readonly Dropped[]> {
  const [ids, destinations, keys] = ['id', 'destination', 'ordering_key'].map((column) =>
    rows.map((row) => row[column]),
  );
  const gone = await rollingBack(database, async ({ run }) => {
    // Claims lock the queues as well: whoever claims some meanwhile has them, or finds them gone.
    const idle = await run([
      begin,
      sql`/* lock idle queues */ SELECT FROM delivery_queues
        WHERE bucket = ${owner} AND (destination, ordering_key) IN (SELECT * FROM unnest(${destinations}::text[], ${keys}::text[]))
        ORDER BY destination COLLATE "C", ordering_key COLLATE "C" FOR UPDATE`,
      sql`/* lock idle deliveries */ SELECT id, destination FROM deliveries
        WHERE bucket = ${owner} AND (id, destination) IN (SELECT * FROM unnest(${ids}::text[], ${destinations}::text[]))
          AND NOT (session IS NOT NULL AND held_until > ${now}) ORDER BY stored_at FOR UPDATE`,
    ]);
    const found = await run([forget(owner, idle.map(itemKey))]);
    await run([dropEmpty(owner, found), commit]);
    return found;
  });
  discount(database, owner, gone);
  return countDropped(
    gone.map(({ destination, topic, attributes }) =>
      droppedOf(destination as string, {
        ...(topic !== null && { topic: topic as string }),
        attributes: JSON.parse(attributes as string) as Record<string, string>,
      }),
    ),
  );
}

const lockTopics = (
  topics: readonly string[],
) => sql`/* lock topics */ SELECT pg_advisory_xact_lock(hashtext('published'), key) FROM (SELECT DISTINCT hashtext(topic) AS key
    FROM unnest(${topics}::text[]) AS topic ORDER BY key) AS topics`;

/** As many as may be needed. */
const positions = (most: number): Statement =>
  sql`/* positions in logs */ SELECT nextval(pg_get_serial_sequence('published', 'seq')) AS seq FROM generate_series(1, ${most})`;

const lastOfTopic = (topic: string): Statement =>
  sql`/* last of topic */ SELECT coalesce(max(seq), 0) AS seq FROM published WHERE topic = ${topic}`;

type LogRow = Row & { readonly topic: string; readonly seq: number; readonly previous: number };

/** Those that the log does not show yet, each once, behind the last of their topics. */
function logRows(gone: readonly Row[], free: readonly number[], last: Map<string, number>): LogRow[] {
  const shown = new Map(
    gone
      .filter(({ logged, topic }) => !logged && topic !== null)
      .toReversed()
      .map((row) => [row.id, row]),
  );
  return gone
    .filter((row) => shown.get(row.id) === row)
    .map((row, index) => {
      const [topic, seq] = [row.topic as string, free[index] as number];
      const previous = last.get(topic) as number;
      last.set(topic, seq);
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

const notifyOf = (topics: readonly string[]): Statement =>
  sql`/* notify of messages */ SELECT pg_notify(${topicChannel}, topic) FROM unnest(${topics}::text[]) AS topic`;

/** Tells the other deliveries of the same items that the log shows these. */
const markLogged = (owner: string, done: readonly Settlement[]) => sql`/* mark logged */
  WITH item AS MATERIALIZED (
    SELECT DISTINCT destination, ordering_key FROM deliveries
    WHERE bucket = ${owner} AND id = ANY (${done.map(({ id }) => id)}::text[])
  ), locked AS MATERIALIZED (
    SELECT q.destination, q.ordering_key
    FROM delivery_queues q JOIN item USING (destination, ordering_key) WHERE q.bucket = $1
    ORDER BY q.destination COLLATE "C", q.ordering_key COLLATE "C" FOR UPDATE OF q
  ) UPDATE deliveries o SET logged = true FROM locked l
    WHERE o.bucket = $1 AND o.destination = l.destination AND o.ordering_key = l.ordering_key AND o.id = ANY ($2::text[]) AND NOT o.logged
    AND NOT EXISTS (SELECT
    FROM unnest($2::text[], ${done.map(({ destination }) => destination)}::text[]) AS k (id, destination)
      WHERE k.id = o.id AND k.destination = o.destination)`;

/** Gives what is forgotten, in the order in which it was asked for; the queues that it was in are no failing ones any more. */
const forget = (owner: string, gone: readonly ItemKey[]) => sql`/* forget deliveries */
  WITH gone AS (
    DELETE FROM deliveries o USING unnest(${gone.map(({ id }) => id)}::text[], ${gone.map(({ destination }) => destination)}::text[]) WITH ORDINALITY AS k (id, destination, nth)
    WHERE o.bucket = ${owner} AND o.id = k.id AND o.destination = k.destination RETURNING o.*, k.nth
  ), turned AS (
    UPDATE delivery_queues q SET failing = false, claims = claims + 1, served = ${turnTime()}::float8
    FROM (SELECT DISTINCT destination, ordering_key FROM gone) g
    WHERE q.bucket = $3 AND q.destination = g.destination AND q.ordering_key = g.ordering_key AND q.failing
  ) SELECT g.destination, g.ordering_key, g.id, g.topic, g.attributes, coalesce(b.data, g.data) AS data, g.bytes, g.logged
    FROM gone g LEFT JOIN delivery_bodies b ON b.bucket = $3 AND b.id = g.body_id ORDER BY g.nth`;

/** A queue is dropped unless items were added since it was seen empty. */
const dropEmpty = (owner: string, gone: readonly Row[]) => sql`/* drop empty queues */
  WITH empty AS MATERIALIZED (
    SELECT DISTINCT q.destination, q.ordering_key, q.additions FROM delivery_queues q
    JOIN unnest(${gone.map(({ destination }) => destination)}::text[], ${gone.map(({ ordering_key: key }) => key)}::text[]) AS w (destination, ordering_key) USING (destination, ordering_key)
    WHERE q.bucket = ${owner} AND NOT EXISTS (SELECT FROM deliveries o
    WHERE o.bucket = $3 AND o.destination = q.destination AND o.ordering_key = q.ordering_key)
  ), locked AS MATERIALIZED (
    SELECT q.destination, q.ordering_key
    FROM delivery_queues q JOIN empty e ON q.destination = e.destination AND q.ordering_key = e.ordering_key AND q.additions = e.additions
    WHERE q.bucket = $3 ORDER BY q.destination COLLATE "C", q.ordering_key COLLATE "C" FOR UPDATE OF q SKIP LOCKED
  ) DELETE FROM delivery_queues q USING locked l
    WHERE q.bucket = $3 AND q.destination = l.destination AND q.ordering_key = l.ordering_key`;

interface Released extends Omit<Settlement, 'outcome'> {
  readonly attempt: number;
  readonly delayMs: number;
}

/** Ends claims; those that somebody else has by now are left alone. */
const release = (owner: string, released: readonly Released[], now: number) => sql`/* release deliveries */
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
    SET claims = claims + 1, failing = q.failing OR d.delay > 0, served = CASE WHEN d.delay > 0 THEN ${turnTime()}::float8 ELSE q.served END
    FROM locked l JOIN (SELECT destination, ordering_key, max(delay) AS delay
    FROM asked GROUP BY 1, 2) d USING (destination, ordering_key)
    WHERE q.bucket = $5 AND q.destination = l.destination AND q.ordering_key = l.ordering_key
  ) UPDATE deliveries o SET held_until = ${now} + a.delay, session = NULL, failures = o.failures + (a.delay > 0)::integer
    FROM asked a JOIN locked l USING (destination, ordering_key)
    WHERE o.bucket = $5 AND o.destination = a.destination AND o.ordering_key = a.ordering_key AND o.seq = a.seq AND o.attempt = a.attempt`;
