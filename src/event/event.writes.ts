import type { Viewer } from '../access/permissions.ts';
import { openCalendar, type OpenCalendar } from '../calendar/calendar.access.ts';
import type { CalendarRef } from '../calendar/calendar.ts';
import { errorAt, invalidInput, type AppError, type Path, type Warning } from '../core/errors.ts';
import { requireMatch } from '../core/if-match.ts';
import { earlierOutcome, type RequestRecord } from '../core/request-record.ts';
import { withGuestList } from './attendees/changes.ts';
import { referencesFor } from './attendees/replicas.ts';
import { noticesOf, remainingQuota, type MailQuota } from './attendees/mails.ts';
import { changedNames, nobody, updatesAsked, type EventChange, type Notices } from './attendees/notices.ts';
import {
  argumentIssues,
  type Controls,
  type GuestArgs,
  type InsertEventArgs,
  noEvent,
  type NotifyArgs,
  type PatchEventArgs,
} from './event.requests.ts';
import { conferencesFor, type EventTools, findEvent } from './event.find.ts';
import type { Decision, ChangeState } from './event.store.ts';
import { attendeeKey, type EventPatch } from './model/fields.ts';
import { changesAnything, originalStartOf, type EventRecord } from './model/record.ts';
import { composeInstance } from './instances/compose.ts';
import { exceptionOf } from './instances/exception.ts';
import { exceptionsAfter, removedBy } from './instances/exceptions-after.ts';
import { droppingOld } from './instances/expired.ts';
import { timeTools } from '../recurrence/occurrences.ts';
import { etagOf, viewOf } from './visibility/event-view.ts';
import { isUnchanged } from './visibility/visible-state.ts';
import { visibilityOf, seesGuests, eventContextOf, type EventContext } from './visibility/event-context.ts';
import { blankRecord, createRecord, insertInstance } from './write/create.ts';
import { openDraft, type Draft } from './draft.ts';
import { patchRecord } from './write/patch.ts';
import { missingTimes, putToPatch } from './write/replace.ts';

/** The result of a write, before anybody is notified. */
export interface WriteResult {
  readonly context: EventContext;
  readonly warnings: readonly Warning[];
  /** Decided together with the change. */
  readonly notices: Notices;
  /** The event was as asked for already. */
  readonly unchanged?: true;
}

/** What is remembered of an insert, to answer it again: the record as it was put together. */
interface Remembered {
  readonly record: EventRecord;
  readonly warnings: readonly Warning[];
}

export type PatchArgs = Omit<PatchEventArgs, 'calendarId'>;

/** Arguments that all drafts and notices of a change depend on. */
type ChangeArgs = Controls & GuestArgs & NotifyArgs & Pick<PatchArgs, 'replaces'>;

/** Decides, on what a store found, what becomes of it. Throws AppError with everything that is wrong. */
export function createWrites(tools: EventTools) {
  const { model, links, clock, place } = tools;
  const uidHost = new URL(links.event).hostname;

  const eventContext = (
    record: EventRecord,
    { calendar, role }: OpenCalendar,
    viewer: Viewer,
  ): EventContext => eventContextOf(record, { calendar, viewer, role, model, links });

  /** A change by a caller who may write to the calendar, and its drafts and notices. */
  function openChange(viewer: Viewer, ref: CalendarRef, changeArgs: ChangeArgs, found: ChangeState) {
    const open = openCalendar(found.calendar, ref, viewer, 'writer');

    function draftOf(
      context: EventContext,
      sent: EventPatch,
      { args = changeArgs, creating = false, exceptions = found.ofSeries }: DraftOptions = {},
    ): Draft {
      const seen = viewOf(context);
      const guestCalendars = found.guests;
      const body = args.replaces ? putToPatch(sent, { context, seen, support: args, guestCalendars }) : sent;
      const summary = creating ? (body.summary ?? undefined) : context.record.core.summary;
      return openDraft(
        {
          context,
          creating,
          support: args,
          guestCalendars,
          times: timeTools,
          exceptions,
          conference: () => conferencesFor(tools, context.copy.id, summary),
          ...withGuestList(body, args.attendeeChanges, { context, seen }, [
            ...argumentIssues(args),
            ...(args.replaces ? missingTimes(sent, seen) : []),
          ]),
        },
        seen,
      );
    }

    const noticesFor = (
      draft: Draft,
      context: EventContext,
      { room, series, exceptions = () => [] }: NoticeContext = {},
    ): Notices => {
      const asked = updatesAsked(changeArgs);
      if (asked === 'none') return nobody;
      const { ownerOf, zoneOf } = found;
      const dependencies = {
        ownerOf,
        zoneOf,
        place,
        room: room ?? remainingQuota(found),
        series,
        exceptions,
      };
      return noticesOf(asked, changeOf(draft, context), dependencies);
    };

    return {
      found,
      calendar: open.calendar,
      contextOf: (record: EventRecord): EventContext => eventContext(record, open, viewer),
      draftOf,
      noticesFor,
      /** A decision with the mails that tell of it. */
      decided: (
        next: EventRecord,
        draft: Draft,
        context: EventContext,
        about?: NoticeContext,
        warnings: readonly Warning[] = draft.report.warnings,
      ): Decision<WriteResult> => {
        const notices = noticesFor(draft, context, about);
        const result = { context, warnings: [...warnings, ...notices.warnings], notices };
        return { next, mails: notices.mails, result };
      },
    };
  }

  function patch(
    viewer: Viewer,
    ref: CalendarRef,
    args: PatchArgs,
    found: ChangeState,
  ): Decision<WriteResult> {
    const change = openChange(viewer, ref, args, found);
    const context = namedEvent(change, args);
    const { record } = context;
    const draft = change.draftOf(context, args.event);
    const references = referencesFor(draft, (holder) => holder.key !== record.key, found.series);
    const patched = patchRecord(draft, clock, references);
    const { warnings } = draft.report;
    if (patched === record) return { result: { context, warnings, notices: nobody, unchanged: true } };
    const exceptions = record.instance ? [] : exceptionsAfter(found.ofSeries, patched, record);
    const changed = droppingOld(patched, exceptions, clock());
    warnOfRemoved(draft, removedBy(found.ofSeries, exceptions), { series: record, changed });
    if (record.instance) limitExceptions(found, ['eventId']);
    const after = change.contextOf(changed);
    if (args.validateOnly) return { result: { context: after, warnings, notices: nobody } };
    const { event, series } = found;
    if (!record.instance || !series)
      return change.decided(changed, draft, after, { exceptions: () => exceptions.map(({ next }) => next) });
    const next = exceptionOf(series, event?.instance ? event : undefined, {
      before: record,
      next: changed,
      invites: draft.guests?.invites === true,
    });
    const shown = change.contextOf(composeInstance(series, record.instance.original, next));
    return change.decided(next, draft, shown, { series });
  }

  function insert(
    viewer: Viewer,
    ref: CalendarRef,
    args: InsertEventArgs,
    id: string,
    request: RequestRecord | undefined,
    found: ChangeState,
  ): Decision<WriteResult> {
    const change = openChange(viewer, ref, args, found);
    const first = earlierOutcome<Remembered>(request, found.earlier);
    if (first)
      return {
        result: { context: change.contextOf(first.record), warnings: first.warnings, notices: nobody },
      };
    const isInstance = typeof args.event.recurringEventId === 'string';
    const { next, context, draft } = isInstance
      ? newInstance(change, args)
      : newEvent(change, args, change.contextOf(blankRecord(id, change.calendar, viewer)));
    if (args.validateOnly) return { result: { context, warnings: draft.report.warnings, notices: nobody } };
    const decision = change.decided(next, draft, context, isInstance ? { series: found.series } : {});
    return {
      ...decision,
      outcome: { record: context.record, warnings: decision.result.warnings } satisfies Remembered,
    };
  }

  function newEvent(
    { draftOf, contextOf, found, calendar }: Change,
    args: InsertEventArgs,
    blank: EventContext,
  ) {
    const draft = draftOf(blank, args.event, { creating: true });
    const next = createRecord(draft, { clock, uidHost, references: referencesFor(draft, () => true) });
    /** The error of an insert whose `field` another event of the calendar has. */
    const duplicate = (field: 'id' | 'iCalUID', record: EventRecord): AppError => {
      const shown = findEvent({ event: record, series: undefined }, '', calendar.id);
      const message = duplicateMessage(field, shown && contextOf(shown));
      return errorAt('CONFLICT', ['event', field], 'duplicate', message);
    };
    if (found.event) throw duplicate('id', found.event);
    const named = found.sameUid.find(
      ({ core, instance }) => !instance && core.recurringEventId === undefined,
    );
    if (named) throw duplicate('iCalUID', named);
    return { next, draft, context: contextOf(next) };
  }

  function newInstance(change: Change, args: InsertEventArgs) {
    const { next, draft, series } = insertInstance({ ...change, args, model, clock });
    limitExceptions(change.found, ['event', 'recurringEventId']);
    const context = change.contextOf(composeInstance(series, originalStartOf(next), next));
    return { next, draft, context };
  }

  return { patch, insert, eventContext, openChange };
}

export type Writes = ReturnType<typeof createWrites>;
export type Change = ReturnType<Writes['openChange']>;

interface DraftOptions {
  readonly args?: ChangeArgs;
  readonly creating?: boolean;
  readonly exceptions?: readonly EventRecord[] | undefined;
}

/** The event that a change names, as it was. */
export function namedEvent(
  { found, calendar, contextOf }: Change,
  { eventId, ifMatch }: Pick<PatchArgs, 'eventId' | 'ifMatch'>,
): EventContext {
  const record = findEvent(found, eventId, calendar.id);
  if (!record) throw noEvent();
  const context = contextOf(record);
  requireMatch(ifMatch, () => etagOf(context), 'event');
  return context;
}

/** Warns of instances that a change of their series leaves none of, as far as the caller sees that they differ from it. */
export function warnOfRemoved(
  { context, report, change, excludesCancelled }: Draft,
  removed: readonly EventRecord[],
  { series, changed }: { readonly series: EventRecord; readonly changed: EventRecord },
): void {
  if (removed.length === 0 || changed.core.status === 'cancelled') return;
  const isSeen = (record: EventRecord): boolean =>
    !(excludesCancelled && record.core.status === 'cancelled') &&
    !isUnchanged(context.calendar.id, { record, series }, !seesGuests(context), context.identity);
  const count = removed.filter(isSeen).length;
  if (count === 0) return;
  report.warn(
    ['event', change.start === undefined ? 'recurrence' : 'start'],
    'instancesRemoved',
    `Instances that were changed or cancelled by themselves and have no place in the series any more: ${count}. They were removed.`,
    { count },
  );
}

/** A change of a series is one of all its exceptions, in one piece. Those that an import brings are not limited. */
const mostExceptions = 2_500;

function limitExceptions({ event, exceptions: actual }: ChangeState, path: Path): void {
  if ((event && changesAnything(event)) || actual < mostExceptions) return;
  const message = `Of one recurring event at most ${mostExceptions} instances can be changed or cancelled by themselves. Change the recurring event, or end it and go on with another.`;
  throw invalidInput([{ path, reason: 'tooMany', message, params: { max: mostExceptions, actual } }]);
}

/** What telling guests needs beside the change. */
interface NoticeContext {
  /** Shared by all changes of one decision; absent where there is but one. */
  readonly room?: MailQuota | undefined;
  /** Of an instance. */
  readonly series?: EventRecord | undefined;
  /** Of a series, as they are after the change. */
  readonly exceptions?: () => readonly EventRecord[];
}

/** The change as notices describe it. */
function changeOf(
  { context: { record, copy }, body, seen, guests, creating }: Draft,
  context: EventContext,
): EventChange {
  const before = creating ? {} : record.core;
  return {
    context,
    before,
    changed: changedNames(before, context.record.core),
    beforeCopy: creating ? undefined : copy,
    invites: guests?.invites === true,
    added() {
      const known = new Set((seen.attendees ?? []).map(attendeeKey));
      return (body.attendees ?? []).flatMap((entry) => {
        const key = attendeeKey(entry);
        return key === undefined || known.has(key) || entry.resource === true ? [] : [key];
      });
    },
  };
}

/** `context`: the event that has the same value. Its iCalUID is not shown where only its organizer can restore it. */
function duplicateMessage(field: 'id' | 'iCalUID', context: EventContext | undefined): string {
  const isCancelled = context !== undefined && viewOf(context).status === 'cancelled';
  const isOver = isCancelled && visibilityOf(context) === 'gone';
  if (isCancelled && !isOver)
    return `The calendar has a cancelled event with this ${field}. To restore it, patch the event ${context.copy.id} with status "confirmed"; to get a new one, leave ${field} out.`;
  return isOver && field === 'id'
    ? 'The calendar has a cancelled event with this id, which only its organizer can restore. Leave id out to get a new one.'
    : `The calendar has an event with this ${field}. Leave ${field} out to get a new one.`;
}
