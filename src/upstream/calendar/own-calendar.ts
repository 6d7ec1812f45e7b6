import type { Viewer } from '../../access/permissions.ts';
import { addressKey, isEmail } from '../../core/text/email.ts';

/** The one name of a calendar: `primary` and the caller's address name the same one, by the address where that is known. */
export function calendarNamed(calendarId: string, { identity }: Pick<Viewer, 'identity'>): string {
  if (!isEmail(identity)) return calendarId;
  return calendarId === 'primary' || addressKey(calendarId) === identity ? identity : calendarId;
}
