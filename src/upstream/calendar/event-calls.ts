import { createHmac } from 'node:crypto';
import type { Path } from '../../core/errors.ts';
import type { FieldNode } from '../../core/fields/table.ts';
import { isFields } from '../../core/patch.ts';
import type { RequestRecord } from '../../core/request-record.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { updatesAsked } from '../../event/attendees/notices.ts';
import type { EventTools } from '../../event/event.find.ts';
import type { NotifyArgs, OnEvent, Presentation, Support } from '../../event/event.requests.ts';
import type { EventField, EventPatch } from '../../event/model/fields.ts';
import type { EventModel } from '../../event/model/model.ts';
import type { Schemas } from '../../google/schemas.ts';
import type { Call, Query, UpstreamClient } from '../client/exchange.ts';

/** The parts of a body that somebody may change or not as a whole. */
export function unitsOf({ fields }: EventParts['model'], body: EventPatch): readonly Path[] {
  const inside = (node: FieldNode, value: unknown, path: Path): Path[] => {
    if (node.uniform || node.kind !== 'object' || !isFields(value)) return [path];
    return Object.keys(value).flatMap((name) => {
      const field = node.fields.get(name);
      return field ? inside(field, value[name], [...path, name]) : [];
    });
  };
  return (Object.keys(body) as EventField[]).flatMap((name) => {
    const node = fields.get(name);
    return node && node.change !== 'request' ? inside(node, body[name], ['event', name]) : [];
  });
}

/** Makes the id of an event from a requestId, the same by every gateway with this secret. */
export function createRequestIds(secret: string): (request: RequestRecord) => string {
  const key = createHmac('sha256', secret).update('event ids of requests').digest();
  return (request) => base32hex(createHmac('sha256', key).update(request.key).digest().subarray(0, 20));
}

const digits = '0123456789abcdefghijklmnopqrstuv';

/** RFC 4648, section 7, in lower case and without padding. */
export function base32hex(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => digits[parseInt(five.padEnd(5, '0'), 2)]).join('');
}

/** Dependencies of the services over the official Calendar API. */
export interface UpstreamCalendarParts {
  readonly client: UpstreamClient;
  readonly model: EventModel;
  readonly schemas: Schemas;
  readonly tools: EventTools;
  readonly clock: Clock;
  /** Between two looks at a calendar that streams follow. */
  readonly pollSeconds: number;
}

/** Dependencies of the calls about events. */
export type EventParts = Omit<UpstreamCalendarParts, 'pollSeconds'>;

/** A resource as the service answers it. */
export type Json = Readonly<Record<string, unknown>>;

interface Writing extends Presentation, Support, NotifyArgs {}

const eventPath = ({ calendarId, eventId }: OnEvent): readonly string[] => [
  'calendars',
  calendarId,
  'events',
  eventId,
];

const writeQuery = (args: Writing, body: object): Query => ({
  maxAttendees: mostShown(args, body),
  conferenceDataVersion: args.conferenceDataVersion,
  supportsAttachments: args.supportsAttachments,
  sendUpdates: updatesAsked(args),
});

/** A guest list that is sent comes back whole, to be held against what was sent. */
const mostShown = ({ maxAttendees }: Presentation, body: object): Presentation['maxAttendees'] =>
  Object.hasOwn(body, 'attendees') ? undefined : maxAttendees;

/** An event as it stands, all of it unless told. */
export const getCall = (
  at: OnEvent,
  fields?: string,
  presentation: Presentation = {},
  body: object = {},
): Call => ({
  method: 'events.get',
  verb: 'GET',
  path: eventPath(at),
  query: {
    maxAttendees: mostShown(presentation, body),
    alwaysIncludeEmail: presentation.alwaysIncludeEmail,
    fields,
  },
  repeatable: true,
});

interface Sent {
  readonly body: object;
  readonly fields: string | undefined;
}

export const insertCall = (
  args: Writing & Pick<OnEvent, 'calendarId'>,
  { body, fields }: Sent,
  repeatable: boolean,
): Call => ({
  method: 'events.insert',
  verb: 'POST',
  path: ['calendars', args.calendarId, 'events'],
  query: { ...writeQuery(args, body), fields },
  body,
  repeatable,
});

/** With the etag of what was read a second time changes nothing. */
export const patchCall = (
  args: Writing & OnEvent,
  { body, fields }: Sent,
  ifMatch: string | undefined,
): Call => ({
  method: 'events.patch',
  verb: 'PATCH',
  path: eventPath(args),
  query: { alwaysIncludeEmail: args.alwaysIncludeEmail, fields, ...writeQuery(args, body) },
  body,
  ...(ifMatch !== undefined && { ifMatch }),
  repeatable: ifMatch !== undefined,
});

export const deleteCall = (args: NotifyArgs & OnEvent, ifMatch: string | undefined): Call => {
  const sendUpdates = updatesAsked(args);
  return {
    method: 'events.delete',
    verb: 'DELETE',
    path: eventPath(args),
    query: { sendUpdates },
    ...(ifMatch !== undefined && { ifMatch }),
    repeatable: ifMatch !== undefined || sendUpdates === 'none',
  };
};

/** The events that have an iCalUID: one, save for the instances of a series. */
export const namedCall = (calendarId: string, iCalUID: string): Call => ({
  method: 'events.list',
  verb: 'GET',
  path: ['calendars', calendarId, 'events'],
  query: { iCalUID, maxResults: 1 },
  repeatable: true,
});
