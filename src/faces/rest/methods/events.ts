import type { MethodRow, Parameters } from '../method.ts';
import { calendarId, eventId, ifMatch, inertFlags, notify, page, presentation, range, requestId, support, timeZone, validateOnly } from './parameters.ts';
import { deleteEvent, listEvents, listInstances } from '../run/events.ts';

const text = (description: string, repeated?: true): Parameters[string] => ({ in: 'query', type: 'string', description, ...(repeated && { repeated }) });

const one = 'calendars/{calendarId}/events/{eventId}';
const write = { ...presentation, ...notify, ...support, ...validateOnly };
const body = { schema: 'Event', argument: 'event' } as const;

export const eventMethods: readonly MethodRow[] = [
  {
    id: 'calendar.events.list', verb: 'GET', path: 'calendars/{calendarId}/events', operation: 'events', answer: 'Events', run: listEvents,
    description: 'Lists the events of a calendar.',
    parameters: {
      ...calendarId, ...page(250, 2500), ...range, ...presentation, ...timeZone,
      singleEvents: { in: 'query', type: 'boolean', description: 'Lists series by their instances.' },
      orderBy: { in: 'query', type: 'string', values: ['startTime', 'updated'], description: 'The order of the events.' },
      q: text('Only events in which this is found.'),
      iCalUID: text('Only events with this iCalUID.'),
      privateExtendedProperty: text('Only events with this private property, written key=value.', true),
      sharedExtendedProperty: text('Only events with this shared property, written key=value.', true),
      updatedMin: { in: 'query', type: 'dateTime', description: 'Only events that were changed at this moment or later.' },
      syncToken: text('The nextSyncToken of an earlier list: only what was changed since.'),
      eventTypes: {
        in: 'query', type: 'string', repeated: true, argument: null, description: 'Only events of these types. All events here are of the type default.',
        values: ['birthday', 'default', 'focusTime', 'fromGmail', 'outOfOffice', 'workingLocation'],
      },
      ...inertFlags('showHiddenInvitations'),
    },
  },
  {
    id: 'calendar.events.insert', verb: 'POST', path: 'calendars/{calendarId}/events', operation: 'insertEvent', body, answer: 'Event',
    description: 'Creates an event.', parameters: { ...calendarId, ...write, ...requestId },
  },
  {
    id: 'calendar.events.get', verb: 'GET', path: one, operation: 'event', answer: 'Event',
    description: 'Reads an event.', parameters: { ...eventId, ...presentation, ...timeZone },
  },
  {
    id: 'calendar.events.patch', verb: 'PATCH', path: one, operation: 'patchEvent', body: { ...body, nullClears: true }, answer: 'Event',
    description: 'Changes parts of an event.', parameters: { ...eventId, ...write, ...ifMatch },
  },
  {
    id: 'calendar.events.update', verb: 'PUT', path: one, operation: 'patchEvent', beside: { replaces: true }, body, answer: 'Event',
    description: 'Replaces what the caller may change of an event.', parameters: { ...eventId, ...write, ...ifMatch },
  },
  {
    id: 'calendar.events.delete', verb: 'DELETE', path: one, operation: 'deleteEvent', run: deleteEvent,
    description: 'Deletes an event.', parameters: { ...eventId, ...notify, ...ifMatch },
  },
  {
    id: 'calendar.events.instances', verb: 'GET', path: `${one}/instances`, operation: 'instances', answer: 'Events', run: listInstances,
    description: 'Lists the instances of a recurring event.',
    parameters: {
      ...eventId, ...page(250, 2500), ...range, ...presentation, ...timeZone,
      originalStart: { in: 'query', type: 'string', argument: null, description: 'Only the instance that starts then by the rules.' },
    },
  },
];
