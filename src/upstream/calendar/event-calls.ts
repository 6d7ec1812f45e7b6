import { createHmac } from 'node:crypto';
import type { Path } from '../../core/errors.ts';
import type { FieldNode } from '../../core/fields/table.ts';
import { isFields } from '../../core/json.ts';
import type { RequestRecord } from '../../core/request-record.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { sendUpdatesOf } from '../../event/attendees/notices.ts';
import type { EventTools } from '../../event/event.tools.ts';
import type { NotifyArgs, EventIdArgs, PresentationArgs, SupportArgs } from '../../event/event.requests.ts';
import type { EventField, EventPatch } from '../../event/model/fields.ts';
import type { EventModel } from '../../event/model/model.ts';
import type { Schemas } from '../../google/schemas.ts';
import type { Call, Query, UpstreamClient } from '../client/http-exchange.ts';

/** Finds the paths of a body whose values are applied or refused as a unit. */
export function findChangeUnits({ fields }: EventDependencies['model'], body: EventPatch): readonly Path[] {
  const unitsIn = (node: FieldNode, value: unknown, path: Path): Path[] => {
    if (node.isUniform || node.kind !== 'object' || !isFields(value)) return [path];
    return Object.keys(value).flatMap((name) => {
      const field = node.fields.get(name);
      return field ? unitsIn(field, value[name], [...path, name]) : [];
    });
  };
  return (Object.keys(body) as EventField[]).flatMap((name) => {
    const node = fields.get(name);
    return node && node.change !== 'request' ? unitsIn(node, body[name], ['event', name]) : [];
  });
}

/** Bytes of a generated event id, which has 32 characters in base32hex. */
const eventIdBytes = 20;

/** Derives event ids from request ids; equal on all gateways with this secret. */
export function createEventIdFactory(secret: string): (record: RequestRecord) => string {
  const key = createHmac('sha256', secret).update('event ids of requests').digest();
  return (record) =>
    encodeBase32Hex(createHmac('sha256', key).update(record.key).digest().subarray(0, eventIdBytes));
}

const base32Digits = '0123456789abcdefghijklmnopqrstuv';

/** Encodes bytes as base32hex (RFC 4648, section 7) in lower case, without padding. */
export function encodeBase32Hex(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((group) => base32Digits[parseInt(group.padEnd(5, '0'), 2)])
    .join('');
}

export interface CalendarDependencies {
  readonly client: UpstreamClient;
  readonly model: EventModel;
  readonly schemas: Schemas;
  readonly tools: EventTools;
  readonly clock: Clock;
  /** Interval at which calendars are polled while streams follow them. */
  readonly pollSeconds: number;
}

export type EventDependencies = Omit<CalendarDependencies, 'pollSeconds'>;

/** Arguments of a write that become query parameters. */
interface WriteOptions extends PresentationArgs, SupportArgs, NotifyArgs {}

const toEventPath = ({ calendarId, eventId }: EventIdArgs): readonly string[] => [
  'calendars',
  calendarId,
  'events',
  eventId,
];

const toWriteQuery = (args: WriteOptions, body: object): Query => ({
  maxAttendees: maxAttendeesOf(args, body),
  conferenceDataVersion: args.conferenceDataVersion,
  supportsAttachments: args.supportsAttachments,
  sendUpdates: sendUpdatesOf(args),
});

/** Requests the whole guest list after sending one, so that both can be compared. */
const maxAttendeesOf = (
  { maxAttendees }: PresentationArgs,
  body: object,
): PresentationArgs['maxAttendees'] => (Object.hasOwn(body, 'attendees') ? undefined : maxAttendees);

/** Reads an event; all of it without `fields`. */
export const createGetCall = (
  idArgs: EventIdArgs,
  fields?: string,
  presentation: PresentationArgs = {},
  body: object = {},
): Call => ({
  apiMethod: 'events.get',
  httpMethod: 'GET',
  path: toEventPath(idArgs),
  query: {
    maxAttendees: maxAttendeesOf(presentation, body),
    alwaysIncludeEmail: presentation.alwaysIncludeEmail,
    fields,
  },
  repeatable: true,
});

/** Body of a write, and the parameter `fields` of its response. */
interface WriteBody {
  readonly body: object;
  readonly fields: string | undefined;
}

/** Inserts an event. Repeatable only with a generated id, by which a second attempt is refused. */
export const createInsertCall = (
  args: WriteOptions & Pick<EventIdArgs, 'calendarId'>,
  { body, fields }: WriteBody,
  repeatable: boolean,
): Call => ({
  apiMethod: 'events.insert',
  httpMethod: 'POST',
  path: ['calendars', args.calendarId, 'events'],
  query: { ...toWriteQuery(args, body), fields },
  body,
  repeatable,
});

/** Patches an event. Repeatable with an etag, since a second attempt then fails with 412. */
export const createPatchCall = (
  args: WriteOptions & EventIdArgs,
  { body, fields }: WriteBody,
  ifMatch: string | undefined,
): Call => ({
  apiMethod: 'events.patch',
  httpMethod: 'PATCH',
  path: toEventPath(args),
  query: { alwaysIncludeEmail: args.alwaysIncludeEmail, fields, ...toWriteQuery(args, body) },
  body,
  ...(ifMatch !== undefined && { ifMatch }),
  repeatable: ifMatch !== undefined,
});

/** Deletes an event. Repeatable if a second attempt would fail with 412, or if it notifies nobody. */
export const createDeleteCall = (args: NotifyArgs & EventIdArgs, ifMatch: string | undefined): Call => {
  const sendUpdates = sendUpdatesOf(args);
  return {
    apiMethod: 'events.delete',
    httpMethod: 'DELETE',
    path: toEventPath(args),
    query: { sendUpdates },
    ...(ifMatch !== undefined && { ifMatch }),
    repeatable: ifMatch !== undefined || sendUpdates === 'none',
  };
};

/** Imports an event. Repeatable, since the service finds an earlier import by the iCalUID. */
export const createImportCall = (
  args: SupportArgs & Pick<EventIdArgs, 'calendarId'>,
  { body, fields }: WriteBody,
): Call => ({
  apiMethod: 'events.import',
  httpMethod: 'POST',
  path: ['calendars', args.calendarId, 'events', 'import'],
  query: {
    conferenceDataVersion: args.conferenceDataVersion,
    supportsAttachments: args.supportsAttachments,
    fields,
  },
  body,
  repeatable: true,
});

export const createMoveCall = (args: EventIdArgs & NotifyArgs & { readonly destination: string }): Call => ({
  apiMethod: 'events.move',
  httpMethod: 'POST',
  path: [...toEventPath(args), 'move'],
  query: { destination: args.destination, sendUpdates: sendUpdatesOf(args) },
  repeatable: false,
});

export const createListByUidCall = (calendarId: string, iCalUID: string): Call => ({
  apiMethod: 'events.list',
  httpMethod: 'GET',
  path: ['calendars', calendarId, 'events'],
  query: { iCalUID, maxResults: 1 },
  repeatable: true,
});
