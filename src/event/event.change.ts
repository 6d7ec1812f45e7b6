import type { Issue, Path, Warning } from '../core/errors.ts';
import { textIssues } from '../core/input.ts';
import { differs, patch } from '../core/patch.ts';
import { applyRules, nullEntryIssues, type FieldChange } from '../core/rules.ts';
import { askedAttendees, storedAttendees, withUnseen } from './attendees.ts';
import type { ConferenceContext } from './conference-apply.ts';
import { applyConference } from './conference-apply.ts';
import { checkEvent } from './event.checks.ts';
import { eventDefaults, eventEntryKeys, eventRules } from './event.rules.ts';
import type { Attendee, EventBody, EventPatch } from './event.ts';
import { withoutNewSms } from './reminders.ts';

/** The control parameters that decide which parts of a body are applied. */
export interface Support {
  readonly conferenceDataVersion?: number | null;
  readonly supportsAttachments?: boolean | null;
}

export interface ChangeInput {
  readonly body: EventPatch;
  readonly creating: boolean;
  /** The event as its calendar holds it. */
  readonly before: EventBody;
  /** The event as the caller sees it, without defaults. */
  readonly seen: EventBody;
  /** The key of the calendar's owner among the attendees. */
  readonly owner: string;
  readonly zone: string;
  readonly support: Support;
  readonly conference: ConferenceContext;
  readonly permit: (change: FieldChange) => Pick<Issue, 'reason' | 'message'> | undefined;
}

export interface ChangeResult {
  readonly after: EventBody;
  readonly issues: readonly Issue[];
  /** Changes the caller may not make. */
  readonly refusals: readonly Issue[];
  readonly warnings: readonly Warning[];
}

const path: Path = ['event'];
const inEvent = (issue: Issue): Issue => ({ ...issue, path: [...path, ...issue.path] });

/** Works out what a body makes of an event: every broken rule, every refusal, every value that is not applied. */
export function changeEvent(input: ChangeInput): ChangeResult {
  const { before, seen, body } = input;
  const supported = leaveOutUnsupported(input);
  const ruled = applyRules({
    rules: eventRules,
    entryKeys: eventEntryKeys,
    creating: input.creating,
    seen: seen,
    change: withDefaultsCleared(supported.change),
    path,
    permit: input.permit,
  });
  const { attendeesOmitted: _steersOnly, conferenceData, attendees, ...change } = ruled.change as EventPatch;
  const merged = patch(before, { ...change, attendees: guestList(attendees, before, seen) }) ?? {};
  const conference = conferenceData === undefined ? undefined : changeConference(input, merged);
  const after = raiseSequence(conference?.after ?? merged, before);
  const issues = [
    ...textIssues(body, path),
    ...(input.creating ? nullEntryIssues(eventRules, body, path) : []),
    ...ruled.issues,
    ...checkEvent(after, before, input.zone).map(inEvent),
    ...(conference?.issues ?? []).map(inEvent),
  ];
  const warnings = [...supported.warnings, ...ruled.warnings, ...(conference?.warnings ?? [])];
  return { after, issues, refusals: ruled.refusals, warnings };
}

/** The list to store: what the change makes of the guests the caller sees, and those the caller does not see. */
function guestList(asked: EventPatch['attendees'], before: EventBody, seen: EventBody): readonly Attendee[] | null | undefined {
  if (asked === undefined) return undefined;
  const list = withUnseen(storedAttendees(asked ?? []), before.attendees ?? [], seen.attendees ?? []);
  return asked === null && list.length === 0 ? null : list;
}

/** The body without what the client does not support or the server no longer does; each such part with a warning. */
function leaveOutUnsupported({ body, seen, owner, support }: ChangeInput): { change: EventPatch; warnings: Warning[] } {
  const { conferenceData, attachments, attendees, reminders, ...change } = body;
  const warnings: Warning[] = [];
  const result: Record<string, unknown> = { ...change };
  if (support.conferenceDataVersion === 1) result.conferenceData = conferenceData;
  else if (differs(seen.conferenceData, conferenceData)) warnings.push(unsupportedConference);
  if (support.supportsAttachments) result.attachments = attachments;
  else if (differs(seen.attachments, attachments)) warnings.push(unsupportedAttachments);
  result.attendees = attendees;
  if (attendees) {
    const asked = askedAttendees(attendees, seen.attendees ?? [], owner, body.attendeesOmitted === true);
    warnings.push(...asked.warnings);
    result.attendees = asked.list;
  }
  result.reminders = reminders;
  if (reminders?.overrides) {
    const sms = withoutNewSms(reminders.overrides, seen.reminders?.overrides ?? [], ['event', 'reminders', 'overrides']);
    warnings.push(...sms.warnings);
    result.reminders = { ...reminders, overrides: sms.list };
  }
  return { change: result, warnings };
}

/** A field set to its default is a field that is not set. */
function withDefaultsCleared(change: EventPatch): Readonly<Record<string, unknown>> {
  const result: Record<string, unknown> = { ...change };
  for (const [name, value] of Object.entries(eventDefaults)) {
    if (name !== 'attendeesOmitted' && result[name] === value) result[name] = null;
  }
  for (const name of ['creator', 'organizer'] as const) {
    if (change[name]?.self === false) result[name] = { ...change[name], self: null };
  }
  return result;
}

function changeConference({ body, before, conference }: ChangeInput, merged: EventBody) {
  const applied = applyConference(
    {
      before: before.conferenceData,
      callLink: before.callLink,
      patch: body.conferenceData,
      after: patch(before.conferenceData, body.conferenceData),
    },
    conference,
  );
  const after = patch(merged, { conferenceData: null, callLink: null }) ?? {};
  const { conference: conferenceData, callLink } = applied;
  const warnings = applied.warnings.map((warning) => ({ ...warning, path: [...path, ...warning.path] }));
  return {
    after: applied.changed ? { ...after, ...(conferenceData && { conferenceData }), ...(callLink && { callLink }) } : merged,
    issues: applied.issues,
    warnings,
  };
}

/** A change of time, recurrence or status is a new revision of the event (iCalendar, RFC 5546 section 2.1.4). */
function raiseSequence(after: EventBody, before: EventBody): EventBody {
  const revised = (['start', 'end', 'recurrence', 'status'] as const).some((field) => after[field] !== before[field]);
  const stored = before.sequence ?? 0;
  if (!revised || Object.keys(before).length === 0 || (after.sequence ?? 0) !== stored) return after;
  return { ...after, sequence: stored + 1 };
}

const unsupportedConference: Warning = {
  path: ['event', 'conferenceData'],
  reason: 'ignored',
  message: 'conferenceData was ignored, because conferenceDataVersion is 0. Send conferenceDataVersion: 1 to apply it.',
};

const unsupportedAttachments: Warning = {
  path: ['event', 'attachments'],
  reason: 'ignored',
  message: 'attachments were ignored, because supportsAttachments is false. Send supportsAttachments: true to apply them.',
};
