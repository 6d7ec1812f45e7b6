import { toMethodRows, type Parameters } from '../method.ts';
import * as handlers from '../run/calendars.ts';
import {
  calendarId,
  ifMatch,
  internalIfMatch,
  ignoredFlags,
  pageParameters,
  requestId,
  ruleId,
  validateOnly,
} from './parameters.ts';

const calendarPath = 'calendars/{calendarId}';
const rulePath = `${calendarPath}/acl/{ruleId}`;
const calendarBody = { schema: 'Calendar', argument: 'calendar' } as const;
const notificationFlags = ignoredFlags('sendNotifications');
const syncToken: Parameters = {
  syncToken: { argument: null, description: 'Not supported: every value is answered with 410.' },
};
const ruleBody = { schema: 'AclRule', sources: { role: 'role' } } as const;

/** Methods of the Calendar API for calendars, access rules, colours and free/busy times. */
export const calendarMethods = toMethodRows({
  'calendar.calendarList.list': {
    route: 'GET users/me/calendarList',
    operation: 'calendars',
    responseSchema: 'CalendarList',
    run: handlers.listCalendars,
    description: 'Lists the calendars that the caller may see.',
    parameters: {
      ...pageParameters(100, 250),
      minAccessRole: {
        argument: null,
        values: ['freeBusyReader', 'owner', 'reader', 'writer'],
        description: 'Only calendars on which the caller has this role, or a stronger one.',
      },
      ...ignoredFlags('showDeleted', 'showHidden'),
      ...syncToken,
    },
  },
  'calendar.calendarList.get': {
    route: 'GET users/me/calendarList/{calendarId}',
    operation: 'calendar',
    responseSchema: 'CalendarListEntry',
    // The etag is the calendar's, and does not include the caller's role.
    ignoresIfNoneMatch: true,
    description: 'Reads a calendar of the list.',
    parameters: calendarId,
  },
  'calendar.calendars.get': {
    route: `GET ${calendarPath}`,
    operation: 'calendar',
    responseSchema: 'Calendar',
    description: 'Reads a calendar.',
    parameters: calendarId,
  },
  'calendar.calendars.insert': {
    route: 'POST calendars',
    operation: 'insertCalendar',
    body: calendarBody,
    responseSchema: 'Calendar',
    description: 'Creates a calendar.',
    parameters: { ...validateOnly, ...requestId },
  },
  'calendar.calendars.patch': {
    route: `PATCH ${calendarPath}`,
    operation: 'patchCalendar',
    body: { ...calendarBody, nullClears: true },
    responseSchema: 'Calendar',
    description: 'Changes fields of a calendar.',
    parameters: { ...calendarId, ...validateOnly, ...ifMatch },
  },
  // A calendar always has a time zone, so an absent one is kept.
  'calendar.calendars.update': {
    route: `PUT ${calendarPath}`,
    operation: 'patchCalendar',
    body: { ...calendarBody, fieldsClearedIfAbsent: ['summary', 'description', 'location'] },
    responseSchema: 'Calendar',
    description: 'Replaces all fields of a calendar that the caller may change.',
    parameters: { ...calendarId, ...validateOnly, ...ifMatch },
  },
  'calendar.calendars.delete': {
    route: `DELETE ${calendarPath}`,
    operation: 'deleteCalendar',
    description: 'Deletes a calendar.',
    parameters: {
      ...calendarId,
      sendUpdates: {
        values: ['all', 'externalOnly', 'none'],
        description: 'Which guests of its events are notified.',
      },
      ...ifMatch,
    },
  },
  'calendar.acl.list': {
    route: `GET ${calendarPath}/acl`,
    operation: 'calendarAccess',
    responseSchema: 'Acl',
    run: handlers.listRules,
    description: 'Lists the access rules of a calendar.',
    parameters: { ...calendarId, ...pageParameters(100, 250), ...ignoredFlags('showDeleted'), ...syncToken },
  },
  'calendar.acl.insert': {
    route: `POST ${calendarPath}/acl`,
    operation: 'setCalendarAccess',
    body: { schema: 'AclRule', sources: { email: 'scope.value', role: 'role' } },
    responseSchema: 'AclRule',
    run: handlers.insertRule,
    description: 'Sets the role of an address on a calendar.',
    parameters: { ...calendarId, ...notificationFlags },
  },
  'calendar.acl.get': {
    route: `GET ${rulePath}`,
    operation: 'calendarAccess',
    responseSchema: 'AclRule',
    run: handlers.getRule,
    description: 'Reads the role of an address.',
    parameters: ruleId,
  },
  'calendar.acl.patch': {
    route: `PATCH ${rulePath}`,
    operation: 'setCalendarAccess',
    body: { ...ruleBody, nullClears: true },
    responseSchema: 'AclRule',
    run: handlers.setRule,
    description: 'Changes the role of an address.',
    parameters: { ...ruleId, ...notificationFlags, ...internalIfMatch },
  },
  'calendar.acl.update': {
    route: `PUT ${rulePath}`,
    operation: 'setCalendarAccess',
    body: ruleBody,
    responseSchema: 'AclRule',
    run: handlers.setRule,
    description: 'Replaces the role of an address.',
    parameters: { ...ruleId, ...notificationFlags, ...internalIfMatch },
  },
  'calendar.acl.delete': {
    route: `DELETE ${rulePath}`,
    operation: 'setCalendarAccess',
    run: handlers.removeRule,
    description: 'Removes the role of an address.',
    parameters: { ...ruleId, ...internalIfMatch },
  },
  'calendar.colors.get': {
    route: 'GET colors',
    operation: 'calendars',
    responseSchema: 'Colors',
    run: handlers.readColors,
    description: 'Reads the colours of events.',
    parameters: {},
  },
  'calendar.freebusy.query': {
    route: 'POST freeBusy',
    operation: 'freeBusy',
    body: {
      schema: 'FreeBusyRequest',
      sources: { timeMin: 'timeMin', timeMax: 'timeMax', timeZone: 'timeZone', calendarIds: 'items.*.id' },
    },
    responseSchema: 'FreeBusyResponse',
    run: handlers.queryFreeBusy,
    description: 'Returns when the owners of calendars are busy.',
    parameters: {},
  },
});

export const channelMethods = toMethodRows({
  'calendar.events.watch': {
    route: 'POST calendars/{calendarId}/events/watch',
    operation: 'watchCalendar',
    body: { schema: 'Channel', argument: 'channel' },
    responseSchema: 'Channel',
    run: handlers.watchEvents,
    description: 'Posts changes of a calendar to an address.',
    parameters: calendarId,
  },
  'calendar.channels.stop': {
    route: 'POST channels/stop',
    operation: 'stopChannel',
    body: { schema: 'Channel', sources: { id: 'id', resourceId: 'resourceId' } },
    run: handlers.stopChannel,
    description: 'Ends a channel.',
    parameters: {},
  },
});
