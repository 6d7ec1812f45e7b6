import type { Viewer } from '../../access/permissions.ts';
import { invalidInput } from '../../core/kernel/errors.ts';
import { longestRestMs, type Streamed, type StreamRequest } from '../../core/runtime/stream.ts';
import { createWakeSignal } from '../../core/runtime/wake-signal.ts';
import type { Watch } from '../../core/runtime/watch-hub.ts';
import { managedBuckets, type MessageSources } from './message.list.ts';
import { bucketOf, messageView, type MessageView } from './message.ts';
import type { FollowMessagesArgs } from '../notification.requests.ts';
import { parseTopic } from '../topic.ts';

/** So many messages are taken from the log at once: what a slow reader holds on to is no more. */
const batch = 10;

/**
 * Tells every message that is published to a topic about buckets that the viewer manages, behind the one with the last
 * id, else from now on. The log is read as fast as the client reads, and nothing is kept beside it but the position that
 * was told last: where the log has dropped a message by then, this throws. Throws, also later, when the viewer manages
 * none of the buckets that publish to the topic or did while it was followed.
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
  if ('problem' in parsed) throw invalidInput([{ path: ['topic'], reason: 'invalid', message: parsed.problem }]);
  const { topic } = parsed;
  const signal = createWakeSignal();
  watch(topic, ended, signal.wake); // before the first look, so that no message falls between them
  ended.addEventListener('abort', signal.wake, { once: true });
  const { messages: kept, end } = await log.read(topic);
  let managed = await managedBuckets(sources, viewer, topic, kept.map(bucketOf));
  const last = kept.find(({ id }) => id === lastEventId);
  if (lastEventId !== undefined && !(last && managed.has(bucketOf(last)))) throw missed();

  return (async function* () {
    for (let told = last?.position ?? end; !ended.aborted; ) {
      const page = await log.readBehind(topic, told, batch);
      if (!page) throw missed();
      managed = await managedBuckets(sources, viewer, topic, [...managed, ...page.messages.map(bucketOf)]);
      for (const message of page.messages) if (managed.has(bucketOf(message))) yield { id: message.id, value: messageView(message, 'PUBLISHED') };
      told = page.end;
      if (page.messages.length < batch) await signal.wait(longestRestMs);
    }
  })();
}

const missed = () =>
  invalidInput([{
    path: [],
    reason: 'invalid',
    message: 'Messages behind Last-Event-ID are not kept any more. Read what is kept with messages, and open a stream without that header.',
  }]);
