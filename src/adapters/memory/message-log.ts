import { LRUCache } from 'lru-cache';
import { estimateBytes, mebibyte } from '../../core/json.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import type { LoggedMessage, MessageLog, OutgoingMessage } from '../../notification/notification.store.ts';

/** The message log of one process, with methods for the stores beside it. */
export interface MemoryMessageLog extends MessageLog {
  /** Adds a delivered message; called by the outbox of the same process. A known message changes nothing. */
  readonly add: (message: OutgoingMessage) => void;
  /** Tells watchers of a changed or deleted bucket, by name; called by the buckets of the same process. */
  readonly notifyBucketChanged: (name: string) => void;
}

/** Limits of the message log, in all and for each topic. `maxAgeMs`: time for which a message can be read. */
const defaultLimits = {
  maxTopics: 1000,
  maxBytes: 64 * mebibyte,
  maxMessagesPerTopic: 1000,
  maxBytesPerTopic: 8 * mebibyte,
  maxAgeMs: 24 * 60 * 60 * 1000,
};
export type MessageLogLimits = Readonly<typeof defaultLimits>;

interface LogEntry {
  readonly message: LoggedMessage;
  /** Position of the preceding message on the topic, which may have been dropped since; 0 for the first. */
  readonly previousPosition: number;
  readonly bytes: number;
  readonly addedAt: number;
}

/** Topics whose newest position is remembered, whether or not any of their messages are stored. */
const maxPositions = 10_000;

const sumBytes = (entries: readonly LogEntry[]): number => entries.reduce((sum, { bytes }) => sum + bytes, 0);

/** The newest messages of recently used topics. Over the total limit, the topic with the oldest last message is evicted. */
export function createMessageLog(
  clock: Clock = Date.now,
  limits: Partial<MessageLogLimits> = {},
): MemoryMessageLog {
  const effectiveLimits = { ...defaultLimits, ...limits };
  const entriesByTopic = new LRUCache<string, readonly LogEntry[]>({
    max: effectiveLimits.maxTopics,
    maxSize: effectiveLimits.maxBytes,
    sizeCalculation: (entries) => 1 + sumBytes(entries),
  });

  /** Leaves out the oldest entries that are too old or over the limits of a topic. */
  function withoutSurplus(entries: readonly LogEntry[]): readonly LogEntry[] {
    const minAddedAt = clock() - effectiveLimits.maxAgeMs;
    let bytes = sumBytes(entries);
    const firstKeptIndex = entries.findIndex((entry, index) => {
      const isWithinLimits =
        entries.length - index <= effectiveLimits.maxMessagesPerTopic &&
        bytes <= effectiveLimits.maxBytesPerTopic &&
        entry.addedAt > minAddedAt;
      bytes -= entry.bytes;
      return isWithinLimits;
    });
    return firstKeptIndex === -1 ? [] : entries.slice(firstKeptIndex);
  }

  let lastPosition = 0;
  /** Topics missing in `newestPositions` have no message after this position. */
  let maxForgottenPosition = 0;
  /** Position of each topic's newest message, even a dropped one: shows readers that they missed messages. */
  const newestPositions = new LRUCache<string, number>({
    max: maxPositions,
    dispose: (position, _topic, reason) => {
      if (reason === 'evict') maxForgottenPosition = Math.max(maxForgottenPosition, position);
    },
  });
  const newestPositionOf = (topic: string): number => newestPositions.peek(topic) ?? maxForgottenPosition;

  /** Called with the name of a changed topic or bucket. */
  const watchers = new Set<(key: string) => void>();
  const notifyWatchers = (key: string): void => {
    for (const watcher of watchers) watcher(key);
  };
  const entriesOf = (topic: string): readonly LogEntry[] => entriesByTopic.peek(topic) ?? [];

  return {
    add(message) {
      const { topic, id } = message;
      const previousEntries = entriesOf(topic);
      if (previousEntries.some((entry) => entry.message.id === id)) return;
      lastPosition += 1;
      const entry: LogEntry = {
        message: Object.freeze({ ...message, position: lastPosition }),
        previousPosition: newestPositionOf(topic),
        bytes: estimateBytes(message),
        addedAt: clock(),
      };
      newestPositions.set(topic, lastPosition);
      entriesByTopic.set(topic, withoutSurplus([...previousEntries, entry]));
      notifyWatchers(topic);
    },

    notifyBucketChanged: notifyWatchers,

    read: async (topic) => ({
      messages: withoutSurplus(entriesOf(topic)).map(({ message }) => message),
      endPosition: lastPosition,
    }),

    async readAfter(topic, position, limit) {
      const newerEntries = withoutSurplus(entriesOf(topic)).filter(
        ({ message }) => message.position > position,
      );
      if ((newerEntries[0]?.previousPosition ?? newestPositionOf(topic)) > position) return undefined;
      const messages = newerEntries.slice(0, limit).map(({ message }) => message);
      return {
        messages,
        endPosition: newerEntries.length > limit ? (messages.at(-1)?.position ?? position) : lastPosition,
      };
    },

    watch(onChange) {
      watchers.add(onChange);
      return () => watchers.delete(onChange);
    },
  };
}
