import type { Viewer } from '../access/permissions.ts';
import { openCalendar } from '../calendar/calendar.access.ts';
import type { CalendarRef } from '../calendar/calendar.ts';
import { deepFreeze } from '../core/patch.ts';
import { errorOf, invalidInput, type Issue, type Warning } from '../core/errors.ts';
import { requireMatch } from '../core/if-match.ts';
import { earlierOutcome, type RequestRecord } from '../core/request-record.ts';
import { remainingQuota } from './attendees/mails.ts';
import { nobody, type Notices } from './attendees/notices.ts';
import { guestReferencesOf } from './attendees/replicas.ts';
import { type DeleteFollowingEventsArgs, noEvent, type PatchFollowingEventsArgs } from './event.requests.ts';
import type { Draft } from './draft.ts';
import { type EventTools, findEvent } from './event.find.ts';
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
import { warnOfRemoved, type WriteResult, type Writes } from './event.writes.ts';
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
import { etagOf } from './visibility/event-view.ts';
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

/** What the parts are made of, beside the body. */
interface PartsAsked {
  /** Of the following part. */
  readonly id: string;
  readonly division: Division;
}

/** The instance that was named, with what it has by itself. */
interface NamedInstance {
  /** As it is from there on. */
  readonly series: EventRecord;
  readonly exception: EventRecord;
  /** What a conference that was made for the series replaced. */
  readonly made: Draft['replacements'];
}

/** Decides what becomes of a series from one of its instances on. Throws AppError with everything that is wrong. */
export function createDivisions(
  { clock, links }: EventTools,
  { eventContext, draftOf, noticesFor, withNotices }: Writes,
) {
  const uidHost = new URL(links.event).hostname;

  /** Throws with what is wrong there, and with `others`: what is wrong beside. */
  function fromInstance(
    viewer: Viewer,
    ref: CalendarRef,
    { eventId, ifMatch }: Args<DeleteFollowingEventsArgs>,
    found: ChangeState,
    others: (context: EventContext) => readonly Issue[],
  ): SplitPoint {
    const open = openCalendar(found.calendar, ref, viewer, 'writer');
    const record = findEvent(found, eventId, open.calendar.id);
    if (!record) throw noEvent();
    const context = eventContext(record, open, viewer);
    requireMatch(ifMatch, () => etagOf(context), 'event');
    const { series } = found;
    if (!record.instance || !series) throw invalidInput([noInstance, ...others(context)]);
    if (!context.asOrganizer) throw errorOf('FORBIDDEN', [notOrganizer, ...others(context)]);
    const start = startOf(record.instance.original);
    const { starts } = occurrencesOf(series.core).between(-Infinity, start, 1);
    return {
      open,
      viewer,
      context,
      series,
      original: record.instance.original,
      start,
      isFirst: starts.length === 0,
      rules: series.core as SplitPoint['rules'],
    };
  }

  function patchFollowing(
    viewer: Viewer,
    ref: CalendarRef,
    args: Args<PatchFollowingEventsArgs>,
    id: string,
    request: RequestRecord | undefined,
    found: ChangeState,
  ): Decision<Divided> {
    const open = openCalendar(found.calendar, ref, viewer, 'writer');
    const earlier = earlierOutcome<Remembered>(request, found.earlier);
    if (earlier) {
      const { before, following, warnings } = earlier;
      return {
        result: {
          ...(before && { before: eventContext(before, open, viewer) }),
          following: eventContext(following, open, viewer),
          warnings,
          notices: [],
        },
      };
    }
    const others = (context: EventContext): readonly Issue[] => {
      const draft = followingDraft(context, args.event, args, found);
      runSteps(draft);
      return draft.report.issues;
    };
    const from = fromInstance(viewer, ref, args, found, others);
    if (from.context.record.core.status === 'cancelled' || from.context.copy.state !== 'present')
      throw errorOf('FORBIDDEN', [cancelledInstance, ...others(from.context)]);
    const body = changesIn(from, args, found);
    const { rules } = from;
    const division = from.isFirst
      ? undefined
      : (divide(rules.recurrence, rules.start, from.start) ?? splitWithNewRule(from, body));
    if (!from.isFirst && !division) throw invalidInput([...others(from.context), indivisible]);
    const decision = division
      ? patchParts(from, args, body, { id, division }, found)
      : patchWhole(from, args, body, found);
    if (args.validateOnly) return { result: { ...decision.result, notices: [] } };
    const { before, following, warnings } = decision.result;
    return {
      ...decision,
      outcome: {
        ...(before && { before: before.record }),
        following: following.record,
        warnings,
      } satisfies Remembered,
    };
  }

  /** A draft of what is from here on, which cannot be cancelled so. */
  function followingDraft(
    context: EventContext,
    body: EventPatch,
    args: Args<PatchFollowingEventsArgs>,
    found: ChangeState,
    exceptions?: readonly EventRecord[],
  ): Draft {
    const draft = draftOf(context, body, args, found, false, exceptions);
    if (args.event.status === 'cancelled') draft.report.add([cancelling]);
    return draft;
  }

  /** What the body changes of the series from here on. */
  function changesIn(
    { context }: SplitPoint,
    { attendeeChanges, ...args }: Args<PatchFollowingEventsArgs>,
    found: ChangeState,
  ): EventPatch {
    const { event } = args;
    const changes = changesOf(draftOf(context, event, args, found, false));
    // Beside changes of the list it must not stand at all.
    return attendeeChanges && event.attendees !== undefined
      ? { ...changes, attendees: event.attendees }
      : changes;
  }

  /** Of the first instance: a patch of the series. */
  function patchWhole(
    from: SplitPoint,
    args: Args<PatchFollowingEventsArgs>,
    body: EventPatch,
    found: ChangeState,
  ): Decision<Divided> {
    const { open, viewer, series, original } = from;
    const context = eventContext(series, open, viewer);
    // The start of the series may be excluded.
    const counted = asOfStart(body, from, momentOf(from.rules.start));
    const draft = followingDraft(context, counted, args, found);
    assertValid(draft);
    const patched = stamp(
      draft,
      clock,
      guestReferencesOf(found.guests, context.copy.id, () => false, series),
    );
    const { warnings } = draft.report;
    const stored = found.ofSeries.find(({ instance }) => instance?.original === original);
    const after = exceptionsAfter(found.ofSeries, patched, series);
    const next = patched === series ? series : droppingOld(patched, after, clock());
    warnOfRemoved(draft, removedBy(found.ofSeries, after), { series, changed: next });
    const named = stored && after.find((one) => one.from === stored);
    const changed =
      named &&
      patchInstance(
        from,
        { series: next, exception: named.next, made: draft.replacements },
        args,
        body,
        found,
      );
    if (next === series) {
      if (!changed || changed.exception === stored)
        return { result: { following: context, warnings, notices: [] } };
      return { next: changed.exception, ...noticed({ following: context, warnings }, changed.notices) };
    }
    const following = eventContext(next, open, viewer);
    const exceptions = (): readonly EventRecord[] =>
      after.map((one) => (one === named && changed ? changed.exception : one.next));
    return {
      next,
      ...(changed && { exception: changed.exception }),
      ...noticed({ following, warnings }, [noticesFor(args, draft, following, { found, exceptions })]),
    };
  }

  /** Changes the named instance as any other one that has something by itself. */
  function patchInstance(
    { open, viewer }: SplitPoint,
    { series, exception: moved, made }: NamedInstance,
    args: Args<PatchFollowingEventsArgs>,
    body: EventPatch,
    found: ChangeState,
  ) {
    if (moved.instance?.emptied) return { exception: moved, notices: [] };
    const original = originalStartOf(moved);
    // The named instance takes start and end of the patch, even if it had its own (contract, section 15).
    const exception = body.start ? withoutTimes(moved) : moved;
    // The instance has no rules, and takes a conference that was made for its series from there.
    const { recurrence: _rules, conferenceData, ...rest } = body;
    const isMade = conferenceData?.createRequest;
    const ofInstance = isMade ? rest : { ...rest, conferenceData };
    const own =
      isMade && made ? asSeries(exception, Object.keys(made), nextStamp(clock, exception)) : exception;
    const before = composeInstance(series, original, own);
    const draft = draftOf(eventContext(before, open, viewer), ofInstance, args, found, false);
    assertValid(draft);
    keepRevision(draft);
    const next = stamp(
      draft,
      clock,
      guestReferencesOf(found.guests, draft.context.copy.id, () => false),
    );
    if (next === before) return { exception: own, notices: [] };
    const changed = exceptionOf(series, own, { before, next, invites: draft.guests?.invites === true });
    return {
      exception: changed,
      notices: [noticesFor(args, draft, eventContext(next, open, viewer), { found, series })],
    };
  }

  function patchParts(
    from: SplitPoint,
    args: Args<PatchFollowingEventsArgs>,
    body: EventPatch,
    { id, division }: PartsAsked,
    found: ChangeState,
  ): Decision<Divided> {
    const { open, viewer, series, original, start } = from;
    const going = exceptionsFrom(found.ofSeries, start);
    const now = nextStamp(clock);
    const plain = followingPart(series, division, { id, iCalUID: `${id}@${uidHost}` }, now);
    const draft = followingDraft(
      eventContext(plain, open, viewer),
      asOfStart(body, from, division.start),
      args,
      found,
      going,
    );
    assertValid(draft);
    // A new event is no revision of another one.
    keepRevision(draft);
    const changed = stamp(
      draft,
      clock,
      guestReferencesOf(found.guests, id, () => false),
    );
    const copies = Object.entries(changed.copies).filter(([, { state }]) => state !== 'uninvited');
    const next: EventRecord = deepFreeze({ ...changed, version: 1, copies: Object.fromEntries(copies) });
    const moved = movedExceptions(going, { series, plain, next, stamp: now });
    const exceptions = moved.map(({ from: at, next: exception }) =>
      at === original
        ? patchInstance(from, { series: next, exception, made: draft.replacements }, args, body, found)
            .exception
        : exception,
    );
    const placed = new Set(moved.map(({ from: at }) => at));
    const removed = going.filter((one) => !placed.has(originalStartOf(one)));
    warnOfRemoved(draft, removed, { series, changed: next });
    const room = remainingQuota(found);
    const ended = end(from, args, { recurrence: [...division.before] }, found, room);
    const context = eventContext(next, open, viewer);
    const notices = noticesFor(args, { ...draft, creating: true }, context, {
      found,
      room,
      exceptions: () => exceptions,
    });
    return {
      ...(ended.next && { next: ended.next }),
      added: { record: next, exceptions },
      ...noticed({ before: ended.result.context, following: context, warnings: draft.report.warnings }, [
        ended.result.notices,
        notices,
      ]),
    };
  }

  /** The series with a change of its own. */
  function end(
    { open, viewer, series }: SplitPoint,
    args: Args<DeleteFollowingEventsArgs>,
    body: EventPatch,
    found: ChangeState,
    room = remainingQuota(found),
  ): Decision<WriteResult> {
    const draft = draftOf(eventContext(series, open, viewer), body, {}, found, false);
    assertValid(draft);
    const next = stamp(draft, clock, new Map());
    const context = eventContext(next, open, viewer);
    const exceptions = (): readonly EventRecord[] =>
      exceptionsAfter(found.ofSeries, next, series).map((one) => one.next);
    return withNotices(
      { next },
      { context, warnings: [] },
      noticesFor(args, draft, context, { found, room, exceptions }),
    );
  }

  function deleteFollowing(
    viewer: Viewer,
    ref: CalendarRef,
    args: Args<DeleteFollowingEventsArgs>,
    found: ChangeState,
  ): Decision<WriteResult> {
    const from = fromInstance(viewer, ref, args, found, () => []);
    const { series, start, open, isFirst, rules } = from;
    if (series.core.status === 'cancelled')
      return { result: { context: eventContext(series, open, viewer), warnings: [], notices: nobody } };
    return end(
      from,
      args,
      isFirst ? { status: 'cancelled' } : { recurrence: endBefore(rules.recurrence, rules.start, start) },
      found,
    );
  }

  return { patchFollowing, deleteFollowing };
}
