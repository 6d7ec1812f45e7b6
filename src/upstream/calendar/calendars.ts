import { includes, type Viewer } from '../../access/permissions.ts';
import { calendarFields } from '../../calendar/calendar.fields.ts';
import type { CalendarService } from '../../calendar/calendar.service.ts';
import { type CalendarView, inOrder } from '../../calendar/calendar.view.ts';
import { AppError } from '../../core/errors.ts';
import type { FieldSelection, Selected } from '../../core/fields/table.ts';
import { nodeIdOf } from '../../core/node-id.ts';
import { isFields } from '../../core/patch.ts';
import type { RequestKey } from '../../core/runtime/limits.ts';
import { addressKey, isEmail } from '../../core/text/email.ts';
import type { Schemas } from '../../google/schemas.ts';
import { fieldsParameter, formOf, isWhole, notOffered, readFields, selectedTexts } from '../form.ts';
import { pageOf, readAs } from '../pages.ts';
import type { UpstreamCalendarParts } from './event-calls.ts';
import { inOwnWords } from './faults.ts';

/** The one name of a calendar: `primary` and the caller's address name the same one. Of a caller whose address is not known, `primary` has the caller's name. */
export function calendarNamed(calendarId: string, { identity }: Pick<Viewer, 'identity'>): string {
  return calendarId === 'primary' || (isEmail(identity) && addressKey(calendarId) === identity)
    ? identity
    : calendarId;
}

/** Its name as callers may use it, which a subject is not. */
export const calendarTold = (calendarId: string, viewer: Pick<Viewer, 'identity'>): string =>
  calendarId === 'primary' && !isEmail(viewer.identity) ? calendarId : calendarNamed(calendarId, viewer);

/** Calendars in the form that the official API gives them to a caller. */
export interface CalendarForm {
  /** Undefined for what is no calendar. */
  viewOf(json: unknown): CalendarView | undefined;
  /** Reads the calendar of a list of events from the fields around them. */
  listed(json: object, calendarId: string): CalendarView;
  /** Fields to ask for to show a selection, as the parameter `fields` has them; undefined for the whole. */
  fieldsOf(selection: FieldSelection | undefined): readonly string[] | undefined;
}

export function createCalendarForm(schemas: Schemas): CalendarForm {
  const form = formOf(calendarFields.fields, schemas, schemas.CalendarListEntry ?? {});

  const viewAs = (json: object, id: string): CalendarView => {
    const {
      etag = '',
      summary = id,
      timeZone = 'UTC',
      accessRole,
      primary = false,
      backgroundColor,
      defaultReminders,
      ...rest
    } = readFields(form, json as Readonly<Record<string, unknown>>) as Partial<CalendarView>;
    const role = roles[String(accessRole)] ?? 'freeBusyReader';
    return {
      ...rest,
      kind: 'calendar#calendar',
      etag,
      nodeId: nodeIdOf('calendar', id),
      id,
      summary,
      timeZone,
      accessRole: role,
      primary,
      ...(backgroundColor !== undefined && { backgroundColor: backgroundColor.toLowerCase() }),
      ...(includes(role, 'writer') && {
        defaultReminders: (defaultReminders ?? []).filter(
          ({ method, minutes }) => method !== undefined && minutes !== undefined,
        ),
      }),
    };
  };

  return {
    viewOf: (json) => (isFields(json) && typeof json.id === 'string' ? viewAs(json, json.id) : undefined),
    listed: viewAs,
    fieldsOf(selection) {
      if (!selection || isWhole(selection)) return undefined;
      // Calendars are put in order, and a caller's role decides what is shown.
      return [...new Set(['id', 'accessRole', 'primary', ...selectedTexts(form, selection)])];
    },
  };
}

/** The roles of the official API; who has another one sees the least. */
const roles: Readonly<Record<string, CalendarView['accessRole']>> = {
  freeBusyReader: 'freeBusyReader',
  reader: 'reader',
  writer: 'writer',
  writerWithoutPrivateAccess: 'writer',
  owner: 'owner',
};

/** So many calendars a page may have, and so many pages are read. */
const [mostOnPage, mostPages] = [250, 40];

/** Reads the calendars on the caller's list. */
function createCalendarReads({
  client,
  schemas,
}: Pick<UpstreamCalendarParts, 'client' | 'schemas'>): Pick<
  CalendarService,
  'listCalendars' | 'getCalendar'
> {
  const form = createCalendarForm(schemas);

  async function listCalendars(
    viewer: Viewer,
    request: RequestKey,
    selected?: Selected,
  ): Promise<readonly CalendarView[]> {
    const items = form.fieldsOf(selected?.());
    const fields = items && fieldsParameter(['nextPageToken', `items(${items.join(',')})`]);
    const views: CalendarView[] = [];
    let pageToken: string | undefined;
    for (let count = 0; count < mostPages; count += 1) {
      const json = await readAs(viewer, client, request, {
        method: 'calendarList.list',
        path: ['users', 'me', 'calendarList'],
        query: { maxResults: mostOnPage, pageToken, fields },
      }).catch(inOwnWords({ calendarAt: [[]] }));
      const { items: found, next } = pageOf(json, (item) => form.viewOf(item));
      views.push(...found);
      if (next === undefined) return views.sort(inOrder);
      if (next === pageToken) break;
      pageToken = next;
    }
    throw new AppError(
      'UNAVAILABLE',
      'backendError',
      'The calendar service gave a list of calendars without an end. Try again later.',
    );
  }

  async function getCalendar(
    viewer: Viewer,
    { calendarId }: { readonly calendarId: string },
    request: RequestKey,
    selected?: Selected,
  ): Promise<CalendarView> {
    const fields = form.fieldsOf(selected?.());
    const json = await readAs(viewer, client, request, {
      method: 'calendarList.get',
      path: ['users', 'me', 'calendarList', calendarId],
      query: { fields: fields && fieldsParameter(fields) },
    }).catch(inOwnWords());
    const view = form.viewOf(json);
    if (!view)
      throw new AppError(
        'UNAVAILABLE',
        'backendError',
        'The calendar service answered with something that is no calendar.',
      );
    return view;
  }

  return { listCalendars, getCalendar };
}

/** Calendars of the official API. They are made, shared and deleted there. */
export function createUpstreamCalendarService(
  parts: Pick<UpstreamCalendarParts, 'client' | 'schemas'>,
): CalendarService {
  return {
    // Everybody has one there.
    ensurePrimary: () => undefined,
    ...createCalendarReads(parts),
    insertCalendar: notOffered,
    patchCalendar: notOffered,
    deleteCalendar: notOffered,
    listAccess: notOffered,
    setAccess: notOffered,
  };
}
