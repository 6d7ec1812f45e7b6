import type { Viewer } from '../../access/permissions.ts';
import { addressKey, isEmail } from '../../core/text/email.ts';

/** The one name of a calendar: `primary` and the caller's address name the same one. Of a caller whose address is not known, `primary` has the caller's name. */
export function calendarNamed(calendarId: string, { identity }: Pick<Viewer, 'identity'>): string {
  return calendarId === 'primary' || (isEmail(identity) && addressKey(calendarId) === identity) ? identity : calendarId;
}
