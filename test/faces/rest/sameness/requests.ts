import { getNullableType, isInputObjectType, isListType, type GraphQLInputType } from 'graphql';
import { createGateway } from '../../../../src/faces/graphql/schema.ts';
import type { Args } from '../../../random/operation.ts';
import { withoutNulls } from '../../../event/event.harness.ts';

/** A request as the REST harness takes it. */
export interface RestRequest {
  readonly line: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How a root field is asked for over REST: where its arguments go. All that are neither in the path nor the body are parameters. */
interface Row {
  readonly line: string;
  /** The argument that is the body. */
  readonly body?: string;
}

const events = '/calendar/v3/calendars/{calendarId}/events';
const configs = '/storage/v1/b/{bucket}/notificationConfigs';

const rows: Readonly<Record<string, Row>> = {
  events: { line: `GET ${events}` },
  insertEvent: { line: `POST ${events}`, body: 'event' },
  event: { line: `GET ${events}/{eventId}` },
  patchEvent: { line: `PATCH ${events}/{eventId}`, body: 'event' },
  deleteEvent: { line: `DELETE ${events}/{eventId}` },
  instances: { line: `GET ${events}/{eventId}/instances` },
  calendars: { line: 'GET /calendar/v3/users/me/calendarList' },
  calendar: { line: 'GET /calendar/v3/calendars/{calendarId}' },
  insertCalendar: { line: 'POST /calendar/v3/calendars', body: 'calendar' },
  patchCalendar: { line: 'PATCH /calendar/v3/calendars/{calendarId}', body: 'calendar' },
  deleteCalendar: { line: 'DELETE /calendar/v3/calendars/{calendarId}' },
  calendarAccess: { line: 'GET /calendar/v3/calendars/{calendarId}/acl' },
  setCalendarAccess: { line: 'POST /calendar/v3/calendars/{calendarId}/acl', body: 'rule' },
  removeCalendarAccess: { line: 'DELETE /calendar/v3/calendars/{calendarId}/acl/{ruleId}' },
  freeBusy: { line: 'POST /calendar/v3/freeBusy', body: 'question' },
  notifications: { line: `GET ${configs}` },
  insertNotification: { line: `POST ${configs}`, body: 'notification' },
  notification: { line: `GET ${configs}/{notificationId}` },
  deleteNotification: { line: `DELETE ${configs}/{notificationId}` },
  buckets: { line: 'GET /storage/v1/b' },
  insertBucket: { line: 'POST /storage/v1/b', body: 'bucket' },
  bucket: { line: 'GET /storage/v1/b/{bucket}' },
  patchBucket: { line: 'PATCH /storage/v1/b/{bucket}', body: 'change' },
  deleteBucket: { line: 'DELETE /storage/v1/b/{bucket}' },
};

/** Whether a root field is offered over REST. Guest lists by difference are not. */
export const isOffered = (name: string, args: Args): boolean =>
  name in rows && args.attendeeChanges === undefined;

/** The argument that a body is. */
export const bodyOf = (name: string): string | undefined => rows[name]?.body;

/** The official names of arguments. */
export const parameters: Readonly<Record<string, string>> = {
  first: 'maxResults',
  after: 'pageToken',
  notificationId: 'notification',
};

/** A root field over REST. */
export function restRequest(name: string, given: Args): RestRequest {
  if (name === 'setCalendarAccess' && given.role === 'none')
    return restRequest('removeCalendarAccess', {
      calendarId: given.calendarId,
      ruleId: `user:${String(given.email)}`,
    });
  const { line, body } = rows[name] as Row;
  const { ifMatch, ...args } = shaped(name, given);
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
function shaped(name: string, args: Args): Args {
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
    'backgroundColor',
    'defaultReminders',
    'accessRole',
    'primary',
    'created',
    'updated',
    'selected',
  ],
  bucket: ['project', 'managers'],
  change: ['project', 'managers'],
};

const types: Readonly<Record<string, string>> = {
  hangoutsMeet: 'hostedCall',
  eventHangout: 'eventCall',
  eventNamedHangout: 'eventNamedCall',
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
  return { ...args, [body]: fieldsOf(unofficial(cleared), name, body) };
}

const { schema } = createGateway();

const typeOf = (name: string, argument: string): GraphQLInputType | undefined =>
  schema
    .getMutationType()
    ?.getFields()
    [name]?.args.find((arg) => arg.name === argument)?.type;

/** What there is no field for is left out over REST, at any depth. */
function fieldsOf(value: unknown, name: string, argument: string): unknown {
  const type = typeOf(name, argument);
  return type ? within(value, type) : value;
}

function within(value: unknown, type: GraphQLInputType): unknown {
  const of = getNullableType(type);
  if (isListType(of) && Array.isArray(value)) return value.map((entry) => within(entry, of.ofType));
  if (!isInputObjectType(of) || typeof value !== 'object' || value === null || Array.isArray(value))
    return value;
  const fields = of.getFields();
  return Object.fromEntries(
    Object.entries(value).flatMap(([field, inner]) => {
      const known = field === 'nodeId' || !Object.hasOwn(fields, field) ? undefined : fields[field];
      return known ? [[field, within(inner, known.type)]] : [];
    }),
  );
}

/** A body in which what has to be a list is one: of a single value GraphQL makes a list, over REST it is a fault. */
export function withLists(name: string, argument: string, body: object): Args {
  const type = typeOf(name, argument);
  return (type ? listed(body, type) : body) as Args;
}

function listed(value: unknown, type: GraphQLInputType): unknown {
  const of = getNullableType(type);
  if (value === null || value === undefined) return value;
  if (isListType(of)) return [value].flat().map((entry: unknown) => listed(entry, of.ofType));
  if (!isInputObjectType(of) || typeof value !== 'object' || Array.isArray(value)) return value;
  const fields = of.getFields();
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => [
      field,
      Object.hasOwn(fields, field)
        ? listed(inner, (fields[field] as { type: GraphQLInputType }).type)
        : inner,
    ]),
  );
}

/** An event in the names of the GraphQL API. */
function unofficial(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unofficial);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]: [string, unknown]) => [
      name === 'hangoutLink' ? 'callLink' : name,
      name === 'type' && typeof inner === 'string' ? (types[inner] ?? inner) : unofficial(inner),
    ]),
  );
}
