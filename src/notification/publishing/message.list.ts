import type { Viewer } from '../../access/permissions.ts';
import { manages } from '../../bucket/bucket.access.ts';
import type { BucketRecord, BucketStore } from '../../bucket/bucket.store.ts';
import { errorAt, invalidInput, type Issue } from '../../core/kernel/errors.ts';
import { sizeIssues, type Page } from '../../core/kernel/page.ts';
import type { MessageLog, OutgoingMessage } from '../message.store.ts';
import { bucketOf, isMessageId, messageView, notificationIdOf, type MessageView } from './message.ts';
import type { ListMessagesArgs } from '../notification.requests.ts';
import type { NotificationStore } from '../notification.store.ts';
import type { NotificationRecord } from '../notification.ts';
import { parseTopic } from '../topic.ts';

const defaultPage = 100;
const maxPage = 1000;

/** Where published messages come from, and who may see them. */
export interface MessageSources {
  readonly buckets: Pick<BucketStore, 'buckets'>;
  readonly store: Pick<NotificationStore<NotificationRecord>, 'bucketsWithTopic'>;
  readonly log: MessageLog;
  readonly pubsubHost: string;
}

/**
 * A page of what was published to a topic about buckets that the viewer manages. A cursor is the id of a message among
 * these, so that it discloses nothing about messages of others.
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
    ...(after !== undefined && !isMessageId(after) ? [issue('after', wrongCursor)] : []),
    ...sizeIssues(first, maxPage),
  ];
  if (issues.length > 0 || 'problem' in parsed) throw invalidInput(issues);
  const { messages } = await sources.log.read(parsed.topic);
  const managed = await managedBuckets(sources, viewer, parsed.topic, messages);
  const visible = messages.filter((message) => isVisible(message, managed));
  const start = after === undefined ? 0 : visible.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0) throw invalidInput([issue('after', wrongCursor)]);
  const page = visible.slice(start, start + first);
  return {
    edges: page.map((message) => ({ cursor: cursorOf(message), node: messageView(message, 'PUBLISHED') })),
    hasNextPage: visible.length > start + first,
    hasPreviousPage: start > 0,
  };
}

/** Buckets by name. */
export type ManagedBuckets = ReadonlyMap<string, BucketRecord>;

/** Whether a message is about one of these buckets, and not about an earlier one of the same name. */
export function isVisible(message: OutgoingMessage, managed: ManagedBuckets): boolean {
  const bucket = managed.get(bucketOf(message));
  return (
    bucket !== undefined &&
    (bucket.idsBefore === undefined || Number(notificationIdOf(message)) > bucket.idsBefore)
  );
}

/**
 * The buckets that the viewer manages among those of a topic: the ones that publish to it now, those whose messages are given,
 * and the ones known before. NOT_FOUND where there is none.
 */
export async function managedBuckets(
  { buckets, store }: Pick<MessageSources, 'buckets' | 'store'>,
  viewer: Viewer,
  topic: string,
  messages: readonly OutgoingMessage[],
  before: Iterable<string> = [],
): Promise<ManagedBuckets> {
  const publishing = new Set([...(await store.bucketsWithTopic(topic)), ...before]);
  const found = await buckets.buckets([...new Set([...publishing, ...messages.map(bucketOf)])]);
  const managed = new Map(
    found.flatMap((bucket) => (bucket && manages(bucket, viewer) ? [[bucket.name, bucket] as const] : [])),
  );
  const published = new Set(messages.filter((message) => isVisible(message, managed)).map(bucketOf));
  // One that has taken the name of a deleted bucket has none of its messages.
  for (const name of managed.keys()) if (!publishing.has(name) && !published.has(name)) managed.delete(name);
  if (managed.size === 0)
    throw errorAt('NOT_FOUND', ['topic'], 'notFound', 'No bucket that you manage publishes to this topic.');
  return managed;
}

const cursorOf = ({ id }: OutgoingMessage): string => Buffer.from(id).toString('base64url');

const wrongCursor =
  'after must be a cursor of this list, of a message that is still kept. Leave it out to begin again.';

const issue = (argument: string, message: string): Issue => ({
  path: [argument],
  reason: 'invalid',
  message,
});
