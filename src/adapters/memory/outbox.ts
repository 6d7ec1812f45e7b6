import type { Clock } from '../../core/runtime/clock.ts';
import { deepFreeze } from '../../core/kernel/freeze.ts';
import { OutboxFullError, outboxLimits, type ClaimedMessage, type Outbox, type OutboxLimits, type OutgoingMessage } from '../../core/runtime/publisher.ts';
import { bytesOf } from '../../core/kernel/size.ts';

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

/** The messages of one ordering key, in order. */
interface Queue {
  readonly key: string;
  readonly entries: Map<string, Entry>;
  /** Its oldest message was given back to wait. */
  failing: boolean;
}

/** Queues by their key; those that were served longest ago come first. */
type Queues = Map<string, Queue>;

/** Messages that wait in the memory of this process, in a queue for each ordering key. */
export function createMemoryOutbox(clock: Clock, limits: OutboxLimits = outboxLimits): MemoryOutbox {
  const entries = new Map<string, Entry>();
  const sound: Queues = new Map();
  const failing: Queues = new Map();
  const bytesOfOwner = new Map<string, number>();
  let bytes = 0;
  let failingFirst = false;

  function count(owner: string, more: number): void {
    const owned = (bytesOfOwner.get(owner) ?? 0) + more;
    bytes += more;
    if (owned === 0) bytesOfOwner.delete(owner);
    else bytesOfOwner.set(owner, owned);
  }

  const queueOf = ({ orderingKey }: OutgoingMessage): Queue | undefined => sound.get(orderingKey) ?? failing.get(orderingKey);
  const listOf = (queue: Queue): Queues => (queue.failing ? failing : sound);

  /** Puts a queue behind the others of its kind. */
  function moveBack(queue: Queue, isFailing: boolean): void {
    listOf(queue).delete(queue.key);
    queue.failing = isFailing;
    listOf(queue).set(queue.key, queue);
  }

  function put(entry: Entry): void {
    const { id, orderingKey: key } = entry.message;
    const queue = queueOf(entry.message) ?? { key, entries: new Map<string, Entry>(), failing: false };
    entries.set(id, entry);
    queue.entries.set(id, entry);
    if (queue.entries.size === 1) sound.set(key, queue);
  }

  function forget(id: string): void {
    const entry = entries.get(id);
    const queue = entry && queueOf(entry.message);
    if (!queue) return;
    entries.delete(id);
    queue.entries.delete(id);
    if (queue.entries.size === 0) listOf(queue).delete(queue.key);
    else if (queue.failing) moveBack(queue, false);
    const { owner, body } = entry;
    body.uses -= 1;
    count(owner, -entry.bytes - (body.uses === 0 ? body.bytes : 0));
  }

  function ready(queues: Queues, most: number, now: number): Queue[] {
    const found: Queue[] = [];
    for (const queue of queues.values()) {
      if (found.length === most) break;
      const [oldest] = queue.entries.values();
      if (oldest && oldest.heldUntil <= now) found.push(queue);
    }
    return found;
  }

  /** The queues whose turn it is: one that fails and one that does not, by turns, as long as there are both. */
  function nextQueues(most: number, now: number): Queue[] {
    const lists = [ready(failing, most, now), ready(sound, most, now)];
    if (!failingFirst) lists.reverse();
    failingFirst = !failingFirst;
    const turns = Array.from({ length: most }, (_, turn) => lists.flatMap((list) => list[turn] ?? [])).flat().slice(0, most);
    for (const queue of turns) moveBack(queue, queue.failing);
    return turns;
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
      let takers = nextQueues(limit, now).map((queue) => queue.entries.values());
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
        const queue = entry && queueOf(entry.message);
        if (!queue || entry.attempt !== attempt) continue;
        entry.heldUntil = clock() + delayMs;
        if (delayMs > 0) moveBack(queue, true);
      }
    },

    async backlog() {
      const [oldest] = entries.values();
      return { count: entries.size, oldestAt: oldest?.storedAt };
    },
  };
}
