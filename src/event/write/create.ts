import type { Viewer } from '../../access/permissions.ts';
import type { CalendarRecord } from '../../calendar/calendar.store.ts';
import { errorAt, invalidInputError, type Issue } from '../../core/errors.ts';
import { frozenCopy, withoutNulls } from '../../core/json.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { isEmail } from '../../core/text/email.ts';
import { type EventTime, kindOf } from '../../core/time/time.ts';
import { newId } from '../../core/ids.ts';
import { toOriginalStart } from '../../recurrence/original-start.ts';
import { type GuestReferences, guestReferencesForDraft, updateCopies } from '../attendees/copies.ts';
import type { Draft } from '../draft.ts';
import { argumentIssues, type InsertEventArgs } from '../event.requests.ts';
import type { ChangeState } from '../event.store.ts';
import { composeInstance, hasOccurrence } from '../instances/compose.ts';
import { createException } from '../instances/exception.ts';
import type { EventBody, EventPatch } from '../model/fields.ts';
import type { EventModel } from '../model/model.ts';
import {
  type EventCopy,
  type EventParts,
  type EventRecord,
  isCancelled,
  isSeries,
  noStamp,
  type Stamp,
  nextStamp,
} from '../model/record.ts';
import { seesGuests, type EventContext } from '../visibility/event-context.ts';
import { looksLikeSeries } from '../visibility/visible-state.ts';
import { checkIdentity, assertExceptionLimit } from './check.ts';
import { bodyIssues } from './normalize.ts';
import { assertValid, stampRecord } from './patch.ts';

/** Record of a new event without its body: creator, organizer, calendar and id. */
export function createBlankRecord(
  id: string,
  calendar: CalendarRecord,
  { identity }: Pick<Viewer, 'identity'>,
): EventRecord {
  const creator = isEmail(identity) ? { email: identity } : { id: identity };
  return {
    key: newId(),
    version: 0,
    homeId: calendar.id,
    core: { creator, organizer: { email: calendar.owner } },
    coreStamp: noStamp,
    openStamp: noStamp,
    copies: { [calendar.id]: { id, state: 'present', stamp: noStamp, own: {} } },
  };
}

/** Creates the record of a new event from a draft. `uidHost`: host in a new iCalUID. Throws AppError with all issues. */
export function createRecord(draft: Draft, clock: Clock, uidHost: string): EventRecord {
  const {
    context: { record, copy, identity },
  } = draft;
  checkIdentity(draft);
  assertValid(draft);
  const stamp = nextStamp(clock);
  const { core, viewer, copy: copyFields } = draft.after;
  const event: EventBody = {
    ...core,
    ...record.core,
    created: record.core.created ?? stamp.at,
    iCalUID: core.iCalUID ?? `${copy.id}@${uidHost}`,
  };
  const references = guestReferencesForDraft(draft, () => true);
  return frozenCopy(
    createFirstVersion(record, { core: event, copy: copyFields, viewer }, { stamp, references, identity }),
  );
}

/** Creates the first version of an event, with copies for guests who have a calendar here. */
export function createFirstVersion(
  blankRecord: EventRecord,
  { core, copy: copyFields, viewer }: EventParts,
  { stamp, references, identity }: { stamp: Stamp; references: GuestReferences; identity: string },
): EventRecord {
  const blankCopy = blankRecord.copies[blankRecord.homeId] as EventCopy;
  const viewers = Object.keys(viewer).length > 0 && { viewers: { [identity]: { stamp, own: viewer } } };
  const record: EventRecord = {
    ...blankRecord,
    version: 1,
    core,
    coreStamp: stamp,
    openStamp: stamp,
    copies: { [blankRecord.homeId]: { ...blankCopy, stamp, own: copyFields, ...viewers } },
  };
  return { ...record, copies: updateCopies(record, core, references, stamp) };
}

/** Functions and state of the change that inserts an instance. */
interface InsertContext {
  readonly loaded: ChangeState;
  readonly calendar: CalendarRecord;
  readonly contextOf: (record: EventRecord) => EventContext;
  readonly prepareDraft: (context: EventContext, body: EventPatch) => Draft;
}

/** Creates the exception for an insert with recurringEventId. Throws AppError with all issues. */
export function insertInstance(
  args: InsertEventArgs,
  { loaded, calendar, contextOf, prepareDraft }: InsertContext,
  model: EventModel,
  clock: Clock,
) {
  const { event: body } = args;
  const copy = loaded.series?.copies[calendar.id];
  const isOpenSeries =
    loaded.series !== undefined && copy && isSeries(loaded.series) && !isCancelled(loaded.series, copy);
  const series = isOpenSeries ? loaded.series : undefined;
  const original = toOriginalStart(body.originalStartTime);
  const isOccurrence = series !== undefined && original !== undefined && hasOccurrence(series, original);
  const issues = instanceIssues(body, series, copy, original, isOccurrence);
  if (!isOccurrence)
    throw invalidInputError([...argumentIssues(args), ...issues, ...bodyIssues(model, body)]);
  const { event } = loaded;
  const storedException =
    event && looksUnchanged(event, series, calendar.id, contextOf(series)) ? event : undefined;
  const before = composeInstance(series, original, storedException);
  const context = contextOf(before);
  const { id: _id, recurringEventId: _series, originalStartTime: _original, iCalUID: _uid, ...change } = body;
  const draft: Draft = {
    ...prepareDraft(context, completeTimes(change, before.core)),
    mode: 'instance',
  };
  draft.report.addIssues(issues);
  if (!context.hasOrganizerRights && !series.core.guestsCanModify) {
    const message = 'Only the organizer of a recurring event can add to it, unless guestsCanModify is true.';
    draft.report.refuse(['event', 'recurringEventId'], 'forbiddenForNonOrganizer', message);
  }
  assertValid(draft);
  if (event && !storedException) {
    const message = `This instance was changed before: patch the event ${context.copy.id}.`;
    throw errorAt('CONFLICT', ['event', 'originalStartTime'], 'duplicate', message);
  }
  const changedInstance = stampRecord(
    draft,
    clock,
    guestReferencesForDraft(draft, () => true, series),
  );
  // An exception without changes is stored too, so that a second insert fails.
  const next =
    changedInstance === before ? { ...before, coreStamp: nextStamp(clock, before) } : changedInstance;
  const invitesUnseenGuest = draft.guestChange?.invitesUnseenGuest;
  const exception = createException(series, storedException, { before, next, invitesUnseenGuest });
  assertExceptionLimit(loaded, ['event', 'recurringEventId']);
  return { next: exception, draft, context: contextOf(composeInstance(series, original, exception)) };
}

/** Whether an exception looks unchanged to the caller: it was reset, or has changes for others only. */
const looksUnchanged = (
  record: EventRecord,
  series: EventRecord,
  calendarId: string,
  context: EventContext,
): boolean =>
  record.instance !== undefined &&
  (record.instance.emptied === true ||
    looksLikeSeries(calendarId, { record, series }, !seesGuests(context), context.identity));

/** Completes start and end, which in an insert replace the inherited ones instead of being merged. */
const completeTimes = (change: EventPatch, { start, end }: EventBody): EventPatch => ({
  ...change,
  ...(change.start && { start: completeTime(change.start, start) }),
  ...(change.end && { end: completeTime(change.end, end) }),
});

/** Clears the inherited time, but keeps its zone if the given time is of the same kind and has none. */
function completeTime(sentTime: NonNullable<EventPatch['start']>, inheritedTime: EventTime | undefined) {
  const { date = null, dateTime = null } = sentTime;
  const changesKind = kindOf(withoutNulls(sentTime)) !== kindOf(inheritedTime);
  return {
    date,
    dateTime,
    timeZone: sentTime.timeZone === undefined && changesKind ? null : sentTime.timeZone,
  };
}

/** Issues of an insert as an instance of a series. */
function instanceIssues(
  body: EventPatch,
  series: EventRecord | undefined,
  copy: EventCopy | undefined,
  original: string | undefined,
  isOccurrence: boolean,
): Issue[] {
  const issues: Issue[] = [];
  const addIssue = (name: string, message: string, reason: Issue['reason'] = 'invalid'): unknown =>
    issues.push({ path: ['event', name], reason, message });
  if (!series) addIssue('recurringEventId', noSeriesMessage);
  const { date, dateTime } = withoutNulls(body.originalStartTime ?? {}) as EventTime;
  const [kind, neededKind] = [kindOf({ date, dateTime }), kindOf(series?.core.start)];
  if (date === undefined && dateTime === undefined)
    addIssue('originalStartTime', noOriginalMessage, 'required');
  else if (kind && neededKind && kind !== neededKind) {
    const message = `The originalStartTime must have a ${neededKind}, as the start of the recurring event has.`;
    addIssue('originalStartTime', message);
  } else if (series && !isOccurrence) addIssue('originalStartTime', noOccurrenceMessage);
  const id = copy && original !== undefined ? `${copy.id}_${original}` : undefined;
  if (typeof body.id === 'string' && body.id !== id)
    addIssue(
      'id',
      id === undefined
        ? 'An instance gets its id from its series: leave it out.'
        : `This instance has the id ${id}: leave it out, or send that one.`,
    );
  if (series && typeof body.iCalUID === 'string' && body.iCalUID !== series.core.iCalUID)
    addIssue('iCalUID', 'All instances of a recurring event share its iCalUID: leave it out.');
  for (const name of body.status === 'cancelled' ? [] : (['start', 'end'] as const)) {
    // Rules report null if there is an occurrence.
    if (body[name] === undefined || (body[name] === null && !isOccurrence))
      addIssue(name, `The ${name} is required, unless status is cancelled.`, 'required');
  }
  return issues;
}

const noSeriesMessage =
  'The recurringEventId must be the id of a recurring event on the same calendar that is not cancelled.';
const noOriginalMessage =
  'The originalStartTime is required for an instance: its start in the recurring event.';
const noOccurrenceMessage =
  'The originalStartTime must be the start of an occurrence of the recurring event.';
