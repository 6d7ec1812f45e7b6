import type { Viewer } from '../access/permissions.ts';
import { openCalendar, type OpenCalendar } from '../calendar/calendar.access.ts';
import type { CalendarRef } from '../calendar/calendar.store.ts';
import { errorAt, type AppError, type Warning } from '../core/errors.ts';
import { requireMatch } from '../core/if-match.ts';
import { readEarlierOutcome, type RequestRecord } from '../core/request-record.ts';
import { convertAttendeeChanges } from './attendees/attendee-changes.ts';
import { guestReferencesForDraft } from './attendees/copies.ts';
import { createNotices } from './attendees/mails.ts';
import {
  changedFieldNames,
  noNotice,
  sendUpdatesOf,
  type EventChange,
  type Notices,
} from './attendees/notices.ts';
import {
  argumentIssues,
  type ControlArgs,
  type GuestArgs,
  type InsertEventArgs,
  eventNotFoundError,
  type NotifyArgs,
  type PatchEventArgs,
} from './event.requests.ts';
import { findEvent } from './event.find.ts';
import { createConferenceMaker } from './conference/create.ts';
import type { EventTools } from './event.tools.ts';
import type { Decision, ChangeState } from './event.store.ts';
import { attendeeKey, type EventPatch } from './model/fields.ts';
import { type EventRecord, hasOwnChanges } from './model/record.ts';
import { composeInstance } from './instances/compose.ts';
import { createException } from './instances/exception.ts';
import { exceptionsAfterSeriesChange } from './instances/exceptions-after.ts';
import { withDroppedUntil } from './instances/removed-instances.ts';
import { timeTools } from '../recurrence/occurrences.ts';
import { etagOf, viewOf } from './visibility/event-view.ts';
import { visibilityOf, eventContextOf, type EventContext } from './visibility/event-context.ts';
import { createBlankRecord, createRecord, insertInstance } from './write/create.ts';
import { openDraft, type Draft } from './draft.ts';
import { replaceImported } from './write/replace-imported.ts';
import { patchRecord } from './write/patch.ts';
import { missingTimeIssues, putToPatch } from './write/put-to-patch.ts';
import { assertExceptionLimit, warnOfRemovedExceptions } from './write/check.ts';

/** Result of a write before guests are notified. */
export interface WriteResult {
  readonly context: EventContext;
  readonly warnings: readonly Warning[];
  readonly notices: Notices;
  /** The request changed nothing. */
  readonly unchanged?: true;
}

/** Outcome that is stored under a request id, and that answers a repetition of the request. */
interface WriteOutcome {
  readonly record: EventRecord;
  readonly warnings: readonly Warning[];
}

/** Adds the outcome to a decision, so that a repeated request gets the same result. */
export function withStoredOutcome(decision: Decision<WriteResult>): Decision<WriteResult> {
  const { context, warnings } = decision.result;
  return { ...decision, outcome: { record: context.record, warnings } satisfies WriteOutcome };
}

/** Decision without notices, which stores nothing by itself. */
export const withoutNotices = (
  context: EventContext,
  warnings: readonly Warning[] = [],
  marks?: Pick<WriteResult, 'unchanged'>,
): Decision<WriteResult> => ({ result: { context, warnings, notices: noNotice, ...marks } });

/** Arguments of a patch without the calendar, which is given as a reference. */
export type PatchArgs = Omit<PatchEventArgs, 'calendarId'>;

/** Arguments that drafts and notices of a change need. */
type ChangeArgs = ControlArgs & GuestArgs & NotifyArgs & Pick<PatchArgs, 'replaces'>;

/** Decides patches and inserts of events on the state that a store loaded. Throws AppError with all issues. */
export function createWrites(tools: EventTools) {
  const { model, links, clock, traceparent: readTraceparent } = tools;
  const uidHost = new URL(links.event).hostname;

  const eventContext = (record: EventRecord, { calendar, role }: OpenCalendar, viewer: Viewer) =>
    eventContextOf(record, { calendar, viewer, role, model, links });

  /** Opens a change with its drafts and notices. Throws if the caller may not write to the calendar. */
  function openChange(viewer: Viewer, ref: CalendarRef, changeArgs: ChangeArgs, loaded: ChangeState) {
    const openedCalendar = openCalendar(loaded.calendar, ref, viewer, 'writer');

    /** Opens a draft of a change. Converts a body that replaces the event, and `attendeeChanges`, to a patch first. */
    function prepareDraft(
      context: EventContext,
      sentBody: EventPatch,
      {
        args = changeArgs,
        isCreating: isCreatingEvent = false,
        exceptions = loaded.seriesExceptions,
        guestCalendars = loaded.guests,
      }: DraftOptions = {},
    ): Draft {
      const view = viewOf(context);
      const body = args.replaces
        ? putToPatch(sentBody, { context, view, supportArgs: args, guestCalendars })
        : sentBody;
      const summary = isCreatingEvent ? (body.summary ?? undefined) : context.record.core.summary;
      return openDraft(
        {
          context,
          isCreating: isCreatingEvent,
          support: args,
          guestCalendars,
          tools: timeTools,
          exceptions,
          getConferenceMaker: () => createConferenceMaker(tools, context.copy.id, summary),
          ...convertAttendeeChanges(body, args.attendeeChanges, { context, view }, [
            ...argumentIssues(args),
            ...(args.replaces ? missingTimeIssues(sentBody, view) : []),
          ]),
        },
        view,
      );
    }

    const noticeInput = {
      ownerOf: loaded.ownerOf,
      zoneOf: loaded.zoneOf,
      readTraceparent,
      // All mails of a decision share one quota, which they use up.
      quota: loaded.mailQuota && { ...loaded.mailQuota },
    };
    const noticesForChange = (change: EventChange): Notices => {
      const sendUpdates = sendUpdatesOf(changeArgs);
      return sendUpdates === 'none' ? noNotice : createNotices(sendUpdates, change, noticeInput);
    };

    const noticesForDraft = (draft: Draft, context: EventContext, related?: RelatedRecords): Notices =>
      noticesForChange(eventChangeOf(draft, context, related));

    const contextOf = (record: EventRecord): EventContext => eventContext(record, openedCalendar, viewer);

    return {
      loaded,
      calendar: openedCalendar.calendar,
      contextOf,
      /** Result of an earlier request with the same id. Throws CONFLICT if that request was another one. */
      readEarlierResult(request: RequestRecord | undefined): Decision<WriteResult> | undefined {
        const outcome = readEarlierOutcome<WriteOutcome>(request, loaded.earlierRequest);
        return outcome && withoutNotices(contextOf(outcome.record), outcome.warnings);
      },
      prepareDraft,
      noticesForChange,
      noticesForDraft,
      /** Decision to store `next`, with the notices of the draft's change. */
      decideWithNotices: (
        next: EventRecord,
        draft: Draft,
        context: EventContext,
        related?: RelatedRecords,
        warnings: readonly Warning[] = draft.report.warnings,
      ): Decision<WriteResult> => {
        const notices = noticesForDraft(draft, context, related);
        const result = { context, warnings: [...warnings, ...notices.warnings], notices };
        return { next, mails: notices.mails, result };
      },
    };
  }

  function patch(
    viewer: Viewer,
    ref: CalendarRef,
    args: PatchArgs,
    loaded: ChangeState,
  ): Decision<WriteResult> {
    const change = openChange(viewer, ref, args, loaded);
    const context = findNamedEvent(change, args);
    const { record } = context;
    const draft = change.prepareDraft(context, args.event);
    const references = guestReferencesForDraft(draft, (holder) => holder.key !== record.key, loaded.series);
    return finishPatch(change, draft, patchRecord(draft, clock, references), args.validateOnly);
  }

  /** Decides on the record after a patch, with the exceptions that follow from it. */
  function finishPatch(
    change: OpenChange,
    draft: Draft,
    recordAfterPatch: EventRecord,
    validateOnly: boolean | null | undefined,
  ): Decision<WriteResult> {
    const { loaded } = change;
    const { record } = draft.context;
    const { warnings } = draft.report;
    if (recordAfterPatch === record)
      return withoutNotices(change.contextOf(record), warnings, { unchanged: true });
    const { event, series } = loaded;
    if (record.instance && series) {
      assertExceptionLimit(loaded, ['eventId']);
      if (validateOnly) return withoutNotices(change.contextOf(recordAfterPatch), warnings);
      const next = createException(series, event?.instance ? event : undefined, {
        before: record,
        next: recordAfterPatch,
        invitesUnseenGuest: draft.guestChange?.invitesUnseenGuest,
      });
      const shownInstance = composeInstance(series, record.instance.original, next);
      return change.decideWithNotices(next, draft, change.contextOf(shownInstance), { series });
    }
    const { next: patchedRecord, ...replacedImports } = replaceImported(
      recordAfterPatch,
      record,
      loaded,
      clock,
    );
    const { next, changedExceptions } = changeSeries(change, draft, patchedRecord);
    const context = change.contextOf(next);
    if (validateOnly) return withoutNotices(context, warnings);
    const exceptions = (): EventRecord[] => changedExceptions.map((exception) => exception.next);
    return { ...change.decideWithNotices(next, draft, context, { exceptions }), ...replacedImports };
  }

  /** Lets the exceptions of a series follow the change of a draft, and warns of those that it removes. */
  function changeSeries(
    { loaded: { seriesExceptions } }: OpenChange,
    draft: Draft,
    patchedSeries: EventRecord,
  ) {
    const { record: series } = draft.context;
    const changedExceptions = exceptionsAfterSeriesChange(seriesExceptions, patchedSeries, series);
    const next =
      patchedSeries === series ? series : withDroppedUntil(patchedSeries, changedExceptions, clock());
    const sources = new Set(changedExceptions.map(({ source }) => source));
    const lostExceptions = seriesExceptions.filter(
      (exception) => hasOwnChanges(exception) && !sources.has(exception),
    );
    warnOfRemovedExceptions(draft, lostExceptions, series, next);
    return { next, changedExceptions };
  }

  function insert(
    viewer: Viewer,
    ref: CalendarRef,
    args: InsertEventArgs,
    id: string,
    request: RequestRecord | undefined,
    loaded: ChangeState,
  ): Decision<WriteResult> {
    const change = openChange(viewer, ref, args, loaded);
    const earlierResult = change.readEarlierResult(request);
    if (earlierResult) return earlierResult;
    const isInstance = typeof args.event.recurringEventId === 'string';
    const { next, context, draft, ...replacedImports } = isInstance
      ? insertInstance(args, change, model, clock)
      : createEvent(change, args, change.contextOf(createBlankRecord(id, change.calendar, viewer)));
    if (args.validateOnly) return withoutNotices(context, draft.report.warnings);
    const decision = change.decideWithNotices(
      next,
      draft,
      context,
      isInstance ? { series: loaded.series } : {},
    );
    return withStoredOutcome({ ...decision, ...replacedImports });
  }

  /** Creates the record of a new event. Throws CONFLICT if the calendar has an event with its id or iCalUID. */
  function createEvent(
    { prepareDraft, contextOf, loaded, calendar }: OpenChange,
    args: InsertEventArgs,
    blankContext: EventContext,
  ) {
    const draft = prepareDraft(blankContext, args.event, { isCreating: true });
    const createdRecord = createRecord(draft, clock, uidHost);
    const { next, ...replacedImports } = replaceImported(createdRecord, undefined, loaded, clock);
    const duplicateError = (field: 'id' | 'iCalUID', record: EventRecord): AppError => {
      const shownRecord = findEvent({ event: record, series: undefined }, '', calendar.id);
      const message = duplicateMessage(field, shownRecord && contextOf(shownRecord));
      return errorAt('CONFLICT', ['event', field], 'duplicate', message);
    };
    if (loaded.event) throw duplicateError('id', loaded.event);
    const eventWithUid = loaded.eventsWithUid.find(
      ({ core, instance }) => !instance && core.recurringEventId === undefined,
    );
    if (eventWithUid) throw duplicateError('iCalUID', eventWithUid);
    return { next, draft, context: contextOf(next), ...replacedImports };
  }

  return { patch, insert, finishPatch, changeSeries, eventContext, openChange };
}

export type Writes = ReturnType<typeof createWrites>;
/** Change of one calendar on a loaded state, with functions for its contexts, drafts and notices. */
export type OpenChange = ReturnType<Writes['openChange']>;

/** Options of a draft; by default, those of the change. */
interface DraftOptions {
  readonly args?: ChangeArgs;
  readonly isCreating?: boolean;
  readonly exceptions?: readonly EventRecord[] | undefined;
  /** Guests who respond on their own calendars here; by default all loaded ones. */
  readonly guestCalendars?: ChangeState['guests'] | undefined;
}

/** Finds the event that a change names. Throws if there is none or `ifMatch` does not match. */
export function findNamedEvent(
  { loaded, calendar, contextOf }: OpenChange,
  { eventId, ifMatch }: Pick<PatchArgs, 'eventId' | 'ifMatch'>,
): EventContext {
  const record = findEvent(loaded, eventId, calendar.id);
  if (!record) throw eventNotFoundError();
  const context = contextOf(record);
  requireMatch(ifMatch, () => etagOf(context), 'event');
  return context;
}

/** Series of a changed instance, or exceptions of a changed series, which mails show. */
type RelatedRecords = Pick<EventChange, 'series' | 'exceptions'>;

/** Describes a change for its notices. `context`: the event after the change. */
function eventChangeOf(
  { context: { record, copy }, body, view, guestChange, isCreating }: Draft,
  context: EventContext,
  { series, exceptions }: RelatedRecords = {},
): EventChange {
  const coreBefore = isCreating ? {} : record.core;
  return {
    context,
    coreBefore,
    changedFields: changedFieldNames(coreBefore, context.record.core),
    copyBefore: isCreating ? undefined : copy,
    invitesUnseenGuest: guestChange?.invitesUnseenGuest,
    series,
    exceptions,
    addedGuestKeys() {
      const knownKeys = new Set((view.attendees ?? []).map(attendeeKey));
      return (body.attendees ?? []).flatMap((entry) => {
        const key = attendeeKey(entry);
        return key === undefined || knownKeys.has(key) || entry.resource === true ? [] : [key];
      });
    },
  };
}

/**
 * Message about another event (`context`) with the same id or iCalUID. Does not disclose the iCalUID of
 * events that only organizers can restore.
 */
function duplicateMessage(field: 'id' | 'iCalUID', context: EventContext | undefined): string {
  const isCancelled = context !== undefined && viewOf(context).status === 'cancelled';
  const isHidden = isCancelled && visibilityOf(context) === 'none';
  if (isCancelled && !isHidden)
    return `The calendar has a cancelled event with this ${field}. To restore it, patch the event ${context.copy.id} with status "confirmed"; to get a new one, leave ${field} out.`;
  return isHidden && field === 'id'
    ? 'The calendar has a cancelled event with this id, which only its organizer can restore. Leave id out to get a new one.'
    : `The calendar has an event with this ${field}. Leave ${field} out to get a new one.`;
}
