import { includes, isCaller, roleOn, type Viewer } from '../access/permissions.ts';
import type { AccessRole } from '../access/role.ts';
import { errorAt, errorOf, type AppError, type Path } from '../core/kernel/errors.ts';
import type { CalendarRecord, CalendarRef, EventQuery } from './event.store.ts';

/** The calendar that an argument names: `primary` is the caller's own. */
export const calendarRef = (calendarId: string, viewer: Viewer): CalendarRef =>
  calendarId === 'primary' ? { primaryOf: viewer.identity } : { id: calendarId };

export interface OpenCalendar {
  readonly calendar: CalendarRecord;
  readonly role: AccessRole;
}

/** The caller's role on the calendar that was found for a reference. */
export function roleOf(calendar: CalendarRecord | undefined, ref: CalendarRef, viewer: Viewer): AccessRole {
  const isOwn = 'id' in ref || isCaller(calendar?.owner, viewer);
  return calendar && isOwn ? roleOn(calendar, viewer) : 'none';
}

/** The calendar and the caller's role on it; one that the caller may not even read is not there. */
export function openCalendar(calendar: CalendarRecord | undefined, ref: CalendarRef, viewer: Viewer, needed: AccessRole): OpenCalendar {
  const role = roleOf(calendar, ref, viewer);
  if (!calendar || role === 'none') throw noCalendar([['calendarId']]);
  if (!includes(role, needed)) {
    throw errorAt('FORBIDDEN', ['calendarId'], 'forbidden', 'You may read this calendar, but not change its events.');
  }
  return { calendar, role };
}

/** Who asks a store for events of a calendar. */
export const asking = (role: AccessRole, { identity }: Viewer): Pick<EventQuery, 'identity' | 'seesHidden'> => ({
  identity, seesHidden: includes(role, 'writer'),
});

/** `paths`: where the request names the calendars. */
export const noCalendar = (paths: readonly Path[]): AppError =>
  errorOf('NOT_FOUND', paths.map((path) => ({ path, reason: 'notFound', message: 'There is no such calendar.' })));

export const noEvent = () => errorAt('NOT_FOUND', ['eventId'], 'notFound', 'There is no such event on this calendar.');
