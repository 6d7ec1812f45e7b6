import type { DeliveryKey } from '../../../outbox/outbox.store.ts';
import type { Database, Row, Statement } from '../database.ts';
import { topicChannel } from '../listen.ts';
import { begin, commit, rollingBack } from '../transaction.ts';
import { countBytes } from './outbox-bytes.ts';
import { brokerTables, forTables, otherTables, type OutboxTables } from './outbox-tables.ts';

interface Settled {
  readonly deliveries: readonly DeliveryKey[];
  /** Whether they succeeded, so that the log shows their items. */
  readonly isDone: boolean;
  readonly now: number;
}

/** Forgets deliveries, all of them in the same tables. */
export async function settle(
  database: Database,
  tables: OutboxTables,
  { deliveries, isDone, now }: Settled,
): Promise<void> {
  const keys = [deliveries.map(({ id }) => id), deliveries.map(({ destination }) => destination)];
  // In the order in which the rows of both kinds of tables are locked.
  const [earlier, later] = tables === brokerTables ? [[], [otherTables]] : [[brokerTables, otherTables], []];
  const noteLogged = (others: readonly OutboxTables[]): Statement[] =>
    isDone ? others.map((other) => markLogged(other, keys)) : [];
  await rollingBack(database, async (run) => {
    const queues = queueKeys(await run([begin, lockTopics(tables, keys)]));
    await run([
      ...noteLogged(earlier),
      forget(tables, [...keys, now, topicChannel, isDone]),
      dropEmpty(tables, queues),
      ...noteLogged(later),
      commit,
    ]);
  });
}

/** The keys of queues, a list for each column. */
export const queueKeys = (rows: readonly Row[]): readonly (readonly unknown[])[] =>
  ['bucket', 'destination', 'ordering_key'].map((column) => rows.map((row) => row[column]));

const asked = 'unnest($1::text[], $2::text[]) WITH ORDINALITY AS k (id, destination, nth)';

/**
 * Whoever adds to a topic's log holds the topic's lock until the end of the transaction, so that positions in the log become
 * visible in their order, and each item is added once. Gives the queues of the deliveries.
 */
const lockTopics = forTables(
  'lock topics',
  ({ items }) => `
  WITH item AS MATERIALIZED (
    SELECT o.bucket, o.destination, o.ordering_key, o.topic FROM ${items} o JOIN ${asked} ON o.id = k.id AND o.destination = k.destination
  ), locked AS MATERIALIZED (
    SELECT pg_advisory_xact_lock(hashtext('published'), key) FROM (SELECT DISTINCT hashtext(topic) AS key FROM item WHERE topic IS NOT NULL ORDER BY key) AS topics
  ) SELECT DISTINCT bucket, destination, ordering_key FROM item WHERE (SELECT count(*) FROM locked) >= 0`,
);

/** Tells the other deliveries of the same items that the log shows these. */
const markLogged = forTables(
  'mark logged',
  ({ items, queues }) => `
  WITH item AS MATERIALIZED (
    SELECT DISTINCT bucket, destination, ordering_key FROM ${items} WHERE id = ANY ($1::text[])
  ), locked AS MATERIALIZED (
    SELECT q.bucket, q.destination, q.ordering_key FROM ${queues} q JOIN item USING (bucket, destination, ordering_key)
    ORDER BY q.bucket, q.destination, q.ordering_key FOR UPDATE OF q
  ) UPDATE ${items} o SET logged = true FROM locked l
    WHERE o.bucket = l.bucket AND o.destination = l.destination AND o.ordering_key = l.ordering_key AND o.id = ANY ($1::text[]) AND NOT o.logged
    AND NOT EXISTS (SELECT FROM ${asked} WHERE k.id = o.id AND k.destination = o.destination)`,
);

/** About what a message takes in the table of those that are published. */
const bytesInTable =
  '100 + octet_length(data) + octet_length(attributes::text) + octet_length(topic) + 2 * octet_length(ordering_key)';

/** Adds the items that the log does not show yet to it; the queues they were in are no failing ones any more. */
export const forget = forTables(
  'forget deliveries',
  (tables) => `
  WITH gone AS (
    DELETE FROM ${tables.items} o USING ${asked} WHERE o.id = k.id AND o.destination = k.destination RETURNING o.*, k.nth
  ), shown AS MATERIALIZED (
    SELECT DISTINCT ON (id) * FROM gone WHERE $5::boolean AND NOT logged AND topic IS NOT NULL ORDER BY id, nth
  ), numbered AS MATERIALIZED (
    SELECT s.*, nextval(pg_get_serial_sequence('published', 'seq')) AS position FROM (SELECT * FROM shown ORDER BY nth) AS s
  ), kept AS (
    INSERT INTO published (topic, seq, previous, id, ordering_key, attributes, data, bytes, published_at) OVERRIDING SYSTEM VALUE
    SELECT topic, position, coalesce(lag(position) OVER (PARTITION BY topic ORDER BY position), (SELECT max(p.seq) FROM published p WHERE p.topic = n.topic), 0),
      id, ordering_key, attributes, data, ${bytesInTable}, $3 FROM numbered n
  ), turned AS (
    UPDATE ${tables.queues} q SET failing = false, claims = claims + 1, served = extract(epoch FROM clock_timestamp())
    FROM (SELECT DISTINCT bucket, destination, ordering_key FROM gone) g
    WHERE q.bucket = g.bucket AND q.destination = g.destination AND q.ordering_key = g.ordering_key AND q.failing RETURNING 1
  ), counted AS (
    ${countBytes(tables, "SELECT unnest(ARRAY['', bucket]) AS bucket, destination, -bytes AS bytes FROM gone WHERE (SELECT count(*) FROM turned) >= 0")}
  ) SELECT pg_notify($4, topic) FROM (SELECT DISTINCT topic FROM shown) AS topics`,
);

/** A queue is dropped unless items were added since it was seen empty. */
export const dropEmpty = forTables(
  'drop empty queues',
  ({ items, queues }) => `
  WITH empty AS MATERIALIZED (
    SELECT q.bucket, q.destination, q.ordering_key, q.additions FROM ${queues} q
    JOIN unnest($1::text[], $2::text[], $3::text[]) AS w (bucket, destination, ordering_key) USING (bucket, destination, ordering_key)
    WHERE NOT EXISTS (SELECT FROM ${items} o WHERE o.bucket = q.bucket AND o.destination = q.destination AND o.ordering_key = q.ordering_key)
  ), locked AS MATERIALIZED (
    SELECT q.bucket, q.destination, q.ordering_key FROM ${queues} q JOIN empty e
    ON q.bucket = e.bucket AND q.destination = e.destination AND q.ordering_key = e.ordering_key AND q.additions = e.additions
    ORDER BY q.bucket, q.destination, q.ordering_key FOR UPDATE OF q SKIP LOCKED
  ) DELETE FROM ${queues} q USING locked l WHERE q.bucket = l.bucket AND q.destination = l.destination AND q.ordering_key = l.ordering_key`,
);
