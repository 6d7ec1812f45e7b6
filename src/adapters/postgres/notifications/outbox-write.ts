import type { OutboxLimits, OutgoingMessage } from '../../../core/runtime/publisher.ts';
import type { Statement } from '../database.ts';
import { checkBytes, countBytes, largeSlot, mostBytesAtOnce, requireRoom, sizesOf, type WaitingBytes } from './outbox-bytes.ts';

interface Room {
  readonly waiting: WaitingBytes;
  readonly limits: OutboxLimits;
  readonly now: number;
}

// Queues are locked in the order of their keys, and number their messages: what is stored first is in front.
const add = (slot?: string): string => `
WITH message AS MATERIALIZED (
  SELECT m.*, row_number() OVER (PARTITION BY m.ordering_key ORDER BY m.place) AS nth, count(*) OVER (PARTITION BY m.ordering_key) AS many
  FROM jsonb_to_recordset($2) AS m (place integer, id text, topic text, ordering_key text, attributes jsonb, data text, bytes integer)
), queue AS (
  INSERT INTO queues AS q (bucket, ordering_key, last)
  SELECT DISTINCT $1, ordering_key, many FROM message ORDER BY ordering_key
  ON CONFLICT (bucket, ordering_key) DO UPDATE SET last = q.last + excluded.last, additions = q.additions + 1
  RETURNING ordering_key, last
), counted AS (
  ${countBytes(`SELECT unnest(ARRAY['', $1]) AS bucket, bytes FROM message WHERE (SELECT count(*) FROM queue) > 0`, slot)}
)
INSERT INTO outbox (bucket, ordering_key, seq, id, topic, attributes, data, bytes, stored_at)
SELECT $1, m.ordering_key, q.last - m.many + m.nth, m.id, m.topic, m.attributes, m.data, m.bytes, $3
FROM message m JOIN queue q ON q.ordering_key = m.ordering_key`;

const texts = { 'add messages': add(), 'add large messages': add(largeSlot) };

/** Stores messages in their order; throws OutboxFullError where there is no room for them. */
export function addMessages(bucket: string, messages: readonly OutgoingMessage[], { waiting, limits, now }: Room): Statement[] {
  if (messages.length === 0) return [];
  const sizes = sizesOf(messages);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  requireRoom(bytes, waiting, limits);
  const rows = messages.map(({ id, topic, orderingKey, attributes, data }, place) => ({ place, id, topic, ordering_key: orderingKey, attributes, data, bytes: sizes[place] }));
  const name = bytes > mostBytesAtOnce ? 'add large messages' : 'add messages';
  return [{ name, text: texts[name], values: [bucket, JSON.stringify(rows), now] }, checkBytes(bucket, limits)];
}
