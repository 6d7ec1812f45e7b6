import { withoutNulls } from '../../core/json.ts';
import type { OutgoingMessage } from '../notification.store.ts';
import { canonicalEventTypes, type NotificationRecord, type ObjectEventType } from '../notification.ts';

/** A change of an object in a bucket. */
export interface ObjectChange {
  readonly eventType: ObjectEventType;
  readonly objectId: string;
  readonly objectGeneration?: string;
  /** RFC 3339 in UTC with microseconds. */
  readonly eventTime: string;
  readonly overwroteGeneration?: string;
  readonly overwrittenByGeneration?: string;
  /** Object resource: the body of messages with a payload. */
  readonly object?: Readonly<Record<string, unknown>>;
}

/** A notification that matches a change: its fields that affect the messages. */
export type MatchingNotification = Pick<
  NotificationRecord,
  'id' | 'topic' | 'payload_format' | 'custom_attributes'
>;

/** State of a message. PREVIEW: not stored (dry run). PENDING: stored, not yet delivered. PUBLISHED: delivered. */
type MessageState = 'PREVIEW' | 'PENDING' | 'PUBLISHED';

/** A message as clients see it. */
export interface MessageView extends Pick<OutgoingMessage, 'topic' | 'attributes' | 'data'> {
  readonly messageId: string;
  readonly notificationId: string;
  readonly state: MessageState;
}

/** Selects the notifications (subscriptions to object changes) that match a change, by event type and object name prefix (case-sensitive). */
export function matchingSubscriptions<
  N extends Pick<NotificationRecord, 'event_types' | 'object_name_prefix'>,
>(subscriptions: readonly N[], { eventType, objectId }: Pick<ObjectChange, 'eventType' | 'objectId'>): N[] {
  return subscriptions.filter(
    ({ event_types, object_name_prefix = '' }) =>
      canonicalEventTypes(event_types).includes(eventType) && objectId.startsWith(object_name_prefix),
  );
}

/**
 * Creates a message for each matching notification with a topic. Ids derive from `changeId`, so the same arguments give the same
 * messages. The ordering key keeps messages about one object in order on each topic.
 */
export function createMessages(
  bucket: string,
  change: ObjectChange,
  changeId: string,
  subscriptions: readonly MatchingNotification[],
): OutgoingMessage[] {
  const body = JSON.stringify(createBody(bucket, change));
  return subscriptions.flatMap(({ id, topic, payload_format, custom_attributes }) => {
    if (topic === undefined) return [];
    const attributes = {
      ...custom_attributes,
      ...createBuiltInAttributes(bucket, id, payload_format, change),
    };
    const data = payload_format === 'NONE' ? '' : body;
    return [
      {
        id: `${changeId}-${id}`,
        topic,
        orderingKey: `${topic} ${bucket}/${change.objectId}`,
        attributes,
        data,
      },
    ];
  });
}

/** Whether a text has the form of a message id: a UUID for the change, and the id of a notification. */
export const isMessageId = (value: string): boolean => /^[0-9a-f-]{36}-\d{1,15}$/.test(value);

export function messageViewOf(message: OutgoingMessage, state: MessageState): MessageView {
  const { id, topic, attributes, data } = message;
  return { messageId: id, notificationId: notificationIdOf(message), topic, attributes, data, state };
}

/** Returns the id of the notification that caused a message. */
export const notificationIdOf = ({ attributes }: OutgoingMessage): string =>
  attributes.notificationConfig?.split('/').at(-1) ?? '';

export const bucketNameOf = ({ attributes }: OutgoingMessage): string => attributes.bucketId ?? '';

/** Creates the attributes that every message has. They override custom attributes. */
const createBuiltInAttributes = (
  bucket: string,
  id: string,
  payloadFormat: string,
  change: ObjectChange,
): Readonly<Record<string, string>> =>
  withoutNulls({
    notificationConfig: `projects/_/buckets/${bucket}/notificationConfigs/${id}`,
    eventType: change.eventType,
    payloadFormat,
    bucketId: bucket,
    objectId: change.objectId,
    objectGeneration: change.objectGeneration,
    eventTime: change.eventTime,
    overwroteGeneration: change.overwroteGeneration,
    overwrittenByGeneration: change.overwrittenByGeneration,
  }) as Readonly<Record<string, string>>;

/** Creates the body of a message: the object resource, or a minimal one from the fields of the change. */
function createBody(bucket: string, { object, objectId, objectGeneration }: ObjectChange): object {
  return (
    object ?? {
      kind: 'storage#object',
      bucket,
      name: objectId,
      ...(objectGeneration !== undefined && { generation: objectGeneration }),
    }
  );
}
