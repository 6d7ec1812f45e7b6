import type { Viewer } from '../../access/permissions.ts';
import { invalidInput } from '../../core/kernel/errors.ts';
import { longestRestMs, type Streamed, type StreamRequest } from '../../core/runtime/stream.ts';
import { createWakeSignal } from '../../core/runtime/wake-signal.ts';
import type { Watch } from '../../core/runtime/watch-hub.ts';
import { isVisible, managedBuckets, type ManagedBuckets, type MessageSources } from './message.list.ts';
import { messageView, type MessageView } from './message.ts';
import type { OutgoingMessage } from '../message.store.ts';
import type { FollowMessagesArgs } from '../notification.requests.ts';
import { parseTopic } from '../topic.ts';

/** The most messages that a stream reads from the log at once, and so the most that a slow reader holds in memory. */
const batch = 10;

/**
 * Streams the messages of a topic about buckets that the viewer manages: those behind the message `lastEventId`, else those
 * published from now on. The log is read as fast as the client reads. A stream stores nothing but its position, so it throws
 * where the log has dropped a message behind that. It also throws, then or later, where the viewer manages none of the
 * buckets that publish to the topic or did so during the stream: these are watched with the topic.
 */
export async function followMessages(
  sources: MessageSources,
  watch: Watch,
  viewer: Viewer,
  { topic: given }: FollowMessagesArgs,
  { lastEventId, ended }: StreamRequest,
): Promise<AsyncIterable<Streamed<MessageView>>> {
  const { log } = sources;
  const parsed = parseTopic(given, sources.pubsubHost);
  if ('problem' in parsed)
    throw invalidInput([{ path: ['topic'], reason: 'invalid', message: parsed.problem }]);
  const { topic } = parsed;
  const signal = createWakeSignal();
  watch(topic, ended, signal.wake); // before the log is read, so that no message is missed in between
  ended.addEventListener('abort', signal.wake, { once: true });
  const { messages: logged, end } = await log.read(topic);
  /** Buckets whose managers are watched. */
  const watched = new Set<string>();
  async function readManaged(
    messages: readonly OutgoingMessage[],
    before: Iterable<string> = [],
  ): Promise<ManagedBuckets> {
    const buckets = await managedBuckets(sources, viewer, topic, messages, before);
    for (const name of buckets.keys()) {
      if (watched.has(name)) continue;
      watched.add(name);
      watch(name, ended, signal.wake);
      signal.wake(); // it may have been changed since it was read
    }
    return buckets;
  }
  let managed = await readManaged(logged);
  const last = logged.find(({ id }) => id === lastEventId);
  if (lastEventId !== undefined && !(last && isVisible(last, managed))) throw missed();

  return (async function* () {
    for (let position = last?.position ?? end; !ended.aborted;) {
      const page = await log.readBehind(topic, position, batch);
      if (!page) throw missed();
      managed = await readManaged(page.messages, managed.keys());
      for (const message of page.messages)
        if (isVisible(message, managed)) yield { id: message.id, value: messageView(message, 'PUBLISHED') };
      position = page.end;
      if (page.messages.length < batch) await signal.wait(longestRestMs);
    }
  })();
}

const missed = () =>
  invalidInput([
    {
      path: [],
      reason: 'invalid',
      message:
        'Messages behind Last-Event-ID are not kept any more. Read what is kept with messages, and open a stream without that header.',
    },
  ]);
