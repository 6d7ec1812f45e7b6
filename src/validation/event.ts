import * as z from 'zod/mini';
import type { Issue } from '../core/errors.ts';
import { coercionError } from '../core/fields/leaves.ts';
import { withoutNulls } from '../core/patch.ts';
import { Report } from '../core/report.ts';
import { withGuestList } from '../event/attendees/changes.ts';
import type { ConferenceMaker } from '../event/conference/create.ts';
import { type Draft, openDraft } from '../event/draft.ts';
import type { AttendeeChanges } from '../event/event.requests.ts';
import { type EventBody, eventFields, type EventPatch } from '../event/model/fields.ts';
import { compileModel } from '../event/model/model.ts';
import { type EventCopy, type EventRecord, noParts } from '../event/model/record.ts';
import type { EventContext } from '../event/visibility/event-context.ts';
import type { EventView } from '../event/visibility/event-view.ts';
import { check, checkIdentity } from '../event/write/check.ts';
import { bodyIssues, normalize } from '../event/write/normalize.ts';
import { merge } from '../event/write/merge.ts';
import { withoutClocks } from '../recurrence/stored-lines.ts';
import { coerceInput } from './coerce-input.ts';

// Without compiled functions, which a strict content security policy would report.
z.config({ jitless: true });

export interface EventIssuesOptions {
  /** True for a patch (absent fields stay, null clears), false for a whole event to insert. */
  readonly patch?: boolean;
  /** The event as it was read, whole or in part: the base of a patch. */
  readonly seen?: object | null;
  /** The time zone of the calendar, named by some messages. */
  readonly timeZone?: string;
  /** The argument of the request; false ignores attachments, as the server does. Default: true. */
  readonly supportsAttachments?: boolean;
  /** The argument of the request; 0 ignores conference data, as the server does. Default: 1. */
  readonly conferenceDataVersion?: 0 | 1;
}

const model = compileModel(eventFields);

/**
 * The issues that the server finds in a body alone, or in a change of an event: the same paths (from the argument on:
 * `["event", …]`), reasons, messages and params. Rights of callers, other events and guests' calendars are for the server.
 */
export function eventIssues(body: unknown, options: EventIssuesOptions = {}): Issue[] {
  const { value, issues } = coerceInput(body, 'event', 'EventInput!');
  const report = new Report(issues);
  if (value === coercionError || report.isFull()) return report.issues;
  const fitting = value as EventPatch;
  // Only the server knows what an instance inherits from its series, and the event behind a patch without `seen`.
  const alone = options.patch ? !options.seen : typeof fitting.recurringEventId === 'string';
  if (issues.length === 0) return alone ? bodyIssues(model, fitting) : draftIssues(fitting, options);
  report.addRuleIssues(bodyIssues(model, fitting), alone ? undefined : partIssues(fitting, options));
  return report.issues;
}

/** The issues of a body without the values that do not fit. Undefined where a gap in a list makes a rule throw. */
function partIssues(fitting: EventPatch, options: EventIssuesOptions): Issue[] | undefined {
  try {
    return draftIssues(fitting, options);
  } catch {
    return undefined;
  }
}

/** Runs the steps of a write that do not depend on the caller. */
export function draftIssues(
  body: EventPatch,
  options: EventIssuesOptions,
  changes?: AttendeeChanges | null,
): Issue[] {
  const draft = draftOf(body, options, changes);
  if (draft.creating) checkIdentity(draft);
  normalize(draft);
  merge(draft);
  check(draft);
  return draft.report.issues;
}

function draftOf(
  body: EventPatch,
  { patch = false, seen, timeZone = '', ...support }: EventIssuesOptions,
  changes: AttendeeChanges | null | undefined,
): Draft {
  const shown = (withoutNulls(seen) ?? {}) as EventBody;
  const parts = patch ? model.split(stored(shown)) : noParts;
  const copy = { state: 'present' } as EventCopy;
  // The organizer's own copy: rights are not checked here.
  const context = {
    model,
    parts,
    copy,
    identity: '',
    owner: '',
    organizer: '',
    asOrganizer: true,
    record: { core: parts.core, copies: {} } as Partial<EventRecord>,
    calendar: { timeZone },
  } as EventContext;
  return openDraft(
    {
      context,
      creating: !patch,
      ...withGuestList(body, changes, { context, seen: shown }),
      support: { supportsAttachments: true, conferenceDataVersion: 1, ...support },
      guestCalendars: new Map(),
      times: withoutClocks,
      conference,
    },
    { ...shown } as EventView,
  );
}

/** Without default reminders: they are shown on events, but belong to the calendar. */
const stored = ({ reminders, ...event }: EventBody): EventBody =>
  reminders?.useDefault === true ? event : { ...event, reminders };

/** Creates nothing: the rules do not look at created conferences. */
const conference = (): ConferenceMaker => ({
  isSigned: ({ signature }) => signature !== undefined,
  sign: () => '',
  create: () => ({ conference: {}, callLink: '' }),
});

/**
 * The issues that the server finds in a change of the guest list alone: the same paths (from the argument on:
 * `["attendeeChanges", …]`), reasons, messages and params. Who is on the list, and who may change it, is for the server.
 */
export function attendeeChangesIssues(changes: unknown): Issue[] {
  const { value, issues } = coerceInput(changes, 'attendeeChanges', 'AttendeeChangesInput');
  const report = new Report(issues);
  if (value !== coercionError) report.add(draftIssues({}, { patch: true }, value as AttendeeChanges | null));
  return report.issues;
}
