import { z } from 'zod';
import type { Issue } from '../core/errors.ts';
import type { StoredNotification } from '../core/store.ts';

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

/** A body as a client sends it. */
export interface NotificationBody {
  readonly custom_attributes?: Readonly<Record<string, string | null>> | null;
  readonly etag?: string | null;
  readonly event_types?: readonly ObjectEventType[] | null;
  readonly id?: string | null;
  readonly kind?: string | null;
  readonly object_name_prefix?: string | null;
  readonly payload_format?: PayloadFormat | null;
  readonly selfLink?: string | null;
  readonly topic?: string | null;
}

export const limits = {
  customAttributes: 5,
  attributeKeyBytes: 256,
  attributeValueBytes: 1024,
  prefixBytes: 1024,
  perBucket: 100,
  perEventType: 10,
} as const;

const bytes = (text: string): number => Buffer.byteLength(text, 'utf8');

/** What can be judged on a body by itself; null entries of the map are judged where it is created. */
export const notificationBody = z.object({
  custom_attributes: z
    .record(z.string(), z.string().nullable())
    .superRefine((map, context) => {
      for (const issue of attributeIssues(map)) {
        context.addIssue({ code: 'custom', path: [...issue.path], message: issue.message, params: { reason: issue.reason } });
      }
    })
    .nullish(),
  event_types: z.array(z.enum(objectEventTypes)).nullish(),
  object_name_prefix: z
    .string()
    .refine((text) => bytes(text) <= limits.prefixBytes, {
      params: { reason: 'tooLong' },
      message: `object_name_prefix has at most ${limits.prefixBytes} bytes (UTF-8).`,
    })
    .nullish(),
  payload_format: z.enum(payloadFormats).nullish(),
  topic: z.string().nullish(),
});

function attributeIssues(map: Readonly<Record<string, string | null>>): Issue[] {
  const keys = Object.keys(map);
  const issues = keys.flatMap((key) => entryIssues(key, map[key] ?? ''));
  if (keys.length <= limits.customAttributes) return issues;
  const message = `At most ${limits.customAttributes} custom attributes are allowed; these are ${keys.length}.`;
  return [{ path: [], reason: 'tooMany', message }, ...issues];
}

function entryIssues(key: string, value: string): Issue[] {
  const issues: Issue[] = [];
  const add = (reason: Issue['reason'], message: string): unknown => issues.push({ path: [key], reason, message });
  if (key === '') add('invalid', 'An attribute needs a name of 1 to 256 bytes.');
  if (bytes(key) > limits.attributeKeyBytes) add('tooLong', `An attribute's name has at most ${limits.attributeKeyBytes} bytes (UTF-8).`);
  if (bytes(value) > limits.attributeValueBytes) {
    add('tooLong', `An attribute's value has at most ${limits.attributeValueBytes} bytes (UTF-8).`);
  }
  if ((builtInAttributes as readonly string[]).includes(key)) {
    add('invalid', `Every message has an attribute ${key} of its own: choose another name.`);
  }
  if (/^goog/i.test(key)) add('invalid', 'Names that begin with "goog" are reserved: choose another name.');
  return issues;
}

/** Each kind once, in canonical order; all kinds when none is named. */
export function canonicalEventTypes(types: readonly ObjectEventType[] | null | undefined): readonly ObjectEventType[] {
  return types?.length ? objectEventTypes.filter((type) => types.includes(type)) : objectEventTypes;
}
