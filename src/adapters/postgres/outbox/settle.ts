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
import type { Database, Row, Statement } from '../database.ts';
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
      { name: 'lock idle queues', text: lockQueuesText, values: [owner, destinations, keys] },
      { name: 'lock idle deliveries', text: lockIdleText, values: [owner, ids, destinations, now] },
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

const lockQueuesText = `
  SELECT FROM delivery_queues WHERE bucket = $1 AND (destination, ordering_key) IN (SELECT * FROM unnest($2::text[], $3::text[]))
  ORDER BY destination COLLATE "C", ordering_key COLLATE "C" FOR UPDATE`;

const lockIdleText = `
  SELECT id, destination FROM deliveries WHERE bucket = $1 AND (id, destination) IN (SELECT * FROM unnest($2::text[], $3::text[]))
    AND NOT (session IS NOT NULL AND held_until > $4) ORDER BY stored_at FOR UPDATE`;

const lockTopics = (topics: readonly string[]): Statement => ({
  name: 'lock topics',
  text: `SELECT pg_advisory_xact_lock(hashtext('published'), key) FROM (SELECT DISTINCT hashtext(topic) AS key FROM unnest($1::text[]) AS topic ORDER BY key) AS topics`,
  values: [topics],
});

/** As many as may be needed. */
const positions = (most: number): Statement => ({
  name: 'positions in logs',
  text: `SELECT nextval(pg_get_serial_sequence('published', 'seq')) AS seq FROM generate_series(1, $1)`,
  values: [most],
});

const lastOfTopic = (topic: string): Statement => ({
  name: 'last of topic',
  text: 'SELECT coalesce(max(seq), 0) AS seq FROM published WHERE topic = $1',
  values: [topic],
});

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

const notifyOf = (topics: readonly string[]): Statement => ({
  name: 'notify of messages',
  text: 'SELECT pg_notify($1, topic) FROM unnest($2::text[]) AS topic',
  values: [topicChannel, topics],
});

/** Tells the other deliveries of the same items that the log shows these. */
const markLogged = (owner: string, done: readonly Settlement[]): Statement => ({
  name: 'mark logged',
  text: `
  WITH item AS MATERIALIZED (
    SELECT DISTINCT destination, ordering_key FROM deliveries WHERE bucket = $1 AND id = ANY ($2::text[])
  ), locked AS MATERIALIZED (
    SELECT q.destination, q.ordering_key FROM delivery_queues q JOIN item USING (destination, ordering_key) WHERE q.bucket = $1
    ORDER BY q.destination COLLATE "C", q.ordering_key COLLATE "C" FOR UPDATE OF q
  ) UPDATE deliveries o SET logged = true FROM locked l
    WHERE o.bucket = $1 AND o.destination = l.destination AND o.ordering_key = l.ordering_key AND o.id = ANY ($2::text[]) AND NOT o.logged
    AND NOT EXISTS (SELECT FROM unnest($2::text[], $3::text[]) AS k (id, destination) WHERE k.id = o.id AND k.destination = o.destination)`,
  values: [owner, done.map(({ id }) => id), done.map(({ destination }) => destination)],
});

/** Gives what is forgotten, in the order in which it was asked for; the queues that it was in are no failing ones any more. */
const forget = (owner: string, gone: readonly ItemKey[]): Statement => ({
  name: 'forget deliveries',
  text: `
  WITH gone AS (
    DELETE FROM deliveries o USING unnest($2::text[], $3::text[]) WITH ORDINALITY AS k (id, destination, nth)
    WHERE o.bucket = $1 AND o.id = k.id AND o.destination = k.destination RETURNING o.*, k.nth
  ), turned AS (
    UPDATE delivery_queues q SET failing = false, claims = claims + 1, served = $4::float8 FROM (SELECT DISTINCT destination, ordering_key FROM gone) g
    WHERE q.bucket = $1 AND q.destination = g.destination AND q.ordering_key = g.ordering_key AND q.failing
  ) SELECT g.destination, g.ordering_key, g.id, g.topic, g.attributes, coalesce(b.data, g.data) AS data, g.bytes, g.logged
    FROM gone g LEFT JOIN delivery_bodies b ON b.bucket = $1 AND b.id = g.body_id ORDER BY g.nth`,
  values: [owner, gone.map(({ id }) => id), gone.map(({ destination }) => destination), turnTime()],
});

/** A queue is dropped unless items were added since it was seen empty. */
const dropEmpty = (owner: string, gone: readonly Row[]): Statement => ({
  name: 'drop empty queues',
  text: `
  WITH empty AS MATERIALIZED (
    SELECT DISTINCT q.destination, q.ordering_key, q.additions FROM delivery_queues q
    JOIN unnest($2::text[], $3::text[]) AS w (destination, ordering_key) USING (destination, ordering_key)
    WHERE q.bucket = $1 AND NOT EXISTS (SELECT FROM deliveries o WHERE o.bucket = $1 AND o.destination = q.destination AND o.ordering_key = q.ordering_key)
  ), locked AS MATERIALIZED (
    SELECT q.destination, q.ordering_key FROM delivery_queues q JOIN empty e ON q.destination = e.destination AND q.ordering_key = e.ordering_key AND q.additions = e.additions
    WHERE q.bucket = $1 ORDER BY q.destination COLLATE "C", q.ordering_key COLLATE "C" FOR UPDATE OF q SKIP LOCKED
  ) DELETE FROM delivery_queues q USING locked l WHERE q.bucket = $1 AND q.destination = l.destination AND q.ordering_key = l.ordering_key`,
  values: [owner, gone.map(({ destination }) => destination), gone.map(({ ordering_key: key }) => key)],
});

interface Released extends Omit<Settlement, 'outcome'> {
  readonly attempt: number;
  readonly delayMs: number;
}

/** Ends claims; those that somebody else has by now are left alone. */
const release = (owner: string, released: readonly Released[], now: number): Statement => ({
  name: 'release deliveries',
  text: `
  WITH asked AS MATERIALIZED (
    SELECT o.destination, o.ordering_key, o.seq, r.attempt, r.delay FROM unnest($2::text[], $3::text[], $4::integer[], $5::float8[]) AS r (id, destination, attempt, delay)
    JOIN deliveries o ON o.id = r.id AND o.destination = r.destination AND o.attempt = r.attempt WHERE o.bucket = $1
  ), locked AS MATERIALIZED (
    SELECT q.destination, q.ordering_key FROM delivery_queues q WHERE q.bucket = $1 AND (q.destination, q.ordering_key) IN (SELECT destination, ordering_key FROM asked)
    ORDER BY q.destination COLLATE "C", q.ordering_key COLLATE "C" FOR UPDATE
  ), turned AS (
    UPDATE delivery_queues q SET claims = claims + 1, failing = q.failing OR d.delay > 0, served = CASE WHEN d.delay > 0 THEN $7::float8 ELSE q.served END
    FROM locked l JOIN (SELECT destination, ordering_key, max(delay) AS delay FROM asked GROUP BY 1, 2) d USING (destination, ordering_key)
    WHERE q.bucket = $1 AND q.destination = l.destination AND q.ordering_key = l.ordering_key
  ) UPDATE deliveries o SET held_until = $6 + a.delay, session = NULL, failures = o.failures + (a.delay > 0)::integer FROM asked a JOIN locked l USING (destination, ordering_key)
    WHERE o.bucket = $1 AND o.destination = a.destination AND o.ordering_key = a.ordering_key AND o.seq = a.seq AND o.attempt = a.attempt`,
  values: [
    owner,
    released.map(({ id }) => id),
    released.map(({ destination }) => destination),
    released.map(({ attempt }) => attempt),
    released.map(({ delayMs }) => delayMs),
    now,
    turnTime(),
  ],
});
