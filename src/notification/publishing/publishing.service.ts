import { randomUUID } from 'node:crypto';
import type { Viewer } from '../../access/permissions.ts';
import { isManager, bucketNotFound } from '../../bucket/bucket.view.ts';
import type { BucketStore } from '../../bucket/bucket.store.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { AppError, requireValid, type Warning } from '../../core/errors.ts';
import type { Page } from '../../core/page.ts';
import { OutboxFullError } from '../../outbox/outbox.store.ts';
import type { MessageLog, NotificationChange, NotificationStore } from '../notification.store.ts';
import { createWatchHub, type StreamedEvent, type StreamRequest } from '../../core/runtime/streams.ts';
import { canonicalJson } from '../../core/json.ts';
import { readEarlierOutcome, requestIdIssues, createRequestRecord } from '../../core/request-record.ts';
import { followMessages, listMessages } from './read-messages.ts';
import {
  createMessages,
  findObjectChangeIssues,
  formatEventTime,
  type MatchingNotification,
  matchingSubscriptions,
  messageViewOf,
  type MessageView,
  toObjectChange,
} from './message.ts';
import type {
  FollowMessagesArgs,
  ListMessagesArgs,
  PublishObjectChangeArgs,
} from '../notification.fields.ts';

/** Messages that a change causes: one for each matching notification with a topic. */
export interface PublishChangeResult {
  readonly messages: readonly MessageView[];
  readonly warnings: readonly Warning[];
}

/** Publishes and reads messages as a viewer may. Throws AppError. */
export interface PublishingService {
  readonly publishObjectChange: (
    viewer: Viewer,
    args: PublishObjectChangeArgs,
  ) => Promise<PublishChangeResult>;
  readonly listMessages: (viewer: Viewer, args: ListMessagesArgs) => Promise<Page<MessageView>>;
  readonly followMessages: (
    viewer: Viewer,
    args: FollowMessagesArgs,
    stream: StreamRequest,
  ) => Promise<AsyncIterable<StreamedEvent<MessageView>>>;
}

interface PublishingDependencies {
  readonly buckets: BucketStore;
  readonly store: NotificationStore;
  readonly log: MessageLog;
  readonly clock: Clock;
  readonly pubsubHost: string;
  /** Called after messages were stored, to wake the relay. */
  readonly onStored: () => void;
}

/** Stored outcome of a change, from which a repeated request recreates the same messages. */
interface PublishOutcome {
  readonly changeId: string;
  readonly eventTime: string;
  /** Notifications that matched the change; stored under this name. */
  readonly subscriptions: readonly MatchingNotification[];
}

/** Creates the service that publishes object changes as messages, and lists and streams published messages. */
export function createPublishingService(dependencies: PublishingDependencies): PublishingService {
  const { store, log, clock, onStored } = dependencies;
  const watch = createWatchHub((onChange) => log.watch(onChange));
  return {
    async publishObjectChange(viewer, args) {
      const { bucket: bucketName, change: body, validateOnly } = args;
      const request = createRequestRecord('publishObjectChange', viewer, toFingerprintArgs(args), clock);
      // Created before the decision, which must be pure.
      const newChangeIdentity = { changeId: randomUUID(), eventTime: formatEventTime(body, clock()) };
      const buildChange = (outcome: PublishOutcome): NotificationChange<PublishChangeResult> => {
        const { changeId, eventTime, subscriptions } = outcome;
        const messages = createMessages(bucketName, toObjectChange(body, eventTime), changeId, subscriptions);
        const messageViews = messages.map((message) =>
          messageViewOf(message, validateOnly ? 'PREVIEW' : 'PENDING'),
        );
        return {
          messages,
          outcome,
          result: { messages: messageViews, warnings: subscriptions.flatMap(createNoTopicWarnings) },
        };
      };
      const publishResult = await store
        .changeNotifications<PublishChangeResult>(
          { bucket: bucketName, request },
          ({ bucket, storedNotifications, earlierRequest }) => {
            if (!isManager(bucket, viewer)) throw bucketNotFound();
            const storedOutcome = readEarlierOutcome<PublishOutcome>(request, earlierRequest);
            if (storedOutcome) return { result: buildChange(storedOutcome).result };
            requireValid([...requestIdIssues(args.requestId), ...findObjectChangeIssues(body)]);
            const change = buildChange({
              ...newChangeIdentity,
              subscriptions: matchingSubscriptions(storedNotifications, body).map(
                ({ id, topic, payload_format, custom_attributes }) => ({
                  id,
                  topic,
                  payload_format,
                  custom_attributes,
                }),
              ),
            });
            return validateOnly ? { result: change.result } : change;
          },
        )
        .catch((error: unknown) => {
          throw error instanceof OutboxFullError ? outboxFullError(error) : error;
        });
      if (!publishResult) throw bucketNotFound();
      if (!validateOnly) onStored();
      return publishResult;
    },

    followMessages: (viewer, args, stream) => followMessages(dependencies, watch, viewer, args, stream),
    listMessages: (viewer, args) => listMessages(dependencies, viewer, args),
  };
}

/** Arguments for the fingerprint of a request. The object is serialized, because nulls matter within its JSON. */
function toFingerprintArgs(args: PublishObjectChangeArgs) {
  const { requestId, change } = args;
  return requestId && change.object
    ? { ...args, change: { ...change, object: canonicalJson(change.object) } }
    : args;
}

function outboxFullError(cause: OutboxFullError): AppError {
  const message =
    'Too many messages are waiting to be published. Nothing of this change was stored. Try again later.';
  return new AppError(
    'UNAVAILABLE',
    'backendError',
    message,
    [{ path: ['change'], reason: 'backendError', message }],
    {},
    cause,
  );
}

function createNoTopicWarnings({ id, topic }: MatchingNotification): Warning[] {
  if (topic !== undefined) return [];
  const message = `The notification ${id} matches, but has no topic: nothing is published for it.`;
  return [{ path: ['change'], reason: 'incomplete', message }];
}
