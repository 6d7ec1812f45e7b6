import type { OutgoingMessage, Publisher } from '../../core/runtime/publisher.ts';

/** A broker in this process: a message with an id it has seen lately is dropped, like a real one does. */
export function createMemoryPublisher(deliver: (message: OutgoingMessage) => void = () => undefined): Publisher {
  const seen = new Set<string>();
  return {
    publish: async (message) => {
      if (seen.has(message.id)) return;
      seen.add(message.id);
      const [oldest] = seen;
      if (seen.size > remembered && oldest !== undefined) seen.delete(oldest);
      deliver(message);
    },
    close: async () => undefined,
  };
}

const remembered = 10_000;
