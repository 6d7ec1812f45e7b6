import { type AppError, errorAt, type Issue, type Path, type Reason, type Warning } from '../core/errors.ts';
import { isFields } from '../core/json.ts';
import { Report } from '../core/report.ts';
import { canonicalHost } from '../core/text/host.ts';
import { countUtf8Bytes, isStorable, unstorableMessage } from '../core/text/characters.ts';
import { isProject, projectForm } from '../core/text/google-names.ts';
import {
  builtInAttributes,
  canonicalEventTypes,
  type NotificationRecord,
  type NotificationView,
  objectEventTypes,
  type ObjectEventType,
  payloadFormats,
} from './notification.ts';
import type { RepeatableArgs } from '../core/request-record.ts';
import type { BillingArgs } from '../bucket/bucket.requests.ts';
import type { PatchOf } from '../core/fields/table.ts';

/** Syntax of a topic: `//host/projects/P/topics/T`, or `projects/P/topics/T`. */
const topicPattern = /^(?:\/\/(?<givenHost>[^/]*)\/)?projects\/(?<projectId>[^/]+)\/topics\/(?<name>[^/]+)$/;
/** Syntax of the last part of a topic. */
const topicNamePattern = /^(?!goog)[A-Za-z][A-Za-z0-9._~+%-]{2,254}$/;

/** Parses a topic to its full form, `//HOST/projects/PROJECT/topics/TOPIC`, or returns the problem as a message. */
export function parseTopic(
  value: string,
  defaultHost: string,
): { topic: string; problem?: undefined } | { topic?: undefined; problem: string } {
  const topicParts = topicPattern.exec(value)?.groups as
    { givenHost?: string; projectId: string; name: string } | undefined;
  if (!topicParts)
    return {
      problem:
        'topic must have the form //host/projects/PROJECT/topics/TOPIC, or projects/PROJECT/topics/TOPIC.',
    };
  const { givenHost, projectId, name } = topicParts;
  const host = canonicalHost(givenHost ?? defaultHost);
  if (host === undefined)
    return {
      problem:
        'The host of the topic must be a host name or an IP address, with a port if need be. Names in other ' +
        'scripts are written with xn--. Without a host (projects/PROJECT/topics/TOPIC) the usual one is taken.',
    };
  if (!isProject(projectId)) return { problem: `The project of the topic must be ${projectForm}.` };
  if (!topicNamePattern.test(name))
    return {
      problem:
        'The name of the topic must have 3 to 255 letters, digits or - . _ ~ + %, start with a letter, and not with "goog".',
    };
  return { topic: `//${host}/projects/${projectId}/topics/${name}` };
}

/** Limits of notifications and their fields. */
export const limits = {
  maxCustomAttributes: 5,
  maxAttributeKeyBytes: 256,
  maxAttributeValueBytes: 1024,
  maxPrefixBytes: 1024,
  /** Entries of `event_types` in a request, which may contain duplicates. */
  maxEventTypes: 100,
  maxPerBucket: 100,
  maxPerEventType: 10,
} as const;

/** Reports what is wrong with a client's value of a field, except null. */
type CheckField<Value = unknown> = (value: Value, path: Path, report: Report) => void;

/** Fields that the server sets: other values are ignored, with a warning. */
export const serverFieldNames = ['nodeId', 'id', 'kind', 'etag', 'selfLink'] as const;
const checkServerField = checkString(() => undefined);

/** `payload_format` of a notification that was sent without one. */
export const defaultPayloadFormat = 'JSON_API_V1';

/** Checks of the fields of a notification, which is immutable. */
export const notificationFields: Readonly<Record<keyof NotificationBody, CheckField>> = {
  nodeId: checkServerField,
  id: checkServerField,
  kind: checkServerField,
  etag: checkServerField,
  selfLink: checkServerField,
  topic: checkString(checkTopic),
  event_types: checkEventTypes,
  object_name_prefix: checkString((prefix, path, report) =>
    checkText(prefix, 'object_name_prefix', limits.maxPrefixBytes, path, report),
  ),
  payload_format: checkPayloadFormat,
  custom_attributes: checkAttributes,
};

const notificationPath: Path = ['notification'];

/**
 * Validates a body without loading its bucket. The body may be any value, since files and invalid requests contain any.
 * All fields are optional and nullable; unknown fields are refused.
 */
export function findNotificationIssues(body: unknown): Issue[] {
  const report = new Report();
  if (!isFields(body)) {
    const reason = body === undefined ? 'required' : 'invalid';
    report.addIssue(notificationPath, reason, 'This must be an object with fields.');
    return report.issues;
  }
  for (const [name, checkField] of Object.entries(notificationFields))
    if (body[name] !== null && body[name] !== undefined)
      checkField(body[name], [...notificationPath, name], report);
  for (const name of Object.keys(body))
    if (!Object.hasOwn(notificationFields, name))
      report.addIssue([...notificationPath, name], 'invalid', 'There is no such field.');
  return report.issues;
}

function checkString(check: CheckField<string>): CheckField {
  return (value, path, report) =>
    typeof value === 'string'
      ? check(value, path, report)
      : report.addIssue(path, 'invalid', 'This must be a string.');
}

/** Refuses text that is not valid Unicode or has more than `max` bytes (UTF-8). `label`: its name in the message. */
function checkText(value: string, label: string, max: number, path: Path, report: Report): void {
  const actual = countUtf8Bytes(value);
  if (!isStorable(value)) report.addIssue(path, 'invalid', unstorableMessage);
  if (actual <= max) return;
  const message = `${label} has at most ${max} bytes (UTF-8); this one has ${actual}.`;
  report.addIssue(path, 'tooLong', message, { max, actual });
}

function checkTopic(topic: string, path: Path, report: Report): void {
  // Any valid default host gives the same problems.
  const { problem } = parseTopic(topic, 'localhost');
  if (problem !== undefined) report.addIssue(path, 'invalid', problem);
}

/** Refuses a value that is not one of `values`. */
function checkAllowed(value: unknown, values: readonly unknown[], path: Path, report: Report): void {
  if (!values.includes(value))
    report.addIssue(path, 'invalid', `This value is not allowed here. Allowed: ${values.join(', ')}.`);
}

function checkPayloadFormat(format: unknown, path: Path, report: Report): void {
  checkAllowed(format, payloadFormats, path, report);
}

function checkEventTypes(types: unknown, path: Path, report: Report): void {
  const max = limits.maxEventTypes;
  if (!Array.isArray(types)) return report.addIssue(path, 'invalid', 'event_types must be a list.');
  if (types.length > max) {
    const message = `event_types has at most ${max} entries; these are ${types.length}. Name each kind once.`;
    report.addIssue(path, 'tooMany', message, { max, actual: types.length });
  }
  for (const [index, type] of types.slice(0, max).entries())
    checkAllowed(type, objectEventTypes, [...path, index], report);
}

/** Maximum number of attributes that are validated. A request with more of them is refused for their number. */
const maxCheckedAttributes = 20 * limits.maxCustomAttributes;

function checkAttributes(attributes: unknown, path: Path, report: Report): void {
  const max = limits.maxCustomAttributes;
  if (!isFields(attributes))
    return report.addIssue(path, 'invalid', 'custom_attributes must be an object of strings.');
  const keys = Object.keys(attributes);
  const actual = keys.length;
  if (actual > max) {
    const message = `At most ${max} custom attributes are allowed; these are ${actual}.`;
    report.addIssue(path, 'tooMany', message, { max, actual });
  }
  for (const key of keys.slice(0, maxCheckedAttributes))
    checkAttribute(key, attributes[key], [...path, key], report);
}

function checkAttribute(key: string, value: unknown, path: Path, report: Report): void {
  const max = limits.maxAttributeKeyBytes;
  const refuse = (message: string, reason: Reason = 'invalid'): void =>
    report.addIssue(path, reason, message);
  if (key === '') {
    const message = `An attribute needs a name of 1 to ${max} bytes.`;
    report.addIssue(path, 'invalid', message, { min: 1, max, actual: 0 });
  }
  checkText(key, "An attribute's name", max, path, report);
  if (builtInAttributes.includes(key))
    refuse(`Every message has an attribute ${key} of its own: choose another name.`);
  if (key.startsWith('goog')) refuse('Names that begin with "goog" are reserved: choose another name.');
  if (value === null || value === undefined)
    refuse('An attribute needs a value. Leave it out, or give it a string.', 'required');
  else if (typeof value !== 'string') refuse('The value of an attribute must be a string.');
  else checkText(value, "An attribute's value", limits.maxAttributeValueBytes, path, report);
}

/** Checks the limits of a bucket for a new notification, given its existing ones. */
export function findCountIssues(
  body: NotificationBody,
  storedNotifications: readonly NotificationRecord[],
): Issue[] {
  const report = new Report();
  const { maxPerBucket, maxPerEventType } = limits;
  const storedCount = storedNotifications.length;
  if (storedCount >= maxPerBucket) {
    const message = `A bucket has at most ${maxPerBucket} notifications. Delete one that is not needed.`;
    report.addIssue(['bucket'], 'tooMany', message, { max: maxPerBucket, actual: storedCount });
  }
  const countOf = (type: ObjectEventType): number =>
    storedNotifications.filter(({ event_types }) => canonicalEventTypes(event_types).includes(type)).length;
  const exhaustedTypes = canonicalEventTypes(body.event_types).filter(
    (type) => countOf(type) >= maxPerEventType,
  );
  if (exhaustedTypes.length > 0) {
    const types = exhaustedTypes.join(', ');
    const message =
      `A bucket has at most ${maxPerEventType} notifications for each event type; there are as many for ` +
      `${types}. Leave these out, or delete a notification that is not needed.`;
    const path = [...notificationPath, 'event_types'];
    report.addIssue(path, 'tooMany', message, { max: maxPerEventType, types });
  }
  return report.issues;
}

/** Warns about ignored values of a body, a missing topic, and messages that would be sent twice. */
export function createBodyWarnings(
  body: NotificationBody,
  notification: NotificationRecord,
  storedNotifications: readonly NotificationRecord[],
): Warning[] {
  // Null means absent in an insert, so no warning is needed.
  const warnings = serverFieldNames
    .filter((name) => typeof body[name] === 'string' && body[name] !== notification[name])
    .map((name): Warning => ({
      path: [...notificationPath, name],
      reason: 'readOnly',
      message: `${name} is set by the server: your value was ignored.`,
    }));
  return notification.topic === undefined
    ? [...warnings, noTopicWarning]
    : [...warnings, ...createDuplicateWarnings(notification, storedNotifications)];
}

/** Warns if existing notifications send the same messages; names the lowest of their ids. */
function createDuplicateWarnings(
  notification: NotificationRecord,
  storedNotifications: readonly NotificationRecord[],
): Warning[] {
  const selectionKey = selectionKeyOf(notification);
  const duplicateIds = storedNotifications
    .filter((stored) => selectionKeyOf(stored) === selectionKey)
    .map(({ id }) => Number(id));
  if (duplicateIds.length === 0) return [];
  const message =
    `Each message will come twice: notification ${Math.min(...duplicateIds)} of this bucket has the same topic, ` +
    'event_types and object_name_prefix. Delete one of the two unless that is intended.';
  return [{ path: notificationPath, reason: 'repeats', message }];
}

/** Key of the messages that a notification selects. Payload format and attributes do not affect the selection. */
const selectionKeyOf = ({ topic, event_types, object_name_prefix = '' }: NotificationRecord): string =>
  JSON.stringify([topic, object_name_prefix, canonicalEventTypes(event_types)]);

const noTopicWarning: Warning = {
  path: [...notificationPath, 'topic'],
  reason: 'incomplete',
  message: 'Without a topic nothing will be published. Insert the notification again with a topic.',
};

export const notificationNotFoundError = (): AppError =>
  errorAt('NOT_FOUND', ['notificationId'], 'notFound', 'The bucket has no notification with this id.');

// Arguments of the notification operations. Null and absent are equal, except in the JSON of an object.

/** Arguments that all operations on a bucket's notifications have. */
export interface ListNotificationsArgs extends BillingArgs {
  readonly bucket: string;
}

export interface GetNotificationArgs extends ListNotificationsArgs {
  readonly notificationId: string;
}

export interface DeleteNotificationArgs extends GetNotificationArgs {
  /** Etag from the REST API; the GraphQL schema lacks it. */
  readonly ifMatch?: string;
}

/** Notification as a client sends it. Read-only fields are ignored, with a warning if they differ. */
export type NotificationBody = PatchOf<Omit<NotificationView, 'kind'>> & { readonly kind?: string | null };

export interface InsertNotificationArgs extends ListNotificationsArgs, RepeatableArgs {
  readonly notification: NotificationBody;
}

/** A change of an object, as a client reports it. */
export interface ObjectChangeBody {
  readonly eventType: ObjectEventType;
  readonly objectId: string;
  readonly objectGeneration?: string | null;
  /** RFC 3339; defaults to the time of the request. */
  readonly eventTime?: string | null;
  readonly overwroteGeneration?: string | null;
  readonly overwrittenByGeneration?: string | null;
  /** Arbitrary JSON, in which null is a value. */
  readonly object?: Readonly<Record<string, unknown>> | null;
}

/** Arguments of a change of an object. A dry run returns the messages that it would cause. */
export interface PublishObjectChangeArgs extends RepeatableArgs {
  readonly bucket: string;
  readonly change: ObjectChangeBody;
}

export interface FollowMessagesArgs {
  readonly topic: string;
}

export interface ListMessagesArgs extends FollowMessagesArgs {
  readonly first?: number | null;
  readonly after?: string | null;
}
