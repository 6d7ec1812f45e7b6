import type { Viewer } from '../../access/permissions.ts';
import { invalidInput } from '../../core/kernel/errors.ts';
import { longestRestMs, type Streamed, type StreamRequest } from '../../core/runtime/stream.ts';
import { createWakeSignal } from '../../core/runtime/wake-signal.ts';
import type { Watch } from '../../core/runtime/watch-hub.ts';
import type { SubscriptionMessagePublishedArgs } from '../../generated/resolvers-types.ts';
import { visibleMessages, type MessageSources } from './message.list.ts';
import { messageView, type MessageView } from './message.ts';
import { parseTopic } from '../topic.ts';

/** So many messages are taken from the log at once: what a slow reader holds on to is no more. */
const batch = 10;

/**
 * Tells every message that is published to a topic about buckets that the viewer manages, behind the one with the last
 * id, else from now on. The log is read as fast as the client reads, and nothing is kept beside it: where it has dropped a
 * message by then, this throws. Throws, also later, when no bucket that the viewer manages publishes to the topic.
 */
export async function followMessages(
  { store, log, pubsubHost }: MessageSources,
  watch: Watch,
  viewer: Viewer,
  { topic: given }: SubscriptionMessagePublishedArgs,
  { lastEventId, ended }: StreamRequest,
): Promise<AsyncIterable<Streamed<MessageView>>> {
  const parsed = parseTopic(given, pubsubHost);
  if ('problem' in parsed) throw invalidInput([{ path: ['topic'], reason: 'invalid', message: parsed.problem }]);
  const { topic } = parsed;
  const signal = createWakeSignal();
  /** How many messages of the topic came behind those that were told. */
  let behind = 0;
  watch(topic, ended, () => {
    behind += 1;
    signal.wake();
  });
  ended.addEventListener('abort', signal.wake, { once: true });
  const kept = await log.read(topic);
  const visible = await visibleMessages(store, viewer, topic, kept);
  if (lastEventId !== undefined) {
    const last = visible.find(({ id }) => id === lastEventId);
    if (!last) throw missed();
    behind += kept.length - 1 - kept.indexOf(last);
  }

  return (async function* () {
    for (;;) {
      if (behind === 0) await signal.wait(longestRestMs);
      if (ended.aborted) return;
      const count = behind; // as many as the log has, of the moment in which it is read
      const entries = await log.read(topic);
      if (count > entries.length) throw missed();
      const next = entries.slice(entries.length - count).slice(0, batch);
      behind -= next.length;
      const seen = new Set(await visibleMessages(store, viewer, topic, entries));
      for (const message of next) if (seen.has(message)) yield { id: message.id, value: messageView(message, 'PUBLISHED') };
    }
  })();
}

const missed = () =>
  invalidInput([{
    path: [],
    reason: 'invalid',
    message: 'Messages behind Last-Event-ID are not kept any more. Read what is kept with messages, and open a stream without that header.',
  }]);
