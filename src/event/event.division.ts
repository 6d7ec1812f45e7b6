import type { Viewer } from '../access/permissions.ts';
import { openCalendar, type OpenCalendar } from '../calendar/calendar.access.ts';
import type { CalendarRef } from '../calendar/calendar.ts';
import { deepFreeze } from '../core/kernel/freeze.ts';
import { errorAt, invalidInput, type Issue, type Warning } from '../core/kernel/errors.ts';
import { patch } from '../core/kernel/patch.ts';
import { earlierOutcome, type RequestRecord } from '../core/kernel/request-record.ts';
import type { Notices } from './attendees/notices.ts';
import { guestReferencesOf } from './attendees/replicas.ts';
import { noEvent } from './event.access.ts';
import { argumentIssues } from './event.arguments.ts';
import { findEvent } from './event.find.ts';
import type { Draft } from './draft/draft.ts';
import type { DeleteFollowingEventsArgs, PatchFollowingEventsArgs } from './event.requests.ts';
import type { Decision, Found } from './event.store.ts';
import type { EventTools } from './event.tools.ts';
import type { Written, Writes } from './event.writes.ts';
import type { EventBody, EventPatch, EventTime } from './model/fields.ts';
import type { EventRecord } from './model/record.ts';
import { lengthOf, startOf } from './recurrence/compose.ts';
import { divide, endBefore, type Division } from './recurrence/divide.ts';
import { followingPart, movedExceptions } from './recurrence/following-part.ts';
import { timeAt } from './recurrence/instance-id.ts';
import { occurrencesOf } from './recurrence/occurrences.ts';
import { inStoredSpelling } from './time/moment.ts';
import { orderOf } from './time/time.ts';
import type { Viewpoint } from './view/viewpoint.ts';
import { changesOf } from './write/as-shown.ts';
import { requireMatch, settle } from './write/patch.ts';
import { nextStamp, stamp } from './write/stamp.ts';

/** A series that was changed from an instance on, before anybody is notified. */
export interface Divided {
  /** Absent where nothing lies before the instance. */
  readonly before?: Viewpoint;
  readonly following: Viewpoint;
  readonly warnings: readonly Warning[];
  /** Decided together with the change. */
  readonly notices: readonly Notices[];
}

/** What is remembered of a division, to answer it again. */
interface Remembered {
  readonly before?: EventRecord;
  readonly following: EventRecord;
  readonly warnings: readonly Warning[];
}

type Args<T> = Omit<T, 'calendarId'>;

/** An instance from which on its series is to be changed. */
interface From {
  readonly open: OpenCalendar;
  readonly viewer: Viewer;
  readonly at: Viewpoint;
  readonly series: EventRecord;
  readonly original: string;
  /** When the instance starts by the rules of its series. */
  readonly start: number;
  /** The series has no instance before it. */
  readonly isFirst: boolean;
}

/** What the parts are made of, beside the body. */
interface PartsAsked {
  readonly issues: readonly Issue[];
  /** Of the following part. */
  readonly id: string;
  /** The body against the instance as it is shown. */
  readonly asShown: Draft;
}

/** Decides what becomes of a series from one of its instances on. Throws AppError with everything that is wrong. */
export function createDivisions({ clock, links }: EventTools, { pointOf, draftOf, noticesFor }: Writes) {
  const uidHost = new URL(links.event).hostname;

  function fromInstance(viewer: Viewer, ref: CalendarRef, { eventId, ifMatch }: Args<DeleteFollowingEventsArgs>, found: Found): From {
    const open = openCalendar(found.calendar, ref, viewer, 'writer');
    const record = findEvent(found, eventId, open.calendar.id);
    if (!record) throw noEvent();
    const at = pointOf(record, open, viewer);
    requireMatch(at, ifMatch);
    const { series } = found;
    if (!record.instance || !series) throw invalidInput([{ path: ['eventId'], reason: 'invalid', message: 'The eventId must be that of an instance of a recurring event: this one and all later ones are changed.' }]);
    if (!at.asOrganizer) throw errorAt('FORBIDDEN', ['eventId'], 'forbiddenForNonOrganizer', 'Only the organizer can change this and all following instances.');
    const start = startOf(record.instance.original);
    const { starts } = occurrencesOf(series.core).between(-Infinity, start, 1);
    return { open, viewer, at, series, original: record.instance.original, start, isFirst: starts.length === 0 };
  }

  function patchFollowing(viewer: Viewer, ref: CalendarRef, args: Args<PatchFollowingEventsArgs>, id: string, request: RequestRecord | undefined, found: Found): Decision<Divided> {
    const open = openCalendar(found.calendar, ref, viewer, 'writer');
    const earlier = earlierOutcome<Remembered>(request, found.earlier);
    if (earlier) {
      const { before, following, warnings } = earlier;
      return { result: { ...(before && { before: pointOf(before, open, viewer) }), following: pointOf(following, open, viewer), warnings, notices: [] } };
    }
    const from = fromInstance(viewer, ref, args, found);
    if (from.at.record.core.status === 'cancelled' || from.at.copy.state !== 'present') throw errorAt('FORBIDDEN', ['event', 'status'], 'forbidden', isCancelled);
    const { attendeeChanges, ...support } = args;
    const asShown = draftOf(from.at, args.event, support, found, false);
    const changes = changesOf(asShown);
    // Beside them the list must not stand at all.
    const body = attendeeChanges && args.event.attendees !== undefined ? { ...changes, attendees: args.event.attendees } : changes;
    const issues = [...argumentIssues(args), ...(args.event.status === 'cancelled' ? [cancelling] : [])];
    const decision = from.isFirst ? patchWhole(from, args, body, issues, found) : patchParts(from, args, body, { issues, id, asShown }, found);
    if (args.validateOnly) return { result: { ...decision.result, notices: [] } };
    const { before, following, warnings } = decision.result;
    return { ...decision, outcome: { ...(before && { before: before.record }), following: following.record, warnings } satisfies Remembered };
  }

  /** Of the first instance: a patch of the series. */
  function patchWhole({ open, viewer, series }: From, args: Args<PatchFollowingEventsArgs>, body: EventPatch, issues: readonly Issue[], found: Found): Decision<Divided> {
    const at = pointOf(series, open, viewer);
    const draft = draftOf(at, body, args, found, false);
    settle(draft, issues);
    const next = stamp(draft, clock, guestReferencesOf(found.guests, at.copy.id, () => false, series));
    const { warnings } = draft.report;
    if (next === series) return { result: { following: at, warnings, notices: [] } };
    const following = pointOf(next, open, viewer);
    return { next, result: { following, warnings, notices: [noticesFor(args, draft, following, found)] } };
  }

  function patchParts(from: From, args: Args<PatchFollowingEventsArgs>, body: EventPatch, { issues, id, asShown }: PartsAsked, found: Found): Decision<Divided> {
    const { open, viewer, series, start, original } = from;
    const { recurrence, start: first } = rulesOf(series);
    const division = divide(recurrence, first, start);
    if (!division) throw invalidInput([...issues, indivisible]);
    const now = nextStamp(clock);
    const plain = followingPart(series, division, { id, iCalUID: `${id}@${uidHost}` }, now);
    const draft = draftOf(pointOf(plain, open, viewer), withEnd(body, from, division), args, found, false);
    settle(draft, issues);
    // A new event is no revision of another one.
    if (draft.change.sequence === undefined) draft.after = { ...draft.after, core: withoutSequence(draft.after.core) };
    const changed = stamp(draft, clock, guestReferencesOf(found.guests, id, () => false));
    const copies = Object.entries(changed.copies).filter(([, { state }]) => state !== 'uninvited');
    const next: EventRecord = deepFreeze({ ...changed, version: 1, copies: Object.fromEntries(copies) });
    // Of the instance itself also what it alone had otherwise, and has now as its series.
    const names = [draft, asShown].flatMap(({ change, replacements }) => Object.keys({ ...change, ...replacements })).filter((name) => name !== 'attendees');
    const exceptions = movedExceptions(found.ofSeries, { series, plain, next, original, changed: names, stamp: now });
    const ended = end(from, args, { recurrence: [...division.before] }, found);
    const following = pointOf(next, open, viewer);
    return {
      ...(ended.next && { next: ended.next }),
      added: { record: next, exceptions },
      result: { before: ended.result.at, following, warnings: draft.report.warnings, notices: [ended.result.notices, noticesFor(args, { ...draft, creating: true }, following, found)] },
    };
  }

  /** The series with a change of its own. */
  function end({ open, viewer, series }: From, args: Args<DeleteFollowingEventsArgs>, body: EventPatch, found: Found): Decision<Written> {
    const draft = draftOf(pointOf(series, open, viewer), body, {}, found, false);
    settle(draft, []);
    const next = stamp(draft, clock, new Map());
    const at = pointOf(next, open, viewer);
    return { next, result: { at, warnings: [], notices: noticesFor(args, draft, at, found) } };
  }

  function deleteFollowing(viewer: Viewer, ref: CalendarRef, args: Args<DeleteFollowingEventsArgs>, found: Found): Decision<Written> {
    const from = fromInstance(viewer, ref, args, found);
    const { series, start, open, isFirst } = from;
    if (series.core.status === 'cancelled') return { result: { at: pointOf(series, open, viewer), warnings: [], notices: { counted: 0 } } };
    const { recurrence, start: first } = rulesOf(series);
    return end(from, args, isFirst ? { status: 'cancelled' } : { recurrence: endBefore(recurrence, first, start) }, found);
  }

  return { patchFollowing, deleteFollowing };
}

/** An instance was found: its series has both. */
const rulesOf = ({ core }: EventRecord) => core as EventBody & { readonly recurrence: readonly string[]; readonly start: EventTime };

const withoutSequence = ({ sequence: _revision, ...core }: EventBody): EventBody => core;

/** The end of a first instance, as that of a part which is counted from an earlier start. */
function withEnd(body: EventPatch, { at, series, start }: From, division: Division): EventPatch {
  const { end } = series.core;
  if (division.start === start || !body.end || body.start || !end) return body;
  const shown = timeAt(start + lengthOf(series), end);
  const wanted = patch<EventTime>(shown, inStoredSpelling(body.end, shown, at.calendar.timeZone));
  const moment = wanted && orderOf(wanted);
  return typeof moment === 'number' ? { ...body, end: { ...body.end, ...timeAt(moment - (start - division.start), wanted as EventTime) } } : body;
}

const isCancelled = 'This instance, or its series, is cancelled: no change from there on is possible. Restore it first with status: "confirmed" or "tentative".';
const cancelling: Issue = { path: ['event', 'status'], reason: 'invalid', message: 'To end the series here use deleteFollowingEvents; the following part cannot be made cancelled.' };
const indivisible: Issue = { path: ['eventId'], reason: 'invalid', message: 'The rules of this recurring event count from different starts and cannot be divided here. Change the series, or single instances.' };
