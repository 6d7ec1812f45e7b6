import type { LoggedMessage, MessageLog } from '../../core/publisher.ts';

const perTopic = 1000;
const topicsKept = 1000;

/** The newest 1,000 messages of each of the 1,000 topics that were published to last. */
export function createMessageLog(): MessageLog {
  const topics = new Map<string, LoggedMessage[]>();
  return {
    add(message) {
      const { topic } = message;
      const history = topics.get(topic) ?? [];
      topics.delete(topic);
      topics.set(topic, history);
      history.push({ position: (history.at(-1)?.position ?? 0) + 1, message });
      if (history.length > perTopic) history.shift();
      const [oldest] = topics.keys();
      if (topics.size > topicsKept && oldest !== undefined) topics.delete(oldest);
    },
    read: (topic, after) => (topics.get(topic) ?? []).filter(({ position }) => position > after),
  };
}
