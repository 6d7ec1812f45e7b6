import type { Clock } from '../../../core/runtime/clock.ts';
import { deepFreeze } from '../../../core/kernel/freeze.ts';
import type { MessageLog, OutgoingMessage } from '../../../core/runtime/publisher.ts';
import type { Database, Statement } from '../database.ts';
import { topicChannel, type Listener } from '../listen.ts';

/** What is kept of a topic's messages; what is older than the newest of these goes. */
const ageMs = 24 * 60 * 60 * 1000;
const messagesPerTopic = 1000;
const bytesPerTopic = 8 * 1024 * 1024;

/** The newest messages of each topic, whichever gateway published them. */
export function createPostgresMessageLog(database: Database, listener: Listener, clock: Clock): MessageLog {
  return {
    // The outbox keeps a message here in the statement that marks it as published.
    add: () => undefined,
    watch: (onAdded) => listener.watch(topicChannel, onAdded),
    async read(topic) {
      const rows = await database.query({
        name: 'published messages',
        text: `SELECT id, ordering_key, attributes, data FROM (
            SELECT *, sum(bytes) OVER (ORDER BY seq DESC) AS total FROM published WHERE topic = $1 AND published_at > $2 ORDER BY seq DESC LIMIT $3
          ) AS newest WHERE total <= $4 ORDER BY seq`,
        values: [topic, clock() - ageMs, messagesPerTopic, bytesPerTopic],
      });
      return rows.map(({ id, ordering_key: orderingKey, attributes, data }) => deepFreeze({ id, topic, orderingKey, attributes, data } as OutgoingMessage));
    },
  };
}

/** Deletes what the log does not show any more. */
export const trimPublished = (now: number): Statement[] => [
  { name: 'delete old messages', text: 'DELETE FROM published WHERE published_at <= $1', values: [now - ageMs] },
  {
    name: 'delete messages beyond the limits',
    text: `DELETE FROM published p USING (
        SELECT topic, seq, row_number() OVER newest AS nth, sum(bytes) OVER newest AS total FROM published WINDOW newest AS (PARTITION BY topic ORDER BY seq DESC)
      ) AS r WHERE p.topic = r.topic AND p.seq = r.seq AND (r.nth > $1 OR r.total > $2)`,
    values: [messagesPerTopic, bytesPerTopic],
  },
];
