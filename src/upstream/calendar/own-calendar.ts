import type { Viewer } from '../../access/permissions.ts';
import { addressKey, isEmail } from '../../core/text/email.ts';

/** The one name of a calendar: `primary` and the caller's address name the same one. Of a caller whose address is not known, `primary` has the caller's name. */
export function calendarNamed(calendarId: string, { identity }: Pick<Viewer, 'identity'>): string {
  return calendarId === 'primary' || (isEmail(identity) && addressKey(calendarId) === identity)
    ? identity
    : calendarId;
}

/** Its name as callers may use it, which a subject is not. */
export const calendarTold = (calendarId: string, viewer: Pick<Viewer, 'identity'>): string =>
  calendarId === 'primary' && !isEmail(viewer.identity) ? calendarId : calendarNamed(calendarId, viewer);
