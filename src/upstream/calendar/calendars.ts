import { includesRole, type Viewer } from '../../access/permissions.ts';
import { calendarFields } from '../../calendar/calendar.fields.ts';
import type { CalendarService } from '../../calendar/calendar.service.ts';
import { type CalendarView, compareCalendars } from '../../calendar/calendar.view.ts';
import { serviceUnavailableError } from '../../core/errors.ts';
import type { FieldSelection } from '../../core/fields/table.ts';
import { nodeIdOf } from '../../core/ids.ts';
import { type Fields, isFields } from '../../core/json.ts';
import { addressKey, isEmail } from '../../core/text/email.ts';
import type { EventTools } from '../../event/event.tools.ts';
import type { Schemas } from '../../google/schemas.ts';
import type { UpstreamClient } from '../client/http-exchange.ts';
import { rejectNotOffered } from '../errors.ts';
import { formatFields, formatFieldsParameter, createFieldMappings, readFields } from '../field-mappings.ts';
import { parsePage } from '../pages.ts';
import { rethrowReadError } from './refusal-errors.ts';

/** Collaborators and settings of the services for calendars and events. */
export interface CalendarDependencies {
  readonly client: UpstreamClient;
  readonly schemas: Schemas;
  readonly tools: EventTools;
  /** Interval at which calendars are polled while streams follow them. */
  readonly pollSeconds: number;
}

/** Path of the events of a calendar, or of one of them. */
export const toEventPath = (calendarId: string, ...path: readonly string[]): readonly string[] => [
  'calendars',
  calendarId,
  'events',
  ...path,
];

/** Returns the one id of a calendar with several names: for `primary` and the caller's address, the caller's identity. */
export function toCanonicalId(calendarId: string, { identity }: Pick<Viewer, 'identity'>): string {
  return calendarId === 'primary' || (isEmail(identity) && addressKey(calendarId) === identity)
    ? identity
    : calendarId;
}

/** Returns the canonical id as callers may use it: `primary` instead of an identity that is no address. */
export const toPublicCalendarId = (calendarId: string, viewer: Pick<Viewer, 'identity'>): string =>
  calendarId === 'primary' && !isEmail(viewer.identity) ? calendarId : toCanonicalId(calendarId, viewer);

/** Creates the converter of calendars of the official API, and of selections to its parameter `fields`. */
export function createCalendarConverter(schemas: Schemas) {
  const mappings = createFieldMappings(calendarFields.fields, schemas, schemas.CalendarListEntry ?? {});

  const toCalendarView = (json: object, id: string): CalendarView => {
    const {
      etag = '',
      summary = id,
      timeZone = 'UTC',
      accessRole,
      primary = false,
      backgroundColor,
      defaultReminders,
      ...otherFields
    } = readFields(mappings, json as Fields) as Partial<CalendarView>;
    const role = rolesByOfficialRole[String(accessRole)] ?? 'freeBusyReader';
    return {
      ...otherFields,
      kind: 'calendar#calendar',
      etag,
      nodeId: nodeIdOf('calendar', id),
      id,
      summary,
      timeZone,
      accessRole: role,
      primary,
      ...(backgroundColor !== undefined && { backgroundColor: backgroundColor.toLowerCase() }),
      ...(includesRole(role, 'writer') && {
        defaultReminders: (defaultReminders ?? []).filter(
          ({ method, minutes }) => method !== undefined && minutes !== undefined,
        ),
      }),
    };
  };

  return {
    /** Converts a calendar; undefined if it is no valid one. */
    viewOf: (json: unknown): CalendarView | undefined =>
      isFields(json) && typeof json.id === 'string' ? toCalendarView(json, json.id) : undefined,
    /** Reads the calendar from the fields of a list of its events. */
    viewOfList: toCalendarView,
    /** Entries of the parameter `fields` for a selection; undefined for all fields. */
    formatFields: (selection: FieldSelection | undefined): readonly string[] | undefined =>
      // Sorting needs `id` and `primary`; visibility needs `accessRole`.
      formatFields(mappings, selection, ['id', 'accessRole', 'primary']),
  };
}

/** Roles of the official API; unknown ones count as `freeBusyReader`. */
const rolesByOfficialRole: Readonly<Record<string, CalendarView['accessRole']>> = {
  freeBusyReader: 'freeBusyReader',
  reader: 'reader',
  writer: 'writer',
  writerWithoutPrivateAccess: 'writer',
  owner: 'owner',
};

/** Maximum number of entries of a page (Google's limit), and of pages of a list. */
const [maxPageSize, maxPages] = [250, 40];

/** Creates the service that reads the caller's calendar list in the official API. Writes are not offered. */
export function createUpstreamCalendarService({
  client,
  schemas,
}: Pick<CalendarDependencies, 'client' | 'schemas'>): CalendarService {
  const calendarConverter = createCalendarConverter(schemas);

  const listCalendars: CalendarService['listCalendars'] = async (viewer, request, selected) => {
    const itemFields = calendarConverter.formatFields(selected?.());
    const fields = itemFields && formatFieldsParameter(['nextPageToken', `items(${itemFields.join(',')})`]);
    const views: CalendarView[] = [];
    let pageToken: string | undefined;
    for (let pageCount = 0; pageCount < maxPages; pageCount += 1) {
      const call = {
        apiMethod: 'calendarList.list',
        path: ['users', 'me', 'calendarList'],
        query: { maxResults: maxPageSize, pageToken, fields },
      } as const;
      const json = await client
        .call(call, { viewer, request })
        .catch(rethrowReadError({ calendarPaths: [[]] }));
      const { items: pageViews, nextToken } = parsePage(json, (item) => calendarConverter.viewOf(item));
      views.push(...pageViews);
      if (nextToken === undefined) return views.sort(compareCalendars);
      if (nextToken === pageToken) break;
      pageToken = nextToken;
    }
    throw serviceUnavailableError(
      'The calendar service returned an endless list of calendars. Try again later.',
    );
  };

  const getCalendar: CalendarService['getCalendar'] = async (viewer, { calendarId }, request, selected) => {
    const fields = calendarConverter.formatFields(selected?.());
    const call = {
      apiMethod: 'calendarList.get',
      path: ['users', 'me', 'calendarList', calendarId],
      query: { fields: formatFieldsParameter(fields) },
    } as const;
    const json = await client.call(call, { viewer, request }).catch(rethrowReadError());
    const view = calendarConverter.viewOf(json);
    if (!view) throw serviceUnavailableError('The calendar service did not return a calendar.');
    return view;
  };

  return {
    // Every Google account has a primary calendar.
    ensurePrimary: () => undefined,
    listCalendars,
    getCalendar,
    insertCalendar: rejectNotOffered,
    patchCalendar: rejectNotOffered,
    resetFeed: rejectNotOffered,
    deleteCalendar: rejectNotOffered,
    listAccess: rejectNotOffered,
    setAccess: rejectNotOffered,
  };
}
