import type { Issue, Path } from '../../core/errors.ts';
import { filterFields, withoutNulls } from '../../core/json.ts';
import { Report, reportUnstorableTexts } from '../../core/report.ts';
import { countUtf8Bytes } from '../../core/text/characters.ts';
import { isDate, parseDateTime } from '../../core/time/local-time.ts';
import type { ObjectChangeBody } from '../notification.fields.ts';
import type { OutgoingMessage } from '../notification.store.ts';
import {
  canonicalEventTypes,
  type NotificationRecord,
  objectEventTypes,
  type ObjectEventType,
} from '../notification.ts';

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

const changePath: Path = ['change'];
const maxNameBytes = 1024;
/** Limit of an object's JSON, which with headers fits into the message limits of common brokers. */
const maxObjectBytes = 512 * 1024;
/** Event types with which each generation field may be sent. */
const allowedTypesByField: Readonly<Record<GenerationField, readonly ObjectEventType[]>> = {
  objectGeneration: objectEventTypes,
  overwroteGeneration: ['OBJECT_FINALIZE'],
  overwrittenByGeneration: ['OBJECT_DELETE', 'OBJECT_ARCHIVE'],
};
type GenerationField = 'objectGeneration' | 'overwroteGeneration' | 'overwrittenByGeneration';

/** Lists everything that is wrong with an object change whose fields have the right types. */
export function findObjectChangeIssues(body: ObjectChangeBody): Issue[] {
  const report = new Report();
  reportUnstorableTexts(body, changePath, report);
  checkObjectName(body.objectId, report);
  checkGenerations(body, report);
  checkTime(body.eventTime, report);
  checkObject(body.object, report);
  return report.issues;
}

function checkObjectName(name: string, report: Report): void {
  const path = [...changePath, 'objectId'];
  const params = { min: 1, max: maxNameBytes, actual: countUtf8Bytes(name) };
  if (name === '') {
    const message = `objectId is the name of the object and has 1 to ${maxNameBytes} bytes (UTF-8).`;
    return report.addIssue(path, 'required', message, params);
  }
  if (name === '.' || name === '..')
    return report.addIssue(path, 'invalid', 'The name of an object must not be "." or "..".');
  if (params.actual > maxNameBytes) {
    const message = `objectId has at most ${maxNameBytes} bytes (UTF-8); this one has ${params.actual}.`;
    report.addIssue(path, 'tooLong', message, params);
  }
  if (/[\r\n]/.test(name))
    report.addIssue(path, 'invalid', 'The name of an object must not hold line breaks (CR or LF).');
}

function checkGenerations(body: ObjectChangeBody, report: Report): void {
  for (const [field, types] of Object.entries(allowedTypesByField)) {
    const value = body[field as GenerationField];
    if (typeof value !== 'string') continue;
    const path = [...changePath, field];
    if (!/^\d{1,19}$/.test(value)) {
      const message = `${field} must be a decimal number of 1 to 19 digits.`;
      report.addIssue(path, 'invalid', message, { min: 1, max: 19 });
    }
    if (body.eventType && !types.includes(body.eventType)) {
      const message = `${field} needs ${types.join(' or ')} only. Leave it out, or send another eventType.`;
      report.addIssue(path, 'invalid', message);
    }
  }
}

/** Refuses times whose UTC year is 0 or has more than four digits, as RFC 3339 cannot express them. */
function checkTime(time: string | null | undefined, report: Report): void {
  if (typeof time !== 'string' || !parseDateTime(time)?.offset) return;
  if (isDate(formatMicroseconds(time).slice(0, 10))) return;
  const message = 'eventTime must be in the years 0001 to 9999 in UTC too, as messages write it.';
  report.addIssue([...changePath, 'eventTime'], 'invalid', message);
}

function checkObject(object: ObjectChangeBody['object'], report: Report): void {
  const actual = object ? countUtf8Bytes(JSON.stringify(object)) : 0;
  if (actual <= maxObjectBytes) return;
  const message = `The object's JSON has at most ${maxObjectBytes} bytes; this one has ${actual}.`;
  report.addIssue([...changePath, 'object'], 'tooLong', message, { max: maxObjectBytes, actual });
}

/** Converts a validated body to an object change, without nulls. */
export function toObjectChange(body: ObjectChangeBody, eventTime: string): ObjectChange {
  const fields = filterFields(body, (value) => value !== null && value !== undefined);
  return { ...(fields as Omit<ObjectChange, 'eventTime'>), eventTime };
}

/** Formats the time of a change for messages; defaults to `now` (epoch ms). */
export const formatEventTime = (body: ObjectChangeBody, now: number): string =>
  formatMicroseconds(body.eventTime ?? new Date(now).toISOString());

/** Formats an RFC 3339 time in UTC with microseconds, as messages require. */
export function formatMicroseconds(time: string): string {
  const digits = /\.(\d+)/.exec(time)?.[1] ?? '';
  const wholeSeconds = new Date(Date.parse(time.toUpperCase().replace(/\.\d+/, '')))
    .toISOString()
    .slice(0, 19);
  return `${wholeSeconds}.${digits.padEnd(6, '0').slice(0, 6)}Z`;
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
export const matchingSubscriptions = (
  subscriptions: readonly NotificationRecord[],
  { eventType, objectId }: Pick<ObjectChange, 'eventType' | 'objectId'>,
): NotificationRecord[] =>
  subscriptions.filter(
    ({ event_types, object_name_prefix = '' }) =>
      canonicalEventTypes(event_types).includes(eventType) && objectId.startsWith(object_name_prefix),
  );

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
    const message = {
      id: `${changeId}-${id}`,
      topic,
      orderingKey: `${topic} ${bucket}/${change.objectId}`,
      attributes: {
        ...custom_attributes,
        ...createBuiltInAttributes(bucket, id, payload_format, change),
      },
      data: payload_format === 'NONE' ? '' : body,
    };
    return [message];
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
