import { createHash } from 'node:crypto';
import { canonicalEventTypes, type NotificationBody, type NotificationRecord } from './notification.ts';

/** The notification a checked body describes; its topic is in full. */
export function newNotification(
  bucket: string,
  id: string,
  body: NotificationBody,
  storageHost: string,
): NotificationRecord {
  const { custom_attributes, event_types, object_name_prefix, topic } = body;
  const record = {
    bucket,
    id,
    kind: 'storage#notification' as const,
    payload_format: body.payload_format ?? ('JSON_API_V1' as const),
    selfLink: `https://${storageHost}/storage/v1/b/${encodeURIComponent(bucket)}/notificationConfigs/${id}`,
    ...(custom_attributes && { custom_attributes: custom_attributes as Record<string, string> }),
    // An empty list means all kinds, as an absent one does; each comes back as it was sent.
    ...(event_types && { event_types: event_types.length > 0 ? canonicalEventTypes(event_types) : [] }),
    ...(typeof object_name_prefix === 'string' && { object_name_prefix }),
    ...(topic && { topic }),
  };
  return { ...record, etag: `"${createHash('sha256').update(JSON.stringify(record)).digest('base64url').slice(0, 16)}"` };
}
