import type { Issue } from '../core/errors.ts';
import type { CalendarRecord } from '../core/store.ts';
import type { EventRecord } from './event.record.ts';
import type { EventPatch } from './event.ts';
import { instantOf, type EventTime } from './time.ts';

/**
 * The rules for an event that is an instance of a recurring one (event resource, section 2): the parent is on the same
 * calendar and recurs, the time it takes the place of is given, and it shares the parent's iCalUID.
 */
export function instanceIssues(body: EventPatch, parent: EventRecord | undefined, calendar: CalendarRecord): Issue[] {
  const issues: Issue[] = [];
  if (typeof body.recurringEventId !== 'string') {
    if (body.originalStartTime) {
      issues.push({
        path: ['event', 'originalStartTime'],
        reason: 'invalid',
        message: 'originalStartTime goes with recurringEventId: it tells which instance of a recurring event this is.',
      });
    }
    return issues;
  }
  if (!parent || !parent.copies[calendar.id] || (parent.core.recurrence ?? []).length === 0) {
    issues.push({
      path: ['event', 'recurringEventId'],
      reason: 'invalid',
      message: 'recurringEventId must be the id of a recurring event on the same calendar.',
    });
  }
  if (!body.originalStartTime) {
    issues.push({
      path: ['event', 'originalStartTime'],
      reason: 'required',
      message: 'originalStartTime is required for an instance: the start it has in the recurring event.',
    });
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

/** The id of an instance: the parent's and the original start, so that each instance can exist once only. */
export function instanceId(parent: EventRecord, calendar: CalendarRecord, body: EventPatch): string | undefined {
  const time = body.originalStartTime as EventTime | null | undefined;
  const parentId = parent.copies[calendar.id]?.id;
  if (!time || parentId === undefined) return undefined;
  if (time.date) return `${parentId}_${time.date.replaceAll('-', '')}`;
  const instant = instantOf(withoutNullFields(time), calendar.timeZone);
  if (instant === null) return undefined;
  return `${parentId}_${new Date(instant).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
}

const withoutNullFields = (time: EventTime): EventTime =>
  Object.fromEntries(Object.entries(time).filter(([, value]) => value !== null));
