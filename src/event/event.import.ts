import type { Viewer } from '../access/permissions.ts';
import type { CalendarRef } from '../calendar/calendar.ts';
import { errorAt, invalidInput, type Issue } from '../core/errors.ts';
import { sameJson } from '../core/patch.ts';
import type { RequestRecord } from '../core/request-record.ts';
import type { EventTime } from '../core/time/time.ts';
import { dayMs } from '../recurrence/calendar-days.ts';
import { eventTimeAt, originalStartOf, parseOriginal } from '../recurrence/original-start.ts';
import { sentGuestKey } from './attendees/guest-list.ts';
import { referencesFor } from './attendees/replicas.ts';
import type { Draft } from './draft.ts';
import type { ImportEventArgs } from './event.requests.ts';
import type { ChangeState, Decision } from './event.store.ts';
import type { EventTools } from './event.tools.ts';
import {
  type OpenChange,
  repeatable,
  withoutNotices,
  type WriteResult,
  type Writes,
} from './event.writes.ts';
import { composeInstance, hasOccurrence } from './instances/compose.ts';
import { type EventCopy, type EventRecord, hasOwnChanges, isForeign } from './model/record.ts';
import { invitedGuests } from './projection/projection.ts';
import { createRecord } from './write/create.ts';
import { type ImportBody, importedBlank, readImportBody } from './write/import.ts';
import { answeringGuests, asImporter, importToPatch, prepareImport } from './write/import-patch.ts';
import {
  type ImportTarget,
  instancesAlone,
  isImported,
  newTarget,
  pickTarget,
} from './write/import-target.ts';
import { bodyIssues } from './write/normalize.ts';
import { patchKeepingSequence } from './write/patch.ts';
import { joinInstances, replaceImported } from './write/replace-imported.ts';
import { limitExceptions } from './write/series-exceptions.ts';

/** Whether an own event was deleted, so that an import may restore it. */
const isDeletedOwn = ({ homeId, core, copies }: EventRecord, calendarId: string): boolean =>
  homeId === calendarId &&
  core.status === 'cancelled' &&
  !core.privateCopy &&
  (copies[calendarId] as EventCopy).guest === undefined;

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
    const { calendar } = change;
    const earlierResult = change.earlierResult(request);
    if (earlierResult) return earlierResult;
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
    return args.validateOnly ? decision : repeatable(decision);
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
    const { next, replaced, exceptions } = replaceImported(created, undefined, loaded, clock);
    const decision = withoutNotices(contextOf(next), draft.report.warnings);
    if (args.validateOnly) return decision;
    const joined = joinInstances(next, joining, calendar.id, loaded.guests, clock);
    return {
      ...decision,
      next,
      exceptions: [...exceptions, ...joined.exceptions],
      replaced: [...replaced, ...joined.replaced],
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
    const references = referencesFor(draft, (holder) => holder.key !== record.key, loaded.series);
    const stamped = patchKeepingSequence(draft, clock, references);
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
