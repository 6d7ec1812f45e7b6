import { LRUCache } from 'lru-cache';
import { bytesOf, mebibyte } from '../../core/json.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import type { LoggedMessage, MessageLog, OutgoingMessage } from '../../notification/notification.store.ts';

export interface MemoryMessageLog extends MessageLog {
  /** For the outbox of the same process. A known message changes nothing. */
  readonly add: (message: OutgoingMessage) => void;
  /** For the buckets of the same process: one that was changed or deleted, by its name. */
  readonly reportBucket: (name: string) => void;
}

export interface MessageLogLimits {
  readonly topics: number;
  readonly bytes: number;
  readonly messagesPerTopic: number;
  readonly bytesPerTopic: number;
  readonly ageMs: number;
}

interface Entry {
  readonly message: LoggedMessage;
  /** The position of the message before this one on the topic, which may be dropped by now; 0 for the first. */
  readonly previous: number;
  readonly bytes: number;
  readonly addedAt: number;
}

const defaults: MessageLogLimits = {
  topics: 1000,
  bytes: 64 * mebibyte,
  messagesPerTopic: 1000,
  bytesPerTopic: 8 * mebibyte,
  ageMs: 24 * 60 * 60 * 1000,
};

/** The most topics whose newest position is stored, whether any of their messages are or not. */
const mostPositions = 10_000;

const total = (entries: readonly Entry[]): number => entries.reduce((sum, { bytes }) => sum + bytes, 0);

/**
 * The newest messages of the topics that were published to last, within all of the limits. A topic over its limits
 * loses its oldest messages; when there is too much of all, the topic that was published to longest ago goes.
 */
export function createMessageLog(
  clock: Clock = Date.now,
  limits: Partial<MessageLogLimits> = {},
): MemoryMessageLog {
  const { topics: max, bytes: maxSize, messagesPerTopic, bytesPerTopic, ageMs } = { ...defaults, ...limits };
  const topics = new LRUCache<string, readonly Entry[]>({
    max,
    maxSize,
    sizeCalculation: (entries) => 1 + total(entries),
  });

  /** The number of a topic's oldest messages that exceed its limits. */
  function surplus(entries: readonly Entry[]): number {
    const oldest = clock() - ageMs;
    let bytes = total(entries);
    const first = entries.findIndex((entry, index) => {
      const fits =
        entries.length - index <= messagesPerTopic && bytes <= bytesPerTopic && entry.addedAt > oldest;
      bytes -= entry.bytes;
      return fits;
    });
    return first === -1 ? entries.length : first;
  }

  /** The number of added messages, which is the position of the newest one. */
  let count = 0;
  /** Topics that `newest` does not have got no message behind this position. */
  let forgotten = 0;
  /** The position of each topic's newest message, also when that was dropped: shows readers that they missed it. */
  const newest = new LRUCache<string, number>({
    max: mostPositions,
    dispose: (position, _topic, reason) => {
      if (reason === 'evict') forgotten = Math.max(forgotten, position);
    },
  });
  const newestOf = (topic: string): number => newest.peek(topic) ?? forgotten;

  const watchers = new Set<(key: string) => void>();
  const report = (key: string): void => {
    for (const watcher of watchers) watcher(key);
  };
  const entriesOf = (topic: string): readonly Entry[] => topics.peek(topic) ?? [];
  const storedOf = (topic: string): readonly Entry[] => {
    const entries = entriesOf(topic);
    return entries.slice(surplus(entries));
  };

  return {
    add(message) {
      const { topic, id } = message;
      const known = entriesOf(topic);
      if (known.some((entry) => entry.message.id === id)) return;
      count += 1;
      const entry: Entry = {
        message: Object.freeze({ ...message, position: count }),
        previous: newestOf(topic),
        bytes: bytesOf(message),
        addedAt: clock(),
      };
      newest.set(topic, count);
      const entries = [...known, entry];
      topics.set(topic, entries.slice(surplus(entries)));
      report(topic);
    },

    reportBucket: report,

    read: async (topic) => ({ messages: storedOf(topic).map(({ message }) => message), end: count }),

    async readBehind(topic, position, limit) {
      const behind = storedOf(topic).filter(({ message }) => message.position > position);
      if ((behind[0]?.previous ?? newestOf(topic)) > position) return undefined;
      const messages = behind.slice(0, limit).map(({ message }) => message);
      return { messages, end: behind.length > limit ? (messages.at(-1)?.position ?? position) : count };
    },

    watch(onChange) {
      watchers.add(onChange);
      return () => watchers.delete(onChange);
    },
  };
}
