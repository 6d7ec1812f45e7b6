import * as z from 'zod/mini';
import type { Reason } from '../core/errors.ts';
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

/** A field of the table. Notifications are immutable: no row says who may change a field. */
interface Field {
  /** server: what a client sends is ignored, with a warning when it differs. */
  readonly setBy: 'client' | 'server';
  /** The values a client may send, beside null. */
  readonly value: z.ZodMiniType;
}

/** Collects the issues of a check. */
type Context = z.core.$RefinementCtx;

/** The table of a notification's fields: the only place that says who sets one, and which values it may have. */
export const notificationFields = {
  nodeId: { setBy: 'server', value: string() },
  id: { setBy: 'server', value: string() },
  kind: { setBy: 'server', value: string() },
  etag: { setBy: 'server', value: string() },
  selfLink: { setBy: 'server', value: string() },
  topic: { setBy: 'client', value: string().check(z.superRefine(checkTopic)) },
  event_types: { setBy: 'client', value: z.unknown().check(z.superRefine(checkEventTypes)) },
  object_name_prefix: { setBy: 'client', value: string().check(z.superRefine(checkPrefix)) },
  payload_format: { setBy: 'client', value: z.unknown().check(z.superRefine(checkPayloadFormat)) },
  custom_attributes: { setBy: 'client', value: z.unknown().check(z.superRefine(checkAttributes)) },
} as const satisfies Record<keyof NotificationBody, Field>;

type FieldName = keyof typeof notificationFields;

const fieldNames = Object.keys(notificationFields) as FieldName[];

/** The fields whose values in a request are ignored. */
export const serverFields = fieldNames.filter((name) => notificationFields[name].setBy === 'server');

/** A body: any of the fields, each of them or null, and no other. */
export const notificationBody = z.strictObject(
  Object.fromEntries(
    fieldNames.map((name) => [name, z.nullish(notificationFields[name].value as z.ZodMiniType)]),
  ),
  'This must be an object with fields.',
);

function string() {
  return z.string('This must be a string.');
}

function add(
  context: Context,
  reason: Reason,
  message: string,
  params: object = {},
  path: (string | number)[] = [],
): void {
  // The library prepends to the path that it is given, so each issue needs an array of its own.
  context.addIssue({ code: 'custom', message, path: [...path], params: { reason, ...params } });
}

/** Refuses text that is not valid Unicode, or longer than `max` bytes (UTF-8). */
function checkString(value: string, what: string, max: number, context: Context, path: string[] = []): void {
  const actual = bytesIn(value);
  if (!isStorable(value)) add(context, 'invalid', unstorableMessage, {}, path);
  if (actual > max)
    add(
      context,
      'tooLong',
      `${what} has at most ${max} bytes (UTF-8); this one has ${actual}.`,
      { max, actual },
      path,
    );
}

function checkTopic(topic: string, context: Context): void {
  // The default host has no influence on the problems of a topic.
  const parsed = parseTopic(topic, 'localhost');
  if ('problem' in parsed) add(context, 'invalid', parsed.problem);
}

function checkPrefix(prefix: string, context: Context): void {
  checkString(prefix, 'object_name_prefix', limits.prefixBytes, context);
}

const oneOf = (values: readonly string[]): string =>
  `This value is not allowed here. Allowed: ${values.join(', ')}.`;

function checkPayloadFormat(format: unknown, context: Context): void {
  if (!(payloadFormats as readonly unknown[]).includes(format))
    add(context, 'invalid', oneOf(payloadFormats));
}

function checkEventTypes(types: unknown, context: Context): void {
  const max = limits.eventTypes;
  if (!Array.isArray(types)) return add(context, 'invalid', 'event_types must be a list.');
  if (types.length > max) {
    const message = `event_types has at most ${max} entries; these are ${types.length}. Name each kind once.`;
    add(context, 'tooMany', message, { max, actual: types.length });
  }
  for (const [index, type] of types.slice(0, max).entries()) {
    if (!(objectEventTypes as readonly unknown[]).includes(type))
      add(context, 'invalid', oneOf(objectEventTypes), {}, [index]);
  }
}

/** Attributes beyond this number are not validated: the count is refused anyway. */
const mostAttributes = 20 * limits.customAttributes;

function checkAttributes(map: unknown, context: Context): void {
  const max = limits.customAttributes;
  if (!isFields(map)) return add(context, 'invalid', 'custom_attributes must be an object of strings.');
  const keys = Object.keys(map);
  if (keys.length > max) {
    add(context, 'tooMany', `At most ${max} custom attributes are allowed; these are ${keys.length}.`, {
      max,
      actual: keys.length,
    });
  }
  for (const key of keys.slice(0, mostAttributes)) checkAttribute(key, map[key], context);
}

function checkAttribute(key: string, value: unknown, context: Context): void {
  const path = [key];
  if (key === '') {
    const message = `An attribute needs a name of 1 to ${limits.attributeKeyBytes} bytes.`;
    add(context, 'invalid', message, { min: 1, max: limits.attributeKeyBytes, actual: 0 }, path);
  }
  checkString(key, "An attribute's name", limits.attributeKeyBytes, context, path);
  if (builtInAttributes.includes(key)) {
    add(
      context,
      'invalid',
      `Every message has an attribute ${key} of its own: choose another name.`,
      {},
      path,
    );
  }
  if (key.startsWith('goog'))
    add(context, 'invalid', 'Names that begin with "goog" are reserved: choose another name.', {}, path);
  if (value === null || value === undefined)
    add(context, 'required', 'An attribute needs a value. Leave it out, or give it a string.', {}, path);
  else if (typeof value !== 'string')
    add(context, 'invalid', 'The value of an attribute must be a string.', {}, path);
  else checkString(value, "An attribute's value", limits.attributeValueBytes, context, path);
}
