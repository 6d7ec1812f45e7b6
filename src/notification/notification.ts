import { z } from 'zod';
import type { StoredNotification } from './notification.store.ts';

/** The kinds of object change, in canonical order. */
export const objectEventTypes = ['OBJECT_FINALIZE', 'OBJECT_METADATA_UPDATE', 'OBJECT_DELETE', 'OBJECT_ARCHIVE'] as const;
export type ObjectEventType = (typeof objectEventTypes)[number];

export const payloadFormats = ['JSON_API_V1', 'NONE'] as const;
export type PayloadFormat = (typeof payloadFormats)[number];

/** The attributes every message has of itself; custom ones may not take their names. */
export const builtInAttributes = [
  'notificationConfig',
  'eventType',
  'payloadFormat',
  'bucketId',
  'objectId',
  'objectGeneration',
  'eventTime',
  'overwroteGeneration',
  'overwrittenByGeneration',
] as const;

export const limits = {
  customAttributes: 5,
  attributeKeyBytes: 256,
  attributeValueBytes: 1024,
  prefixBytes: 1024,
  perBucket: 100,
  perEventType: 10,
} as const;

/** A stored subscription: the ten parameters of its resource, and its bucket. */
export interface NotificationRecord extends StoredNotification {
  readonly custom_attributes?: Readonly<Record<string, string>>;
  readonly etag: string;
  readonly event_types?: readonly ObjectEventType[];
  readonly kind: 'storage#notification';
  readonly object_name_prefix?: string;
  readonly payload_format: PayloadFormat;
  readonly selfLink: string;
  readonly topic?: string;
}

/** The form of a body; what its values may be is for notification.checks.ts to say. */
export const notificationBody = z.object({
  custom_attributes: z.record(z.string(), z.string().nullable()).readonly().nullish(),
  etag: z.string().nullish(),
  event_types: z.array(z.enum(objectEventTypes)).readonly().nullish(),
  id: z.string().nullish(),
  kind: z.string().nullish(),
  object_name_prefix: z.string().nullish(),
  payload_format: z.enum(payloadFormats).nullish(),
  selfLink: z.string().nullish(),
  topic: z.string().nullish(),
});

/** A body as a client sends it. */
export type NotificationBody = Readonly<z.infer<typeof notificationBody>>;

/** Each kind once, in canonical order; all kinds when none is named. */
export function canonicalEventTypes(types: readonly ObjectEventType[] | null | undefined): readonly ObjectEventType[] {
  return types?.length ? objectEventTypes.filter((type) => types.includes(type)) : objectEventTypes;
}
