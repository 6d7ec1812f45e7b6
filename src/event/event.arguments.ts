import { maxInt32 } from '../core/fields/values.ts';
import { addressKey } from '../core/text/email.ts';
import type { Issue } from '../core/kernel/errors.ts';
import { requestIdIssues } from '../core/kernel/request-record.ts';
import type { Presentation, Support } from './event.requests.ts';
import type { EventPatch } from './model/fields.ts';
import type { EventModel } from './model/model.ts';

/** Arguments of a request for an event beside its body. */
export interface Controls extends Support, Pick<Presentation, 'maxAttendees'> {
  readonly requestId?: string | null;
}

/** The issues of the control parameters, reported together with those of the event. */
export function argumentIssues({ maxAttendees, conferenceDataVersion, requestId }: Controls): Issue[] {
  const issues: Issue[] = requestIdIssues(requestId);
  if (typeof maxAttendees === 'number' && (maxAttendees < 1 || maxAttendees > maxInt32)) {
    issues.push({
      path: ['maxAttendees'],
      reason: 'invalid',
      message: `maxAttendees must be from 1 to ${maxInt32}.`,
      params: { min: 1, max: maxInt32, actual: maxAttendees },
    });
  }
  if (
    typeof conferenceDataVersion === 'number' &&
    conferenceDataVersion !== 0 &&
    conferenceDataVersion !== 1
  ) {
    issues.push({
      path: ['conferenceDataVersion'],
      reason: 'invalid',
      message: 'conferenceDataVersion must be 0 or 1.',
      params: { min: 0, max: 1, actual: conferenceDataVersion },
    });
  }
  return issues;
}

/** The guests of a body whose calendars are to be looked up: nobody of a list that is refused for its length. */
export function guestKeys(
  { attendees }: Pick<EventPatch, 'attendees'>,
  { field }: EventModel,
): readonly string[] {
  if (!attendees || attendees.length > (field('attendees').max?.entries ?? Infinity)) return [];
  return [
    ...new Set(
      attendees.flatMap((entry) => (typeof entry?.email === 'string' ? [addressKey(entry.email)] : [])),
    ),
  ];
}
