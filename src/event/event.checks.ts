import { isDeepStrictEqual } from 'node:util';
import type { Issue } from '../core/errors.ts';
import { issuesOf } from '../core/input.ts';
import type { EntryKeys } from '../core/rules.ts';
import { duplicateIssues } from './attendees.ts';
import { eventEntryKeys } from './event.rules.ts';
import { eventBody, type EventBody } from './event.ts';
import { extendedPropertyIssues } from './extended-properties.ts';
import { checkRecurrence } from './recurrence.ts';
import { reminderIssues } from './reminders.ts';
import { checkTimes, kindOf } from './time.ts';

/** A rule over several fields: it is checked when the change touches what it speaks of. */
interface EventCheck {
  readonly isTouched: (after: EventBody, before: EventBody) => boolean;
  readonly check: (after: EventBody, before: EventBody, zone: string) => Issue[];
}

const touches =
  (...fields: (keyof EventBody)[]): EventCheck['isTouched'] =>
  (after, before) =>
    fields.some((field) => !isDeepStrictEqual(after[field], before[field]));

const isOriginalStart = ({ path }: Issue): boolean => path[0] === 'originalStartTime';

const checks: readonly EventCheck[] = [
  {
    isTouched: touches('start', 'end', 'recurrence'),
    check: (after, _before, zone) => checkTimes(after, zone).filter((issue) => !isOriginalStart(issue)),
  },
  {
    isTouched: touches('originalStartTime'),
    check: (after, _before, zone) => checkTimes(after, zone).filter(isOriginalStart),
  },
  {
    // Of the start only its kind matters to the lines.
    isTouched: (after, before) => touches('recurrence')(after, before) || kindOf(after.start) !== kindOf(before.start),
    check: (after) => checkRecurrence(after.recurrence ?? [], after.start, after.recurringEventId !== undefined),
  },
  {
    isTouched: touches('attendees'),
    check: (after, before) => duplicateIssues(after.attendees ?? [], before.attendees ?? []),
  },
  {
    isTouched: touches('extendedProperties'),
    check: (after, before) => extendedPropertyIssues(after.extendedProperties, before.extendedProperties),
  },
  { isTouched: touches('reminders'), check: (after) => reminderIssues(after.reminders) },
  { isTouched: touches('sequence'), check: (after, before) => sequenceIssues(after.sequence ?? 0, before.sequence ?? 0) },
];

/**
 * Every rule a changed event breaks, all at once, with paths that start at the event's own field.
 * Only what the change touches is judged: an old oddity elsewhere never stands in the way.
 */
export function checkEvent(after: EventBody, before: EventBody, zone: string): Issue[] {
  const shape = issuesOf(eventBody, after).filter((issue) => isNew(issue, after, before));
  const creating = Object.keys(before).length === 0;
  const across = checks.flatMap(({ isTouched, check }) => {
    const found = creating || isTouched(after, before) ? check(after, before, zone) : [];
    const suspects = found.filter((issue) => !speaksOfWhole(issue) && !isNew(issue, after, before));
    if (suspects.length === 0) return found;
    const old = check(before, before, zone);
    return found.filter((issue) => !suspects.includes(issue) || !old.some((other) => isDeepStrictEqual(other, issue)));
  });
  return [...shape, ...across];
}

/** A rule over a field as a whole: it is broken anew by whatever touches the field and does not mend it. */
const speaksOfWhole = ({ path }: Issue): boolean => path.length === 1;

/** True unless the value an issue speaks of, or the entry that lacks it, stood there before just so. */
function isNew(issue: Issue, after: unknown, before: unknown): boolean {
  let now = after;
  let then = before;
  for (const [index, step] of issue.path.entries()) {
    const next = at(now, step);
    const list = `${issue.path.slice(0, index).join('.')}[]`;
    then = Array.isArray(now) ? storedEntry(then, next, step, eventEntryKeys[list]) : at(then, step);
    if (then === undefined && next !== undefined) return true;
    now = next;
  }
  return !isDeepStrictEqual(now, then);
}

/** What an entry of a list was before: the same entry wherever it stood, else the one with its key, else at its index. */
function storedEntry(list: unknown, entry: unknown, index: string | number, keyOf: EntryKeys[string] | undefined): unknown {
  const stored = list as readonly Fields[];
  const key = keyOf?.(entry as Fields);
  const alike = (): unknown => (key === undefined ? undefined : stored.find((other) => keyOf?.(other) === key));
  return stored.find((other) => isDeepStrictEqual(other, entry)) ?? alike() ?? at(list, index);
}

type Fields = Readonly<Record<string | number, unknown>>;

const at = (value: unknown, step: string | number): unknown => (value as Fields | undefined)?.[step];

function sequenceIssues(after: number, before: number): Issue[] {
  // A negative one is refused for what it is.
  if (after >= before || after < 0) return [];
  const message = `sequence must not go back: the stored one is ${before}. Leave it out, or send ${before} or more.`;
  return [{ path: ['sequence'], reason: 'invalid', message }];
}
