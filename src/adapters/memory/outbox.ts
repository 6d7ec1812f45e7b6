import type { Clock } from '../../core/clock.ts';
import { deepFreeze } from '../../core/freeze.ts';
import { OutboxFullError, type ClaimedMessage, type Outbox, type OutgoingMessage } from '../../core/publisher.ts';
import { bytesOf, mebibyte } from './size.ts';

export interface OutboxLimits {
  readonly bytes: number;
  /** The most that the messages of one owner may take of it. */
  readonly bytesPerOwner: number;
}

export interface MemoryOutbox extends Outbox {
  /** Stores messages, all or none; throws OutboxFullError when there is no room for them. */
  readonly add: (owner: string, messages: readonly OutgoingMessage[]) => void;
}

/** A body that messages of one change share, counted as long as one of them waits. */
interface Body {
  readonly bytes: number;
  uses: number;
}

interface Entry {
  readonly owner: string;
  readonly message: OutgoingMessage;
  readonly bytes: number;
  readonly body: Body;
  readonly storedAt: number;
  attempt: number;
  /** Until then it is not handed out. */
  heldUntil: number;
}

const defaults: OutboxLimits = { bytes: 64 * mebibyte, bytesPerOwner: 16 * mebibyte };

/** Messages that wait in the memory of this process, in a queue for each ordering key. */
export function createMemoryOutbox(clock: Clock, limits: OutboxLimits = defaults): MemoryOutbox {
  const entries = new Map<string, Entry>();
  /** Those that were served longest ago come first. */
  const queues = new Map<string, Map<string, Entry>>();
  const bytesOfOwner = new Map<string, number>();
  let bytes = 0;

  function count(owner: string, more: number): void {
    const owned = (bytesOfOwner.get(owner) ?? 0) + more;
    bytes += more;
    if (owned === 0) bytesOfOwner.delete(owner);
    else bytesOfOwner.set(owner, owned);
  }

  function put(entry: Entry): void {
    const { id, orderingKey } = entry.message;
    entries.set(id, entry);
    const queue = queues.get(orderingKey);
    if (queue) queue.set(id, entry);
    else queues.set(orderingKey, new Map([[id, entry]]));
  }

  function forget(id: string): void {
    const entry = entries.get(id);
    if (!entry) return;
    const { owner, message, body } = entry;
    const queue = queues.get(message.orderingKey);
    entries.delete(id);
    queue?.delete(id);
    if (queue?.size === 0) queues.delete(message.orderingKey);
    body.uses -= 1;
    count(owner, -entry.bytes - (body.uses === 0 ? body.bytes : 0));
  }

  /** The queues that may be served, first those that were served longest ago; from then on they are the last. */
  function nextQueues(most: number, now: number): Map<string, Entry>[] {
    const ready: [string, Map<string, Entry>][] = [];
    for (const [key, queue] of queues) {
      if (ready.length === most) break;
      const [oldest] = queue.values();
      if (oldest && oldest.heldUntil <= now) ready.push([key, queue]);
    }
    return ready.map(([key, queue]) => {
      queues.delete(key);
      queues.set(key, queue);
      return queue;
    });
  }

  return {
    add(owner, messages) {
      const now = clock();
      const bodies = new Map<string, Body>();
      const added = messages.map((message): Entry => {
        const { data, ...rest } = message;
        const body = bodies.get(data) ?? { bytes: bytesOf(data), uses: 0 };
        bodies.set(data, body);
        body.uses += 1;
        const frozen = deepFreeze(message);
        return { owner, message: frozen, bytes: bytesOf(rest), body, storedAt: now, attempt: 0, heldUntil: 0 };
      });
      const more = [...added, ...bodies.values()].reduce((sum, { bytes: own }) => sum + own, 0);
      const owned = (bytesOfOwner.get(owner) ?? 0) + more;
      if (owned > limits.bytesPerOwner || bytes + more > limits.bytes) throw new OutboxFullError('the outbox is full');
      if (added.length > 0) count(owner, more);
      added.forEach(put);
    },

    async claim(limit, leaseMs) {
      const now = clock();
      const claimed: ClaimedMessage[] = [];
      let takers = nextQueues(limit, now).map((queue) => queue.values());
      while (takers.length > 0) {
        takers = takers.filter((taker) => {
          const entry = claimed.length < limit ? taker.next().value : undefined;
          if (!entry || entry.heldUntil > now) return false;
          entry.attempt += 1;
          entry.heldUntil = now + leaseMs;
          claimed.push({ message: entry.message, attempt: entry.attempt });
          return true;
        });
      }
      return claimed;
    },

    async markPublished(ids) {
      ids.forEach(forget);
    },

    async release(releases) {
      for (const { id, attempt, delayMs } of releases) {
        const entry = entries.get(id);
        if (entry?.attempt === attempt) entry.heldUntil = clock() + delayMs;
      }
    },

    async backlog() {
      const [oldest] = entries.values();
      return { count: entries.size, oldestAt: oldest?.storedAt };
    },
  };
}
