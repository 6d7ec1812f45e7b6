import type { Database, Row, Statement } from '../database.ts';
import { topicChannel } from '../listen.ts';
import {
  allTables,
  brokerTables,
  forTables,
  otherTables,
  turnTime,
  type OutboxTables,
} from '../outbox/outbox-tables.ts';
import { begin, commit, rollingBack } from '../transaction.ts';
import { bytesByDestination, countBytesOnShard } from './add-items.ts';
import { insertRows } from './insert-rows.ts';
import type { Placed } from './places.ts';
import type { DeliveryKey } from '../../../outbox/outbox.store.ts';
import { totalBytesOf } from './total-bytes.ts';

interface Settled {
  /** Whether the deliveries succeeded, so that the log shows their items. */
  readonly isDone: boolean;
  readonly now: number;
}

/**
 * Forgets deliveries of one owner, all of them in the same tables: two round trips. The log of a topic is on a shard of its own, its
 * positions and the locks of topics are on the coordinator.
 */
export async function settleOnShard(
  database: Database,
  tables: OutboxTables,
  owner: string,
  deliveries: readonly Placed<DeliveryKey>[],
  { isDone, now }: Settled,
): Promise<void> {
  const keys = [owner, deliveries.map(({ id }) => id), deliveries.map(({ destination }) => destination)];
  const topics = isDone ? [...new Set(deliveries.flatMap(({ topic }) => topic ?? []))] : [];
  const [earlier, later] = tables === brokerTables ? [[], [otherTables]] : [allTables, []];
  const noteLogged = (others: readonly OutboxTables[]): Statement[] =>
    topics.length > 0 ? others.map((other) => markLogged(other, keys)) : [];
  const gone = await rollingBack(database, async (run, runAll) => {
    const ordered: Statement[] =
      topics.length === 0
        ? []
        : [lockTopics(topics), positions(deliveries.length), ...topics.map(lastOfTopic)];
    const found = await runAll([
      begin,
      ...ordered,
      ...noteLogged(earlier),
      forgetOnShard(tables, [...keys, turnTime()]),
    ]);
    const rows = found.at(-1) as readonly Row[];
    const log =
      topics.length === 0
        ? []
        : logRows(
            rows,
            (found[2] as readonly Row[]).map(({ seq }) => seq as number),
            new Map(topics.map((topic, index) => [topic, found[3 + index]?.[0]?.seq as number])),
          );
    await run([
      ...(log.length > 0 ? [addToLog(log, now)] : []),
      ...endOfForgetting(tables, owner, rows, noteLogged(later)),
      commit,
      ...(log.length > 0
        ? [
            {
              name: 'notify of messages',
              text: 'SELECT pg_notify($1, topic) FROM unnest($2::text[]) AS topic',
              values: [topicChannel, [...new Set(log.map(({ topic }) => topic))]],
            },
          ]
        : []),
    ]);
    return rows;
  });
  discount(database, gone);
}

/** Statements that follow on `forgetOnShard`, of which the rows are given; with some that come before the counters are locked. */
export const endOfForgetting = (
  tables: OutboxTables,
  owner: string,
  gone: readonly Row[],
  before: readonly Statement[] = [],
): Statement[] =>
  gone.length === 0
    ? [...before]
    : [
        ...before,
        dropEmptyOnShard(tables, [
          owner,
          gone.map(({ destination }) => destination),
          gone.map(({ ordering_key: key }) => key),
        ]),
        countBytesOnShard(
          tables,
          owner,
          gone.map((row) => ({ destination: row.destination as string, bytes: -(row.bytes as number) })),
        ),
      ];

/** Counts what was forgotten, once it is. */
export function discount(database: Database, gone: readonly Row[]): void {
  for (const [destination, bytes] of bytesByDestination(
    gone.map((row) => ({ destination: row.destination as string, bytes: row.bytes as number })),
  ))
    totalBytesOf(database).added(destination, -bytes);
}

/** Whoever adds to a topic's log holds its lock until the end of the transaction, so that positions become visible in their order. */
const lockTopics = (topics: readonly string[]): Statement => ({
  name: 'lock topics by name',
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

const asked = 'unnest($2::text[], $3::text[])';

/** Tells the other deliveries of the same items that the log shows these. */
const markLogged = forTables(
  'mark logged on shard',
  ({ items, queues }) => `
  WITH item AS MATERIALIZED (
    SELECT DISTINCT destination, ordering_key FROM ${items} WHERE bucket = $1 AND id = ANY ($2::text[])
  ), locked AS MATERIALIZED (
    SELECT q.destination, q.ordering_key FROM ${queues} q JOIN item USING (destination, ordering_key) WHERE q.bucket = $1
    ORDER BY q.destination COLLATE "C", q.ordering_key COLLATE "C" FOR UPDATE OF q
  ) UPDATE ${items} o SET logged = true FROM locked l
    WHERE o.bucket = $1 AND o.destination = l.destination AND o.ordering_key = l.ordering_key AND o.id = ANY ($2::text[]) AND NOT o.logged
    AND NOT EXISTS (SELECT FROM ${asked} AS k (id, destination) WHERE k.id = o.id AND k.destination = o.destination)`,
);

/** Gives what is forgotten, in the order in which it was asked for; the queues that it was in are no failing ones any more. $4: seconds. */
export const forgetOnShard = forTables(
  'forget deliveries on shard',
  ({ items, queues }) => `
  WITH gone AS (
    DELETE FROM ${items} o USING ${asked} WITH ORDINALITY AS k (id, destination, nth) WHERE o.bucket = $1 AND o.id = k.id AND o.destination = k.destination RETURNING o.*, k.nth
  ), turned AS (
    UPDATE ${queues} q SET failing = false, claims = claims + 1, served = $4::float8 FROM (SELECT DISTINCT destination, ordering_key FROM gone) g
    WHERE q.bucket = $1 AND q.destination = g.destination AND q.ordering_key = g.ordering_key AND q.failing
  ) SELECT destination, ordering_key, id, topic, attributes, data, bytes, logged FROM gone ORDER BY nth`,
);

/** A queue is dropped unless items were added since it was seen empty. */
const dropEmptyOnShard = forTables(
  'drop empty queues on shard',
  ({ items, queues }) => `
  WITH empty AS MATERIALIZED (
    SELECT DISTINCT q.destination, q.ordering_key, q.additions FROM ${queues} q
    JOIN unnest($2::text[], $3::text[]) AS w (destination, ordering_key) USING (destination, ordering_key)
    WHERE q.bucket = $1 AND NOT EXISTS (SELECT FROM ${items} o WHERE o.bucket = $1 AND o.destination = q.destination AND o.ordering_key = q.ordering_key)
  ), locked AS MATERIALIZED (
    SELECT q.destination, q.ordering_key FROM ${queues} q JOIN empty e ON q.destination = e.destination AND q.ordering_key = e.ordering_key AND q.additions = e.additions
    WHERE q.bucket = $1 ORDER BY q.destination COLLATE "C", q.ordering_key COLLATE "C" FOR UPDATE OF q SKIP LOCKED
  ) DELETE FROM ${queues} q USING locked l WHERE q.bucket = $1 AND q.destination = l.destination AND q.ordering_key = l.ordering_key`,
);
