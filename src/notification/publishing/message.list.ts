import type { Viewer } from '../../access/permissions.ts';
import type { BucketRecord, BucketStore } from '../../bucket/bucket.store.ts';
import { isManager } from '../../bucket/bucket.view.ts';
import { errorAt, invalidInput, type Issue } from '../../core/errors.ts';
import { type Page, sizeIssues } from '../../core/page.ts';
import {
  createWakeSignal,
  maxIdleMs,
  type Streamed,
  type StreamRequest,
  type Watch,
} from '../../core/runtime/watch.ts';
import { parseTopic } from '../notification.fields.ts';
import type { FollowMessagesArgs, ListMessagesArgs } from '../notification.requests.ts';
import type { MessageLog, NotificationStore, OutgoingMessage } from '../notification.store.ts';
import type { NotificationRecord } from '../notification.ts';
import { bucketOf, isMessageId, messageView, type MessageView, notificationIdOf } from './message.ts';

const defaultPage = 100;
const maxPage = 1000;

/** Stores that hold published messages and decide who may see them. */
interface MessageSources {
  readonly buckets: Pick<BucketStore, 'buckets'>;
  readonly store: Pick<NotificationStore<NotificationRecord>, 'bucketsWithTopic'>;
  readonly log: MessageLog;
  readonly pubsubHost: string;
}

/**
 * Lists published messages of a topic about buckets that the viewer manages. A cursor is the id of one of these messages,
 * so it discloses nothing about other messages.
 */
export async function listMessages(
  sources: MessageSources,
  viewer: Viewer,
  args: ListMessagesArgs,
): Promise<Page<MessageView>> {
  const parsed = parseTopic(args.topic, sources.pubsubHost);
  const first = args.first ?? defaultPage;
  const after = typeof args.after === 'string' ? Buffer.from(args.after, 'base64url').toString() : undefined;
  const issues: Issue[] = [
    ...('problem' in parsed ? [issue('topic', parsed.problem)] : []),
    ...(after !== undefined && !isMessageId(after) ? [issue('after', invalidCursorMessage)] : []),
    ...sizeIssues(first, maxPage),
  ];
  if (issues.length > 0 || 'problem' in parsed) throw invalidInput(issues);
  const { messages } = await sources.log.read(parsed.topic);
  const managed = await managedBuckets(sources, viewer, parsed.topic, messages);
  const visible = messages.filter((message) => isVisible(message, managed));
  const start = after === undefined ? 0 : visible.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0) throw invalidInput([issue('after', invalidCursorMessage)]);
  const page = visible.slice(start, start + first);
  return {
    edges: page.map((message) => ({ cursor: cursorOf(message), node: messageView(message, 'PUBLISHED') })),
    hasNextPage: visible.length > start + first,
    hasPreviousPage: start > 0,
  };
}

type ManagedBuckets = ReadonlyMap<string, BucketRecord>;

/** True if a message is about one of these buckets, and not about an earlier one of the same name. */
function isVisible(message: OutgoingMessage, managed: ManagedBuckets): boolean {
  const bucket = managed.get(bucketOf(message));
  return (
    bucket !== undefined &&
    (bucket.idsBefore === undefined || Number(notificationIdOf(message)) > bucket.idsBefore)
  );
}

/**
 * Returns the viewer's buckets by name, among those that publish to the topic now, those of `messages`, and those that
 * were `known` before. Throws NOT_FOUND if there is none.
 */
async function managedBuckets(
  { buckets, store }: Pick<MessageSources, 'buckets' | 'store'>,
  viewer: Viewer,
  topic: string,
  messages: readonly OutgoingMessage[],
  known: Iterable<string> = [],
): Promise<ManagedBuckets> {
  const publishing = new Set([...(await store.bucketsWithTopic(topic)), ...known]);
  const candidates = await buckets.buckets([...new Set([...publishing, ...messages.map(bucketOf)])]);
  const managed = new Map(
    candidates.flatMap((bucket) =>
      bucket && isManager(bucket, viewer) ? [[bucket.name, bucket] as const] : [],
    ),
  );
  const published = new Set(messages.filter((message) => isVisible(message, managed)).map(bucketOf));
  // A bucket that reuses the name of a deleted one does not get the messages of that one.
  for (const name of managed.keys()) if (!publishing.has(name) && !published.has(name)) managed.delete(name);
  if (managed.size === 0)
    throw errorAt('NOT_FOUND', ['topic'], 'notFound', 'No bucket that you manage publishes to this topic.');
  return managed;
}

const cursorOf = ({ id }: OutgoingMessage): string => Buffer.from(id).toString('base64url');

const invalidCursorMessage =
  'after must be a cursor of this list, of a message that is still stored. Leave it out to start again.';

const issue = (argument: string, message: string): Issue => ({
  path: [argument],
  reason: 'invalid',
  message,
});

/** Messages that a stream reads from the log at once. Bounds the memory for a slow reader. */
const maxBatchMessages = 10;

/**
 * Streams the messages of a topic about buckets that the viewer manages: those after the message `lastEventId`, otherwise
 * those published from now on. A stream only keeps its position, so it throws if the log dropped a message after that. It
 * also throws as soon as the viewer manages none of the buckets that publish to the topic or did so during the stream.
 */
export async function followMessages(
  sources: MessageSources,
  watch: Watch,
  viewer: Viewer,
  args: FollowMessagesArgs,
  { lastEventId, ended }: StreamRequest,
): Promise<AsyncIterable<Streamed<MessageView>>> {
  const { log } = sources;
  const parsed = parseTopic(args.topic, sources.pubsubHost);
  if ('problem' in parsed) throw invalidInput([issue('topic', parsed.problem)]);
  const { topic } = parsed;
  const signal = createWakeSignal();
  watch(topic, ended, signal.wake); // Starts before the log is read, so that no message is missed.
  ended.addEventListener('abort', signal.wake, { once: true });
  const { messages: logged, end } = await log.read(topic);
  const watchedBuckets = new Set<string>();
  async function readManaged(
    messages: readonly OutgoingMessage[],
    known: Iterable<string> = [],
  ): Promise<ManagedBuckets> {
    const buckets = await managedBuckets(sources, viewer, topic, messages, known);
    for (const name of buckets.keys()) {
      if (watchedBuckets.has(name)) continue;
      watchedBuckets.add(name);
      watch(name, ended, signal.wake);
      signal.wake(); // The bucket may have changed between the read and the watch.
    }
    return buckets;
  }
  let managed = await readManaged(logged);
  const last = logged.find(({ id }) => id === lastEventId);
  if (lastEventId !== undefined && !(last && isVisible(last, managed))) throw droppedMessagesError();

  return (async function* () {
    for (let position = last?.position ?? end; !ended.aborted;) {
      const page = await log.readAfter(topic, position, maxBatchMessages);
      if (!page) throw droppedMessagesError();
      managed = await readManaged(page.messages, managed.keys());
      for (const message of page.messages)
        if (isVisible(message, managed)) yield { id: message.id, value: messageView(message, 'PUBLISHED') };
      position = page.end;
      if (page.messages.length < maxBatchMessages) await signal.wait(maxIdleMs);
    }
  })();
}

const droppedMessagesError = () =>
  errorAt(
    'BAD_USER_INPUT',
    [],
    'invalid',
    'Messages after Last-Event-ID are no longer stored. Read the stored ones with messages, and open a stream without that header.',
  );
