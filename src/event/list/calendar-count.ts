import { tooMany } from '../../core/fields/validate.ts';
import type { Issue } from '../../core/kernel/errors.ts';

/** So many calendars are named in one request. */
const mostCalendars = 50;

/** What is wrong with the number of calendars that a request names in `calendarIds`. */
export function countIssues(actual: number): Issue[] {
  const path = ['calendarIds'];
  const max = mostCalendars;
  if (actual === 0)
    return [
      {
        path,
        reason: 'required',
        message: `Name the calendars, 1 to ${max}.`,
        params: { min: 1, max, actual },
      },
    ];
  if (actual <= max) return [];
  const [reason, message, params] = tooMany({ entries: max, called: 'calendars' }, actual);
  return [{ path, reason, message, params }];
}
