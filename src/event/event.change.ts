import { isDeepStrictEqual } from 'node:util';
import type { Issue, Path, Warning } from '../core/errors.ts';
import { textIssues } from '../core/input.ts';
import { differs, patch } from '../core/patch.ts';
import { valueAt } from '../core/path.ts';
import { applyRules, nullEntryIssues, type FieldChange } from '../core/rules.ts';
import { askedAttendees, attendeeKey, storedAttendees, withUnseen } from './attendees.ts';
import type { ConferenceContext } from './conference-apply.ts';
import { applyConference } from './conference-apply.ts';
import { emailKey } from '../core/email.ts';
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
const overridesPath: Path = ['event', 'reminders', 'overrides'];
const inEvent = (issue: Issue): Issue => ({ ...issue, path: [...path, ...issue.path] });

/** Works out what a body makes of an event: every broken rule, every refusal, every value that is not applied. */
export function changeEvent(input: ChangeInput): ChangeResult {
  const { before, seen, body } = input;
  const supported = leaveOutUnsupported(input);
  const ruled = applyRules({
    rules: eventRules,
    entryKeys: eventEntryKeys,
    creating: input.creating,
    seen,
    change: withDefaultsCleared(supported.change),
    path,
    permit: input.permit,
  });
  const { attendeesOmitted: _steersOnly, conferenceData, attendees, ...change } = ruled.change as EventPatch;
  const guests = guestList(attendees, before, seen);
  const merged = withInvitation(patch(before, { ...change, attendees: guests }) ?? {}, before, attendees, seen);
  // Null where there is none leaves a call link alone that came without conference data.
  const isSame = conferenceData === undefined || (body.conferenceData === null && before.conferenceData === undefined);
  const conference = isSame ? undefined : changeConference(input, merged);
  const after = raiseSequence(conference?.after ?? merged, before);
  const issues = [
    ...textIssues(body, path).filter((issue) => !stoodThere(issue, input)),
    ...(input.creating ? nullEntryIssues(eventRules, body, path) : []),
    ...ruled.issues,
    ...checkEvent(after, before, input.zone).map((issue) => supported.asSent(inEvent(issue))),
    ...(conference?.issues ?? []).map(inEvent),
  ];
  const warnings = [
    ...supported.warnings,
    ...ruled.warnings.filter(({ path: place }) => !comesOut(place, body, after)),
    ...(conference?.warnings ?? []),
  ];
  return { after, issues, refusals: ruled.refusals, warnings };
}

/** What the caller was shown may be sent back, be it as odd as it is. */
function stoodThere(issue: Issue, { body, seen }: ChangeInput): boolean {
  const inBody = issue.path.slice(1);
  return valueAt(body, inBody) === valueAt(seen, inBody);
}

/** The list to store: what the change makes of the guests the caller sees, and those the caller does not see. */
function guestList(asked: EventPatch['attendees'], before: EventBody, seen: EventBody): readonly Attendee[] | null | undefined {
  if (asked === undefined) return undefined;
  const list = withUnseen(storedAttendees(asked ?? []), before.attendees ?? [], seen.attendees ?? []);
  return asked === null && list.length === 0 ? null : list;
}

/**
 * The same event anew when a guest is invited who is hidden from the caller and on the list already: were the etag to
 * stay, it would tell so.
 */
function withInvitation(merged: EventBody, before: EventBody, asked: EventPatch['attendees'], seen: EventBody): EventBody {
  const shown = new Set((seen.attendees ?? []).map(attendeeKey));
  const invites = (asked ?? []).some((entry) => !shown.has(attendeeKey(entry)));
  const { attendees } = merged;
  return invites && attendees && attendees === before.attendees ? { ...merged, attendees: [...attendees] } : merged;
}

/** True for a read-only value that comes out as it was sent: in a copied conference, or gone with one that is removed. */
function comesOut(place: Path, body: EventPatch, after: EventBody): boolean {
  const inBody = place.slice(1);
  return !differs(valueAt(after, inBody), valueAt(body, inBody));
}

interface SupportedPart {
  readonly change: EventPatch;
  readonly warnings: readonly Warning[];
  /** The issue with its path as the client counts the entries of a list. */
  readonly asSent: (issue: Issue) => Issue;
}

/** The body without what the client does not support or the server no longer does; each such part with a warning. */
function leaveOutUnsupported({ body, seen, owner, creating, support }: ChangeInput): SupportedPart {
  const { conferenceData, attachments, attendees, reminders, ...change } = body;
  const warnings: Warning[] = [];
  const result: Record<string, unknown> = { ...change };
  if (support.conferenceDataVersion === 1) result.conferenceData = conferenceData;
  else if (differs(seen.conferenceData, conferenceData)) warnings.push(unsupportedConference);
  if (support.supportsAttachments) result.attachments = attachments;
  else if (attachments !== undefined && differs(seen.attachments ?? [], attachments ?? [])) warnings.push(unsupportedAttachments);

  const steers = body.attendeesOmitted === true;
  if (steers && creating) warnings.push(completeList);
  const organizer = seen.organizer?.email === undefined ? undefined : emailKey(seen.organizer.email);
  const facts = { seen: seen.attendees ?? [], owner, organizer, onlyOwn: steers && !creating };
  const asked = attendees || (attendees === null && facts.onlyOwn) ? askedAttendees(attendees, facts) : undefined;
  result.attendees = asked ? asked.list : attendees;
  warnings.push(...(asked?.warnings ?? []));

  const overrides = reminders?.overrides;
  const sms = overrides ? withoutNewSms(overrides, seen.reminders?.overrides ?? [], overridesPath) : undefined;
  result.reminders = sms ? { ...reminders, overrides: sms.list } : reminders;
  warnings.push(...(sms?.warnings ?? []));
  return {
    change: result,
    warnings,
    asSent: (issue) => movedBack(movedBack(issue, ['event', 'attendees'], asked?.places), overridesPath, sms?.places),
  };
}

/** An issue of a list's entry, at the index at which the client sent that entry. */
function movedBack(issue: Issue, list: Path, places: readonly number[] = []): Issue {
  const index = issue.path[list.length];
  const place = typeof index === 'number' ? places[index] : undefined;
  if (place === undefined || list.some((step, at) => issue.path[at] !== step)) return issue;
  return { ...issue, path: [...list, place, ...issue.path.slice(list.length + 1)] };
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
  const sum = patch(before.conferenceData, body.conferenceData);
  // A merge leaves nothing of an empty request, which is one that lacks everything.
  const asksForNothing = body.conferenceData?.createRequest && !sum?.createRequest;
  const applied = applyConference(
    {
      before: before.conferenceData,
      callLink: before.callLink,
      patch: body.conferenceData,
      after: asksForNothing ? { ...sum, createRequest: {} } : sum,
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

/** The greatest Int of GraphQL. */
const maxSequence = 2_147_483_647;

/** A change of time, recurrence or status is a new revision of the event (iCalendar, RFC 5546 section 2.1.4). */
function raiseSequence(after: EventBody, before: EventBody): EventBody {
  const moved = (['start', 'end', 'status'] as const).some((field) => after[field] !== before[field]);
  const [recurs, recurred] = [after, before].map(({ recurrence = [] }) => recurrence);
  const revised = moved || !isDeepStrictEqual(recurs, recurred);
  const stored = before.sequence ?? 0;
  if (!revised || Object.keys(before).length === 0 || (after.sequence ?? 0) !== stored) return after;
  return { ...after, sequence: Math.min(stored + 1, maxSequence) };
}

const completeList: Warning = {
  path: ['event', 'attendeesOmitted'],
  reason: 'ignored',
  message: 'attendeesOmitted was ignored: the guest list of a new event is taken as complete.',
};

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
