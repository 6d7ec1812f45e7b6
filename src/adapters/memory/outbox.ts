import type { Clock } from '../../core/clock.ts';
import type { Outbox, OutgoingMessage } from '../../core/publisher.ts';
import { deepFreeze } from '../../core/freeze.ts';

export interface MemoryOutbox {
  readonly outbox: Outbox;
  readonly add: (messages: readonly OutgoingMessage[]) => void;
}

/** Messages that wait in the memory of this process, in the order in which they came. */
export function createMemoryOutbox(clock: Clock): MemoryOutbox {
  const waiting = new Map<string, { readonly message: OutgoingMessage; readonly at: number }>();
  return {
    add: (messages) => {
      for (const message of messages) waiting.set(message.id, { message: deepFreeze(message), at: clock() });
    },
    outbox: {
      async pendingMessages(limit) {
        const messages: OutgoingMessage[] = [];
        for (const { message } of waiting.values()) {
          if (messages.length === limit) break;
          messages.push(message);
        }
        return messages;
      },
      async markPublished(ids) {
        for (const id of ids) waiting.delete(id);
      },
      async backlog() {
        const [oldest] = waiting.values();
        return { count: waiting.size, oldestAt: oldest?.at };
      },
    },
  };
}
