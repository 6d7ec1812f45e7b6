import { getNullableType, isInputObjectType, isListType, type GraphQLInputType } from 'graphql';
import type { InputNames } from '../../../../src/core/fields/coerce.ts';
import { createGateway } from '../../../../src/faces/graphql/schema.ts';
import { officialNames } from '../../../../src/google/names.ts';
import type { Args } from '../../../random/operation.ts';
import { withoutNulls } from '../../../event/event.harness.ts';

/** A request as the REST harness takes it. */
export interface RestRequest {
  readonly line: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const events = '/calendar/v3/calendars/{calendarId}/events';
const configs = '/storage/v1/b/{bucket}/notificationConfigs';

/** The request of a root field, and its argument that is the body. Arguments that are in neither are query parameters. */
const rows: Readonly<Record<string, readonly [line: string, body?: string]>> = {
  events: [`GET ${events}`],
  insertEvent: [`POST ${events}`, 'event'],
  event: [`GET ${events}/{eventId}`],
  patchEvent: [`PATCH ${events}/{eventId}`, 'event'],
  deleteEvent: [`DELETE ${events}/{eventId}`],
  instances: [`GET ${events}/{eventId}/instances`],
  calendars: ['GET /calendar/v3/users/me/calendarList'],
  calendar: ['GET /calendar/v3/calendars/{calendarId}'],
  insertCalendar: ['POST /calendar/v3/calendars', 'calendar'],
  patchCalendar: ['PATCH /calendar/v3/calendars/{calendarId}', 'calendar'],
  deleteCalendar: ['DELETE /calendar/v3/calendars/{calendarId}'],
  calendarAccess: ['GET /calendar/v3/calendars/{calendarId}/acl'],
  setCalendarAccess: ['POST /calendar/v3/calendars/{calendarId}/acl', 'rule'],
  removeCalendarAccess: ['DELETE /calendar/v3/calendars/{calendarId}/acl/{ruleId}'],
  freeBusy: ['POST /calendar/v3/freeBusy', 'question'],
  notifications: [`GET ${configs}`],
  insertNotification: [`POST ${configs}`, 'notification'],
  notification: [`GET ${configs}/{notificationId}`],
  deleteNotification: [`DELETE ${configs}/{notificationId}`],
  buckets: ['GET /storage/v1/b'],
  insertBucket: ['POST /storage/v1/b', 'bucket'],
  bucket: ['GET /storage/v1/b/{bucket}'],
  patchBucket: ['PATCH /storage/v1/b/{bucket}', 'change'],
  deleteBucket: ['DELETE /storage/v1/b/{bucket}'],
};

/** Whether a root field is offered over REST. Guest lists by difference are not. */
export const isOffered = (name: string, args: Args): boolean =>
  name in rows && args.attendeeChanges === undefined;

/** The argument that a body is. */
export const bodyOf = (name: string): string | undefined => rows[name]?.[1];

/** The official names of arguments. */
export const parameters: Readonly<Record<string, string>> = {
  first: 'maxResults',
  after: 'pageToken',
  notificationId: 'notification',
};

/** A root field over REST. */
export function restRequest(name: string, given: Args): RestRequest {
  if (name === 'setCalendarAccess' && given.role === 'none') {
    const { calendarId, email } = given;
    return restRequest('removeCalendarAccess', { calendarId, ruleId: `user:${String(email)}` });
  }
  const [line, body] = rows[name] as (typeof rows)[string];
  const { ifMatch, ...args } = argumentsOf(name, given);
  const used = new Set([body]);
  const path = line.replace(/\{(\w+)\}/g, (_, argument: string) => {
    used.add(argument);
    return encodeURIComponent(String(args[argument]));
  });
  const query = new URLSearchParams();
  for (const [argument, value] of Object.entries(args)) {
    if (used.has(argument) || value === null) continue;
    for (const one of [value].flat() as (string | number | boolean)[])
      query.append(parameters[argument] ?? argument, String(one));
  }
  return {
    line: query.size === 0 ? path : `${path}?${query.toString()}`,
    ...(body !== undefined && { body: args[body] }),
    ...(typeof ifMatch === 'string' && { headers: { 'if-match': ifMatch } }),
  };
}

/** The arguments with the body that a method has where the operation has none. */
function argumentsOf(name: string, args: Args): Args {
  if (name === 'calendars') return { ...args, first: 250 };
  if (name === 'setCalendarAccess') {
    const { email, role, ...rest } = args;
    return { ...rest, rule: { scope: { type: 'user', value: email }, role } };
  }
  if (name === 'freeBusy') {
    const { calendarIds, ...question } = args;
    return { question: { ...question, items: (calendarIds as string[]).map((id) => ({ id })) } };
  }
  return args;
}

/** What official resources do not have, and what is no field at all. */
const leftOut: Readonly<Record<string, readonly string[]>> = {
  calendar: [
    ...['backgroundColor', 'defaultReminders', 'accessRole', 'primary', 'created', 'updated', 'selected'],
  ],
  bucket: ['project', 'managers'],
  change: ['project', 'managers'],
};

/** The official names of types of conferences, by their names in GraphQL. */
export const conferenceTypes: Readonly<Record<string, string>> = {
  hostedCall: 'hangoutsMeet',
  eventCall: 'eventHangout',
  eventNamedCall: 'eventNamedHangout',
};

/** The arguments of the root field that come to the same as a REST request with these. A parameter cannot be an empty list; in a sync cancelled events come by their ids. */
export function graphqlArguments(name: string, given: Args): Args {
  const args = Object.fromEntries(
    Object.entries(given).filter(
      ([argument, value]) =>
        !(Array.isArray(value) && value.length === 0 && name !== 'freeBusy') &&
        !(argument === 'showDeleted' && given.syncToken !== undefined),
    ),
  );
  const body = bodyOf(name);
  const sent = body === undefined ? undefined : args[body];
  if (body === undefined || typeof sent !== 'object' || sent === null) return args;
  const known = Object.fromEntries(Object.entries(sent).filter(([field]) => !leftOut[body]?.includes(field)));
  // Null clears in a change; elsewhere it is absence.
  const cleared = name.startsWith('patch') ? known : (withoutNulls(known) as object);
  return { ...args, [body]: knownFields(cleared, name, body) };
}

const { schema } = createGateway();

const typeOf = (name: string, argument: string): GraphQLInputType | undefined =>
  schema
    .getMutationType()
    ?.getFields()
    [name]?.args.find((arg) => arg.name === argument)?.type;

/** The body without unknown fields at any depth: REST drops them. */
const knownFields = (body: unknown, name: string, argument: string): unknown =>
  shaped(body, typeOf(name, argument), 'without unknown fields');

/** The body with a list wherever there has to be one: GraphQL makes one of a single value, REST refuses it. */
export const withLists = (name: string, argument: string, body: object): Args =>
  shaped(body, typeOf(name, argument), 'with lists') as Args;

function shaped(
  value: unknown,
  type: GraphQLInputType | undefined,
  how: 'with lists' | 'without unknown fields',
): unknown {
  const of = type && getNullableType(type);
  if (!of || value === null || value === undefined) return value;
  if (isListType(of) && (Array.isArray(value) || how === 'with lists'))
    return [value].flat().map((entry: unknown) => shaped(entry, of.ofType, how));
  if (!isInputObjectType(of) || typeof value !== 'object' || Array.isArray(value)) return value;
  const fields = new Map(Object.entries(of.getFields()).filter(([field]) => field !== 'nodeId'));
  const { renamed = {}, notOffered }: InputNames = officialNames[of.name as keyof typeof officialNames] ?? {};
  const isKnown = (field: string): boolean =>
    fields.has(field) || field in renamed || notOffered?.has(field) === true;
  const entries = Object.entries(value).filter(([field]) => how === 'with lists' || isKnown(field));
  return Object.fromEntries(
    entries.map(([field, inner]) => [field, shaped(inner, fields.get(field)?.type, how)]),
  );
}
