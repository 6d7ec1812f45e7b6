/** Validates input for forms by the rules of the server, in browsers and in Node.js. */
import * as z from 'zod/mini';
import type { Issue } from '../core/errors.ts';
import { SchemaCoercer } from '../core/fields/coerce.ts';
import { CoercionErrors, coercionError } from '../core/fields/scalar-coercers.ts';
import { withoutNulls } from '../core/json.ts';
import { Report } from '../core/report.ts';
import { convertAttendeeChanges } from '../event/attendees/attendee-changes.ts';
import type { ConferenceMaker } from '../event/conference/create.ts';
import { type Draft, openDraft, mergeChange } from '../event/draft.ts';
import type { AttendeeChanges } from '../event/event.requests.ts';
import { type EventBody, eventFields, type EventPatch } from '../event/model/fields.ts';
import { compileModel } from '../event/model/model.ts';
import { type EventCopy, type EventRecord, emptyParts } from '../event/model/record.ts';
import type { EventContext } from '../event/visibility/event-context.ts';
import type { EventView } from '../event/visibility/event-view.ts';
import { checkDraft, checkIdentity } from '../event/write/check.ts';
import { bodyIssues, normalize } from '../event/write/normalize.ts';
import * as shapes from '../generated/input-shapes.ts';
import { officialNames } from '../google/api-differences.ts';
import { findNotificationIssues } from '../notification/notification.fields.ts';
import { browserTimeTools } from '../recurrence/stored-lines.ts';

export type { Issue } from '../core/errors.ts';

// Zod must not compile functions, which a strict content security policy forbids.
z.config({ jitless: true });

const coercer = new SchemaCoercer(shapes, officialNames);

/** Coerces the value of an argument as the server does: to its valid parts, or to `coercionError`. `type`: its type in the schema. */
function coerceInput(value: unknown, argument: string, type: string) {
  const errors = new CoercionErrors();
  return { value: errors.coerceAt(argument, coercer.coercerFor(type), value), issues: errors.issues };
}

/** Finds the issues that the server would report for a new notification (paths: `["notification", …]`), except limits of the bucket. */
export function notificationIssues(body: unknown): Issue[] {
  const { value, issues } = coerceInput(body, 'notification', 'NotificationInput!');
  const report = new Report(issues);
  if (value !== coercionError) report.addIssues(findNotificationIssues(value));
  return report.issues;
}

/** Properties of the request, as far as issues depend on them. */
export interface EventIssuesOptions {
  /** True for a patch (absent fields stay, null clears), false for an insert. */
  readonly patch?: boolean;
  /** Base of a patch: the event as it was read, complete or partial. */
  readonly seen?: object | null;
  /** Time zone of the calendar, which some messages contain. */
  readonly timeZone?: string;
  /** Argument of the request; false ignores attachments, as the server does. Default: true. */
  readonly supportsAttachments?: boolean;
  /** Argument of the request; 0 ignores conference data, as the server does. Default: 1. */
  readonly conferenceDataVersion?: 0 | 1;
}

/** Marked as pure, so that a bundle of `notificationIssues` alone leaves out the fields of events. */
const model = /* @__PURE__ */ compileModel(eventFields);

/**
 * Finds the issues that the server would report for an event (paths: `["event", …]`), except those about rights, other events and
 * calendars.
 */
export function eventIssues(body: unknown, options: EventIssuesOptions = {}): Issue[] {
  const { value, issues } = coerceInput(body, 'event', 'EventInput!');
  const report = new Report(issues);
  if (value === coercionError || report.isFull()) return report.issues;
  const validBody = value as EventPatch;
  // Only the server knows the series of an instance, and the event behind a patch without `seen`.
  const hasBase = options.patch ? Boolean(options.seen) : typeof validBody.recurringEventId !== 'string';
  if (issues.length === 0)
    return hasBase ? findDraftIssues(validBody, options) : bodyIssues(model, validBody);
  report.addRuleIssues(
    bodyIssues(model, validBody),
    hasBase ? findPartialIssues(validBody, options) : undefined,
  );
  return report.issues;
}

/** Finds the issues in the valid part of a body. Undefined if a gap in a list makes a rule throw. */
function findPartialIssues(validBody: EventPatch, options: EventIssuesOptions): Issue[] | undefined {
  try {
    return findDraftIssues(validBody, options);
  } catch {
    return undefined;
  }
}

/** Runs the steps of a write that do not depend on the caller, and returns their issues. */
function findDraftIssues(
  body: EventPatch,
  options: EventIssuesOptions,
  attendeeChanges?: AttendeeChanges | null,
): Issue[] {
  const draft = createDraft(body, options, attendeeChanges);
  if (draft.isCreating) checkIdentity(draft);
  normalize(draft);
  mergeChange(draft);
  checkDraft(draft);
  return draft.report.issues;
}

/** Creates the draft of an insert or patch by the organizer. */
function createDraft(
  body: EventPatch,
  { patch = false, seen, timeZone = '', ...support }: EventIssuesOptions,
  attendeeChanges: AttendeeChanges | null | undefined,
): Draft {
  const base = (withoutNulls(seen) ?? {}) as EventBody;
  const parts = patch ? model.split(withoutDefaultReminders(base)) : emptyParts;
  const copy = { state: 'present' } as EventCopy;
  // The context is the organizer's, because rights are not checked here.
  const context = {
    model,
    parts,
    copy,
    identity: '',
    owner: '',
    organizer: '',
    hasOrganizerRights: true,
    record: { core: parts.core, copies: {} } as Partial<EventRecord>,
    calendar: { timeZone },
  } as EventContext;
  return openDraft(
    {
      context,
      isCreating: !patch,
      ...convertAttendeeChanges(body, attendeeChanges, { context, view: base }),
      support: { supportsAttachments: true, conferenceDataVersion: 1, ...support },
      guestCalendars: new Map(),
      tools: browserTimeTools,
      getConferenceMaker: createConferenceStub,
    },
    { ...base } as EventView,
  );
}

/** Removes default reminders, which events show but calendars own. */
const withoutDefaultReminders = ({ reminders, ...event }: EventBody): EventBody =>
  reminders?.useDefault === true ? event : { ...event, reminders };

/** Creates empty conferences, because no rule reads a created conference. */
const createConferenceStub = (): ConferenceMaker => ({
  hasValidSignature: ({ signature }) => signature !== undefined,
  sign: () => '',
  create: () => ({ conference: {}, callLink: '' }),
});

/** Finds the issues that the server would report for `attendeeChanges` (paths start with it), except those about rights and the stored list. */
export function attendeeChangesIssues(changes: unknown): Issue[] {
  const { value, issues } = coerceInput(changes, 'attendeeChanges', 'AttendeeChangesInput');
  const report = new Report(issues);
  if (value !== coercionError)
    report.addIssues(findDraftIssues({}, { patch: true }, value as AttendeeChanges | null));
  return report.issues;
}
