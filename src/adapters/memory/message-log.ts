import { LRUCache } from 'lru-cache';
import type { Clock } from '../../core/runtime/clock.ts';
import type { MessageLog, OutgoingMessage } from '../../core/runtime/publisher.ts';
import { bytesOf, mebibyte } from './size.ts';

export interface MessageLogLimits {
  readonly topics: number;
  readonly bytes: number;
  readonly messagesPerTopic: number;
  readonly bytesPerTopic: number;
  readonly ageMs: number;
}

interface Entry {
  readonly message: OutgoingMessage;
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

const total = (entries: readonly Entry[]): number => entries.reduce((sum, { bytes }) => sum + bytes, 0);

/**
 * The newest messages of the topics that were published to last, within all of the limits. A topic over its limits
 * loses its oldest messages; when there is too much of all, the topic that was published to longest ago goes.
 */
export function createMessageLog(clock: Clock = Date.now, limits: Partial<MessageLogLimits> = {}): MessageLog {
  const { topics: max, bytes: maxSize, messagesPerTopic, bytesPerTopic, ageMs } = { ...defaults, ...limits };
  const topics = new LRUCache<string, readonly Entry[]>({ max, maxSize, sizeCalculation: (entries) => 1 + total(entries) });

  /** How many of a topic's oldest messages have no room any more. */
  function surplus(entries: readonly Entry[]): number {
    const oldest = clock() - ageMs;
    let bytes = total(entries);
    const kept = entries.findIndex((entry, index) => {
      const fits = entries.length - index <= messagesPerTopic && bytes <= bytesPerTopic && entry.addedAt > oldest;
      bytes -= entry.bytes;
      return fits;
    });
    return kept === -1 ? entries.length : kept;
  }

  const watchers = new Set<(topic: string) => void>();
  const entriesOf = (topic: string): readonly Entry[] => topics.peek(topic) ?? [];

  return {
    add(message) {
      const { topic, id } = message;
      const known = entriesOf(topic);
      if (known.some((entry) => entry.message.id === id)) return;
      const entries = [...known, { message, bytes: bytesOf(message), addedAt: clock() }];
      topics.set(topic, entries.slice(surplus(entries)));
      for (const watcher of watchers) watcher(topic);
    },

    async read(topic) {
      const entries = entriesOf(topic);
      return entries.slice(surplus(entries)).map(({ message }) => message);
    },

    watch(onAdded) {
      watchers.add(onAdded);
      return () => watchers.delete(onAdded);
    },
  };
}
