import type { OutgoingMessage } from '../../notification/message.store.ts';
import { done, type Publisher } from '../../outbox/delivery.ts';

/** A broker in this process. Like a real one it drops a message whose id was among the newest `remembered` ones. */
export function createMemoryPublisher(
  deliver: (message: OutgoingMessage) => void = () => undefined,
): Publisher<OutgoingMessage> {
  const seen = new Set<string>();
  return {
    publish: async (message) => {
      if (seen.has(message.id)) return done;
      seen.add(message.id);
      const [oldest] = seen;
      if (seen.size > remembered && oldest !== undefined) seen.delete(oldest);
      deliver(message);
      return done;
    },
    close: async () => undefined,
  };
}

const remembered = 10_000;
