import { getNullableType, isInputObjectType, isListType, type GraphQLInputType } from 'graphql';
import type { InputNames } from '../../../../src/core/fields/coerce.ts';
import { createGatewaySchema } from '../../../../src/faces/graphql/schema.ts';
import { officialNames } from '../../../../src/google/api-differences.ts';
import type { Args } from '../../../random/operation.ts';
import { withoutNulls } from '../../../event/event.harness.ts';

/** A request for the REST harness. */
export interface RestRequest {
  readonly line: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Paths with the names of arguments in braces. */
const eventsPath = '/calendar/v3/calendars/{calendarId}/events';
const configsPath = '/storage/v1/b/{bucket}/notificationConfigs';

/** Request line of each root field, and the argument sent as body. Other arguments are query parameters. */
const requestTemplates: Readonly<Record<string, readonly [line: string, body?: string]>> = {
  events: [`GET ${eventsPath}`],
  insertEvent: [`POST ${eventsPath}`, 'event'],
  event: [`GET ${eventsPath}/{eventId}`],
  patchEvent: [`PATCH ${eventsPath}/{eventId}`, 'event'],
  deleteEvent: [`DELETE ${eventsPath}/{eventId}`],
  instances: [`GET ${eventsPath}/{eventId}/instances`],
  calendars: ['GET /calendar/v3/users/me/calendarList'],
  calendar: ['GET /calendar/v3/calendars/{calendarId}'],
  insertCalendar: ['POST /calendar/v3/calendars', 'calendar'],
  patchCalendar: ['PATCH /calendar/v3/calendars/{calendarId}', 'calendar'],
  deleteCalendar: ['DELETE /calendar/v3/calendars/{calendarId}'],
  calendarAccess: ['GET /calendar/v3/calendars/{calendarId}/acl'],
  setCalendarAccess: ['POST /calendar/v3/calendars/{calendarId}/acl', 'rule'],
  removeCalendarAccess: ['DELETE /calendar/v3/calendars/{calendarId}/acl/{ruleId}'],
  freeBusy: ['POST /calendar/v3/freeBusy', 'question'],
  notifications: [`GET ${configsPath}`],
  insertNotification: [`POST ${configsPath}`, 'notification'],
  notification: [`GET ${configsPath}/{notificationId}`],
  deleteNotification: [`DELETE ${configsPath}/{notificationId}`],
  buckets: ['GET /storage/v1/b'],
  insertBucket: ['POST /storage/v1/b', 'bucket'],
  bucket: ['GET /storage/v1/b/{bucket}'],
  patchBucket: ['PATCH /storage/v1/b/{bucket}', 'change'],
  deleteBucket: ['DELETE /storage/v1/b/{bucket}'],
};

/** Whether REST offers a root field. `attendeeChanges` exists only in GraphQL. */
export const isOffered = (name: string, args: Args): boolean =>
  name in requestTemplates && args.attendeeChanges === undefined;

/** Name of the argument that is sent as body. */
export const bodyArgumentOf = (name: string): string | undefined => requestTemplates[name]?.[1];

/** Google's names of arguments. */
export const parameterNames: Readonly<Record<string, string>> = {
  first: 'maxResults',
  after: 'pageToken',
  notificationId: 'notification',
};

/** Converts a root field with its arguments to a REST request. */
export function toRestRequest(name: string, fieldArgs: Args): RestRequest {
  if (name === 'setCalendarAccess' && fieldArgs.role === 'none') {
    const { calendarId, email } = fieldArgs;
    return toRestRequest('removeCalendarAccess', { calendarId, ruleId: `user:${String(email)}` });
  }
  const [line, bodyArgument] = requestTemplates[name] as (typeof requestTemplates)[string];
  const { ifMatch, ...args } = addBodyArgument(name, fieldArgs);
  const usedArguments = new Set([bodyArgument]);
  const path = line.replace(/\{(\w+)\}/g, (_, argument: string) => {
    usedArguments.add(argument);
    return encodeURIComponent(String(args[argument]));
  });
  const query = new URLSearchParams();
  for (const [argument, value] of Object.entries(args)) {
    if (usedArguments.has(argument) || value === null) continue;
    for (const entry of [value].flat() as (string | number | boolean)[])
      query.append(parameterNames[argument] ?? argument, String(entry));
  }
  return {
    line: query.size === 0 ? path : `${path}?${query.toString()}`,
    ...(bodyArgument !== undefined && { body: args[bodyArgument] }),
    ...(typeof ifMatch === 'string' && { headers: { 'if-match': ifMatch } }),
  };
}

/** Moves arguments to a body argument for methods that have a body in REST only. */
function addBodyArgument(name: string, args: Args): Args {
  if (name === 'calendars') return { ...args, first: 250 };
  if (name === 'setCalendarAccess') {
    const { email, role, ...otherArgs } = args;
    return { ...otherArgs, rule: { scope: { type: 'user', value: email }, role } };
  }
  if (name === 'freeBusy') {
    const { calendarIds, ...question } = args;
    return { question: { ...question, items: (calendarIds as string[]).map((id) => ({ id })) } };
  }
  return args;
}

/** Fields that the official resources do not have, by body argument. */
const droppedFields: Readonly<Record<string, readonly string[]>> = {
  calendar: [
    ...['backgroundColor', 'defaultReminders', 'accessRole', 'primary', 'created', 'updated', 'selected'],
  ],
  bucket: ['project', 'managers'],
  change: ['project', 'managers'],
};

/** Google's names of conference types, by their GraphQL names. */
export const conferenceTypes: Readonly<Record<string, string>> = {
  hostedCall: 'hangoutsMeet',
  eventCall: 'eventHangout',
  eventNamedCall: 'eventNamedHangout',
};

/**
 * Converts arguments to those with which GraphQL does what REST does with the originals: query parameters
 * cannot be empty lists, and `showDeleted` has no effect on a REST sync.
 */
export function toGraphqlArguments(name: string, fieldArgs: Args): Args {
  const args = Object.fromEntries(
    Object.entries(fieldArgs).filter(
      ([argument, value]) =>
        !(Array.isArray(value) && value.length === 0 && name !== 'freeBusy') &&
        !(argument === 'showDeleted' && fieldArgs.syncToken !== undefined),
    ),
  );
  const bodyArgument = bodyArgumentOf(name);
  const bodyValue = bodyArgument === undefined ? undefined : args[bodyArgument];
  if (bodyArgument === undefined || typeof bodyValue !== 'object' || bodyValue === null) return args;
  const officialFields = Object.fromEntries(
    Object.entries(bodyValue).filter(([field]) => !droppedFields[bodyArgument]?.includes(field)),
  );
  // Null clears a field in a patch; elsewhere it means absent.
  const effectiveFields = name.startsWith('patch')
    ? officialFields
    : (withoutNulls(officialFields) as object);
  return { ...args, [bodyArgument]: dropUnknownFields(effectiveFields, name, bodyArgument) };
}

const { schema } = createGatewaySchema();

const argumentTypeOf = (name: string, argument: string): GraphQLInputType | undefined =>
  schema
    .getMutationType()
    ?.getFields()
    [name]?.args.find((arg) => arg.name === argument)?.type;

/** Drops unknown fields at any depth, as REST does. */
const dropUnknownFields = (body: unknown, name: string, argument: string): unknown =>
  convertByType(body, argumentTypeOf(name, argument), 'without unknown fields');

/** Wraps single values in lists where the type is a list: GraphQL coerces them, REST refuses them. */
export const wrapInLists = (name: string, argument: string, body: object): Args =>
  convertByType(body, argumentTypeOf(name, argument), 'with lists') as Args;

function convertByType(
  value: unknown,
  type: GraphQLInputType | undefined,
  mode: 'with lists' | 'without unknown fields',
): unknown {
  const nullableType = type && getNullableType(type);
  if (!nullableType || value === null || value === undefined) return value;
  if (isListType(nullableType) && (Array.isArray(value) || mode === 'with lists'))
    return [value].flat().map((entry: unknown) => convertByType(entry, nullableType.ofType, mode));
  if (!isInputObjectType(nullableType) || typeof value !== 'object' || Array.isArray(value)) return value;
  const fields = new Map(Object.entries(nullableType.getFields()).filter(([field]) => field !== 'nodeId'));
  const { renamed = {}, notOffered }: InputNames =
    officialNames[nullableType.name as keyof typeof officialNames] ?? {};
  const isKnown = (field: string): boolean =>
    fields.has(field) || field in renamed || notOffered?.has(field) === true;
  const entries = Object.entries(value).filter(([field]) => mode === 'with lists' || isKnown(field));
  return Object.fromEntries(
    entries.map(([field, inner]) => [field, convertByType(inner, fields.get(field)?.type, mode)]),
  );
}
