import type { NotifyArgs, OnEvent, Presentation, Support } from '../../event/event.requests.ts';
import { updatesAsked } from '../../event/attendees/notices.ts';
import type { Call, Query } from '../client/call.ts';

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
