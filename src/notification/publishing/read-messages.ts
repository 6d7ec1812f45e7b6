import type { Viewer } from '../../access/permissions.ts';
import type { BucketRecord, BucketStore } from '../../bucket/bucket.store.ts';
import { isManager } from '../../bucket/bucket.view.ts';
import { errorAt, invalidInputError, type Issue } from '../../core/errors.ts';
import { type Page, pageSizeIssues } from '../../core/page.ts';
import {
  createWakeSignal,
  maxIdleMs,
  type StreamedEvent,
  type StreamRequest,
  type Watch,
} from '../../core/runtime/streams.ts';
import { parseTopic, type FollowMessagesArgs, type ListMessagesArgs } from '../notification.fields.ts';
import type { MessageLog, NotificationStore, OutgoingMessage } from '../notification.store.ts';
import { bucketNameOf, isMessageId, messageViewOf, type MessageView, notificationIdOf } from './message.ts';

const defaultPageSize = 100;
const maxPageSize = 1000;

/** Stores that hold published messages and decide who may see them. */
interface MessageSources {
  readonly buckets: Pick<BucketStore, 'buckets'>;
  readonly store: Pick<NotificationStore, 'bucketsWithTopic'>;
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
  const { topic, problem } = parseTopic(args.topic, sources.pubsubHost);
  const pageSize = args.first ?? defaultPageSize;
  const afterId =
    typeof args.after === 'string' ? Buffer.from(args.after, 'base64url').toString() : undefined;
  const issues: Issue[] = [
    ...(problem === undefined ? [] : [invalidArgumentIssue('topic', problem)]),
    ...(afterId !== undefined && !isMessageId(afterId)
      ? [invalidArgumentIssue('after', invalidCursorMessage)]
      : []),
    ...pageSizeIssues(pageSize, maxPageSize),
  ];
  if (issues.length > 0 || topic === undefined) throw invalidInputError(issues);
  const { messages } = await sources.log.read(topic);
  const managedBuckets = await findManagedBuckets(sources, viewer, topic, messages);
  const visibleMessages = messages.filter((message) => isVisible(message, managedBuckets));
  const startIndex = afterId === undefined ? 0 : visibleMessages.findIndex(({ id }) => id === afterId) + 1;
  if (afterId !== undefined && startIndex === 0)
    throw invalidInputError([invalidArgumentIssue('after', invalidCursorMessage)]);
  const pageMessages = visibleMessages.slice(startIndex, startIndex + pageSize);
  return {
    // The cursor of a message is its id.
    edges: pageMessages.map((message) => ({
      cursor: Buffer.from(message.id).toString('base64url'),
      node: messageViewOf(message, 'PUBLISHED'),
    })),
    hasNextPage: visibleMessages.length > startIndex + pageSize,
    hasPreviousPage: startIndex > 0,
  };
}

type ManagedBuckets = ReadonlyMap<string, BucketRecord>;

/** Whether a message is about one of these buckets, and not about a deleted bucket of the same name. */
function isVisible(message: OutgoingMessage, managedBuckets: ManagedBuckets): boolean {
  const bucket = managedBuckets.get(bucketNameOf(message));
  return bucket !== undefined && Number(notificationIdOf(message)) > (bucket.idsBefore ?? -1);
}

/**
 * Returns the buckets that the viewer manages, by name: among those that publish to the topic now, those of `messages`,
 * and those named in `knownNames`. Throws NOT_FOUND if there is none.
 */
async function findManagedBuckets(
  { buckets, store }: Pick<MessageSources, 'buckets' | 'store'>,
  viewer: Viewer,
  topic: string,
  messages: readonly OutgoingMessage[],
  knownNames: Iterable<string> = [],
): Promise<ManagedBuckets> {
  const publishingBucketNames = new Set([...(await store.bucketsWithTopic(topic)), ...knownNames]);
  const candidateBuckets = await buckets.buckets([
    ...new Set([...publishingBucketNames, ...messages.map(bucketNameOf)]),
  ]);
  const managedByName = new Map(
    candidateBuckets.flatMap((bucket) =>
      bucket && isManager(bucket, viewer) ? [[bucket.name, bucket] as const] : [],
    ),
  );
  const namesWithMessages = new Set(
    messages.filter((message) => isVisible(message, managedByName)).map(bucketNameOf),
  );
  // A bucket that reuses the name of a deleted one does not get the messages of that one.
  for (const name of managedByName.keys())
    if (!publishingBucketNames.has(name) && !namesWithMessages.has(name)) managedByName.delete(name);
  if (managedByName.size === 0)
    throw errorAt('NOT_FOUND', ['topic'], 'notFound', 'No bucket that you manage publishes to this topic.');
  return managedByName;
}

const invalidCursorMessage =
  'after must be a cursor of this list, of a message that is still stored. Leave it out to start again.';

const invalidArgumentIssue = (argument: string, message: string): Issue => ({
  path: [argument],
  reason: 'invalid',
  message,
});

/** Maximum number of messages that a stream reads from the log at once, to bound the memory for a slow reader. */
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
  { lastEventId, endSignal }: StreamRequest,
): Promise<AsyncIterable<StreamedEvent<MessageView>>> {
  const { log } = sources;
  const { topic, problem } = parseTopic(args.topic, sources.pubsubHost);
  if (topic === undefined) throw invalidInputError([invalidArgumentIssue('topic', problem)]);
  const wakeSignal = createWakeSignal();
  watch(topic, endSignal, wakeSignal.wake); // Starts before the log is read, so that no message is missed.
  endSignal.addEventListener('abort', wakeSignal.wake, { once: true });
  const { messages: loggedMessages, endPosition } = await log.read(topic);
  const watchedBuckets = new Set<string>();
  const readManagedBuckets = async (
    messages: readonly OutgoingMessage[],
    knownNames: Iterable<string> = [],
  ): Promise<ManagedBuckets> => {
    const buckets = await findManagedBuckets(sources, viewer, topic, messages, knownNames);
    for (const name of buckets.keys()) {
      if (watchedBuckets.has(name)) continue;
      watchedBuckets.add(name);
      watch(name, endSignal, wakeSignal.wake);
      wakeSignal.wake(); // The bucket may have changed between the read and the watch.
    }
    return buckets;
  };
  let managedBuckets = await readManagedBuckets(loggedMessages);
  const lastMessage = loggedMessages.find(({ id }) => id === lastEventId);
  if (lastEventId !== undefined && !(lastMessage && isVisible(lastMessage, managedBuckets)))
    throw droppedMessagesError();

  return (async function* () {
    for (let position = lastMessage?.position ?? endPosition; !endSignal.aborted;) {
      const page = await log.readAfter(topic, position, maxBatchMessages);
      if (!page) throw droppedMessagesError();
      managedBuckets = await readManagedBuckets(page.messages, managedBuckets.keys());
      for (const message of page.messages)
        if (isVisible(message, managedBuckets))
          yield { id: message.id, value: messageViewOf(message, 'PUBLISHED') };
      position = page.endPosition;
      if (page.messages.length < maxBatchMessages) await wakeSignal.wait(maxIdleMs);
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
