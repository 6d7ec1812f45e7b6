import type { Clock } from '../../../core/runtime/clock.ts';
import { deepFreeze } from '../../../core/kernel/plain-data.ts';
import type { LoggedMessage, MessageLog } from '../../../notification/message.store.ts';
import type { Database, Row, Statement } from '../database.ts';
import { topicChannel, type Listener } from '../listen.ts';

/** Limits of each topic's log: older messages are deleted. */
const ageMs = 24 * 60 * 60 * 1000;
const messagesPerTopic = 1000;
const bytesPerTopic = 8 * 1024 * 1024;

/** The newest messages of each topic, whichever gateway published them. The outbox adds them in the transaction that forgets their first delivery. */
export function createPostgresMessageLog(database: Database, listener: Listener, clock: Clock): MessageLog {
  return {
    watch: (onChange) => listener.watch(topicChannel, onChange),

    async read(topic) {
      const rows = await database.query({
        name: 'published messages',
        text: `SELECT seq, id, topic, ordering_key, attributes, data, published_at FROM (
            SELECT *, sum(bytes) OVER (ORDER BY seq DESC) AS total FROM published WHERE topic = $1 ORDER BY seq DESC LIMIT $2
          ) AS newest WHERE total <= $3 ORDER BY seq`,
        values: [topic, messagesPerTopic, bytesPerTopic],
      });
      const oldest = clock() - ageMs;
      return {
        messages: rows.filter(({ published_at: at }) => (at as number) > oldest).map(messageFrom),
        end: endOf(rows) ?? 0,
      };
    },

    async readBehind(topic, position, limit) {
      const rows = await database.query({
        name: 'messages behind',
        text: 'SELECT seq, previous, id, topic, ordering_key, attributes, data FROM published WHERE topic = $1 AND seq > $2 ORDER BY seq LIMIT $3',
        values: [topic, position, limit],
      });
      if (rows[0] && (rows[0].previous as number) > position) return undefined;
      return { messages: rows.map(messageFrom), end: endOf(rows) ?? position };
    },
  };
}

const messageFrom = ({ seq, id, topic, ordering_key: orderingKey, attributes, data }: Row): LoggedMessage =>
  deepFreeze({
    position: seq,
    id,
    topic,
    orderingKey,
    attributes: JSON.parse(attributes as string) as unknown,
    data,
  } as LoggedMessage);

const endOf = (rows: readonly Row[]): number | undefined => rows.at(-1)?.seq as number | undefined;

/** Deletes the messages that exceed the limits, of each topic the oldest: those that stay have no gaps. */
export const trimPublished = (now: number): Statement[] => [
  {
    name: 'delete old messages',
    text: 'DELETE FROM published WHERE published_at <= $1',
    values: [now - ageMs],
  },
  {
    name: 'delete messages beyond the limits',
    text: `DELETE FROM published p USING (
        SELECT topic, seq, row_number() OVER newest AS nth, sum(bytes) OVER newest AS total FROM published WINDOW newest AS (PARTITION BY topic ORDER BY seq DESC)
      ) AS r WHERE p.topic = r.topic AND p.seq = r.seq AND (r.nth > $1 OR r.total > $2)`,
    values: [messagesPerTopic, bytesPerTopic],
  },
];
