import type { Issue, Path, Reason } from '../core/errors.ts';
import { isFields } from '../core/patch.ts';
import { canonicalHost } from '../core/text/host.ts';
import { bytesIn, isStorable, unstorableMessage } from '../core/text/characters.ts';
import { isProject, projectForm } from '../core/text/google-names.ts';
import type { NotificationBody } from './notification.requests.ts';
import { builtInAttributes, objectEventTypes, payloadFormats } from './notification.ts';

/** `//host/projects/P/topics/T`, or the same without the host. */
const form = /^(?:\/\/(?<givenHost>[^/]*)\/)?projects\/(?<projectId>[^/]+)\/topics\/(?<name>[^/]+)$/;
const topicName = /^(?!goog)[A-Za-z][A-Za-z0-9._~+%-]{2,254}$/;

/**
 * Parses a topic into its full form, `//{pubsub_host}/projects/<project_id>/topics/<topic_name>`, with the default host where
 * it names none. Returns the problem of a topic that has another form.
 */
export function parseTopic(value: string, defaultHost: string): { topic: string } | { problem: string } {
  const parts = form.exec(value)?.groups as
    { givenHost?: string; projectId: string; name: string } | undefined;
  if (!parts) {
    return {
      problem:
        'topic must have the form //host/projects/PROJECT/topics/TOPIC, or projects/PROJECT/topics/TOPIC.',
    };
  }
  const { givenHost, projectId, name } = parts;
  const host = canonicalHost(givenHost ?? defaultHost);
  if (host === undefined) {
    return {
      problem:
        'The host of the topic must be a host name or an IP address, with a port if need be. Names in other ' +
        'scripts are written with xn--. Without a host (projects/PROJECT/topics/TOPIC) the usual one is taken.',
    };
  }
  if (!isProject(projectId)) return { problem: `The project of the topic must be ${projectForm}.` };
  if (!topicName.test(name)) {
    return {
      problem:
        'The name of the topic must have 3 to 255 letters, digits or - . _ ~ + %, start with a letter, and not with "goog".',
    };
  }
  return { topic: `//${host}/projects/${projectId}/topics/${name}` };
}

export const limits = {
  customAttributes: 5,
  attributeKeyBytes: 256,
  attributeValueBytes: 1024,
  prefixBytes: 1024,
  /** The entries of `event_types` in a request, in which a kind may be named more than once. */
  eventTypes: 100,
  perBucket: 100,
  perEventType: 10,
} as const;

/** Adds an issue of a field's value; `at` leads from the field to the place. */
type Add = (reason: Reason, message: string, params?: Issue['params'], at?: Path) => void;

/** A field of the table. Notifications are immutable: no row says who may change a field. */
interface Field {
  /** server: what a client sends is ignored, with a warning when it differs. */
  readonly setBy: 'client' | 'server';
  /** Validates a value that a client sent, beside null. */
  readonly check: (value: unknown, add: Add) => void;
}

const fromServer: Field = { setBy: 'server', check: checkString(() => undefined) };

/** The table of a notification's fields: the only place that says who sets one, and which values it may have. */
export const notificationFields: Readonly<Record<keyof NotificationBody, Field>> = {
  nodeId: fromServer,
  id: fromServer,
  kind: fromServer,
  etag: fromServer,
  selfLink: fromServer,
  topic: { setBy: 'client', check: checkString(checkTopic) },
  event_types: { setBy: 'client', check: checkEventTypes },
  object_name_prefix: { setBy: 'client', check: checkString(checkPrefix) },
  payload_format: { setBy: 'client', check: checkPayloadFormat },
  custom_attributes: { setBy: 'client', check: checkAttributes },
};

const fieldNames = Object.keys(notificationFields) as (keyof NotificationBody)[];

/** The fields whose values in a request are ignored. */
export const serverFields = fieldNames.filter((name) => notificationFields[name].setBy === 'server');

/** The issues of a body, which may be any value: it has any of the fields, each of them or null, and no other. */
export function bodyIssues(body: unknown, path: Path): Issue[] {
  if (!isFields(body)) {
    const reason = body === undefined ? 'required' : 'invalid';
    return [{ path, reason, message: 'This must be an object with fields.' }];
  }
  const issues: Issue[] = [];
  for (const name of fieldNames) {
    const value = body[name];
    if (value === null || value === undefined) continue;
    notificationFields[name].check(value, (reason, message, params, at = []) =>
      issues.push({ path: [...path, name, ...at], reason, message, ...(params && { params }) }),
    );
  }
  for (const name of Object.keys(body))
    if (!Object.hasOwn(notificationFields, name))
      issues.push({ path: [...path, name], reason: 'invalid', message: 'There is no such field.' });
  return issues;
}

function checkString(check: (value: string, add: Add) => void): Field['check'] {
  return (value, add) =>
    typeof value === 'string' ? check(value, add) : add('invalid', 'This must be a string.');
}

/** Refuses text that is not valid Unicode, or longer than `max` bytes (UTF-8). */
function checkText(value: string, what: string, max: number, add: Add, at?: Path): void {
  const actual = bytesIn(value);
  if (!isStorable(value)) add('invalid', unstorableMessage, undefined, at);
  if (actual > max)
    add('tooLong', `${what} has at most ${max} bytes (UTF-8); this one has ${actual}.`, { max, actual }, at);
}

function checkTopic(topic: string, add: Add): void {
  // The default host has no influence on the problems of a topic.
  const parsed = parseTopic(topic, 'localhost');
  if ('problem' in parsed) add('invalid', parsed.problem);
}

function checkPrefix(prefix: string, add: Add): void {
  checkText(prefix, 'object_name_prefix', limits.prefixBytes, add);
}

const oneOf = (values: readonly string[]): string =>
  `This value is not allowed here. Allowed: ${values.join(', ')}.`;

function checkPayloadFormat(format: unknown, add: Add): void {
  if (!(payloadFormats as readonly unknown[]).includes(format)) add('invalid', oneOf(payloadFormats));
}

function checkEventTypes(types: unknown, add: Add): void {
  const max = limits.eventTypes;
  if (!Array.isArray(types)) return add('invalid', 'event_types must be a list.');
  if (types.length > max) {
    const message = `event_types has at most ${max} entries; these are ${types.length}. Name each kind once.`;
    add('tooMany', message, { max, actual: types.length });
  }
  for (const [index, type] of types.slice(0, max).entries()) {
    if (!(objectEventTypes as readonly unknown[]).includes(type))
      add('invalid', oneOf(objectEventTypes), undefined, [index]);
  }
}

/** Attributes beyond this number are not validated: the count is refused anyway. */
const maxChecked = 20 * limits.customAttributes;

function checkAttributes(map: unknown, add: Add): void {
  const max = limits.customAttributes;
  if (!isFields(map)) return add('invalid', 'custom_attributes must be an object of strings.');
  const keys = Object.keys(map);
  const actual = keys.length;
  if (actual > max)
    add('tooMany', `At most ${max} custom attributes are allowed; these are ${actual}.`, { max, actual });
  for (const key of keys.slice(0, maxChecked)) checkAttribute(key, map[key], add);
}

function checkAttribute(key: string, value: unknown, add: Add): void {
  const [at, max] = [[key], limits.attributeKeyBytes];
  const refuse = (message: string, reason: Reason = 'invalid'): void => add(reason, message, undefined, at);
  if (key === '')
    add('invalid', `An attribute needs a name of 1 to ${max} bytes.`, { min: 1, max, actual: 0 }, at);
  checkText(key, "An attribute's name", max, add, at);
  if (builtInAttributes.includes(key))
    refuse(`Every message has an attribute ${key} of its own: choose another name.`);
  if (key.startsWith('goog')) refuse('Names that begin with "goog" are reserved: choose another name.');
  if (value === null || value === undefined)
    refuse('An attribute needs a value. Leave it out, or give it a string.', 'required');
  else if (typeof value !== 'string') refuse('The value of an attribute must be a string.');
  else checkText(value, "An attribute's value", limits.attributeValueBytes, add, at);
}
