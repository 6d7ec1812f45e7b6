import { OutboxFullError, type OutgoingMessage } from '../../../core/runtime/publisher.ts';
import type { Statement } from '../database.ts';

/** What the waiting messages of one bucket may take. */
const mostBytesPerBucket = 64 * 1024 * 1024;

/** About what a message takes in its table. */
const bytesOf = ({ attributes, data, topic, orderingKey }: OutgoingMessage): number =>
  100 + Buffer.byteLength(data) + Buffer.byteLength(JSON.stringify(attributes)) + Buffer.byteLength(topic) + 2 * Buffer.byteLength(orderingKey);

// Queues are locked in the order of their keys, and number their messages: what is stored first is in front.
const text = `
WITH message AS MATERIALIZED (
  SELECT m.*, row_number() OVER (PARTITION BY m.ordering_key ORDER BY m.place) AS nth, count(*) OVER (PARTITION BY m.ordering_key) AS many
  FROM jsonb_to_recordset($2) AS m (place integer, id text, topic text, ordering_key text, attributes jsonb, data text, bytes integer)
), queue AS (
  INSERT INTO queues AS q (bucket, ordering_key, last)
  SELECT DISTINCT $1, ordering_key, many FROM message ORDER BY ordering_key
  ON CONFLICT (bucket, ordering_key) DO UPDATE SET last = q.last + excluded.last, additions = q.additions + 1
  RETURNING ordering_key, last
)
INSERT INTO outbox (bucket, ordering_key, seq, id, topic, attributes, data, bytes, stored_at)
SELECT $1, m.ordering_key, q.last - m.many + m.nth, m.id, m.topic, m.attributes, m.data, m.bytes, $3
FROM message m JOIN queue q ON q.ordering_key = m.ordering_key`;

/** Stores messages in their order; throws OutboxFullError when there is no room for them. */
export function addMessages(bucket: string, messages: readonly OutgoingMessage[], waitingBytes: number, now: number): Statement[] {
  if (messages.length === 0) return [];
  const rows = messages.map((message, place) => {
    const { id, topic, orderingKey, attributes, data } = message;
    return { place, id, topic, ordering_key: orderingKey, attributes, data, bytes: bytesOf(message) };
  });
  const more = rows.reduce((sum, { bytes }) => sum + bytes, 0);
  if (waitingBytes + more > mostBytesPerBucket) throw new OutboxFullError('the outbox is full');
  return [{ name: 'add messages', text, values: [bucket, JSON.stringify(rows), now] }];
}
