import { etagOfText } from '../core/if-match.ts';
import { nodeIdOf } from '../core/node-id.ts';
import { defaultPayloadFormat, parseTopic } from './notification.fields.ts';
import type { NotificationBody } from './notification.requests.ts';
import { canonicalEventTypes, type NotificationRecord } from './notification.ts';

/** Hosts that complete topics without a host (`pubsubHost`) and self links (`storageHost`). */
export interface NotificationHosts {
  readonly pubsubHost: string;
  readonly storageHost: string;
}

/** Builds the record of a notification from a validated body. */
export function createNotification(
  bucket: string,
  id: string,
  body: NotificationBody,
  hosts: NotificationHosts,
): NotificationRecord {
  const { custom_attributes, event_types, object_name_prefix } = body;
  const topic = typeof body.topic === 'string' ? toFullTopic(body.topic, hosts.pubsubHost) : undefined;
  const fieldsForEtag = {
    bucket,
    id,
    kind: 'storage#notification' as const,
    payload_format: body.payload_format ?? defaultPayloadFormat,
    selfLink: `https://${hosts.storageHost}/storage/v1/b/${encodeURIComponent(bucket)}/notificationConfigs/${id}`,
    ...(custom_attributes && { custom_attributes: custom_attributes as Record<string, string> }),
    // Empty and absent lists both mean all event types, but are returned as they were sent.
    ...(event_types && { event_types: event_types.length > 0 ? canonicalEventTypes(event_types) : [] }),
    ...(typeof object_name_prefix === 'string' && { object_name_prefix }),
    ...(topic !== undefined && { topic }),
  };
  return {
    etag: etagOfText(JSON.stringify(fieldsForEtag)),
    nodeId: nodeIdOf('Notification', bucket, id),
    ...fieldsForEtag,
  };
}

/** Completes a valid topic to `//host/projects/PROJECT/topics/TOPIC`. */
function toFullTopic(topic: string, host: string): string {
  const parsedTopic = parseTopic(topic, host);
  if ('problem' in parsedTopic) throw new Error('a notification is made of a checked body');
  return parsedTopic.topic;
}
