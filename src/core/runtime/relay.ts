import { setImmediate as otherWork } from 'node:timers/promises';
import type { ClaimedMessage, Outbox, OutgoingMessage, Publisher, Release } from './publisher.ts';
import { createWakeSignal } from './wake-signal.ts';

export interface RelayParts {
  readonly outbox: Outbox;
  readonly publisher: Publisher;
  readonly onPublished: (message: OutgoingMessage) => void;
  /** Told of failures, of one of many when they come fast. */
  readonly onFailure: (error: unknown) => void;
  /** Milliseconds; shorter in tests. */
  readonly delays?: Partial<Delays>;
}

interface Delays {
  /** How long to rest when nothing can be claimed and nobody wakes the relay. */
  readonly idle: number;
  readonly firstRetry: number;
  readonly lastRetry: number;
  /** How long other gateways leave a claimed message alone. */
  readonly lease: number;
  /** The least time between two calls of `onFailure`. */
  readonly report: number;
}

export interface Relay {
  start(): void;
  /** Tells that something was stored. */
  wake(): void;
  /** Ends after the messages at hand; what is pending stays stored. */
  stop(): Promise<void>;
}

const defaults: Delays = { idle: 1000, firstRetry: 100, lastRetry: 5000, lease: 30_000, report: 1000 };
/** How many ordering keys are published at the same time. */
const slots = 64;

/**
 * Publishes what the outbox holds from its start until it is stopped. Messages of one ordering key go out one by one, in order; a
 * failed one is tried again after a pause that grows with its attempts, and holds back those behind it, and no others.
 */
export function createRelay({ outbox, publisher, onPublished, onFailure, delays }: RelayParts): Relay {
  const { idle, firstRetry, lastRetry, lease, report }: Delays = { ...defaults, ...delays };
  const signal = createWakeSignal();
  const workers = new Set<Promise<void>>();
  const published: string[] = [];
  const released: Release[] = [];
  /** When pauses end, each kept until a claim that began after it: what is due is claimed then. */
  let retries: number[] = [];
  let lastReport = -Infinity;
  let stopped = false;

  function failed(error: unknown): void {
    const now = Date.now();
    if (now - lastReport < report) return;
    lastReport = now;
    onFailure(error);
  }

  /** The pause before the next attempt, with jitter so that not all keys come back at once. */
  const pauseAfter = (attempt: number): number => {
    const longest = Math.min(firstRetry * 2 ** (attempt - 1), lastRetry);
    return longest / 2 + Math.random() * (longest / 2);
  };

  function release(queue: readonly ClaimedMessage[], delayMs: number): void {
    released.push(...queue.map(({ message, attempt }) => ({ id: message.id, attempt, delayMs })));
  }

  /** Publishes the claimed messages of one key until one fails, the lease ends or the relay stops. */
  async function publishQueue(queue: readonly ClaimedMessage[], leaseEnd: number): Promise<void> {
    for (const [index, { message, attempt }] of queue.entries()) {
      if (stopped || Date.now() >= leaseEnd) return release(queue.slice(index), 0);
      try {
        await publisher.publish(message);
      } catch (error) {
        failed(error);
        return release(queue.slice(index), pauseAfter(attempt));
      }
      published.push(message.id);
      onPublished(message);
    }
  }

  function work(queue: readonly ClaimedMessage[], leaseEnd: number): void {
    const worker = publishQueue(queue, leaseEnd).finally(() => {
      workers.delete(worker);
      signal.wake();
    });
    workers.add(worker);
  }

  /** Tells the outbox what has become of claimed messages. */
  async function settle(): Promise<void> {
    await handOver(published, (ids) => outbox.markPublished(ids));
    await handOver(released, async (releases) => {
      await outbox.release(releases);
      // Counted from now: the outbox holds them from when it was told, and a look before that would be the last for long.
      const now = Date.now();
      for (const delayMs of new Set(releases.map((release) => release.delayMs))) if (delayMs > 0) retries.push(now + delayMs);
    });
  }

  /** Claims as much as there is room for; how long to rest afterwards. */
  async function claim(): Promise<number> {
    await settle();
    const room = slots - workers.size;
    if (room === 0) return idle;
    const now = Date.now();
    retries = retries.filter((at) => at > now);
    const claimed = await outbox.claim(room, lease);
    for (const queue of byOrderingKey(claimed)) work(queue, now + lease);
    return claimed.length > 0 ? 0 : Math.max(1, retries.reduce((soonest, at) => Math.min(soonest, at - now), idle));
  }

  async function run(): Promise<void> {
    let storeFailures = 0;
    while (!stopped) {
      let rest: number;
      try {
        rest = await claim();
        storeFailures = 0;
      } catch (error) {
        failed(error);
        storeFailures += 1;
        rest = pauseAfter(storeFailures);
      }
      if (stopped) break;
      await (rest > 0 ? signal.wait(rest) : otherWork());
    }
    await Promise.all(workers);
    await settle().catch(failed);
  }

  let running: Promise<void> | undefined;
  return {
    start: () => void (running ??= run()),
    wake: signal.wake,
    stop: async () => {
      stopped = true;
      signal.wake();
      await running;
    },
  };
}

/** Empties a list into a call; what it cannot take stays for the next time. */
async function handOver<T>(list: T[], take: (items: readonly T[]) => Promise<void>): Promise<void> {
  const items = list.splice(0);
  if (items.length === 0) return;
  try {
    await take(items);
  } catch (error) {
    list.unshift(...items);
    throw error;
  }
}

function byOrderingKey(messages: readonly ClaimedMessage[]): ClaimedMessage[][] {
  const queues = new Map<string, ClaimedMessage[]>();
  for (const claimed of messages) {
    const { orderingKey } = claimed.message;
    const queue = queues.get(orderingKey);
    if (queue) queue.push(claimed);
    else queues.set(orderingKey, [claimed]);
  }
  return [...queues.values()];
}
