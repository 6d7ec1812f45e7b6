import { emailKey } from '../core/email.ts';
import { errorAt, type Issue } from '../core/errors.ts';
import { withoutNulls } from '../core/patch.ts';
import type { CalendarRecord } from './event.store.ts';
import type { EventCopy, EventRecord } from './event.record.ts';
import type { EventPatch } from './event.ts';
import { instantOf, kindOf, type EventTime } from './time.ts';

/**
 * The rules for an event that is an instance of a recurring one (event resource, section 2): the parent is shown on the
 * same calendar and recurs, the time it takes the place of is given, and it shares the parent's iCalUID.
 */
export function instanceIssues(body: EventPatch, parent: EventRecord | undefined, calendar: CalendarRecord): Issue[] {
  const issues: Issue[] = [];
  const original = withoutNulls(body.originalStartTime ?? {}) as EventTime;
  const isGiven = Object.keys(original).length > 0;
  if (typeof body.recurringEventId !== 'string') {
    if (isGiven) {
      issues.push({
        path: ['event', 'originalStartTime'],
        reason: 'invalid',
        message: 'originalStartTime goes with recurringEventId: it tells which instance of a recurring event this is.',
      });
    }
    return issues;
  }
  const series = parent && isShown(parent, calendar) && (parent.core.recurrence ?? []).length > 0 ? parent : undefined;
  if (!series) {
    issues.push({
      path: ['event', 'recurringEventId'],
      reason: 'invalid',
      message: 'recurringEventId must be the id of a recurring event on the same calendar that is not cancelled.',
    });
  }
  const organizer = series?.core.organizer?.email;
  if (series && organizer !== undefined && emailKey(organizer) !== emailKey(calendar.owner) && !series.core.guestsCanModify) {
    const message = 'Only the organizer of a recurring event can add to it, unless guestsCanModify is true.';
    throw errorAt('FORBIDDEN', ['event', 'recurringEventId'], 'forbiddenForNonOrganizer', message);
  }
  const [kind, needed] = [kindOf(original), kindOf(series?.core.start)];
  if (!isGiven) {
    issues.push({
      path: ['event', 'originalStartTime'],
      reason: 'required',
      message: 'originalStartTime is required for an instance: the start it has in the recurring event.',
    });
  } else if (kind && needed && kind !== needed) {
    const message = `originalStartTime must have a ${needed}, as the start of the recurring event has.`;
    issues.push({ path: ['event', 'originalStartTime'], reason: 'invalid', message });
  }
  if (parent && typeof body.iCalUID === 'string' && body.iCalUID !== parent.core.iCalUID) {
    issues.push({
      path: ['event', 'iCalUID'],
      reason: 'invalid',
      message: 'All instances of a recurring event share its iCalUID: leave it out.',
    });
  }
  return issues;
}

const isShown = ({ core, copies }: EventRecord, { id }: CalendarRecord): boolean =>
  core.status !== 'cancelled' && copies[id]?.state === 'present';

/**
 * The id of an instance that chooses none: the parent's and the original start, so that it is not made twice.
 */
export function instanceId(parent: EventRecord, calendar: CalendarRecord, body: EventPatch): string | undefined {
  const time = body.originalStartTime;
  if (!time) return undefined;
  const parentId = (parent.copies[calendar.id] as EventCopy).id;
  if (time.date) return `${parentId}_${time.date.replaceAll('-', '')}`;
  const instant = instantOf(withoutNulls(time) as EventTime, calendar.timeZone);
  if (instant === null) return undefined;
  return `${parentId}_${new Date(instant).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
}
