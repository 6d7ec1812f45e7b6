import { manages, type Viewer } from '../access/permissions.ts';
import { errorAt, invalidInput, type AppError, type Issue, type Warning } from '../core/errors.ts';
import type { Page } from '../core/page.ts';
import type { LoggedMessage, MessageLog, OutgoingMessage } from '../core/publisher.ts';
import type { Clock } from '../core/clock.ts';
import type { NotificationStore } from './notification.store.ts';
import { matching, messageFor, type MessageState, type MessageView } from './message.ts';
import type { NotificationRecord } from './notification.ts';
import { changeIssues, changeOf, type ObjectChangeBody } from './object-change.ts';
import { parseTopic } from './topic.ts';

export interface PublishArgs {
  readonly bucket: string;
  readonly validateOnly?: boolean | null;
  readonly change: ObjectChangeBody;
}

export interface MessagesArgs {
  readonly topic: string;
  readonly first?: number | null;
  readonly after?: string | null;
}

export interface PublishingService {
  publishObjectChange(
    viewer: Viewer,
    args: PublishArgs,
  ): Promise<{ messages: readonly MessageView[]; warnings: readonly Warning[] }>;
  listMessages(viewer: Viewer, args: MessagesArgs): Promise<Page<MessageView>>;
}

export interface PublishingParts {
  readonly store: NotificationStore<NotificationRecord>;
  readonly log: MessageLog;
  readonly clock: Clock;
  readonly pubsubHost: string;
  /** Tells the relay that messages were stored. */
  readonly onStored: () => void;
}

const defaultPage = 100;
const maxPage = 1000;

/** Takes object changes in and stores the messages they cause; shows what was published. */
export function createPublishingService({ store, log, clock, pubsubHost, onStored }: PublishingParts): PublishingService {
  return {
    async publishObjectChange(viewer, args) {
      const [bucket] = await store.buckets([args.bucket]);
      if (!bucket || !manages(bucket, viewer)) throw notFound('bucket', 'There is no such bucket.');
      const issues = changeIssues(args.change);
      if (issues.length > 0) throw invalidInput(issues);
      const change = changeOf(args.change, clock());
      const warnings: Warning[] = [];
      const decide = (subscriptions: readonly NotificationRecord[]): OutgoingMessage[] =>
        matching(subscriptions, change).flatMap((subscription) => {
          const { id, topic } = subscription;
          if (topic === undefined) warnings.push(noTopic(id));
          return topic === undefined ? [] : [messageFor(subscription, topic, change)];
        });
      const messages = args.validateOnly
        ? decide((await store.notifications([args.bucket]))[0] ?? [])
        : await store.storeChange(args.bucket, decide);
      if (!args.validateOnly) onStored();
      return { messages: messages.map((message) => shown(message, args.validateOnly ? 'PREVIEW' : 'PENDING')), warnings };
    },

    async listMessages(viewer, args) {
      const parsed = parseTopic(args.topic, pubsubHost);
      const after = positionOf(args.after);
      const first = args.first ?? defaultPage;
      const issues: Issue[] = [
        ...('problem' in parsed ? [issue('topic', parsed.problem)] : []),
        ...(after === undefined ? [issue('after', 'after must be a cursor of this list. Leave it out to begin again.')] : []),
        ...(first < 1 || first > maxPage ? [issue('first', `first must be from 1 to ${maxPage}.`)] : []),
      ];
      if (issues.length > 0 || 'problem' in parsed) throw invalidInput(issues);
      const managed = await managedBuckets(viewer, parsed.topic, log.read(parsed.topic, 0));
      if (managed.size === 0) throw notFound('topic', 'No bucket that you manage publishes to this topic.');
      const visible = log.read(parsed.topic, after ?? 0).filter(({ message }) => managed.has(bucketOf(message)));
      return {
        edges: visible.slice(0, first).map(({ position, message }) => ({ cursor: cursorOf(position), node: shown(message, 'PUBLISHED') })),
        hasNextPage: visible.length > first,
        hasPreviousPage: typeof args.after === 'string',
      };
    },
  };

  /** Of the buckets that publish to a topic or did, those the caller manages: only their messages are shown. */
  async function managedBuckets(viewer: Viewer, topic: string, history: readonly LoggedMessage[]): Promise<Set<string>> {
    const names = new Set([...(await store.bucketsWithTopic(topic)), ...history.map(({ message }) => bucketOf(message))]);
    const buckets = await store.buckets([...names]);
    return new Set(buckets.flatMap((bucket) => (bucket && manages(bucket, viewer) ? [bucket.name] : [])));
  }
}

const bucketOf = ({ attributes }: OutgoingMessage): string => attributes.bucketId ?? '';

function shown({ id, topic, attributes, data }: OutgoingMessage, state: MessageState): MessageView {
  const notificationId = attributes.notificationConfig?.split('/').at(-1) ?? '';
  return { messageId: id, notificationId, topic, attributes, data, state };
}

const cursorOf = (position: number): string => Buffer.from(`message ${position}`).toString('base64url');

/** The position in a cursor; 0 without one, undefined for what is none. */
function positionOf(cursor: string | null | undefined): number | undefined {
  if (cursor === null || cursor === undefined) return 0;
  const digits = /^message (\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1];
  return digits === undefined ? undefined : Number(digits);
}

const issue = (argument: string, message: string): Issue => ({ path: [argument], reason: 'invalid', message });

const notFound = (argument: string, message: string): AppError =>
  errorAt('NOT_FOUND', [argument], 'notFound', message);

const noTopic = (id: string): Warning => ({
  path: ['change'],
  reason: 'incomplete',
  message: `The notification ${id} matches, but has no topic: nothing is published for it.`,
});
