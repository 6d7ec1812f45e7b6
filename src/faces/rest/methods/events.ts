import { methodRows } from '../method.ts';
import {
  calendarId,
  eventId,
  ifMatch,
  inertFlags,
  notify,
  page,
  presentation,
  range,
  requestId,
  support,
  timeZone,
  validateOnly,
} from './parameters.ts';
import { deleteEvent, listEvents, listInstances } from '../run/events.ts';

const one = 'calendars/{calendarId}/events/{eventId}';
const write = { ...presentation, ...notify, ...support, ...validateOnly };
const body = { schema: 'Event', argument: 'event' } as const;

export const eventMethods = methodRows({
  'calendar.events.list': {
    route: 'GET calendars/{calendarId}/events',
    operation: 'events',
    answer: 'Events',
    run: listEvents,
    description: 'Lists the events of a calendar.',
    parameters: {
      ...calendarId,
      ...page(250, 2500),
      ...range,
      ...presentation,
      ...timeZone,
      singleEvents: { type: 'boolean', description: 'Lists series by their instances.' },
      orderBy: {
        values: ['startTime', 'updated'],
        description: 'The order of the events.',
      },
      q: { description: 'Only events in which this is found.' },
      iCalUID: { description: 'Only events with this iCalUID.' },
      privateExtendedProperty: {
        description: 'Only events with this private property, written key=value.',
        repeated: true,
      },
      sharedExtendedProperty: {
        description: 'Only events with this shared property, written key=value.',
        repeated: true,
      },
      updatedMin: {
        type: 'dateTime',
        description: 'Only events that were changed at this moment or later.',
      },
      syncToken: { description: 'The nextSyncToken of an earlier list: only what was changed since.' },
      eventTypes: {
        repeated: true,
        argument: null,
        description: 'Only events of these types. All events here are of the type default.',
        values: ['birthday', 'default', 'focusTime', 'fromGmail', 'outOfOffice', 'workingLocation'],
      },
      ...inertFlags('showHiddenInvitations'),
    },
  },
  'calendar.events.insert': {
    route: 'POST calendars/{calendarId}/events',
    operation: 'insertEvent',
    body,
    answer: 'Event',
    description: 'Creates an event.',
    parameters: { ...calendarId, ...write, ...requestId },
  },
  'calendar.events.get': {
    route: `GET ${one}`,
    operation: 'event',
    answer: 'Event',
    description: 'Reads an event.',
    parameters: { ...eventId, ...presentation, ...timeZone },
  },
  'calendar.events.patch': {
    route: `PATCH ${one}`,
    operation: 'patchEvent',
    body: { ...body, nullClears: true },
    answer: 'Event',
    description: 'Changes parts of an event.',
    parameters: { ...eventId, ...write, ...ifMatch },
  },
  'calendar.events.update': {
    route: `PUT ${one}`,
    operation: 'patchEvent',
    beside: { replaces: true },
    body,
    answer: 'Event',
    description: 'Replaces what the caller may change of an event.',
    parameters: { ...eventId, ...write, ...ifMatch },
  },
  'calendar.events.delete': {
    route: `DELETE ${one}`,
    operation: 'deleteEvent',
    run: deleteEvent,
    description: 'Deletes an event.',
    parameters: { ...eventId, ...notify, ...ifMatch },
  },
  'calendar.events.instances': {
    route: `GET ${one}/instances`,
    operation: 'instances',
    answer: 'Events',
    run: listInstances,
    description: 'Lists the instances of a recurring event.',
    parameters: {
      ...eventId,
      ...page(250, 2500),
      ...range,
      ...presentation,
      ...timeZone,
      originalStart: {
        argument: null,
        description: 'Only the instance that starts then by the rules.',
      },
    },
  },
});
