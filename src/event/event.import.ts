import type { Viewer } from '../access/permissions.ts';
import type { CalendarRef } from '../calendar/calendar.store.ts';
import { errorAt, invalidInputError, type Issue, AppError } from '../core/errors.ts';
import { isSameJson } from '../core/json.ts';
import type { RequestRecord } from '../core/request-record.ts';
import type { EventTime } from '../core/time/time.ts';
import { dayMs } from '../recurrence/calendar-days.ts';
import { eventTimeAt, toOriginalStart, parseOriginalStart } from '../recurrence/original-start.ts';
import { sentGuestKey } from './attendees/guest-list.ts';
import { guestReferencesForDraft } from './attendees/copies.ts';
import type { Draft } from './draft.ts';
import type { ImportEventArgs } from './event.requests.ts';
import type { ChangeState, Decision } from './event.store.ts';
import type { EventTools } from './event.tools.ts';
import {
  type OpenChange,
  withStoredOutcome,
  withoutNotices,
  type WriteResult,
  type Writes,
} from './event.writes.ts';
import { composeInstance, hasOccurrence } from './instances/compose.ts';
import { type EventCopy, type EventRecord, hasOwnChanges, isForeign, isSeries } from './model/record.ts';
import { invitedGuestKeys } from './projection/projection.ts';
import { createRecord } from './write/create.ts';
import { type ImportBody, createBlankImport, readImportBody } from './write/import-body.ts';
import { respondingGuests, asImporter, importToPatch, prepareImport } from './write/import-patch.ts';
import { bodyIssues } from './write/normalize.ts';
import { patchRecord } from './write/patch.ts';
import { joinInstances, replaceImported } from './write/replace-imported.ts';
import { assertExceptionLimit } from './write/check.ts';
import { newId } from '../core/ids.ts';

/** Whether an event of the calendar's owner was deleted, so that an import may restore it. */
const isDeletedOwnEvent = ({ homeId, core, copies }: EventRecord, calendarId: string): boolean =>
  homeId === calendarId &&
  core.status === 'cancelled' &&
  !core.privateCopy &&
  (copies[calendarId] as EventCopy).guest === undefined;

/** Creates `decideImport`, which decides an import on the loaded state, and throws AppError with all issues. */
export function createImportDecider({ model, clock, links }: EventTools, writes: Writes) {
  const uidHost = new URL(links.event).hostname;

  /**
   * Returns a decision, or another target to load before deciding again: the event with the iCalUID has
   * changed meanwhile, or the calendars of more guests are needed.
   */
  return function decideImport(
    viewer: Viewer,
    ref: CalendarRef,
    args: ImportEventArgs,
    target: ImportTarget,
    request: RequestRecord | undefined,
    loaded: ChangeState,
  ): Decision<WriteResult | { readonly target: ImportTarget }> {
    const change = writes.openChange(viewer, ref, args, loaded);
    const { calendar } = change;
    const earlierResult = change.readEarlierResult(request);
    if (earlierResult) return earlierResult;
    const { storedRecord, seriesId } = target;
    const loadedRecord = seriesId === undefined ? loaded.event : loaded.series;
    const original = args.event.originalStartTime ? toOriginalStart(args.event.originalStartTime) : undefined;
    const otherTarget = storedRecord ? undefined : pickTarget(loaded.eventsWithUid, calendar.id, original);
    if (
      storedRecord
        ? loadedRecord?.key !== storedRecord.key
        : otherTarget && otherTarget.eventId !== target.eventId
    )
      return { result: { target: otherTarget ?? createNewTarget(original) } };
    const importBody = readImportBody(args.event, calendar, model);
    if (
      loadedRecord &&
      !isImportedOn(loadedRecord, calendar.id) &&
      (seriesId !== undefined || !isDeletedOwnEvent(loadedRecord, calendar.id))
    )
      throw errorAt(
        'CONFLICT',
        ['event', 'iCalUID'],
        'duplicate',
        (loadedRecord.copies[calendar.id] as EventCopy).moved ? movedMessage : duplicateMessage,
      );
    // Instances that were imported before their series join it.
    const joiningInstances =
      !loadedRecord && importBody.originalStart === undefined
        ? filterStandaloneInstances(loaded.eventsWithUid, calendar.id)
        : [];
    const guests = joiningInstances.flatMap((standaloneInstance) =>
      isForeign(standaloneInstance) ? [] : [...invitedGuestKeys(standaloneInstance)],
    );
    if (guests.some((guest) => !target.guests?.includes(guest)))
      return { result: { target: { ...target, guests } } };
    const decision = loadedRecord
      ? decideReplacement(
          change,
          args,
          importBody,
          seriesId === undefined
            ? loadedRecord
            : composeImportedInstance(loaded, loadedRecord, importBody, bodyIssues(model, args.event)),
        )
      : decideCreation(
          change,
          args,
          importBody,
          createBlankImport(importBody, target.eventId, calendar, viewer),
          joiningInstances,
        );
    return args.validateOnly ? decision : withStoredOutcome(decision);
  };

  function decideCreation(
    { prepareDraft, contextOf, loaded, calendar }: OpenChange,
    { event: _event, ...args }: ImportEventArgs,
    importedBody: ImportBody,
    blankRecord: EventRecord,
    instancesToJoin: readonly EventRecord[],
  ): Decision<WriteResult> {
    const { report: readReport, body, originalStart, isForeign: isForeignBody } = importedBody;
    if (originalStart !== undefined && (body.recurrence ?? []).length > 0)
      readReport.addIssue(
        ['event', 'recurrence'],
        'invalid',
        'An instance of a recurring event cannot recur itself.',
      );
    // A cancelled instance needs no times, as in an insert.
    const times =
      originalStart !== undefined && body.status === 'cancelled' && (body.start ?? null) === null
        ? defaultTimesAt(originalStart, importedBody.readOnlyFields.originalStartTime as EventTime)
        : {};
    const draft = prepareDraft(
      asImporter(contextOf(blankRecord)),
      { ...body, ...times },
      {
        isCreating: true,
        guestCalendars: respondingGuests(loaded.guests, isForeignBody),
      },
    );
    draft.report.addReport(readReport);
    const createdRecord = createRecord(draft, clock, uidHost);
    const { next, replaced, exceptions } = replaceImported(createdRecord, undefined, loaded, clock);
    const decision = withoutNotices(contextOf(next), draft.report.warnings);
    if (args.validateOnly) return decision;
    const joinResult = joinInstances(next, instancesToJoin, calendar.id, loaded.guests, clock);
    return {
      ...decision,
      next,
      exceptions: [...exceptions, ...joinResult.exceptions],
      replaced: [...replaced, ...joinResult.replaced],
    };
  }

  function decideReplacement(
    change: OpenChange,
    args: ImportEventArgs,
    replacingBody: ImportBody,
    record: EventRecord,
  ): Decision<WriteResult> {
    const { loaded, calendar, contextOf, prepareDraft } = change;
    const context = asImporter(contextOf(record));
    const guestCalendars = respondingGuests(loaded.guests, isForeign(record));
    const { patch, takesOwnResponse } = importToPatch(
      { ...replacingBody, isForeign: isForeign(record) },
      {
        context,
        supportArgs: args,
        guestCalendars,
        isFirstChange: record.instance !== undefined && !(loaded.event && hasOwnChanges(loaded.event)),
      },
    );
    const draft = prepareDraft(context, patch, { guestCalendars });
    draft.report.addReport(replacingBody.report);
    prepareImport(draft, replacingBody);
    if (record.instance) assertExceptionLimit(loaded, ['event', 'originalStartTime']);
    if (draft.copyState === 'removed' && args.event.status !== 'cancelled')
      restoreOrWarn(draft, takesOwnResponse);
    const references = guestReferencesForDraft(draft, (holder) => holder.key !== record.key, loaded.series);
    draft.keepsSequence = true;
    const stampedRecord = patchRecord(draft, clock, references);
    const copy = stampedRecord.copies[calendar.id] as EventCopy;
    // A removed event shows as cancelled, so a body with the stored status would count as a change.
    const { state, own } = context.copy;
    const isUnchanged =
      copy.state === state && isSameJson(copy.own, own) && isSameJson(stampedRecord.core, record.core);
    const patchedRecord = state === 'removed' && isUnchanged ? record : stampedRecord;
    const markedRecord =
      patchedRecord === record ? patchedRecord : markImported(patchedRecord, calendar.id, copy);
    return writes.finishPatch(change, draft, markedRecord, args.validateOnly);
  }
}

/** Marks an event as imported on a calendar; an instance of a series as changed by an import. */
function markImported(record: EventRecord, calendarId: string, copy: EventCopy): EventRecord {
  if (record.instance) return { ...record, instance: { ...record.instance, imported: true } };
  return copy.imported
    ? record
    : { ...record, copies: { ...record.copies, [calendarId]: { ...copy, imported: true } } };
}

/**
 * Restores an event that the calendar's owner removed, if the import takes the owner's response, or has a higher
 * sequence and does not list the owner. Warns otherwise.
 */
function restoreOrWarn(draft: Draft, takesOwnResponse: boolean): void {
  const { context, body, before, report } = draft;
  const isListed = body.attendees?.some((entry) => entry && sentGuestKey(entry) === context.owner);
  const isNewer = (body.sequence ?? 0) > (before.core.sequence ?? 0);
  if (takesOwnResponse || (isNewer && !isListed)) draft.copyState = 'present';
  else
    report.warn(
      ['event', 'status'],
      'ignored',
      'The event was removed from this calendar, and stays removed. A higher sequence with an answer restores it.',
    );
}

/** Default times of an instance: one hour, or one day, from its original start. */
function defaultTimesAt(original: string, time: EventTime): Pick<ImportEventArgs['event'], 'start' | 'end'> {
  const durationMs = time.date === undefined ? 3_600_000 : dayMs;
  return { start: time, end: eventTimeAt(parseOriginalStart(original) + durationMs, time) };
}

/**
 * Composes the instance of an imported series that a body replaces. Throws if the series has no such
 * occurrence, together with the body's other issues.
 */
function composeImportedInstance(
  { event }: ChangeState,
  series: EventRecord,
  { originalStart, report }: ImportBody,
  otherIssues: readonly Issue[],
): EventRecord {
  if (originalStart === undefined || !hasOccurrence(series, originalStart)) {
    report.addIssue(
      ['event', 'originalStartTime'],
      'invalid',
      'The originalStartTime must be the start of an occurrence of the recurring event.',
    );
    throw invalidInputError([...report.issues, ...otherIssues]);
  }
  return composeInstance(series, originalStart, event?.instance ? event : undefined);
}

const duplicateMessage =
  'The calendar has an event with this iCalUID that was not imported. Change that one with patchEvent.';
const movedMessage = 'The event with this iCalUID was moved away from this calendar.';

/** Target of an import: the event with its iCalUID, an instance of that series, or a new event. */
export interface ImportTarget {
  /** Stored event with the iCalUID, or the series; absent for a new event. */
  readonly storedRecord: EventRecord | undefined;
  readonly eventId: string;
  /** Id of the series, if the body is an instance of it; `storedRecord` then is that series. */
  readonly seriesId?: string;
  /** Guests whose calendars the change needs besides those of the body, as `addressKey` writes them. */
  readonly guests?: readonly string[];
}

/** Attempts of an import while others add or remove events with its iCalUID. */
export const maxImportAttempts = 5;

/** Error of an import whose target changed at each attempt. */
export const changesTooOftenError = (): AppError =>
  new AppError(
    'UNAVAILABLE',
    'backendError',
    'The calendar changes too often, so the event could not be imported. Try again.',
  );

/** Target of an import whose iCalUID the calendar does not have. */
export const createNewTarget = (original: string | undefined, seriesId: string = newId()): ImportTarget => ({
  storedRecord: undefined,
  eventId: original === undefined ? newId() : `${seriesId}_${original}`,
});

/** Finds the target of an import among the calendar's events with its iCalUID; undefined if there is none. */
export function pickTarget(
  records: readonly EventRecord[],
  calendarId: string,
  original: string | undefined,
): ImportTarget | undefined {
  const mainRecord = records.find(({ instance, core }) => !instance && core.recurringEventId === undefined);
  const instancesWithoutSeries = filterStandaloneInstances(records, calendarId);
  if (original === undefined)
    return mainRecord && { storedRecord: mainRecord, eventId: eventIdOn(calendarId, mainRecord) };
  if (mainRecord && (isSeries(mainRecord) || !isImportedOn(mainRecord, calendarId))) {
    const seriesId = eventIdOn(calendarId, mainRecord);
    return { storedRecord: mainRecord, eventId: `${seriesId}_${original}`, seriesId };
  }
  const storedRecord = instancesWithoutSeries.find(
    ({ core }) => toOriginalStart(core.originalStartTime) === original,
  );
  return storedRecord
    ? { storedRecord, eventId: eventIdOn(calendarId, storedRecord) }
    : instancesWithoutSeries[0] && createNewTarget(original, instancesWithoutSeries[0].core.recurringEventId);
}

export const eventIdOn = (calendarId: string, { copies }: EventRecord): string =>
  (copies[calendarId] as EventCopy).id;

/** Instances that are stored without their series and that the calendar shows. */
export const filterStandaloneInstances = (
  records: readonly EventRecord[],
  calendarId: string,
): readonly EventRecord[] =>
  records.filter(
    ({ instance, core, copies }) =>
      !instance && core.recurringEventId !== undefined && copies[calendarId]?.state !== 'uninvited',
  );

const isImportedOn = ({ copies }: EventRecord, calendarId: string): boolean =>
  (copies[calendarId] as EventCopy).imported === true;
