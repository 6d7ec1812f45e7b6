import { randomUUID } from 'node:crypto';
import type { OutgoingMessage } from '../core/publisher.ts';
import { canonicalEventTypes, type NotificationRecord, type ObjectEventType, type PayloadFormat } from './notification.ts';

/** What happened to an object of a bucket. */
export interface ObjectChange {
  readonly eventType: ObjectEventType;
  readonly objectId: string;
  readonly objectGeneration?: string;
  /** RFC 3339 in UTC with microseconds. */
  readonly eventTime: string;
  readonly overwroteGeneration?: string;
  readonly overwrittenByGeneration?: string;
  /** The object's own description, which is the body of messages with a payload. */
  readonly object?: Readonly<Record<string, unknown>>;
}

/** How far a message has come: worked out only, stored and waiting, or with the broker. */
export type MessageState = 'PREVIEW' | 'PENDING' | 'PUBLISHED';

export interface MessageView extends Pick<OutgoingMessage, 'topic' | 'attributes' | 'data'> {
  readonly messageId: string;
  readonly notificationId: string;
  readonly state: MessageState;
}

/** Those of a bucket's subscriptions that a change concerns: by kind of event and by prefix, which knows upper case. */
export function matching<N extends Pick<NotificationRecord, 'event_types' | 'object_name_prefix'>>(
  subscriptions: readonly N[],
  { eventType, objectId }: Pick<ObjectChange, 'eventType' | 'objectId'>,
): N[] {
  return subscriptions.filter(
    ({ event_types, object_name_prefix = '' }) =>
      canonicalEventTypes(event_types).includes(eventType) && objectId.startsWith(object_name_prefix),
  );
}

/** The message a subscription sends for a change; its topic is given by the caller, who knows that there is one. */
export function messageFor(subscription: NotificationRecord, topic: string, change: ObjectChange): OutgoingMessage {
  const { bucket, id, payload_format } = subscription;
  return {
    id: randomUUID(),
    topic,
    orderingKey: `${bucket}/${change.objectId}`,
    attributes: { ...subscription.custom_attributes, ...builtIn(bucket, id, payload_format, change) },
    data: payload_format === 'NONE' ? '' : JSON.stringify(bodyOf(bucket, change)),
  };
}

/** The attributes every message has; custom ones cannot take their place. */
function builtIn(bucket: string, id: string, payloadFormat: PayloadFormat, change: ObjectChange): Record<string, string> {
  const { eventType, objectId, eventTime, objectGeneration, overwroteGeneration, overwrittenByGeneration } = change;
  return {
    notificationConfig: `projects/_/buckets/${bucket}/notificationConfigs/${id}`,
    eventType,
    payloadFormat,
    bucketId: bucket,
    objectId,
    ...(objectGeneration !== undefined && { objectGeneration }),
    eventTime,
    ...(overwroteGeneration !== undefined && { overwroteGeneration }),
    ...(overwrittenByGeneration !== undefined && { overwrittenByGeneration }),
  };
}

/** The object's JSON as it was given, else what the change itself says of the object. */
function bodyOf(bucket: string, { object, objectId, objectGeneration }: ObjectChange): object {
  return object ?? { kind: 'storage#object', bucket, name: objectId, ...(objectGeneration !== undefined && { generation: objectGeneration }) };
}
