import { toMethodRows } from '../method.ts';
import {
  calendarId,
  eventId,
  ifMatch,
  ignoredFlags,
  notifyParameters,
  pageParameters,
  displayParameters,
  rangeParameters,
  requestId,
  supportParameters,
  timeZone,
  validateOnly,
} from './parameters.ts';
import { deleteEvent, listEvents, listInstances } from '../run/events.ts';

const eventPath = 'calendars/{calendarId}/events/{eventId}';
const writeParameters = { ...displayParameters, ...notifyParameters, ...supportParameters, ...validateOnly };
const eventBody = { schema: 'Event', argument: 'event' } as const;

export const eventMethods = toMethodRows({
  'calendar.events.list': {
    route: 'GET calendars/{calendarId}/events',
    operation: 'events',
    responseSchema: 'Events',
    run: listEvents,
    description: 'Lists the events of a calendar.',
    parameters: {
      ...calendarId,
      ...pageParameters(250, 2500),
      ...rangeParameters,
      ...displayParameters,
      ...timeZone,
      singleEvents: { type: 'boolean', description: 'Lists series as their instances.' },
      orderBy: {
        values: ['startTime', 'updated'],
        description: 'The order of the events.',
      },
      q: { description: 'Only events with these words.' },
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
      ...ignoredFlags('showHiddenInvitations'),
    },
  },
  'calendar.events.insert': {
    route: 'POST calendars/{calendarId}/events',
    operation: 'insertEvent',
    body: eventBody,
    responseSchema: 'Event',
    description: 'Creates an event.',
    parameters: { ...calendarId, ...writeParameters, ...requestId },
  },
  'calendar.events.get': {
    route: `GET ${eventPath}`,
    operation: 'event',
    responseSchema: 'Event',
    description: 'Reads an event.',
    parameters: { ...eventId, ...displayParameters, ...timeZone },
  },
  'calendar.events.patch': {
    route: `PATCH ${eventPath}`,
    operation: 'patchEvent',
    body: { ...eventBody, nullClears: true },
    responseSchema: 'Event',
    description: 'Changes fields of an event.',
    parameters: { ...eventId, ...writeParameters, ...ifMatch },
  },
  'calendar.events.update': {
    route: `PUT ${eventPath}`,
    operation: 'patchEvent',
    fixedArguments: { replaces: true },
    body: eventBody,
    responseSchema: 'Event',
    description: 'Replaces all fields of an event that the caller may change.',
    parameters: { ...eventId, ...writeParameters, ...ifMatch },
  },
  'calendar.events.delete': {
    route: `DELETE ${eventPath}`,
    operation: 'deleteEvent',
    run: deleteEvent,
    description: 'Deletes an event.',
    parameters: { ...eventId, ...notifyParameters, ...ifMatch },
  },
  'calendar.events.import': {
    route: 'POST calendars/{calendarId}/events/import',
    operation: 'importEvent',
    body: eventBody,
    responseSchema: 'Event',
    description: 'Puts an event that lives elsewhere onto a calendar.',
    parameters: { ...calendarId, ...supportParameters, ...validateOnly, ...requestId },
  },
  'calendar.events.move': {
    route: `POST ${eventPath}/move`,
    operation: 'moveEvent',
    responseSchema: 'Event',
    description: 'Moves an event to another calendar, whose owner becomes its organizer.',
    parameters: {
      ...eventId,
      destination: { required: true, description: 'The id of the calendar to which the event moves.' },
      ...notifyParameters,
      ...validateOnly,
    },
  },
  'calendar.events.instances': {
    route: `GET ${eventPath}/instances`,
    operation: 'instances',
    responseSchema: 'Events',
    run: listInstances,
    description: 'Lists the instances of a recurring event.',
    parameters: {
      ...eventId,
      ...pageParameters(250, 2500),
      ...rangeParameters,
      ...displayParameters,
      ...timeZone,
      originalStart: {
        argument: null,
        description: 'Only the instance with this original start.',
      },
    },
  },
});
