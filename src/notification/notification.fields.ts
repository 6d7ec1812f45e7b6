import type { Issue, Path, Reason } from '../core/errors.ts';
import { isFields } from '../core/json.ts';
import { canonicalHost } from '../core/text/host.ts';
import { countUtf8Bytes, isStorable, unstorableMessage } from '../core/text/characters.ts';
import { isProject, projectForm } from '../core/text/google-names.ts';
import {
  builtInAttributes,
  objectEventTypes,
  payloadFormats,
  type NotificationView,
  type ObjectEventType,
} from './notification.ts';
import type { RepeatableArgs } from '../core/request-record.ts';
import type { BillingArgs } from '../bucket/bucket.requests.ts';
import type { PatchOf } from '../core/fields/table.ts';

/** Syntax of a topic: `//host/projects/P/topics/T`, or `projects/P/topics/T`. */
const topicPattern = /^(?:\/\/(?<givenHost>[^/]*)\/)?projects\/(?<projectId>[^/]+)\/topics\/(?<name>[^/]+)$/;
/** Syntax of the last part of a topic. */
const topicNamePattern = /^(?!goog)[A-Za-z][A-Za-z0-9._~+%-]{2,254}$/;

/** Parses a topic to its full form, `//HOST/projects/PROJECT/topics/TOPIC`, or returns the problem as a message. */
export function parseTopic(value: string, defaultHost: string): { topic: string } | { problem: string } {
  const topicParts = topicPattern.exec(value)?.groups as
    { givenHost?: string; projectId: string; name: string } | undefined;
  if (!topicParts) {
    return {
      problem:
        'topic must have the form //host/projects/PROJECT/topics/TOPIC, or projects/PROJECT/topics/TOPIC.',
    };
  }
  const { givenHost, projectId, name } = topicParts;
  const host = canonicalHost(givenHost ?? defaultHost);
  if (host === undefined) {
    return {
      problem:
        'The host of the topic must be a host name or an IP address, with a port if need be. Names in other ' +
        'scripts are written with xn--. Without a host (projects/PROJECT/topics/TOPIC) the usual one is taken.',
    };
  }
  if (!isProject(projectId)) return { problem: `The project of the topic must be ${projectForm}.` };
  if (!topicNamePattern.test(name)) {
    return {
      problem:
        'The name of the topic must have 3 to 255 letters, digits or - . _ ~ + %, start with a letter, and not with "goog".',
    };
  }
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

/** Adds an issue to a field. `subPath`: path within the field. */
type AddIssue = (reason: Reason, message: string, params?: Issue['params'], subPath?: Path) => void;

/** A field of the table. Notifications are immutable, so there are no change classes. */
interface NotificationField {
  /** Values for `server` fields are ignored, with a warning if they differ. */
  readonly setBy: 'client' | 'server';
  /** Validates a client's value, except null. */
  readonly check: (value: unknown, add: AddIssue) => void;
}

const readOnlyField: NotificationField = { setBy: 'server', check: checkString(() => undefined) };

/** `payload_format` of a notification that was sent without one. */
export const defaultPayloadFormat = 'JSON_API_V1';

/** Fields of a notification: who sets each, and its values. */
export const notificationFields: Readonly<Record<keyof NotificationBody, NotificationField>> = {
  nodeId: readOnlyField,
  id: readOnlyField,
  kind: readOnlyField,
  etag: readOnlyField,
  selfLink: readOnlyField,
  topic: { setBy: 'client', check: checkString(checkTopic) },
  event_types: { setBy: 'client', check: checkEventTypes },
  object_name_prefix: { setBy: 'client', check: checkString(checkPrefix) },
  payload_format: { setBy: 'client', check: checkPayloadFormat },
  custom_attributes: { setBy: 'client', check: checkAttributes },
};

const fieldNames = Object.keys(notificationFields) as (keyof NotificationBody)[];

export const serverFieldNames = fieldNames.filter((name) => notificationFields[name].setBy === 'server');

/** Validates a body of any type. All fields are optional and nullable; unknown fields are refused. */
export function findBodyIssues(body: unknown, path: Path): Issue[] {
  if (!isFields(body)) {
    const reason = body === undefined ? 'required' : 'invalid';
    return [{ path, reason, message: 'This must be an object with fields.' }];
  }
  const issues: Issue[] = [];
  for (const name of fieldNames) {
    const value = body[name];
    if (value === null || value === undefined) continue;
    notificationFields[name].check(value, (reason, message, params, subPath = []) =>
      issues.push({ path: [...path, name, ...subPath], reason, message, ...(params && { params }) }),
    );
  }
  for (const name of Object.keys(body))
    if (!Object.hasOwn(notificationFields, name))
      issues.push({ path: [...path, name], reason: 'invalid', message: 'There is no such field.' });
  return issues;
}

function checkString(check: (value: string, add: AddIssue) => void): NotificationField['check'] {
  return (value, add) =>
    typeof value === 'string' ? check(value, add) : add('invalid', 'This must be a string.');
}

/** Refuses text that is not valid Unicode or has more than `max` bytes (UTF-8). `label`: its name in the message. */
function checkText(value: string, label: string, max: number, add: AddIssue, subPath?: Path): void {
  const actual = countUtf8Bytes(value);
  if (!isStorable(value)) add('invalid', unstorableMessage, undefined, subPath);
  if (actual > max)
    add(
      'tooLong',
      `${label} has at most ${max} bytes (UTF-8); this one has ${actual}.`,
      { max, actual },
      subPath,
    );
}

function checkTopic(topic: string, add: AddIssue): void {
  // Any valid default host gives the same problems.
  const topicOrProblem = parseTopic(topic, 'localhost');
  if ('problem' in topicOrProblem) add('invalid', topicOrProblem.problem);
}

function checkPrefix(prefix: string, add: AddIssue): void {
  checkText(prefix, 'object_name_prefix', limits.maxPrefixBytes, add);
}

const allowedValuesMessage = (values: readonly string[]): string =>
  `This value is not allowed here. Allowed: ${values.join(', ')}.`;

function checkPayloadFormat(format: unknown, add: AddIssue): void {
  if (!(payloadFormats as readonly unknown[]).includes(format))
    add('invalid', allowedValuesMessage(payloadFormats));
}

function checkEventTypes(types: unknown, add: AddIssue): void {
  const max = limits.maxEventTypes;
  if (!Array.isArray(types)) return add('invalid', 'event_types must be a list.');
  if (types.length > max) {
    const message = `event_types has at most ${max} entries; these are ${types.length}. Name each kind once.`;
    add('tooMany', message, { max, actual: types.length });
  }
  for (const [index, type] of types.slice(0, max).entries()) {
    if (!(objectEventTypes as readonly unknown[]).includes(type))
      add('invalid', allowedValuesMessage(objectEventTypes), undefined, [index]);
  }
}

/** Maximum number of attributes that are validated. A request with more of them is refused for their number. */
const maxCheckedAttributes = 20 * limits.maxCustomAttributes;

function checkAttributes(attributes: unknown, add: AddIssue): void {
  const max = limits.maxCustomAttributes;
  if (!isFields(attributes)) return add('invalid', 'custom_attributes must be an object of strings.');
  const keys = Object.keys(attributes);
  const actual = keys.length;
  if (actual > max)
    add('tooMany', `At most ${max} custom attributes are allowed; these are ${actual}.`, { max, actual });
  for (const key of keys.slice(0, maxCheckedAttributes)) checkAttribute(key, attributes[key], add);
}

function checkAttribute(key: string, value: unknown, add: AddIssue): void {
  const [subPath, max] = [[key], limits.maxAttributeKeyBytes];
  const refuse = (message: string, reason: Reason = 'invalid'): void =>
    add(reason, message, undefined, subPath);
  if (key === '')
    add('invalid', `An attribute needs a name of 1 to ${max} bytes.`, { min: 1, max, actual: 0 }, subPath);
  checkText(key, "An attribute's name", max, add, subPath);
  if (builtInAttributes.includes(key))
    refuse(`Every message has an attribute ${key} of its own: choose another name.`);
  if (key.startsWith('goog')) refuse('Names that begin with "goog" are reserved: choose another name.');
  if (value === null || value === undefined)
    refuse('An attribute needs a value. Leave it out, or give it a string.', 'required');
  else if (typeof value !== 'string') refuse('The value of an attribute must be a string.');
  else checkText(value, "An attribute's value", limits.maxAttributeValueBytes, add, subPath);
}

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
