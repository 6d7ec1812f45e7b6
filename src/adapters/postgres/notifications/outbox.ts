import type { Clock } from '../../../core/runtime/clock.ts';
import { deepFreeze } from '../../../core/kernel/freeze.ts';
import type { ClaimedMessage, Outbox } from '../../../core/runtime/publisher.ts';
import type { Database, Statement } from '../database.ts';
import { isBroken, takesNoChanges, unavailable } from '../failures.ts';
import { topicChannel } from '../listen.ts';
import { begin, commit, rollback } from '../transaction.ts';
import { countBytes } from './outbox-bytes.ts';
import { claimFrom, nextTurns } from './outbox-claim.ts';

/** The backlog is counted up to here. */
const mostCounted = 100_000;

/** Messages that wait in the database: any number of relays may claim them. Leases go by the clocks of the gateways. */
export function createOutbox(database: Database, clock: Clock): Outbox {
  let failingFirst = false;

  return {
    async claim(limit, leaseMs) {
      const now = clock();
      if (limit < 1) return [];
      failingFirst = !failingFirst;
      const turns = await nextTurns(database, { limit, now, failingFirst });
      const claimed: ClaimedMessage[] = [];
      // Buckets one by one, each in a transaction of its own: no relay waits for another with locks of its own.
      for (const statement of claimFrom(turns, now, now + leaseMs)) {
        const rows = await database.query(statement);
        claimed.push(...rows.map(({ id, topic, ordering_key: orderingKey, attributes, data, attempt }) =>
          deepFreeze({ message: { id, topic, orderingKey, attributes, data } as ClaimedMessage['message'], attempt: attempt as number })));
      }
      return claimed;
    },

    async markPublished(ids) {
      if (ids.length === 0) return;
      await database.use(async ({ run }) => {
        try {
          const queues = await run([begin, { ...lockTopics, values: [ids] }]);
          const emptied = [queues.map(({ bucket }) => bucket), queues.map(({ ordering_key: key }) => key)];
          await run([{ ...forget, values: [ids, clock(), topicChannel] }, { ...dropEmpty, values: emptied }, commit]);
        } catch (error) {
          if (!isBroken(error)) await run([rollback]);
          throw error;
        }
      });
    },

    async release(releases) {
      if (releases.length === 0) return;
      const now = clock();
      const values = [releases.map(({ id }) => id), releases.map(({ attempt }) => attempt), releases.map(({ delayMs }) => delayMs), now];
      await database.query({ ...release, values });
    },

    async backlog() {
      const row = await database.use(async ({ run, discard }) => {
        const [found] = await run([countWaiting]);
        if (!found?.standby) return found;
        // Another connection may lead to the primary.
        discard();
        throw unavailable(takesNoChanges, new Error('the session is read-only, or the server a standby'));
      });
      return { count: row?.count as number, ...(row?.oldest != null && { oldestAt: row.oldest as number }) };
    },
  };
}

const countWaiting: Statement = {
  name: 'backlog',
  text: `SELECT (SELECT count(*) FROM (SELECT FROM outbox LIMIT ${mostCounted}) AS o) AS count, (SELECT min(stored_at) FROM outbox) AS oldest,
    pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS standby`,
};

/**
 * Who publishes to a topic holds its lock until the end of the transaction, so that positions in the log become visible
 * in their order. Gives the queues of the messages.
 */
const lockTopics: Omit<Statement, 'values'> = {
  name: 'lock topics',
  text: `WITH message AS MATERIALIZED (
    SELECT bucket, ordering_key, topic FROM outbox WHERE id = ANY ($1::text[])
  ), locked AS MATERIALIZED (
    SELECT pg_advisory_xact_lock(hashtext('published'), key) FROM (SELECT DISTINCT hashtext(topic) AS key FROM message ORDER BY key) AS topics
  ) SELECT DISTINCT bucket, ordering_key FROM message WHERE (SELECT count(*) FROM locked) > 0`,
};

/** About what a message takes in the table of those that are published. */
const bytesInTable = '100 + octet_length(data) + octet_length(attributes::text) + octet_length(topic) + 2 * octet_length(ordering_key)';

/** What was published is kept for `messages`; the queues it was in take turns with those that did not fail. */
const forget: Omit<Statement, 'values'> = {
  name: 'forget messages',
  text: `WITH gone AS (
    DELETE FROM outbox WHERE id = ANY ($1::text[]) RETURNING *
  ), numbered AS MATERIALIZED (
    SELECT g.*, nextval(pg_get_serial_sequence('published', 'seq')) AS position FROM (SELECT * FROM gone ORDER BY array_position($1::text[], id)) AS g
  ), kept AS (
    INSERT INTO published (topic, seq, previous, id, ordering_key, attributes, data, bytes, published_at) OVERRIDING SYSTEM VALUE
    SELECT topic, position, coalesce(lag(position) OVER (PARTITION BY topic ORDER BY position), (SELECT max(p.seq) FROM published p WHERE p.topic = n.topic), 0),
      id, ordering_key, attributes, data, ${bytesInTable}, $2 FROM numbered n
  ), turned AS (
    UPDATE queues q SET failing = false, claims = claims + 1, served = extract(epoch FROM clock_timestamp())
    FROM (SELECT DISTINCT bucket, ordering_key FROM gone) g WHERE q.bucket = g.bucket AND q.ordering_key = g.ordering_key AND q.failing RETURNING 1
  ), counted AS (
    ${countBytes("SELECT unnest(ARRAY['', bucket]) AS bucket, -bytes AS bytes FROM gone WHERE (SELECT count(*) FROM turned) >= 0")}
  ) SELECT pg_notify($3, topic) FROM (SELECT DISTINCT topic FROM gone) AS topics`,
};

/** A queue is dropped unless messages were added since it was seen empty. */
const dropEmpty: Omit<Statement, 'values'> = {
  name: 'drop empty queues',
  text: `WITH empty AS MATERIALIZED (
    SELECT q.bucket, q.ordering_key, q.additions FROM queues q
    JOIN unnest($1::text[], $2::text[]) AS w (bucket, ordering_key) ON q.bucket = w.bucket AND q.ordering_key = w.ordering_key
    WHERE NOT EXISTS (SELECT FROM outbox o WHERE o.bucket = q.bucket AND o.ordering_key = q.ordering_key)
  ), locked AS MATERIALIZED (
    SELECT q.bucket, q.ordering_key FROM queues q JOIN empty e ON q.bucket = e.bucket AND q.ordering_key = e.ordering_key AND q.additions = e.additions
    ORDER BY q.bucket, q.ordering_key FOR UPDATE OF q SKIP LOCKED
  ) DELETE FROM queues q USING locked l WHERE q.bucket = l.bucket AND q.ordering_key = l.ordering_key`,
};

const release: Omit<Statement, 'values'> = {
  name: 'release messages',
  text: `WITH asked AS MATERIALIZED (
    SELECT o.bucket, o.ordering_key, o.seq, r.attempt, r.delay FROM unnest($1::text[], $2::integer[], $3::float8[]) AS r (id, attempt, delay)
    JOIN outbox o ON o.id = r.id AND o.attempt = r.attempt
  ), locked AS MATERIALIZED (
    SELECT q.bucket, q.ordering_key FROM queues q WHERE (q.bucket, q.ordering_key) IN (SELECT bucket, ordering_key FROM asked)
    ORDER BY q.bucket, q.ordering_key FOR UPDATE
  ), turned AS (
    UPDATE queues q SET claims = claims + 1,
      failing = q.failing OR d.delay > 0, served = CASE WHEN d.delay > 0 THEN extract(epoch FROM clock_timestamp()) ELSE q.served END
    FROM locked l JOIN (SELECT bucket, ordering_key, max(delay) AS delay FROM asked GROUP BY 1, 2) d USING (bucket, ordering_key)
    WHERE q.bucket = l.bucket AND q.ordering_key = l.ordering_key
  ) UPDATE outbox o SET held_until = $4 + a.delay FROM asked a JOIN locked l USING (bucket, ordering_key)
    WHERE o.bucket = a.bucket AND o.ordering_key = a.ordering_key AND o.seq = a.seq AND o.attempt = a.attempt`,
};
