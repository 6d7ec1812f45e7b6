import type { FieldSelection } from '../../core/fields/selection.ts';
import { nodeIdOf } from '../../core/kernel/node-id.ts';
import { isFields } from '../../core/kernel/patch.ts';
import {
  objectEventTypes,
  payloadFormats,
  type NotificationRecord,
} from '../../notification/notification.ts';
import { isWhole } from '../form.ts';

const text = (value: unknown): unknown => (typeof value === 'string' ? value : undefined);

/** The fields that the official API has, under the same names, and how each is read. */
const readers: Readonly<Record<string, (value: unknown) => unknown>> = {
  id: text,
  etag: text,
  selfLink: text,
  topic: text,
  object_name_prefix: text,
  event_types: (value) =>
    Array.isArray(value) ? objectEventTypes.filter((type) => value.includes(type)) : undefined,
  payload_format: (value = 'JSON_API_V1') => payloadFormats.find((format) => format === value),
  custom_attributes: (value) =>
    isFields(value)
      ? Object.fromEntries(Object.entries(value).filter(([, entry]) => typeof entry === 'string'))
      : undefined,
};

/** A notification as the service gives it; undefined for what is none. */
export function readNotification(json: unknown, bucket: string): NotificationRecord | undefined {
  if (!isFields(json) || typeof json.id !== 'string') return undefined;
  const fields = Object.entries(readers).flatMap(([name, read]): [string, unknown][] => {
    const value = read(json[name] ?? undefined);
    return value === undefined ? [] : [[name, value]];
  });
  // What was not asked for is absent.
  return {
    bucket,
    kind: 'storage#notification',
    nodeId: nodeIdOf('Notification', bucket, json.id),
    ...Object.fromEntries(fields),
  } as unknown as NotificationRecord;
}

/** What has to be asked for to show a selection and some more fields, in the words of the parameter `fields`; undefined for the whole. */
export function notificationTexts(
  selection: FieldSelection | undefined,
  more: readonly string[] = [],
): readonly string[] | undefined {
  if (!selection || isWhole(selection)) return undefined;
  return [
    ...new Set([
      'id',
      ...[...more, ...selection.fields.keys()].filter((name) => Object.hasOwn(readers, name)),
    ]),
  ];
}

/** Ids are counted: those of older notifications are smaller. */
export const byAge = ({ id: a }: NotificationRecord, { id: b }: NotificationRecord): number =>
  a.length - b.length || (a < b ? -1 : 1);
