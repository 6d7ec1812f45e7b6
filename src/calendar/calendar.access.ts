import { type AccessRole, includes, isCaller, roleOn, type Viewer } from '../access/permissions.ts';
import {
  errorAt,
  errorOf,
  invalidInput,
  type AppError,
  type Issue,
  type Path,
} from '../core/kernel/errors.ts';
import { addressKey } from '../core/text/email.ts';
import type { CalendarRecord, CalendarRef } from './calendar.ts';

/** The calendar that an argument names: `primary` is the caller's own. */
export const calendarRef = (calendarId: string, viewer: Viewer): CalendarRef =>
  calendarId === 'primary' ? { primaryOf: viewer.identity } : { id: calendarId };

/**
 * Converts a calendar id to lower case (ASCII letters only), to look again if the id as given names no calendar that the
 * caller may read. Undefined if that gives the same id.
 */
export function otherSpelling(calendarId: string): string | undefined {
  const key = addressKey(calendarId);
  return key === calendarId ? undefined : key;
}

/** A calendar, and the caller's role on it. */
export interface OpenCalendar {
  readonly calendar: CalendarRecord;
  readonly role: AccessRole;
}

/** The caller's role on the calendar that was found for a reference. */
export function roleOf(calendar: CalendarRecord | undefined, ref: CalendarRef, viewer: Viewer): AccessRole {
  const isOwn = 'id' in ref || isCaller(calendar?.owner, viewer);
  return calendar && isOwn ? roleOn(calendar, viewer) : 'none';
}

/**
 * The calendar that was found for a reference, with the caller's role on it. Throws NOT_FOUND for a calendar that the
 * caller may not even read, FORBIDDEN for a role below `needed`.
 */
export function openCalendar(
  calendar: CalendarRecord | undefined,
  ref: CalendarRef,
  viewer: Viewer,
  needed: AccessRole,
): OpenCalendar {
  const role = roleOf(calendar, ref, viewer);
  if (!calendar || role === 'none') throw noCalendar([['calendarId']]);
  if (!includes(role, needed)) {
    throw errorAt(
      'FORBIDDEN',
      ['calendarId'],
      'forbidden',
      'You may read this calendar, but not change its events.',
    );
  }
  return { calendar, role };
}

/** What stands against a change by a caller who does not administer the calendar. */
export const ownersOnly = (calendar: CalendarRecord, viewer: Viewer): Issue[] =>
  roleOn(calendar, viewer) === 'owner'
    ? []
    : [
        {
          path: ['calendarId'],
          reason: 'forbidden',
          message: 'Only owners of this calendar may change it, and see who may use it.',
        },
      ];

/** Throws FORBIDDEN for refusals, with all other issues, and BAD_USER_INPUT for these alone. */
export function requireAllowed(refusals: readonly Issue[], issues: readonly Issue[] = []): void {
  if (refusals.length > 0) throw errorOf('FORBIDDEN', [...refusals, ...issues]);
  if (issues.length > 0) throw invalidInput(issues);
}

/** `paths`: where the request names the calendars. */
export const noCalendar = (paths: readonly Path[]): AppError =>
  errorOf(
    'NOT_FOUND',
    paths.map((path) => ({ path, reason: 'notFound', message: 'There is no such calendar.' })),
  );
