import type { Viewer } from '../access/permissions.ts';
import type { CalendarRef } from '../calendar/calendar.ts';
import { AppError, errorAt, invalidInput, type Issue } from '../core/errors.ts';
import { earlierOutcome, type RequestRecord } from '../core/request-record.ts';
import type { EventTime } from '../core/time/time.ts';
import { dayMs } from '../recurrence/calendar-days.ts';
import { eventTimeAt, originalStartOf, parseOriginal } from '../recurrence/original-start.ts';
import { guestReferencesOf, referencesFor, replicasFor } from './attendees/replicas.ts';
import { noNotice } from './attendees/notices.ts';
import type { ImportEventArgs } from './event.requests.ts';
import type { ChangeState, Decision } from './event.store.ts';
import type { EventTools } from './event.tools.ts';
import {
  type InsertOutcome,
  limitExceptions,
  type OpenChange,
  type WriteResult,
  type Writes,
} from './event.writes.ts';
import { composeInstance, hasOccurrence } from './instances/compose.ts';
import { exceptionOf } from './instances/exception.ts';
import type { Draft } from './draft.ts';
import { sentGuestKey } from './attendees/guest-list.ts';
import {
  type EventCopy,
  type EventRecord,
  hasOwnChanges,
  isForeign,
  isSeries,
  type Stamp,
} from './model/record.ts';
import { invitedGuests } from './projection/projection.ts';
import { definedFields, sameJson } from '../core/patch.ts';
import type { Clock } from '../core/runtime/clock.ts';
import { newId } from '../core/new-id.ts';
import { createRecord } from './write/create.ts';
import { restoreSequence } from './write/from-instance.ts';
import {
  answeringGuests,
  asImporter,
  type ImportBody,
  importedBlank,
  importToPatch,
  ownPartOf,
  prepareImport,
  readImportBody,
  replaceImported,
  retire,
} from './write/import.ts';
import { bodyIssues } from './write/normalize.ts';
import { assertValid } from './write/patch.ts';
import { nextStamp, stamp } from './write/stamp.ts';

/** Target of an import: the event with its iCalUID, an instance of that series, or a new event. */
export interface ImportTarget {
  /** Stored event with the iCalUID, or the series; absent for a new event. */
  readonly found: EventRecord | undefined;
  readonly eventId: string;
  /** Series that `found` is, if the body is an instance of it. */
  readonly seriesId?: string;
  /** Guests whose calendars the change needs besides those of the body, as `addressKey` writes them. */
  readonly guests?: readonly string[];
}

/** Attempts of an import while others add or remove events with its iCalUID. */
export const maxImportAttempts = 5;

export const changesTooOften = (): AppError =>
  new AppError(
    'UNAVAILABLE',
    'backendError',
    'The calendar changes too often, so the event could not be imported. Try again.',
  );

/** Target of an import whose iCalUID the calendar does not have. */
export const newTarget = (original: string | undefined, seriesId: string = newId()): ImportTarget => ({
  found: undefined,
  eventId: original === undefined ? newId() : `${seriesId}_${original}`,
});

/** Picks what an import changes from the events of a calendar with its iCalUID. */
export function pickTarget(
  records: readonly EventRecord[],
  calendarId: string,
  original: string | undefined,
): ImportTarget | undefined {
  const main = records.find(({ instance, core }) => !instance && core.recurringEventId === undefined);
  const alone = instancesAlone(records, calendarId);
  if (original === undefined) return main && { found: main, eventId: idOn(calendarId, main) };
  if (main && (isSeries(main) || !isImported(main, calendarId))) {
    const seriesId = idOn(calendarId, main);
    return { found: main, eventId: `${seriesId}_${original}`, seriesId };
  }
  const found = alone.find(({ core }) => originalStartOf(core.originalStartTime) === original);
  return found
    ? { found, eventId: idOn(calendarId, found) }
    : alone[0] && newTarget(original, alone[0].core.recurringEventId);
}

export const idOn = (calendarId: string, { copies }: EventRecord): string =>
  (copies[calendarId] as EventCopy).id;

/** Instances that are stored without their series and that the calendar shows. */
export const instancesAlone = (records: readonly EventRecord[], calendarId: string): readonly EventRecord[] =>
  records.filter(
    ({ instance, core, copies }) =>
      !instance && core.recurringEventId !== undefined && copies[calendarId]?.state !== 'uninvited',
  );

const isImported = ({ copies }: EventRecord, calendarId: string): boolean =>
  (copies[calendarId] as EventCopy).imported === true;

/** Whether an own event was deleted, so that an import may restore it. */
const isDeletedOwn = ({ homeId, core, copies }: EventRecord, calendarId: string): boolean =>
  homeId === calendarId &&
  core.status === 'cancelled' &&
  !core.privateCopy &&
  (copies[calendarId] as EventCopy).guest === undefined;

/**
 * Lets an instance that was imported before its series become one of the series: an exception, which replaces the instance
 * alone. Undefined if it is no instance of the series.
 */
function joinSeries(
  series: EventRecord,
  alone: EventRecord,
  calendarId: string,
  guests: ChangeState['guests'],
  clock: Clock,
): { readonly exception: EventRecord; readonly retired: EventRecord } | undefined {
  const original = originalStartOf(alone.core.originalStartTime) as string;
  const copy = alone.copies[calendarId] as EventCopy;
  if (
    !copy.imported ||
    !sameJson(series.core.organizer, alone.core.organizer) ||
    !hasOccurrence(series, original)
  )
    return undefined;
  const before = composeInstance(series, original);
  const { recurringEventId, originalStartTime, organizer, creator, created, iCalUID } = before.core;
  const newStamp = nextStamp(clock, before);
  const core = { ...alone.core, recurringEventId, originalStartTime, organizer, creator, created, iCalUID };
  const invited: EventRecord = {
    ...before,
    core: definedFields(core),
    coreStamp: newStamp,
    openStamp: newStamp,
  };
  // The id of a new series is free on all calendars, and so are those of its instances.
  const eventId = (before.copies[calendarId] as EventCopy).id;
  const references = guestReferencesOf(guests, eventId, () => false);
  const copies = replicasFor(invited, before.core, references, newStamp);
  const next = { ...invited, copies: withOwnParts(copies, alone, newStamp) };
  return {
    exception: exceptionOf(series, undefined, {
      before,
      next: withMark(next, calendarId, copy),
      invites: false,
    }),
    retired: retire(alone, clock),
  };
}

/** Copies with the states, own fields and settings of another event's copies on the same calendars. */
function withOwnParts(
  copies: EventRecord['copies'],
  { copies: otherCopies }: EventRecord,
  newStamp: Stamp,
): EventRecord['copies'] {
  const changedCopies = Object.entries(copies).map(([id, copy]): [string, EventCopy] => {
    const other = otherCopies[id];
    return other && other.state !== 'uninvited'
      ? [id, { ...copy, state: other.state, ...ownPartOf(other), stamp: newStamp }]
      : [id, copy];
  });
  return Object.fromEntries(changedCopies);
}

/** Decides importEvent. Throws AppError with all issues. */
export function createImports({ model, clock, links }: EventTools, writes: Writes) {
  const uidHost = new URL(links.event).hostname;

  /** Returns another target if the calendar has one, or changed since the target was found, or if guests are not loaded. */
  return function importEvent(
    viewer: Viewer,
    ref: CalendarRef,
    args: ImportEventArgs,
    target: ImportTarget,
    request: RequestRecord | undefined,
    loaded: ChangeState,
  ): Decision<WriteResult | { readonly target: ImportTarget }> {
    const change = writes.openChange(viewer, ref, args, loaded);
    const { calendar, contextOf } = change;
    const storedOutcome = earlierOutcome<InsertOutcome>(request, loaded.earlierRequest);
    if (storedOutcome)
      return {
        result: {
          context: contextOf(storedOutcome.record),
          warnings: storedOutcome.warnings,
          notices: noNotice,
        },
      };
    const { found, seriesId } = target;
    const stored = seriesId === undefined ? loaded.event : loaded.series;
    const original = args.event.originalStartTime ? originalStartOf(args.event.originalStartTime) : undefined;
    const other = found ? undefined : pickTarget(loaded.eventsWithUid, calendar.id, original);
    if (found ? stored?.key !== found.key : other && other.eventId !== target.eventId)
      return { result: { target: other ?? newTarget(original) } };
    const read = readImportBody(args.event, calendar, model);
    if (
      stored &&
      !isImported(stored, calendar.id) &&
      (seriesId !== undefined || !isDeletedOwn(stored, calendar.id))
    )
      throw errorAt(
        'CONFLICT',
        ['event', 'iCalUID'],
        'duplicate',
        (stored.copies[calendar.id] as EventCopy).moved ? movedMessage : duplicateMessage,
      );
    // Instances that were imported before their series join it.
    const joining =
      !stored && read.original === undefined ? instancesAlone(loaded.eventsWithUid, calendar.id) : [];
    const guests = joining.flatMap((alone) => (isForeign(alone) ? [] : [...invitedGuests(alone)]));
    if (guests.some((guest) => !target.guests?.includes(guest)))
      return { result: { target: { ...target, guests } } };
    const decision = stored
      ? replace(
          change,
          args,
          read,
          seriesId === undefined
            ? stored
            : composedInstance(loaded, stored, read, bodyIssues(model, args.event)),
        )
      : create(change, args, read, importedBlank(read, target.eventId, calendar, viewer), joining);
    const { context, warnings } = decision.result;
    return args.validateOnly
      ? decision
      : { ...decision, outcome: { record: context.record, warnings } satisfies InsertOutcome };
  };

  function create(
    { draftOf, contextOf, loaded, calendar }: OpenChange,
    { event: _event, ...args }: ImportEventArgs,
    read: ImportBody,
    blank: EventRecord,
    joining: readonly EventRecord[],
  ): Decision<WriteResult> {
    const { report: readReport, body, original, isForeign: isSomebodyElses } = read;
    if (original !== undefined && (body.recurrence ?? []).length > 0)
      readReport.issue(
        ['event', 'recurrence'],
        'invalid',
        'An instance of a recurring event cannot recur itself.',
      );
    // A cancelled instance needs no times, as in an insert.
    const times =
      original !== undefined && body.status === 'cancelled' && (body.start ?? null) === null
        ? timesAt(original, read.taken.originalStartTime as EventTime)
        : {};
    const draft = draftOf(
      asImporter(contextOf(blank)),
      { ...body, ...times },
      {
        isCreating: true,
        guestCalendars: answeringGuests(loaded.guests, isSomebodyElses),
      },
    );
    draft.report.addReport(readReport);
    const created = createRecord(draft, { clock, uidHost, references: referencesFor(draft, () => true) });
    const { next, retired, exceptions } = replaceImported(created, undefined, loaded, clock);
    const result = { context: contextOf(next), warnings: draft.report.warnings, notices: noNotice };
    if (args.validateOnly) return { result };
    const joined = joining.flatMap(
      (alone) => joinSeries(next, alone, calendar.id, loaded.guests, clock) ?? [],
    );
    return {
      next,
      exceptions: [...exceptions, ...joined.map(({ exception }) => exception)],
      replaced: [...retired, ...joined.map((instance) => instance.retired)],
      result,
    };
  }

  function replace(
    change: OpenChange,
    args: ImportEventArgs,
    read: ImportBody,
    record: EventRecord,
  ): Decision<WriteResult> {
    const { loaded, calendar, contextOf, draftOf } = change;
    const context = asImporter(contextOf(record));
    const guestCalendars = answeringGuests(loaded.guests, isForeign(record));
    const { patch, takesOwnAnswer } = importToPatch(
      { ...read, isForeign: isForeign(record) },
      {
        context,
        support: args,
        guestCalendars,
        isFirst: record.instance !== undefined && !(loaded.event && hasOwnChanges(loaded.event)),
      },
    );
    const draft = draftOf(context, patch, { guestCalendars });
    draft.report.addReport(read.report);
    prepareImport(draft, read);
    if (record.instance) limitExceptions(loaded, ['event', 'originalStartTime']);
    if (draft.state === 'removed' && args.event.status !== 'cancelled') restoreOrWarn(draft, takesOwnAnswer);
    assertValid(draft);
    restoreSequence(draft);
    const references = referencesFor(draft, (holder) => holder.key !== record.key, loaded.series);
    const stamped = stamp(draft, clock, references);
    const copy = stamped.copies[calendar.id] as EventCopy;
    // A removed event shows as cancelled, so that its unchanged status counts as a change.
    const { state, own } = context.copy;
    const isSame = copy.state === state && sameJson(copy.own, own) && sameJson(stamped.core, record.core);
    const patched = state === 'removed' && isSame ? record : stamped;
    const marked = patched === record ? patched : withMark(patched, calendar.id, copy);
    return writes.finishPatch(change, draft, marked, args.validateOnly);
  }
}

/** Marks an event as imported on a calendar; an instance of a series as changed by an import. */
function withMark(record: EventRecord, calendarId: string, copy: EventCopy): EventRecord {
  if (record.instance) return { ...record, instance: { ...record.instance, imported: true } };
  return copy.imported
    ? record
    : { ...record, copies: { ...record.copies, [calendarId]: { ...copy, imported: true } } };
}

/** Restores an event that the calendar's owner removed if the import brings an answer or, without one, a higher sequence. */
function restoreOrWarn(draft: Draft, takesOwnAnswer: boolean): void {
  const { context, body, before, report } = draft;
  const isListed = body.attendees?.some((entry) => entry && sentGuestKey(entry) === context.owner);
  const isNewer = (body.sequence ?? 0) > (before.core.sequence ?? 0);
  if (takesOwnAnswer || (isNewer && !isListed)) draft.state = 'present';
  else
    report.warn(
      ['event', 'status'],
      'ignored',
      'The event was removed from this calendar, and stays removed. A higher sequence with an answer restores it.',
    );
}

/** Times of an instance of an hour, or of a day, at its original start. */
function timesAt(original: string, time: EventTime): Pick<ImportEventArgs['event'], 'start' | 'end'> {
  const lengthMs = time.date === undefined ? 3_600_000 : dayMs;
  return { start: time, end: eventTimeAt(parseOriginal(original) + lengthMs, time) };
}

/** Instance of an imported series that a body replaces. Throws if the series has no such occurrence, with the body's other issues. */
function composedInstance(
  { event }: ChangeState,
  series: EventRecord,
  { original, report }: ImportBody,
  otherIssues: readonly Issue[],
): EventRecord {
  if (original === undefined || !hasOccurrence(series, original)) {
    report.issue(
      ['event', 'originalStartTime'],
      'invalid',
      'The originalStartTime must be the start of an occurrence of the recurring event.',
    );
    throw invalidInput([...report.issues, ...otherIssues]);
  }
  return composeInstance(series, original, event?.instance ? event : undefined);
}

const duplicateMessage =
  'The calendar has an event with this iCalUID that was not imported. Change that one with patchEvent.';
const movedMessage = 'The event with this iCalUID was moved away from this calendar.';
