import { randomUUID } from 'node:crypto';
import type { Viewer } from '../../access/permissions.ts';
import { manages, noBucket } from '../../bucket/bucket.view.ts';
import type { BucketStore } from '../../bucket/bucket.store.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { AppError, invalidInput, type Warning } from '../../core/errors.ts';
import type { Page } from '../../core/page.ts';
import { OutboxFullError } from '../../outbox/outbox.store.ts';
import type { MessageLog, NotificationChange, NotificationStore } from '../notification.store.ts';
import { createWatchHub, type Streamed, type StreamRequest } from '../../core/runtime/watch.ts';
import { canonicalJson } from '../../core/json.ts';
import { earlierOutcome, requestIdIssues, requestRecord } from '../../core/request-record.ts';
import { followMessages, listMessages } from './message.list.ts';
import { matching, messagesFor, messageView, type MessageView, type Subscription } from './message.ts';
import type {
  FollowMessagesArgs,
  ListMessagesArgs,
  PublishObjectChangeArgs,
} from '../notification.requests.ts';
import type { NotificationRecord } from '../notification.ts';
import { changeIssues, changeOf, eventTimeOf } from './object-change.ts';

export interface PublishedChange {
  readonly messages: readonly MessageView[];
  readonly warnings: readonly Warning[];
}

export interface PublishingService {
  publishObjectChange(viewer: Viewer, args: PublishObjectChangeArgs): Promise<PublishedChange>;
  listMessages(viewer: Viewer, args: ListMessagesArgs): Promise<Page<MessageView>>;
  /** The messages of a topic as they are published, as long as the stream lasts. */
  followMessages(
    viewer: Viewer,
    args: FollowMessagesArgs,
    stream: StreamRequest,
  ): Promise<AsyncIterable<Streamed<MessageView>>>;
}

interface PublishingParts {
  readonly buckets: BucketStore;
  readonly store: NotificationStore<NotificationRecord>;
  readonly log: MessageLog;
  readonly clock: Clock;
  /** The host of topics that are given without one. */
  readonly pubsubHost: string;
  /** Called after messages were stored: wakes the relay. */
  readonly onStored: () => void;
}

/** The stored outcome of a change: with the repeated change enough to answer with the same messages. */
interface Outcome {
  readonly changeId: string;
  readonly eventTime: string;
  readonly subscriptions: readonly Subscription[];
}

/** Stores the messages that object changes cause, and lists and streams published ones. */
export function createPublishingService(parts: PublishingParts): PublishingService {
  const { store, log, clock, onStored } = parts;
  const watch = createWatchHub((onChange) => log.watch(onChange));
  return {
    async publishObjectChange(viewer, args) {
      const { bucket: name, change: body, validateOnly } = args;
      const request = requestRecord('publishObjectChange', viewer, inputOf(args), clock);
      const stamps = { changeId: randomUUID(), eventTime: eventTimeOf(body, clock()) };
      const changeTo = (outcome: Outcome): NotificationChange<NotificationRecord, PublishedChange> => {
        const { changeId, eventTime, subscriptions } = outcome;
        const messages = messagesFor(name, changeOf(body, eventTime), changeId, subscriptions);
        const views = messages.map((message) => messageView(message, validateOnly ? 'PREVIEW' : 'PENDING'));
        return {
          messages,
          outcome,
          result: { messages: views, warnings: subscriptions.flatMap(noTopicWarning) },
        };
      };
      const published = await store
        .changeNotifications<PublishedChange>({ bucket: name, request }, ({ bucket, existing, earlier }) => {
          if (!manages(bucket, viewer)) throw noBucket();
          const first = earlierOutcome<Outcome>(request, earlier);
          if (first) return { result: changeTo(first).result };
          const issues = [...requestIdIssues(args.requestId), ...changeIssues(body)];
          if (issues.length > 0) throw invalidInput(issues);
          const change = changeTo({ ...stamps, subscriptions: matching(existing, body).map(subscriptionOf) });
          return validateOnly ? { result: change.result } : change;
        })
        .catch((error: unknown) => {
          throw error instanceof OutboxFullError ? outboxFull(error) : error;
        });
      if (!published) throw noBucket();
      if (!validateOnly) onStored();
      return published;
    },

    followMessages: (viewer, args, stream) => followMessages(parts, watch, viewer, args, stream),
    listMessages: (viewer, args) => listMessages(parts, viewer, args),
  };
}

/** The arguments that a request id stands for. Within the object's JSON a null is a value like others. */
function inputOf(args: PublishObjectChangeArgs) {
  const { requestId, change } = args;
  return requestId && change.object
    ? { ...args, change: { ...change, object: canonicalJson(change.object) } }
    : args;
}

const subscriptionOf = ({
  id,
  topic,
  payload_format,
  custom_attributes,
}: NotificationRecord): Subscription => ({
  id,
  topic,
  payload_format,
  custom_attributes,
});

function outboxFull(cause: OutboxFullError): AppError {
  const message =
    'Too many messages wait to be published, so that none can be added: nothing of this change was stored. Try again later.';
  return new AppError(
    'UNAVAILABLE',
    'backendError',
    message,
    [{ path: ['change'], reason: 'backendError', message }],
    {},
    cause,
  );
}

function noTopicWarning({ id, topic }: Subscription): Warning[] {
  if (topic !== undefined) return [];
  const message = `The notification ${id} matches, but has no topic: nothing is published for it.`;
  return [{ path: ['change'], reason: 'incomplete', message }];
}
