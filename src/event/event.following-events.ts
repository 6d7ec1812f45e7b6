import type { Viewer } from '../access/permissions.ts';
import type { CalendarRef } from '../calendar/calendar.store.ts';
import { filterFields, frozenCopy } from '../core/json.ts';
import { errorOf, invalidInputError, type Issue, type Warning } from '../core/errors.ts';
import { readEarlierOutcome, type RequestRecord } from '../core/request-record.ts';
import type { Notices } from './attendees/notices.ts';
import { guestReferencesForDraft } from './attendees/copies.ts';
import type { DeleteFollowingEventsArgs, PatchFollowingEventsArgs } from './event.requests.ts';
import type { Draft } from './draft.ts';
import type { EventTools } from './event.tools.ts';
import {
  cancelledInstanceIssue,
  cancellingIssue,
  splitWithNewRule,
  indivisibleIssue,
  notAnInstanceIssue,
  notOrganizerIssue,
  shiftToSeriesStart,
  type SplitPoint,
  exceptionsFrom,
  createFollowingPart,
  moveExceptionsToPart,
} from './write/following-part.ts';
import type { Decision, ChangeState } from './event.store.ts';
import {
  type OpenChange,
  findNamedEvent,
  withoutNotices,
  type WriteResult,
  type Writes,
} from './event.writes.ts';
import type { EventPatch } from './model/fields.ts';
import { originalStartOf, type EventRecord, nextStamp } from './model/record.ts';
import { dropOwnFields, exceptionsAfterSeriesChange } from './instances/exceptions-after.ts';
import { composeInstance } from './instances/compose.ts';
import { parseOriginalStart, startInstantOf } from '../recurrence/original-start.ts';
import { divideSeries, endSeriesBefore, type Division } from '../recurrence/divide-series.ts';
import { createException } from './instances/exception.ts';
import { occurrencesOf } from '../recurrence/occurrences.ts';
import type { EventContext } from './visibility/event-context.ts';
import { instanceToSeriesPatch } from './write/put-to-patch.ts';
import { patchRecord, runSteps } from './write/patch.ts';
import { warnOfRemovedExceptions } from './write/check.ts';

/** Parts of a series that was changed from an instance on, before guests are notified. */
interface SplitSeries {
  /** First part; absent if the instance is the first. */
  readonly before?: EventContext;
  readonly following: EventContext;
  readonly warnings: readonly Warning[];
  readonly notices: readonly Notices[];
}

/** Adds to a decision the mails about its changes, and each distinct warning of notices once. */
const withNotices = (
  result: Omit<SplitSeries, 'notices'>,
  notices: readonly Notices[],
): Pick<Decision<SplitSeries>, 'mails' | 'result'> => {
  const noticeWarnings = new Map(
    notices.flatMap(({ warnings }) => warnings.map((warning) => [warning.message, warning])),
  );
  return {
    mails: notices.flatMap(({ mails }) => mails),
    result: { ...result, warnings: [...result.warnings, ...noticeWarnings.values()], notices },
  };
};

/** Outcome that is stored under a request id, and that answers a repetition of the request. */
interface SplitOutcome {
  readonly before?: EventRecord;
  readonly following: EventRecord;
  readonly warnings: readonly Warning[];
}

/** Drops an exception's own start and end, so that it inherits those of its series. */
const dropOwnTimes = (exception: EventRecord): EventRecord => {
  const { start, end, ...core } = exception.core;
  return start || end ? { ...exception, core, version: exception.version + 1 } : exception;
};

/** Creates functions that decide changes of an instance and all following ones. They throw AppError with all issues. */
export function createFollowingChanges({ clock, links }: EventTools, { openChange, changeSeries }: Writes) {
  const uidHost = new URL(links.event).hostname;

  /** Finds the instance that splits the series. Throws its issues together with `otherIssues`. */
  function findSplitPoint(
    change: OpenChange,
    args: DeleteFollowingEventsArgs,
    otherIssues: (context: EventContext) => readonly Issue[] = () => [],
  ): SplitPoint {
    const context = findNamedEvent(change, args);
    const { core, instance } = context.record;
    const { series } = change.loaded;
    if (core.recurringEventId !== undefined && !context.hasOrganizerRights)
      throw errorOf('FORBIDDEN', [notOrganizerIssue, ...otherIssues(context)]);
    if (!instance || !series) throw invalidInputError([notAnInstanceIssue, ...otherIssues(context)]);
    const { original: originalStart } = instance;
    const splitInstantMs = parseOriginalStart(originalStart);
    const isFirst = occurrencesOf(series.core).between(-Infinity, splitInstantMs, 1).starts.length === 0;
    const rules = series.core as SplitPoint['rules'];
    return { context, series, originalStart, splitInstantMs, isFirst, rules };
  }

  /** Divides the series at the named instance, or patches all of it if the instance is its first. */
  function patchFollowing(
    viewer: Viewer,
    ref: CalendarRef,
    args: PatchFollowingEventsArgs,
    followingId: string,
    request: RequestRecord | undefined,
    loaded: ChangeState,
  ): Decision<SplitSeries> {
    const change = openChange(viewer, ref, args, loaded);
    const { contextOf } = change;
    const storedOutcome = readEarlierOutcome<SplitOutcome>(request, loaded.earlierRequest);
    if (storedOutcome) {
      const { before, warnings } = storedOutcome;
      const following = contextOf(storedOutcome.following);
      return { result: { ...(before && { before: contextOf(before) }), following, warnings, notices: [] } };
    }
    const otherIssues = (context: EventContext): readonly Issue[] => {
      const draft = openFollowingDraft(change, context, args.event, args);
      runSteps(draft);
      return draft.report.issues;
    };
    const splitPoint = findSplitPoint(change, args, otherIssues);
    const { context, isFirst, rules } = splitPoint;
    if (context.record.core.status === 'cancelled' || context.copy.state !== 'present')
      throw errorOf('FORBIDDEN', [cancelledInstanceIssue, ...otherIssues(context)]);
    const body = createSeriesPatch(change, splitPoint, args);
    const division = isFirst
      ? undefined
      : (divideSeries(rules.recurrence, rules.start, splitPoint.splitInstantMs) ??
        splitWithNewRule(splitPoint, body));
    if (!isFirst && !division) throw invalidInputError([...otherIssues(context), indivisibleIssue]);
    const decision = division
      ? patchFollowingPart(change, splitPoint, args, body, followingId, division)
      : patchSeries(change, splitPoint, args, body);
    if (args.validateOnly) return { result: { ...decision.result, notices: [] } };
    const { before, following, warnings } = decision.result;
    const outcome: SplitOutcome = {
      ...(before && { before: before.record }),
      following: following.record,
      warnings,
    };
    return { ...decision, outcome };
  }

  /** Opens a draft of the following part, which cannot be cancelled by a patch. */
  function openFollowingDraft(
    { prepareDraft }: OpenChange,
    context: EventContext,
    body: EventPatch,
    args: PatchFollowingEventsArgs,
    exceptions?: readonly EventRecord[],
  ): Draft {
    const draft = prepareDraft(context, body, { exceptions });
    if (args.event.status === 'cancelled') draft.report.addIssues([cancellingIssue]);
    return draft;
  }

  /** Converts a patch of the instance to the patch of the series that it means. */
  function createSeriesPatch(
    { prepareDraft }: OpenChange,
    { context }: SplitPoint,
    { attendeeChanges, ...args }: PatchFollowingEventsArgs,
  ): EventPatch {
    const { event } = args;
    const patch = instanceToSeriesPatch(prepareDraft(context, event, { args }));
    // A list next to attendeeChanges is kept, so that it is reported.
    return attendeeChanges && event.attendees !== undefined
      ? { ...patch, attendees: event.attendees }
      : patch;
  }

  /** Patches the whole series, since the instance is its first. `body`: the patch as it applies to a series. */
  function patchSeries(
    change: OpenChange,
    splitPoint: SplitPoint,
    args: PatchFollowingEventsArgs,
    body: EventPatch,
  ): Decision<SplitSeries> {
    const { series, originalStart } = splitPoint;
    const { seriesExceptions } = change.loaded;
    const context = change.contextOf(series);
    // An EXDATE may exclude the start of the series, so that its first instance starts later.
    const shiftedBody = shiftToSeriesStart(body, splitPoint, startInstantOf(splitPoint.rules.start));
    const draft = openFollowingDraft(change, context, shiftedBody, args);
    const patchedSeries = patchRecord(draft, clock, guestReferencesForDraft(draft, undefined, series));
    const { next, changedExceptions } = changeSeries(change, draft, patchedSeries);
    const { warnings } = draft.report;
    const storedException = seriesExceptions.find(({ instance }) => instance?.original === originalStart);
    const namedException =
      storedException && changedExceptions.find(({ source }) => source === storedException);
    const changedInstance = namedException && patchInstance(change, next, namedException.next, draft, body);
    if (next === series) {
      if (!changedInstance || changedInstance.exception === storedException)
        return { result: { following: context, warnings, notices: [] } };
      return {
        next: changedInstance.exception,
        ...withNotices({ following: context, warnings }, changedInstance.noticesOf()),
      };
    }
    const following = change.contextOf(next);
    const exceptions = (): readonly EventRecord[] =>
      changedExceptions.map((exception) =>
        exception === namedException && changedInstance ? changedInstance.exception : exception.next,
      );
    return {
      next,
      ...(changedInstance && { exceptions: [changedInstance.exception] }),
      ...withNotices({ following, warnings }, [change.noticesForDraft(draft, following, { exceptions })]),
    };
  }

  /**
   * Patches the exception of the named instance too. `series`: the part that starts with the instance, whose draft
   * has `replacements` by a new conference. `body`: the patch as it applies to a series.
   */
  function patchInstance(
    { prepareDraft, noticesForDraft, contextOf }: OpenChange,
    series: EventRecord,
    movedException: EventRecord,
    { replacements }: Draft,
    body: EventPatch,
  ) {
    const noNotices = (): readonly Notices[] => [];
    if (movedException.instance?.emptied) return { exception: movedException, noticesOf: noNotices };
    // The patch's start and end apply to the named instance too, so its own are dropped.
    const exception = body.start ? dropOwnTimes(movedException) : movedException;
    // An instance has no rules, and inherits a conference that was created for its series.
    const { recurrence: _rules, conferenceData, ...instanceBody } = body;
    const createsConference = conferenceData?.createRequest;
    const exceptionBefore =
      createsConference && replacements
        ? dropOwnFields(exception, Object.keys(replacements), nextStamp(clock, exception))
        : exception;
    const before = composeInstance(series, originalStartOf(movedException), exceptionBefore);
    const draft = prepareDraft(
      contextOf(before),
      createsConference ? instanceBody : { ...instanceBody, conferenceData },
    );
    draft.keepsSequence = true;
    const next = patchRecord(draft, clock, guestReferencesForDraft(draft));
    if (next === before) return { exception: exceptionBefore, noticesOf: noNotices };
    const invitesUnseenGuest = draft.guestChange?.invitesUnseenGuest;
    const changedException = createException(series, exceptionBefore, { before, next, invitesUnseenGuest });
    // Computed on demand, since notices use up the mail quota.
    const noticesOf = (): readonly Notices[] => [noticesForDraft(draft, contextOf(next), { series })];
    return { exception: changedException, noticesOf };
  }

  /**
   * Ends the series before the instance, and creates the following part with this id. `body`: the patch as it
   * applies to a series.
   */
  function patchFollowingPart(
    change: OpenChange,
    splitPoint: SplitPoint,
    args: PatchFollowingEventsArgs,
    body: EventPatch,
    partId: string,
    division: Division,
  ): Decision<SplitSeries> {
    const { loaded, contextOf } = change;
    const { series, originalStart, splitInstantMs } = splitPoint;
    const laterExceptions = exceptionsFrom(loaded.seriesExceptions, splitInstantMs);
    const newStamp = nextStamp(clock);
    const unchangedPart = createFollowingPart(
      series,
      division,
      { id: partId, iCalUID: `${partId}@${uidHost}` },
      newStamp,
    );
    const shiftedBody = shiftToSeriesStart(body, splitPoint, division.start);
    const draft = openFollowingDraft(change, contextOf(unchangedPart), shiftedBody, args, laterExceptions);
    // A new series keeps its initial sequence, unless the client sets another.
    draft.keepsSequence = true;
    const changedPart = patchRecord(draft, clock, guestReferencesForDraft(draft));
    const copies = filterFields(changedPart.copies, ({ state }) => state !== 'uninvited');
    const next: EventRecord = frozenCopy({ ...changedPart, version: 1, copies });
    const movedInstances = moveExceptionsToPart(laterExceptions, series, unchangedPart, next, newStamp);
    const exceptions = movedInstances.map(({ oldOriginal, next: exception }) =>
      oldOriginal === originalStart
        ? patchInstance(change, next, exception, draft, body).exception
        : exception,
    );
    const movedOriginals = new Set(movedInstances.map(({ oldOriginal }) => oldOriginal));
    const lostExceptions = laterExceptions.filter(
      (exception) => !movedOriginals.has(originalStartOf(exception)),
    );
    warnOfRemovedExceptions(draft, lostExceptions, series, next);
    const endedSeries = endSeries(change, series, { recurrence: [...division.earlierLines] });
    const following = contextOf(next);
    const newDraft = { ...draft, isCreating: true };
    const notices = change.noticesForDraft(newDraft, following, { exceptions: () => exceptions });
    const { warnings } = draft.report;
    return {
      ...(endedSeries.next && { next: endedSeries.next }),
      added: [{ record: next, exceptions }],
      ...withNotices({ before: endedSeries.result.context, following, warnings }, [
        endedSeries.result.notices,
        notices,
      ]),
    };
  }

  /** Ends or cancels a series. Reports no warnings, since the client did not send this change. */
  function endSeries(
    { loaded, contextOf, prepareDraft, decideWithNotices }: OpenChange,
    series: EventRecord,
    body: EventPatch,
  ): Decision<WriteResult> {
    const draft = prepareDraft(contextOf(series), body, { args: {} });
    const next = patchRecord(draft, clock, new Map());
    const exceptions = (): readonly EventRecord[] =>
      exceptionsAfterSeriesChange(loaded.seriesExceptions, next, series).map((exception) => exception.next);
    return decideWithNotices(next, draft, contextOf(next), { exceptions }, []);
  }

  /** Ends the series before the named instance, or cancels it if that instance is its first. */
  function deleteFollowing(
    viewer: Viewer,
    ref: CalendarRef,
    args: DeleteFollowingEventsArgs,
    loaded: ChangeState,
  ): Decision<WriteResult> {
    const change = openChange(viewer, ref, args, loaded);
    const { series, splitInstantMs, isFirst, rules } = findSplitPoint(change, args);
    if (series.core.status === 'cancelled') return withoutNotices(change.contextOf(series));
    const endedBody = { recurrence: endSeriesBefore(rules.recurrence, rules.start, splitInstantMs) };
    return endSeries(change, series, isFirst ? { status: 'cancelled' } : endedBody);
  }

  return { patchFollowing, deleteFollowing };
}
