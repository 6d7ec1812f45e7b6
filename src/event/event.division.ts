import type { Viewer } from '../access/permissions.ts';
import type { CalendarRef } from '../calendar/calendar.ts';
import { deepFreeze } from '../core/patch.ts';
import { errorOf, invalidInput, type Issue, type Warning } from '../core/errors.ts';
import { earlierOutcome, type RequestRecord } from '../core/request-record.ts';
import { remainingQuota } from './attendees/mails.ts';
import { nobody, type Notices } from './attendees/notices.ts';
import { referencesFor } from './attendees/replicas.ts';
import type { DeleteFollowingEventsArgs, PatchFollowingEventsArgs } from './event.requests.ts';
import type { Draft } from './draft.ts';
import type { EventTools } from './event.find.ts';
import {
  cancelledInstance,
  cancelling,
  splitWithNewRule,
  indivisible,
  keepRevision,
  noInstance,
  notOrganizer,
  asOfStart,
  type SplitPoint,
} from './write/from-instance.ts';
import type { Decision, ChangeState } from './event.store.ts';
import { type Change, namedEvent, warnOfRemoved, type WriteResult, type Writes } from './event.writes.ts';
import type { EventPatch } from './model/fields.ts';
import { originalStartOf, type EventRecord } from './model/record.ts';
import { asSeries, exceptionsAfter, removedBy } from './instances/exceptions-after.ts';
import { droppingOld } from './instances/expired.ts';
import { composeInstance } from './instances/compose.ts';
import { startOf } from '../recurrence/original-start.ts';
import { divide, endBefore, type Division } from '../recurrence/divide.ts';
import { exceptionOf } from './instances/exception.ts';
import { exceptionsFrom, followingPart, movedExceptions } from './instances/following-part.ts';
import { momentOf } from '../recurrence/move.ts';
import { occurrencesOf } from '../recurrence/occurrences.ts';
import type { EventContext } from './visibility/event-context.ts';
import { changesOf } from './write/replace.ts';
import { runSteps, assertValid } from './write/patch.ts';
import { nextStamp, stamp } from './write/stamp.ts';

/** A series that was changed from an instance on, before anybody is notified. */
interface Divided {
  /** Absent where nothing lies before the instance. */
  readonly before?: EventContext;
  readonly following: EventContext;
  readonly warnings: readonly Warning[];
  /** Decided together with the change. */
  readonly notices: readonly Notices[];
}

/** A decision with the mails that tell of its changes, and why there are not more of them: once for each reason. */
const noticed = (
  { warnings, ...result }: Omit<Divided, 'notices'>,
  notices: readonly Notices[],
): Pick<Decision<Divided>, 'mails' | 'result'> => {
  const reasons = new Map(
    notices.flatMap((one) => one.warnings).map((warning) => [warning.message, warning]),
  );
  return {
    mails: notices.flatMap(({ mails }) => mails),
    result: { ...result, warnings: [...warnings, ...reasons.values()], notices },
  };
};

/** What is remembered of a division, to answer it again. */
interface Remembered {
  readonly before?: EventRecord;
  readonly following: EventRecord;
  readonly warnings: readonly Warning[];
}

const withoutTimes = (exception: EventRecord): EventRecord => {
  const { start, end, ...core } = exception.core;
  return start || end ? { ...exception, core, version: exception.version + 1 } : exception;
};

type Args<T> = Omit<T, 'calendarId'>;
type PatchArgs = Args<PatchFollowingEventsArgs>;

/** The named instance, with what it has by itself. */
interface NamedInstance {
  /** As it is from there on. */
  readonly series: EventRecord;
  readonly exception: EventRecord;
  /** What a conference that was made for the series replaced. */
  readonly made: Draft['replacements'];
}

/** Decides what becomes of a series from one of its instances on. Throws AppError with everything that is wrong. */
export function createDivisions({ clock, links }: EventTools, { openChange }: Writes) {
  const uidHost = new URL(links.event).hostname;

  /** Throws with what is wrong there, and with `others`: what is wrong beside. */
  function splitPoint(
    change: Change,
    args: Args<DeleteFollowingEventsArgs>,
    others: (context: EventContext) => readonly Issue[] = () => [],
  ): SplitPoint {
    const context = namedEvent(change, args);
    const { instance } = context.record;
    const { series } = change.found;
    if (!instance || !series) throw invalidInput([noInstance, ...others(context)]);
    if (!context.asOrganizer) throw errorOf('FORBIDDEN', [notOrganizer, ...others(context)]);
    const { original } = instance;
    const start = startOf(original);
    const isFirst = occurrencesOf(series.core).between(-Infinity, start, 1).starts.length === 0;
    return { context, series, original, start, isFirst, rules: series.core as SplitPoint['rules'] };
  }

  function patchFollowing(
    viewer: Viewer,
    ref: CalendarRef,
    args: PatchArgs,
    id: string,
    request: RequestRecord | undefined,
    found: ChangeState,
  ): Decision<Divided> {
    const change = openChange(viewer, ref, args, found);
    const { contextOf } = change;
    const earlier = earlierOutcome<Remembered>(request, found.earlier);
    if (earlier) {
      const { before, warnings } = earlier;
      const following = contextOf(earlier.following);
      return { result: { ...(before && { before: contextOf(before) }), following, warnings, notices: [] } };
    }
    const others = (context: EventContext): readonly Issue[] => {
      const draft = followingDraft(change, context, args.event, args);
      runSteps(draft);
      return draft.report.issues;
    };
    const from = splitPoint(change, args, others);
    const { context, isFirst, rules } = from;
    if (context.record.core.status === 'cancelled' || context.copy.state !== 'present')
      throw errorOf('FORBIDDEN', [cancelledInstance, ...others(context)]);
    const body = changesIn(change, from, args);
    const division = isFirst
      ? undefined
      : (divide(rules.recurrence, rules.start, from.start) ?? splitWithNewRule(from, body));
    if (!isFirst && !division) throw invalidInput([...others(context), indivisible]);
    const decision = division
      ? patchParts(change, from, args, body, id, division)
      : patchWhole(change, from, args, body);
    if (args.validateOnly) return { result: { ...decision.result, notices: [] } };
    const { before, following, warnings } = decision.result;
    const outcome: Remembered = {
      ...(before && { before: before.record }),
      following: following.record,
      warnings,
    };
    return { ...decision, outcome };
  }

  /** A draft of what is from here on, which cannot be cancelled so. */
  function followingDraft(
    { draftOf }: Change,
    context: EventContext,
    body: EventPatch,
    args: PatchArgs,
    exceptions?: readonly EventRecord[],
  ): Draft {
    const draft = draftOf(context, body, { exceptions });
    if (args.event.status === 'cancelled') draft.report.add([cancelling]);
    return draft;
  }

  /** What the body changes of the series from here on. */
  function changesIn(
    { draftOf }: Change,
    { context }: SplitPoint,
    { attendeeChanges, ...args }: PatchArgs,
  ): EventPatch {
    const { event } = args;
    const changes = changesOf(draftOf(context, event, { args }));
    // Beside changes of the list it must not stand at all.
    return attendeeChanges && event.attendees !== undefined
      ? { ...changes, attendees: event.attendees }
      : changes;
  }

  /** Of the first instance: a patch of the series. */
  function patchWhole(
    change: Change,
    from: SplitPoint,
    args: PatchArgs,
    body: EventPatch,
  ): Decision<Divided> {
    const { series, original } = from;
    const { ofSeries } = change.found;
    const context = change.contextOf(series);
    // The start of the series may be excluded.
    const counted = asOfStart(body, from, momentOf(from.rules.start));
    const draft = followingDraft(change, context, counted, args);
    assertValid(draft);
    const patched = stamp(draft, clock, referencesFor(draft, undefined, series));
    const { warnings } = draft.report;
    const after = exceptionsAfter(ofSeries, patched, series);
    const next = patched === series ? series : droppingOld(patched, after, clock());
    warnOfRemoved(draft, removedBy(ofSeries, after), { series, changed: next });
    const stored = ofSeries.find(({ instance }) => instance?.original === original);
    const named = stored && after.find((one) => one.from === stored);
    const changed =
      named && patchInstance(change, { series: next, exception: named.next, made: draft.replacements }, body);
    if (next === series) {
      if (!changed || changed.exception === stored)
        return { result: { following: context, warnings, notices: [] } };
      return { next: changed.exception, ...noticed({ following: context, warnings }, changed.notices) };
    }
    const following = change.contextOf(next);
    const exceptions = (): readonly EventRecord[] =>
      after.map((one) => (one === named && changed ? changed.exception : one.next));
    return {
      next,
      ...(changed && { exception: changed.exception }),
      ...noticed({ following, warnings }, [change.noticesFor(draft, following, { exceptions })]),
    };
  }

  /** Changes the named instance as any other one that has something by itself. */
  function patchInstance(
    { draftOf, noticesFor, contextOf }: Change,
    { series, exception: moved, made }: NamedInstance,
    body: EventPatch,
  ) {
    if (moved.instance?.emptied) return { exception: moved, notices: [] };
    // The named instance takes start and end of the patch, even if it had its own (contract, section 15).
    const exception = body.start ? withoutTimes(moved) : moved;
    // The instance has no rules, and takes a conference that was made for its series from there.
    const { recurrence: _rules, conferenceData, ...rest } = body;
    const isMade = conferenceData?.createRequest;
    const own =
      isMade && made ? asSeries(exception, Object.keys(made), nextStamp(clock, exception)) : exception;
    const before = composeInstance(series, originalStartOf(moved), own);
    const draft = draftOf(contextOf(before), isMade ? rest : { ...rest, conferenceData });
    assertValid(draft);
    keepRevision(draft);
    const next = stamp(draft, clock, referencesFor(draft));
    if (next === before) return { exception: own, notices: [] };
    const changed = exceptionOf(series, own, { before, next, invites: draft.guests?.invites === true });
    return { exception: changed, notices: [noticesFor(draft, contextOf(next), { series })] };
  }

  function patchParts(
    change: Change,
    from: SplitPoint,
    args: PatchArgs,
    body: EventPatch,
    /** The id of the following part. */
    id: string,
    division: Division,
  ): Decision<Divided> {
    const { found, contextOf } = change;
    const { series, original, start } = from;
    const going = exceptionsFrom(found.ofSeries, start);
    const now = nextStamp(clock);
    const plain = followingPart(series, division, { id, iCalUID: `${id}@${uidHost}` }, now);
    const counted = asOfStart(body, from, division.start);
    const draft = followingDraft(change, contextOf(plain), counted, args, going);
    assertValid(draft);
    // A new event is no revision of another one.
    keepRevision(draft);
    const changed = stamp(draft, clock, referencesFor(draft));
    const copies = Object.entries(changed.copies).filter(([, { state }]) => state !== 'uninvited');
    const next: EventRecord = deepFreeze({ ...changed, version: 1, copies: Object.fromEntries(copies) });
    const moved = movedExceptions(going, { series, plain, next, stamp: now });
    const made = draft.replacements;
    const exceptions = moved.map(({ from: at, next: exception }) =>
      at === original ? patchInstance(change, { series: next, exception, made }, body).exception : exception,
    );
    const placed = new Set(moved.map(({ from: at }) => at));
    const removed = going.filter((one) => !placed.has(originalStartOf(one)));
    warnOfRemoved(draft, removed, { series, changed: next });
    const room = remainingQuota(found);
    const ended = end(change, series, { recurrence: [...division.before] }, room);
    const following = contextOf(next);
    const about = { room, exceptions: () => exceptions };
    const notices = change.noticesFor({ ...draft, creating: true }, following, about);
    const { warnings } = draft.report;
    return {
      ...(ended.next && { next: ended.next }),
      added: { record: next, exceptions },
      ...noticed({ before: ended.result.context, following, warnings }, [ended.result.notices, notices]),
    };
  }

  /** The series with a change of its own. */
  function end(
    { found, contextOf, draftOf, decided }: Change,
    series: EventRecord,
    body: EventPatch,
    room = remainingQuota(found),
  ): Decision<WriteResult> {
    const draft = draftOf(contextOf(series), body, { args: {} });
    assertValid(draft);
    const next = stamp(draft, clock, new Map());
    const exceptions = (): readonly EventRecord[] =>
      exceptionsAfter(found.ofSeries, next, series).map((one) => one.next);
    return decided(next, draft, contextOf(next), { room, exceptions }, []);
  }

  function deleteFollowing(
    viewer: Viewer,
    ref: CalendarRef,
    args: Args<DeleteFollowingEventsArgs>,
    found: ChangeState,
  ): Decision<WriteResult> {
    const change = openChange(viewer, ref, args, found);
    const { series, start, isFirst, rules } = splitPoint(change, args);
    if (series.core.status === 'cancelled')
      return { result: { context: change.contextOf(series), warnings: [], notices: nobody } };
    const ended = { recurrence: endBefore(rules.recurrence, rules.start, start) };
    return end(change, series, isFirst ? { status: 'cancelled' } : ended);
  }

  return { patchFollowing, deleteFollowing };
}
