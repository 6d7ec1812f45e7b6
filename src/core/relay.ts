import type { Outbox, OutgoingMessage, Publisher } from './publisher.ts';

export interface RelayParts {
  readonly outbox: Outbox;
  readonly publisher: Publisher;
  readonly onPublished: (message: OutgoingMessage) => void;
  readonly onFailure: (error: unknown) => void;
  /** Milliseconds; shorter in tests. */
  readonly delays?: Partial<Delays>;
}

interface Delays {
  /** How long to rest when nothing is pending and nobody wakes the relay. */
  readonly idle: number;
  readonly firstRetry: number;
  readonly lastRetry: number;
}

export interface Relay {
  /** Tells that something was stored. */
  wake(): void;
  /** Ends after the messages at hand; what is pending stays stored. */
  stop(): Promise<void>;
}

const batchSize = 256;

/**
 * Publishes what the outbox holds until it is stopped: again and again with growing pauses while the broker fails.
 * Messages of one ordering key go out one by one, in order; a failed one holds back those behind it, and no others.
 */
export function startRelay({ outbox, publisher, onPublished, onFailure, delays }: RelayParts): Relay {
  const { idle, firstRetry, lastRetry }: Delays = { idle: 1000, firstRetry: 100, lastRetry: 5000, ...delays };
  const bell = createBell();
  let stopped = false;

  async function publishAll(messages: readonly OutgoingMessage[]): Promise<unknown> {
    const published: string[] = [];
    const failures: unknown[] = [];
    await Promise.all(
      byOrderingKey(messages).map(async (queue) => {
        for (const message of queue) {
          if (stopped) return;
          try {
            await publisher.publish(message);
          } catch (error) {
            failures.push(error);
            return;
          }
          published.push(message.id);
          onPublished(message);
        }
      }),
    );
    if (published.length > 0) await outbox.markPublished(published);
    return failures[0];
  }

  async function run(): Promise<void> {
    let retry = firstRetry;
    while (!stopped) {
      let failure: unknown;
      let pending = 0;
      try {
        const messages = await outbox.pendingMessages(batchSize);
        pending = messages.length;
        failure = await publishAll(messages);
      } catch (error) {
        failure = error;
      }
      if (stopped) return;
      if (failure !== undefined) {
        onFailure(failure);
        await bell.rest(retry / 2 + Math.random() * (retry / 2), 'stop');
        retry = Math.min(retry * 2, lastRetry);
      } else {
        retry = firstRetry;
        if (pending === 0) await bell.rest(idle, 'wake');
      }
    }
  }

  const running = run();
  return {
    wake: () => bell.ring('wake'),
    stop: async () => {
      stopped = true;
      bell.ring('stop');
      await running;
    },
  };
}

function byOrderingKey(messages: readonly OutgoingMessage[]): OutgoingMessage[][] {
  const queues = new Map<string, OutgoingMessage[]>();
  for (const message of messages) {
    const queue = queues.get(message.orderingKey);
    if (queue) queue.push(message);
    else queues.set(message.orderingKey, [message]);
  }
  return [...queues.values()];
}

/** A rest that can be cut short: by any ring, or only by the one that ends it all. */
function createBell() {
  let rung = false;
  let answer: ((why: 'wake' | 'stop') => void) | undefined;
  return {
    ring(why: 'wake' | 'stop'): void {
      rung = true;
      answer?.(why);
    },
    async rest(milliseconds: number, until: 'wake' | 'stop'): Promise<void> {
      const cutShort = rung && until === 'wake';
      rung = false;
      if (cutShort) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        answer = (why) => {
          if (why !== until && why !== 'stop') return;
          clearTimeout(timer);
          resolve();
        };
      });
      answer = undefined;
      if (until === 'wake') rung = false;
    },
  };
}
