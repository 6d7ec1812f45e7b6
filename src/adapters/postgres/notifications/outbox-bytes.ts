import { bytesOf } from '../../../core/kernel/size.ts';
import { OutboxFullError, type OutboxLimits, type OutgoingMessage } from '../../../core/runtime/publisher.ts';
import type { Statement } from '../database.ts';
import { counting } from '../transaction.ts';

// The bytes of the messages that wait are counted as these come and go, for each bucket and, under the name '', for all. A
// counter is the sum of its slots. Who writes locks one slot of each until the commit, so that writers do not wait for each
// other; who checks the sum does not see what writers in other slots are about to commit.

/** The bytes of messages that wait: of all, and of the bucket at hand. */
export interface WaitingBytes {
  readonly all: number;
  readonly own: number;
}

const slots = 32;
/** Larger changes have one slot for all of them. So the limits are passed by 1 MiB and one change at most. */
export const mostBytesAtOnce = 32 * 1024;
export const largeSlot = '0';
const slotOfConnection = `1 + pg_backend_pid() % ${slots - 1}`;

/** A query for the counters of a bucket and of all. */
export const waitingBytes = (bucket: string): string =>
  `SELECT CASE bucket WHEN '' THEN 'all' ELSE 'own' END AS owner, sum(bytes)::bigint AS bytes FROM outbox_bytes WHERE bucket IN ('', ${bucket}) GROUP BY bucket`;

/**
 * Adds to the counters what a query gives as `bucket` and `bytes`, after all other locks, and in one order: whoever has a
 * slot of the first counter has it of the others.
 */
export const countBytes = (changes: string, slot = slotOfConnection): string =>
  `INSERT INTO outbox_bytes AS o (bucket, slot, bytes)
  SELECT bucket, ${slot}, sum(bytes) FROM (${changes}) AS c GROUP BY bucket HAVING sum(bytes) <> 0 ORDER BY bucket
  ON CONFLICT (bucket, slot) DO UPDATE SET bytes = o.bytes + excluded.bytes`;

/** What each message of a change counts: a part of the body that it shares with others. */
export function sizesOf(messages: readonly OutgoingMessage[]): number[] {
  const bodies = new Map<string, { bytes: number; uses: number }>();
  for (const { data } of messages) {
    const body = bodies.get(data) ?? { bytes: bytesOf(data), uses: 0 };
    body.uses += 1;
    bodies.set(data, body);
  }
  return messages.map(({ data, ...rest }) => {
    const body = bodies.get(data) as { bytes: number; uses: number };
    const part = Math.ceil(body.bytes / body.uses);
    body.bytes -= part;
    body.uses -= 1;
    return bytesOf(rest) + part;
  });
}

/** Throws OutboxFullError where there is no room for what a change adds. */
export function requireRoom(bytes: number, waiting: WaitingBytes, limits: OutboxLimits): void {
  if (waiting.all + bytes > limits.bytes || waiting.own + bytes > limits.bytesPerOwner) throw new OutboxFullError('the outbox is full');
}

/** Fails where others were faster to take the room. */
export const checkBytes = (bucket: string, limits: OutboxLimits): Statement => ({
  name: 'check bytes',
  text: counting(`SELECT FROM (${waitingBytes('$1')}) AS w WHERE bytes > CASE owner WHEN 'all' THEN $2::bigint ELSE $3::bigint END`, '0'),
  values: [bucket, limits.bytes, limits.bytesPerOwner],
});

/** Corrects counters that differ from what waits, as where gateways of a version wrote that does not count. */
export const recountBytes: Statement = {
  name: 'recount bytes',
  text: countBytes(`SELECT unnest(ARRAY['', bucket]) AS bucket, bytes FROM outbox UNION ALL SELECT bucket, -bytes FROM outbox_bytes`, largeSlot),
};
