import type { MethodRow, Parameters } from '../method.ts';
import { getRule, insertRule, listRules, removeRule, setRule } from '../run/acl.ts';
import { listCalendars, queryFreeBusy, showColors } from '../run/calendars.ts';
import { calendarId, ifMatch, ifMatchHere, inertFlags, page, requestId, ruleId, validateOnly } from './parameters.ts';

const one = 'calendars/{calendarId}';
const rule = `${one}/acl/{ruleId}`;
const body = { schema: 'Calendar', argument: 'calendar' } as const;
const tells = inertFlags('sendNotifications');
const syncToken: Parameters = { syncToken: { in: 'query', type: 'string', argument: null, description: 'None is given out: each is answered with 410.' } };
const ruleBody = { schema: 'AclRule', sources: { role: 'role' } } as const;

export const calendarMethods: readonly MethodRow[] = [
  {
    id: 'calendar.calendarList.list', verb: 'GET', path: 'users/me/calendarList', operation: 'calendars', answer: 'CalendarList', run: listCalendars,
    description: 'Lists the calendars that the caller may see.',
    parameters: {
      ...page(100, 250),
      minAccessRole: { in: 'query', type: 'string', argument: null, values: ['freeBusyReader', 'owner', 'reader', 'writer'], description: 'Only calendars on which the caller has this role, or a stronger one.' },
      ...inertFlags('showDeleted', 'showHidden'), ...syncToken,
    },
  },
  {
    id: 'calendar.calendarList.get', verb: 'GET', path: 'users/me/calendarList/{calendarId}', operation: 'calendar', answer: 'CalendarListEntry',
    // The etag is the calendar's, and the same for all: the caller's role is no part of it.
    unconditional: true, description: 'Reads a calendar of the list.', parameters: calendarId,
  },
  {
    id: 'calendar.calendars.get', verb: 'GET', path: one, operation: 'calendar', answer: 'Calendar',
    description: 'Reads a calendar.', parameters: calendarId,
  },
  {
    id: 'calendar.calendars.insert', verb: 'POST', path: 'calendars', operation: 'insertCalendar', body, answer: 'Calendar',
    description: 'Makes a calendar.', parameters: { ...validateOnly, ...requestId },
  },
  {
    id: 'calendar.calendars.patch', verb: 'PATCH', path: one, operation: 'patchCalendar', body: { ...body, nullClears: true }, answer: 'Calendar',
    description: 'Changes parts of a calendar.', parameters: { ...calendarId, ...validateOnly, ...ifMatch },
  },
  {
    // A calendar always has a time zone: one that is left out stays.
    id: 'calendar.calendars.update', verb: 'PUT', path: one, operation: 'patchCalendar', body: { ...body, clears: ['summary', 'description', 'location'] }, answer: 'Calendar',
    description: 'Replaces what the caller may change of a calendar.', parameters: { ...calendarId, ...validateOnly, ...ifMatch },
  },
  {
    id: 'calendar.calendars.delete', verb: 'DELETE', path: one, operation: 'deleteCalendar',
    description: 'Deletes a calendar.',
    parameters: { ...calendarId, sendUpdates: { in: 'query', type: 'string', values: ['all', 'externalOnly', 'none'], description: 'Which guests of its events are told.' }, ...ifMatch },
  },
  {
    id: 'calendar.acl.list', verb: 'GET', path: `${one}/acl`, operation: 'calendarAccess', answer: 'Acl', run: listRules,
    description: 'Lists who may use a calendar.',
    parameters: { ...calendarId, ...page(100, 250), ...inertFlags('showDeleted'), ...syncToken },
  },
  {
    id: 'calendar.acl.insert', verb: 'POST', path: `${one}/acl`, operation: 'setCalendarAccess', body: { schema: 'AclRule', sources: { email: 'scope.value', role: 'role' } }, answer: 'AclRule', run: insertRule,
    description: 'Gives an address a role on a calendar.', parameters: { ...calendarId, ...tells },
  },
  {
    id: 'calendar.acl.get', verb: 'GET', path: rule, operation: 'calendarAccess', answer: 'AclRule', run: getRule,
    description: 'Reads the role of an address.', parameters: ruleId,
  },
  {
    id: 'calendar.acl.patch', verb: 'PATCH', path: rule, operation: 'setCalendarAccess', body: { ...ruleBody, nullClears: true }, answer: 'AclRule', run: setRule,
    description: 'Changes the role of an address.', parameters: { ...ruleId, ...tells, ...ifMatchHere },
  },
  {
    id: 'calendar.acl.update', verb: 'PUT', path: rule, operation: 'setCalendarAccess', body: ruleBody, answer: 'AclRule', run: setRule,
    description: 'Replaces the role of an address.', parameters: { ...ruleId, ...tells, ...ifMatchHere },
  },
  {
    id: 'calendar.acl.delete', verb: 'DELETE', path: rule, operation: 'setCalendarAccess', run: removeRule,
    description: 'Takes the role of an address away.', parameters: { ...ruleId, ...ifMatchHere },
  },
  {
    id: 'calendar.colors.get', verb: 'GET', path: 'colors', operation: 'calendars', answer: 'Colors', run: showColors,
    description: 'Reads the colours of events.', parameters: {},
  },
  {
    id: 'calendar.freebusy.query', verb: 'POST', path: 'freeBusy', operation: 'freeBusy', scopesOf: 'calendars', body: { schema: 'FreeBusyRequest', sources: { timeMin: 'timeMin', timeMax: 'timeMax', timeZone: 'timeZone', calendarIds: 'items.*.id' } }, answer: 'FreeBusyResponse', run: queryFreeBusy,
    description: 'Tells when the owners of calendars are busy.', parameters: {},
  },
];
