import { methodRows, type Parameters } from '../method.ts';
import * as run from '../run/calendars.ts';
import {
  calendarId,
  ifMatch,
  ifMatchHere,
  inertFlags,
  page,
  requestId,
  ruleId,
  validateOnly,
} from './parameters.ts';

const one = 'calendars/{calendarId}';
const rule = `${one}/acl/{ruleId}`;
const body = { schema: 'Calendar', argument: 'calendar' } as const;
const tells = inertFlags('sendNotifications');
const syncToken: Parameters = {
  syncToken: { argument: null, description: 'None is given out: each is answered with 410.' },
};
const ruleBody = { schema: 'AclRule', sources: { role: 'role' } } as const;

export const calendarMethods = methodRows({
  'calendar.calendarList.list': {
    route: 'GET users/me/calendarList',
    operation: 'calendars',
    answer: 'CalendarList',
    run: run.listCalendars,
    description: 'Lists the calendars that the caller may see.',
    parameters: {
      ...page(100, 250),
      minAccessRole: {
        argument: null,
        values: ['freeBusyReader', 'owner', 'reader', 'writer'],
        description: 'Only calendars on which the caller has this role, or a stronger one.',
      },
      ...inertFlags('showDeleted', 'showHidden'),
      ...syncToken,
    },
  },
  'calendar.calendarList.get': {
    route: 'GET users/me/calendarList/{calendarId}',
    operation: 'calendar',
    answer: 'CalendarListEntry',
    // The etag is the calendar's, and the same for all: the caller's role is no part of it.
    unconditional: true,
    description: 'Reads a calendar of the list.',
    parameters: calendarId,
  },
  'calendar.calendars.get': {
    route: `GET ${one}`,
    operation: 'calendar',
    answer: 'Calendar',
    description: 'Reads a calendar.',
    parameters: calendarId,
  },
  'calendar.calendars.insert': {
    route: 'POST calendars',
    operation: 'insertCalendar',
    body,
    answer: 'Calendar',
    description: 'Makes a calendar.',
    parameters: { ...validateOnly, ...requestId },
  },
  'calendar.calendars.patch': {
    route: `PATCH ${one}`,
    operation: 'patchCalendar',
    body: { ...body, nullClears: true },
    answer: 'Calendar',
    description: 'Changes parts of a calendar.',
    parameters: { ...calendarId, ...validateOnly, ...ifMatch },
  },
  // A calendar always has a time zone: one that is left out stays.
  'calendar.calendars.update': {
    route: `PUT ${one}`,
    operation: 'patchCalendar',
    body: { ...body, clears: ['summary', 'description', 'location'] },
    answer: 'Calendar',
    description: 'Replaces what the caller may change of a calendar.',
    parameters: { ...calendarId, ...validateOnly, ...ifMatch },
  },
  'calendar.calendars.delete': {
    route: `DELETE ${one}`,
    operation: 'deleteCalendar',
    description: 'Deletes a calendar.',
    parameters: {
      ...calendarId,
      sendUpdates: {
        values: ['all', 'externalOnly', 'none'],
        description: 'Which guests of its events are told.',
      },
      ...ifMatch,
    },
  },
  'calendar.acl.list': {
    route: `GET ${one}/acl`,
    operation: 'calendarAccess',
    answer: 'Acl',
    run: run.listRules,
    description: 'Lists who may use a calendar.',
    parameters: { ...calendarId, ...page(100, 250), ...inertFlags('showDeleted'), ...syncToken },
  },
  'calendar.acl.insert': {
    route: `POST ${one}/acl`,
    operation: 'setCalendarAccess',
    body: { schema: 'AclRule', sources: { email: 'scope.value', role: 'role' } },
    answer: 'AclRule',
    run: run.insertRule,
    description: 'Gives an address a role on a calendar.',
    parameters: { ...calendarId, ...tells },
  },
  'calendar.acl.get': {
    route: `GET ${rule}`,
    operation: 'calendarAccess',
    answer: 'AclRule',
    run: run.getRule,
    description: 'Reads the role of an address.',
    parameters: ruleId,
  },
  'calendar.acl.patch': {
    route: `PATCH ${rule}`,
    operation: 'setCalendarAccess',
    body: { ...ruleBody, nullClears: true },
    answer: 'AclRule',
    run: run.setRule,
    description: 'Changes the role of an address.',
    parameters: { ...ruleId, ...tells, ...ifMatchHere },
  },
  'calendar.acl.update': {
    route: `PUT ${rule}`,
    operation: 'setCalendarAccess',
    body: ruleBody,
    answer: 'AclRule',
    run: run.setRule,
    description: 'Replaces the role of an address.',
    parameters: { ...ruleId, ...tells, ...ifMatchHere },
  },
  'calendar.acl.delete': {
    route: `DELETE ${rule}`,
    operation: 'setCalendarAccess',
    run: run.removeRule,
    description: 'Takes the role of an address away.',
    parameters: { ...ruleId, ...ifMatchHere },
  },
  'calendar.colors.get': {
    route: 'GET colors',
    operation: 'calendars',
    answer: 'Colors',
    run: run.showColors,
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
    answer: 'FreeBusyResponse',
    run: run.queryFreeBusy,
    description: 'Tells when the owners of calendars are busy.',
    parameters: {},
  },
});
