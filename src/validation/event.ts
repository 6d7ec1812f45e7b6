import * as z from 'zod/mini';
import type { Issue } from '../core/kernel/errors.ts';
import { coercionError } from '../core/coercion/coercion-errors.ts';
import { besideCoercionErrors } from '../core/coercion/other-issues.ts';
import { withoutNulls } from '../core/kernel/patch.ts';
import { maxIssues } from '../core/kernel/report.ts';
import type { ConferenceMaker } from '../event/conference/conference-maker.ts';
import { bodyIssues } from '../event/write/body-issues.ts';
import { eventFields, type EventBody, type EventPatch } from '../event/model/fields.ts';
import { compileModel } from '../event/model/model.ts';
import { noParts, type EventCopy, type EventRecord } from '../event/model/record.ts';
import type { EventView } from '../event/view/event-view.ts';
import type { Viewpoint } from '../event/view/viewpoint.ts';
import { check } from '../event/write/check.ts';
import { openDraftOf, type Draft } from '../event/draft/draft.ts';
import { checkIdentity } from '../event/write/identity.ts';
import { merge } from '../event/write/merge.ts';
import { normalize } from '../event/write/normalize.ts';
import { coerceInput } from './coerce-input.ts';

// Pages whose content security policy forbids to make functions of strings would be warned of the attempt.
z.config({ jitless: true });

export interface EventIssuesOptions {
  /** The body is a patch: what is absent stays, null clears. Otherwise it is a whole event to insert. */
  readonly patch?: boolean;
  /** The event as it was read, whole or in part; a patch is held against it. */
  readonly seen?: object | null;
  /** The time zone of the calendar, which some messages name. */
  readonly timeZone?: string;
  /** Whether the request will say so; false leaves attachments aside, as the server does then. True unless told. */
  readonly supportsAttachments?: boolean;
  /** What the request will say; 0 leaves conference data aside, as the server does then. 1 unless told. */
  readonly conferenceDataVersion?: 0 | 1;
}

const model = compileModel(eventFields);

/**
 * The issues that the server finds in a body alone, or in a change of an event: the same paths (from the argument on:
 * `["event", …]`), reasons, messages and params. Rights of callers, other events and guests' calendars are for the server.
 */
export function eventIssues(body: unknown, options: EventIssuesOptions = {}): Issue[] {
  const { value, issues: coercionErrors } = coerceInput(body, 'event', 'EventInput!');
  if (value === coercionError || coercionErrors.length >= maxIssues) return [...coercionErrors];
  const fitting = value as EventPatch;
  const ofBody = (): Issue[] => bodyIssues(model, fitting).map((issue) => ({ ...issue, path: ['event', ...issue.path] }));
  // Only the server knows what an instance inherits from its series, and the event behind a patch without `seen`.
  const alone = options.patch ? !options.seen : typeof fitting.recurringEventId === 'string';
  if (coercionErrors.length === 0) return alone ? ofBody() : draftIssues(fitting, options);
  return [...coercionErrors, ...besideCoercionErrors(coercionErrors, ofBody(), alone ? undefined : partIssues(fitting, options))].slice(0, maxIssues);
}

/** Of a body of which a part does not fit. One with a gap in a list may be no event that can be thought through. */
function partIssues(fitting: EventPatch, options: EventIssuesOptions): Issue[] | undefined {
  try {
    return draftIssues(fitting, options);
  } catch {
    return undefined;
  }
}

/** Takes the way of a write as far as it goes without knowing the caller. */
function draftIssues(body: EventPatch, options: EventIssuesOptions): Issue[] {
  const draft = draftOf(body, options);
  if (draft.creating) checkIdentity(draft);
  normalize(draft);
  merge(draft);
  check(draft);
  return draft.report.issues;
}

function draftOf(body: EventPatch, { patch = false, seen, timeZone = '', ...support }: EventIssuesOptions): Draft {
  const shown = (withoutNulls(seen) ?? {}) as EventBody;
  const parts = patch ? model.split(stored(shown)) : noParts;
  const copy = { state: 'present' } as EventCopy;
  // The organizer's own: who may change what is not asked here.
  const at = {
    model, parts, copy, identity: '', owner: '', organizer: '', asOrganizer: true,
    record: { core: parts.core, copies: {} } as Partial<EventRecord>,
    calendar: { timeZone },
  } as Viewpoint;
  return openDraftOf(
    { at, creating: !patch, body, support: { supportsAttachments: true, conferenceDataVersion: 1, ...support }, guestCalendars: new Map(), conference },
    { ...shown } as EventView,
  );
}

/** The calendar's default reminders are shown, and are mostly not the user's own: they are not held against a change. */
const stored = ({ reminders, ...event }: EventBody): EventBody => (reminders?.useDefault === true ? event : { ...event, reminders });

/** Makes nothing: what a conference would become is of no interest to its rules. */
const conference: ConferenceMaker = {
  isSigned: ({ signature }) => signature !== undefined,
  sign: () => '',
  create: () => ({ conference: {}, callLink: '' }),
};
