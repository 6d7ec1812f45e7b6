/** Event types of object changes, in canonical order. */
export const objectEventTypes = [
  'OBJECT_FINALIZE',
  'OBJECT_METADATA_UPDATE',
  'OBJECT_DELETE',
  'OBJECT_ARCHIVE',
] as const;
export type ObjectEventType = (typeof objectEventTypes)[number];

/** Formats of message bodies: the object's JSON, or an empty body. */
export const payloadFormats = ['JSON_API_V1', 'NONE'] as const;
export type PayloadFormat = (typeof payloadFormats)[number];

/** Attributes that every message has. Reserved: custom attributes cannot use these names. */
export const builtInAttributes: readonly string[] = [
  'notificationConfig',
  'eventType',
  'payloadFormat',
  'bucketId',
  'objectId',
  'objectGeneration',
  'eventTime',
  'overwroteGeneration',
  'overwrittenByGeneration',
];

/** A stored notification: the fields of the REST resource, its node id, and its bucket. */
export interface NotificationRecord {
  readonly id: string;
  readonly bucket: string;
  readonly topic?: string;
  readonly nodeId: string;
  readonly custom_attributes?: Readonly<Record<string, string>>;
  readonly etag: string;
  readonly event_types?: readonly ObjectEventType[];
  readonly kind: 'storage#notification';
  readonly object_name_prefix?: string;
  readonly payload_format: PayloadFormat;
  readonly selfLink: string;
}

/** Notification as clients see it. */
export type NotificationView = Omit<NotificationRecord, 'bucket'>;

export function notificationViewOf({ bucket: _bucket, ...view }: NotificationRecord): NotificationView {
  return view;
}

/** Removes duplicates and sorts event types in canonical order; all types if none is named. */
export function canonicalEventTypes(
  types: readonly ObjectEventType[] | null | undefined,
): readonly ObjectEventType[] {
  return types?.length ? objectEventTypes.filter((type) => types.includes(type)) : objectEventTypes;
}
