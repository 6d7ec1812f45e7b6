import type { Viewer } from '../access/permissions.ts';
import { openCalendar, type OpenCalendar } from '../calendar/calendar.access.ts';
import type { CalendarRef } from '../calendar/calendar.ts';
import { errorAt, invalidInput, type AppError, type Path, type Warning } from '../core/errors.ts';
import { requireMatch } from '../core/if-match.ts';
import { earlierOutcome, type RequestRecord } from '../core/request-record.ts';
import { withGuestList } from './attendees/changes.ts';
import { guestReferencesOf } from './attendees/replicas.ts';
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

/** Decides, on what a store found, what becomes of it. Throws AppError with everything that is wrong. */
export function createWrites(tools: EventTools) {
  const { model, links, clock, place } = tools;
  const uidHost = new URL(links.event).hostname;

  const eventContext = (
    record: EventRecord,
    { calendar, role }: OpenCalendar,
    viewer: Viewer,
  ): EventContext => eventContextOf(record, { calendar, viewer, role, model, links });

  function draftOf(
    context: EventContext,
    sent: EventPatch,
    args: Controls & GuestArgs & Pick<PatchArgs, 'replaces'>,
    found: ChangeState,
    creating: boolean,
    exceptions: readonly EventRecord[] = found.ofSeries,
  ): Draft {
    const seen = viewOf(context);
    const body = args.replaces
      ? putToPatch(sent, { context, seen, support: args, guestCalendars: found.guests })
      : sent;
    return openDraft(
      {
        context,
        creating,
        support: args,
        guestCalendars: found.guests,
        times: timeTools,
        exceptions,
        conference: conferencesFor(
          tools,
          context.copy.id,
          creating ? (body.summary ?? undefined) : context.record.core.summary,
        ),
        ...withGuestList(body, args.attendeeChanges, { context, seen }, [
          ...argumentIssues(args),
          ...(args.replaces ? missingTimes(sent, seen) : []),
        ]),
      },
      seen,
    );
  }

  const noticesFor = (
    args: NotifyArgs,
    draft: Draft,
    context: EventContext,
    { found, room = remainingQuota(found), series, exceptions = () => [] }: NoticeContext,
  ): Notices => {
    const asked = updatesAsked(args);
    return asked === 'none'
      ? nobody
      : noticesOf(asked, changeOf(draft, context), {
          ownerOf: found.ownerOf,
          zoneOf: found.zoneOf,
          place,
          room,
          series,
          exceptions,
        });
  };

  function patch(
    viewer: Viewer,
    ref: CalendarRef,
    args: PatchArgs,
    found: ChangeState,
  ): Decision<WriteResult> {
    const open = openCalendar(found.calendar, ref, viewer, 'writer');
    const record = findEvent(found, args.eventId, open.calendar.id);
    if (!record) throw noEvent();
    const context = eventContext(record, open, viewer);
    requireMatch(args.ifMatch, () => etagOf(context), 'event');
    const draft = draftOf(context, args.event, args, found, false);
    const references = guestReferencesOf(
      found.guests,
      context.copy.id,
      (holder) => holder.key !== record.key,
      found.series,
    );
    const patched = patchRecord(draft, clock, references);
    const { warnings } = draft.report;
    if (patched === record) return { result: { context, warnings, notices: nobody, unchanged: true } };
    const exceptions = record.instance ? [] : exceptionsAfter(found.ofSeries, patched, record);
    const changed = droppingOld(patched, exceptions, clock());
    warnOfRemoved(draft, removedBy(found.ofSeries, exceptions), { series: record, changed });
    if (record.instance) limitExceptions(found, ['eventId']);
    const after = eventContext(changed, open, viewer);
    if (args.validateOnly) return { result: { context: after, warnings, notices: nobody } };
    const { event, series } = found;
    if (!record.instance || !series) {
      return withNotices(
        { next: changed },
        { context: after, warnings },
        noticesFor(args, draft, after, { found, exceptions: () => exceptions.map(({ next }) => next) }),
      );
    }
    const next = exceptionOf(series, event?.instance ? event : undefined, {
      before: record,
      next: changed,
      invites: draft.guests?.invites === true,
    });
    const shown = eventContext(composeInstance(series, record.instance.original, next), open, viewer);
    return withNotices(
      { next },
      { context: shown, warnings },
      noticesFor(args, draft, shown, { found, series }),
    );
  }

  function insert(
    viewer: Viewer,
    ref: CalendarRef,
    args: InsertEventArgs,
    id: string,
    request: RequestRecord | undefined,
    found: ChangeState,
  ): Decision<WriteResult> {
    const open = openCalendar(found.calendar, ref, viewer, 'writer');
    const first = earlierOutcome<Remembered>(request, found.earlier);
    if (first)
      return {
        result: {
          context: eventContext(first.record, open, viewer),
          warnings: first.warnings,
          notices: nobody,
        },
      };
    const isInstance = typeof args.event.recurringEventId === 'string';
    const { next, context, draft } = isInstance
      ? newInstance(viewer, open, args, found)
      : newEvent(viewer, open, args, id, found);
    const { warnings } = draft.report;
    if (args.validateOnly) return { result: { context, warnings, notices: nobody } };
    const decision = withNotices(
      { next },
      { context, warnings },
      noticesFor(args, draft, context, { found, ...(isInstance && { series: found.series }) }),
    );
    return {
      ...decision,
      outcome: { record: context.record, warnings: decision.result.warnings } satisfies Remembered,
    };
  }

  function newEvent(
    viewer: Viewer,
    open: OpenCalendar,
    args: InsertEventArgs,
    id: string,
    found: ChangeState,
  ) {
    const draft = draftOf(
      eventContext(blankRecord(id, open.calendar, viewer), open, viewer),
      args.event,
      args,
      found,
      true,
    );
    const next = createRecord(draft, {
      clock,
      uidHost,
      references: guestReferencesOf(found.guests, id, () => true),
    });
    if (found.event) throw duplicate('id', found.event, open, viewer);
    const named = found.sameUid.filter(
      ({ core, instance }) => !instance && core.recurringEventId === undefined,
    );
    if (named[0]) throw duplicate('iCalUID', named[0], open, viewer);
    return { next, draft, context: eventContext(next, open, viewer) };
  }

  /** The error of an insert whose `field` another event of the calendar has. */
  function duplicate(
    field: 'id' | 'iCalUID',
    record: EventRecord,
    open: OpenCalendar,
    viewer: Viewer,
  ): AppError {
    const shown = findEvent({ event: record, series: undefined }, '', open.calendar.id);
    const context = shown && eventContext(shown, open, viewer);
    return errorAt('CONFLICT', ['event', field], 'duplicate', duplicateMessage(field, context));
  }

  function newInstance(viewer: Viewer, open: OpenCalendar, args: InsertEventArgs, found: ChangeState) {
    const { next, draft, series } = insertInstance({
      args,
      found,
      calendarId: open.calendar.id,
      model,
      clock,
      eventContext: (record) => eventContext(record, open, viewer),
      draftOf: (context, body) => draftOf(context, body, args, found, false),
    });
    limitExceptions(found, ['event', 'recurringEventId']);
    const context = eventContext(composeInstance(series, originalStartOf(next), next), open, viewer);
    return { next, draft, context };
  }

  return { patch, insert, eventContext, draftOf, noticesFor, withNotices };
}

interface Removal {
  readonly series: EventRecord;
  readonly changed: EventRecord;
}

/** Warns of instances that a change of their series leaves none of, as far as the caller sees that they differ from it. */
export function warnOfRemoved(
  { context, report, change, excludesCancelled }: Draft,
  removed: readonly EventRecord[],
  { series, changed }: Removal,
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

export type Writes = ReturnType<typeof createWrites>;

/** A change of a series is one of all its exceptions, in one piece. Those that an import brings are not limited. */
const mostExceptions = 2_500;

function limitExceptions({ event, exceptions: actual }: ChangeState, path: Path): void {
  if ((event && changesAnything(event)) || actual < mostExceptions) return;
  const message = `Of one recurring event at most ${mostExceptions} instances can be changed or cancelled by themselves. Change the recurring event, or end it and go on with another.`;
  throw invalidInput([{ path, reason: 'tooMany', message, params: { max: mostExceptions, actual } }]);
}

/** What telling guests needs beside the change. */
interface NoticeContext {
  readonly found: ChangeState;
  /** Shared by all changes of one decision; absent where there is but one. */
  readonly room?: MailQuota | undefined;
  /** Of an instance. */
  readonly series?: EventRecord | undefined;
  /** Of a series, as they are after the change. */
  readonly exceptions?: () => readonly EventRecord[];
}

/** A decision with the mails that tell of it. */
const withNotices = (
  stored: Pick<Decision<WriteResult>, 'next'>,
  { context, warnings }: Omit<WriteResult, 'notices'>,
  notices: Notices,
): Decision<WriteResult> => ({
  mails: notices.mails,
  result: { context, warnings: [...warnings, ...notices.warnings], notices },
  ...stored,
});

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
