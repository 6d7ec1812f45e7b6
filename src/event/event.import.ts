import type { Viewer } from '../access/permissions.ts';
import type { CalendarRecord, CalendarRef } from '../calendar/calendar.ts';
import { errorAt, invalidInput, type Issue } from '../core/errors.ts';
import { earlierOutcome, type RequestRecord } from '../core/request-record.ts';
import { originalStartOf } from '../recurrence/original-start.ts';
import { newId, referencesFor } from './attendees/replicas.ts';
import { noNotice } from './attendees/notices.ts';
import type { ImportEventArgs } from './event.requests.ts';
import type { ChangeState, Decision, EventStore, ListCandidate } from './event.store.ts';
import type { EventTools } from './event.tools.ts';
import {
  type InsertOutcome,
  limitExceptions,
  type OpenChange,
  type WriteResult,
  type Writes,
} from './event.writes.ts';
import { composeInstance, hasOccurrence } from './instances/compose.ts';
import { type EventRecord, isForeign, isSeries } from './model/record.ts';
import { createRecord } from './write/create.ts';
import { restoreSequence } from './write/from-instance.ts';
import {
  answeringGuests,
  asImporter,
  type ImportBody,
  importedBlank,
  importToPatch,
  prepareImport,
  readImportBody,
  replaceImported,
} from './write/import.ts';
import { bodyIssues } from './write/normalize.ts';
import { assertValid } from './write/patch.ts';
import { stamp } from './write/stamp.ts';

/** Target of an import: the event with its iCalUID, an instance of that series, or a new event. */
export interface ImportTarget {
  /** Stored event with the iCalUID, or the series; absent for a new event. */
  readonly found: EventRecord | undefined;
  readonly eventId: string;
  /** Series that `found` is, if the body is an instance of it. */
  readonly seriesId?: string;
}

/** Finds what an import of this body changes on a calendar. */
export async function findImportTarget(
  store: EventStore,
  calendar: CalendarRecord | undefined,
  { iCalUID, originalStartTime }: ImportEventArgs['event'],
  { identity }: Pick<Viewer, 'identity'>,
): Promise<ImportTarget> {
  const original = originalStartTime ? originalStartOf(originalStartTime) : undefined;
  const page =
    calendar &&
    typeof iCalUID === 'string' &&
    (await store.listEvents(calendar.id, {
      identity,
      seesHidden: true,
      includesCancelled: true,
      iCalUID,
      expand: true,
      order: 'position',
      limit: 2,
      accepts: ({ record }: ListCandidate) => isSameComponent(record, original),
    }));
  const records = (page ? page.entries : []).map(({ record }) => record);
  const series = records.find(({ core }) => core.recurringEventId === undefined);
  if (
    original !== undefined &&
    series &&
    calendar &&
    (isSeries(series) || !isImported(series, calendar.id))
  ) {
    const seriesId = series.copies[calendar.id]?.id ?? '';
    return { found: series, eventId: `${seriesId}_${original}`, seriesId };
  }
  const found =
    original === undefined ? series : records.find(({ core }) => core.recurringEventId !== undefined);
  const id = original === undefined ? newId() : `${newId()}_${original}`;
  return { found, eventId: (calendar && found?.copies[calendar.id]?.id) ?? id };
}

/** Whether a record with the iCalUID is the event, or an instance that is stored without its series. */
const isSameComponent = ({ core, instance }: EventRecord, original: string | undefined): boolean =>
  !instance &&
  (core.recurringEventId === undefined ||
    (original !== undefined && originalStartOf(core.originalStartTime) === original));

const isImported = ({ copies }: EventRecord, calendarId: string): boolean =>
  copies[calendarId]?.imported === true;

/** Whether an own event was deleted, so that an import may restore it. */
const isDeletedOwn = ({ homeId, core, copies }: EventRecord, calendarId: string): boolean =>
  homeId === calendarId &&
  core.status === 'cancelled' &&
  !core.privateCopy &&
  copies[calendarId]?.guest === undefined;

/** Decides importEvent. Throws AppError with all issues. */
export function createImports({ model, clock, links }: EventTools, writes: Writes) {
  const uidHost = new URL(links.event).hostname;

  /** Undefined if the calendar changed since the target was found. */
  return function importEvent(
    viewer: Viewer,
    ref: CalendarRef,
    args: ImportEventArgs,
    target: ImportTarget,
    request: RequestRecord | undefined,
    loaded: ChangeState,
  ): Decision<WriteResult | undefined> {
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
    const isOutdated = found
      ? stored?.key !== found.key
      : loaded.eventsWithUid.some((record) => isSameComponent(record, original));
    if (isOutdated) return { result: undefined };
    const read = readImportBody(args.event, calendar, model);
    if (
      stored &&
      !isImported(stored, calendar.id) &&
      (seriesId !== undefined || !isDeletedOwn(stored, calendar.id))
    )
      throw errorAt('CONFLICT', ['event', 'iCalUID'], 'duplicate', duplicateMessage);
    const decision = stored
      ? replace(
          change,
          args,
          read,
          seriesId === undefined
            ? stored
            : composedInstance(loaded, stored, read, bodyIssues(model, args.event)),
        )
      : create(change, args, read, importedBlank(read, target.eventId, calendar, viewer));
    const { context, warnings } = decision.result;
    return args.validateOnly
      ? decision
      : { ...decision, outcome: { record: context.record, warnings } satisfies InsertOutcome };
  };

  function create(
    { draftOf, contextOf, loaded }: OpenChange,
    { event: _event, ...args }: ImportEventArgs,
    read: ImportBody,
    blank: EventRecord,
  ): Decision<WriteResult> {
    const { report: readReport, body, original, isForeign: isSomebodyElses } = read;
    if (original !== undefined && (body.recurrence ?? []).length > 0)
      readReport.issue(
        ['event', 'recurrence'],
        'invalid',
        'An instance of a recurring event cannot recur itself.',
      );
    const draft = draftOf(asImporter(contextOf(blank)), body, {
      isCreating: true,
      guestCalendars: answeringGuests(loaded.guests, isSomebodyElses),
    });
    draft.report.addReport(readReport);
    const created = createRecord(draft, { clock, uidHost, references: referencesFor(draft, () => true) });
    const { next, retired } = replaceImported(created, undefined, loaded.guests, clock);
    const result = { context: contextOf(next), warnings: draft.report.warnings, notices: noNotice };
    return args.validateOnly ? { result } : { next, retired, result };
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
      { context, support: args, guestCalendars },
    );
    const draft = draftOf(context, patch, { guestCalendars });
    draft.report.addReport(read.report);
    prepareImport(draft, read);
    if (record.instance) limitExceptions(loaded, ['event', 'originalStartTime']);
    if (takesOwnAnswer && draft.state === 'removed') draft.state = 'present';
    assertValid(draft);
    restoreSequence(draft);
    const references = referencesFor(draft, (holder) => holder.key !== record.key, loaded.series);
    const patched = stamp(draft, clock, references);
    const copy = patched.copies[calendar.id];
    const isMarked = record.instance !== undefined || patched === record || !copy || copy.imported;
    const marked = isMarked
      ? patched
      : { ...patched, copies: { ...patched.copies, [calendar.id]: { ...copy, imported: true as const } } };
    return writes.finishPatch(change, draft, marked, args.validateOnly);
  }
}

/** Instance of an imported series that a body replaces. Throws if the series has no such occurrence, with the body's other issues. */
function composedInstance(
  { event }: ChangeState,
  series: EventRecord,
  { original = '', report }: ImportBody,
  otherIssues: readonly Issue[],
): EventRecord {
  if (!hasOccurrence(series, original)) {
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
