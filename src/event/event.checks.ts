import { isDeepStrictEqual } from 'node:util';
import type { Issue } from '../core/errors.ts';
import { issuesOf } from '../core/input.ts';
import { isFields } from '../core/patch.ts';
import { duplicateIssues } from './attendees.ts';
import { eventBody, type EventBody } from './event.ts';
import { extendedPropertyIssues } from './extended-properties.ts';
import { checkRecurrence } from './recurrence.ts';
import { reminderIssues } from './reminders.ts';
import { checkTimes } from './time.ts';

/** A rule over several fields: it is checked when the change touches one of them. */
interface EventCheck {
  readonly touches: readonly (keyof EventBody)[];
  readonly check: (after: EventBody, before: EventBody, zone: string) => Issue[];
}

const checks: readonly EventCheck[] = [
  {
    touches: ['start', 'end', 'recurrence', 'originalStartTime', 'endTimeUnspecified'],
    check: (after, _before, zone) => checkTimes(after, zone),
  },
  {
    touches: ['recurrence', 'start', 'recurringEventId'],
    check: (after) => checkRecurrence(after.recurrence ?? [], after.start, after.recurringEventId !== undefined),
  },
  { touches: ['attendees'], check: (after) => duplicateIssues(after.attendees ?? []) },
  { touches: ['extendedProperties'], check: (after) => extendedPropertyIssues(after.extendedProperties) },
  { touches: ['reminders'], check: (after) => reminderIssues(after.reminders) },
  { touches: ['sequence'], check: (after, before) => sequenceIssues(after.sequence ?? 0, before.sequence ?? 0) },
];

/**
 * Every rule a changed event breaks, all at once, with paths that start at the event's own field.
 * Only what the change touches is judged: an old oddity elsewhere never stands in the way.
 */
export function checkEvent(after: EventBody, before: EventBody, zone: string): Issue[] {
  const shape = issuesOf(eventBody, after).filter((issue) => isTouched(issue, after, before));
  const isNew = Object.keys(before).length === 0;
  const across = checks.flatMap(({ touches, check }) =>
    isNew || touches.some((field) => !isDeepStrictEqual(after[field], before[field])) ? check(after, before, zone) : [],
  );
  return [...shape, ...across];
}

/** True unless the value an issue speaks of, or the entry that lacks it, stood there before just so. */
function isTouched(issue: Issue, after: unknown, before: unknown): boolean {
  let now = after;
  let then = before;
  for (const step of issue.path) {
    const next = at(now, step);
    if (next === undefined) break;
    now = next;
    then = at(then, step);
  }
  return !isDeepStrictEqual(now, then);
}

function at(value: unknown, step: string | number): unknown {
  if (Array.isArray(value)) return value[step as number] as unknown;
  return isFields(value) ? value[step] : undefined;
}

function sequenceIssues(after: number, before: number): Issue[] {
  if (after >= before) return [];
  const message = `sequence must not go back: the stored one is ${before}. Leave it out, or send ${before} or more.`;
  return [{ path: ['sequence'], reason: 'invalid', message }];
}
