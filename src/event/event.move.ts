import { includesRole, type Viewer, roleOn } from '../access/permissions.ts';
import { calendarNotFound, requireAllowed, roleForRef } from '../calendar/calendar.access.ts';
import type { CalendarRef, CalendarRecord } from '../calendar/calendar.store.ts';
import { errorAt, type Issue } from '../core/errors.ts';
import { changedFieldNames } from './attendees/notices.ts';
import type { MoveEventArgs } from './event.requests.ts';
import type { ChangeState, Decision, DestinationCalendar, SeriesState } from './event.store.ts';
import type { EventTools } from './event.tools.ts';
import { findNamedEvent, withoutNotices, type WriteResult, type Writes } from './event.writes.ts';
import {
  type EventRecord,
  asMovedCopy,
  type EventCopy,
  homeReference,
  type InstancePart,
  originalStartOf,
  parseInstanceId,
  tombstoneOf,
  nextStamp,
} from './model/record.ts';
import { type EventContext, isCreator } from './visibility/event-context.ts';
import { viewOf } from './visibility/event-view.ts';
import { maxInt32 } from '../core/fields/table.ts';
import { patch } from '../core/json.ts';
import type { Clock } from '../core/runtime/clock.ts';
import { addressKey } from '../core/text/email.ts';
import { createMergePatch } from './instances/exception.ts';
import { attendeeKey, type EventBody } from './model/fields.ts';

/** Creates a function that decides moves of events to other calendars. It throws AppError with all issues. */
export function createMoves({ clock }: EventTools, { openChange, eventContext }: Writes) {
  return function decideMove(
    viewer: Viewer,
    sourceRef: CalendarRef,
    destinationRef: CalendarRef,
    args: MoveEventArgs,
    loaded: ChangeState,
  ): Decision<WriteResult> {
    const { calendar, destination, event } = loaded;
    const sourceRole = roleForRef(calendar, sourceRef, viewer);
    const destinationRole = roleForRef(destination?.calendar, destinationRef, viewer);
    const missingPaths = [
      ...(sourceRole === 'none' ? [['calendarId']] : []),
      ...(destinationRole === 'none' ? [['destination']] : []),
    ];
    if (!calendar || !destination || missingPaths.length > 0) throw calendarNotFound(missingPaths);
    const refusals = includesRole(destinationRole, 'writer') ? [] : [notWritableIssue];
    if (!includesRole(sourceRole, 'writer')) requireAllowed([notOwnerIssue, ...refusals]);
    const change = openChange(viewer, sourceRef, args, loaded);
    const contextAtDestination = (record: EventRecord): EventContext =>
      eventContext(record, { calendar: destination.calendar, role: destinationRole }, viewer);

    const isAlreadyMoved =
      event?.copies[calendar.id]?.moved === true &&
      !event.instance &&
      event.homeId === destination.calendar.id;
    const context = isAlreadyMoved ? change.contextOf(event) : findNamedEvent(change, args);
    // The cancelled event that a move left does not show its creator.
    const storedContext = event && !event.instance ? change.contextOf(event) : context;
    if (sourceRole !== 'owner' && !isCreator(storedContext)) refusals.unshift(notOwnerIssue);
    const { record } = context;
    const issues =
      record.instance || record.core.recurringEventId !== undefined ? [instanceIssue(context)] : [];
    if (isAlreadyMoved || destination.calendar.id === calendar.id) {
      requireAllowed(refusals, issues);
      return withoutNotices(isAlreadyMoved ? contextAtDestination(event) : context, [], { unchanged: true });
    }
    requireAllowed([...refusals, ...stateIssues(context)], issues);
    const exceptions = loaded.seriesExceptions;
    if (hasDuplicate(record, exceptions, destination))
      throw errorAt('CONFLICT', ['destination'], 'duplicate', duplicateMessage);

    const move = { source: calendar, destination: destination.calendar, clock };
    const movedSeries = moveHome({ record, exceptions }, move);
    const contextAfter = contextAtDestination(movedSeries.record);
    if (args.validateOnly) return withoutNotices(contextAfter);
    const notices = change.noticesForChange({
      context: contextAfter,
      coreBefore: record.core,
      changedFields: changedFieldNames(record.core, movedSeries.record.core),
      copyBefore: undefined,
      addedGuestKeys: () => [],
      exceptions: () => movedSeries.exceptions,
    });
    return {
      next: movedSeries.record,
      exceptions: movedSeries.exceptions,
      mails: notices.mails,
      result: { context: contextAfter, warnings: notices.warnings, notices },
    };
  };
}

const notOwnerIssue: Issue = {
  path: ['calendarId'],
  reason: 'forbidden',
  message: 'Only owners of this calendar, and writers who created the event, may move an event away.',
};

const notWritableIssue: Issue = {
  path: ['destination'],
  reason: 'forbidden',
  message: 'You may not change events of the calendar to which the event would move.',
};

const instanceIssue = (context: EventContext): Issue => ({
  path: ['eventId'],
  reason: 'invalid',
  message: `An instance moves with its series: move the event ${String(viewOf(context).recurringEventId)}.`,
});

/** Reasons why an event stays where it is: it is cancelled, private, somebody else's or locked. */
function stateIssues({ record, copy, calendar }: EventContext): Issue[] {
  const issues: Issue[] = [];
  const addIssue = (reason: Issue['reason'], message: string): unknown =>
    issues.push({ path: ['eventId'], reason, message });
  if (record.core.status === 'cancelled' || copy.state !== 'present')
    addIssue('forbidden', 'This event is cancelled, so it cannot be moved.');
  else if (record.core.privateCopy) addIssue('forbidden', 'A private copy cannot be moved.');
  else if (record.homeId !== calendar.id || copy.guest !== undefined)
    addIssue(
      'forbiddenForNonOrganizer',
      'An event can be moved only from the calendar of its organizer: this calendar has the copy of a guest.',
    );
  if (copy.own.locked) addIssue('forbidden', 'This event is locked, so it cannot be moved.');
  return issues;
}

/** Whether another event has the id or the iCalUID at the destination. */
function hasDuplicate(
  { key, copies }: EventRecord,
  exceptions: readonly EventRecord[],
  { calendar, holderKey, uidKeys }: DestinationCalendar,
): boolean {
  const ownKeys = new Set([key, ...exceptions.map((exception) => exception.key)]);
  // A copy that is there already keeps its own id.
  const holderKeys = holderKey === undefined || copies[calendar.id] ? [] : [holderKey];
  return [...holderKeys, ...uidKeys].some((other) => !ownKeys.has(other));
}

const duplicateMessage =
  'The calendar to which the event would move has another event with its id or iCalUID.';

/** Calendars of a move, and the clock that times its stamps. */
interface HomeMove {
  readonly source: CalendarRecord;
  readonly destination: CalendarRecord;
  readonly clock: Clock;
}

/**
 * Moves an event with its exceptions to another calendar, whose owner becomes the organizer (contract: Move). The copy
 * there becomes the organizer's; that of the source becomes a guest's, or shows as cancelled.
 */
function moveHome({ record, exceptions }: SeriesState, move: HomeMove): SeriesState {
  const { source, destination, clock } = move;
  const stamp = nextStamp(clock, record);
  const sourceCopy = record.copies[source.id] as EventCopy;
  const destinationCopy = record.copies[destination.id];
  // A destination that has only instances of the series already has an id for it.
  const id =
    destinationCopy?.id ??
    exceptions
      .map((exception) => exception.copies[destination.id]?.id)
      .flatMap((instanceId) => parseInstanceId(instanceId ?? '')?.seriesId ?? [])[0] ??
    sourceCopy.id;
  const isShown = destinationCopy !== undefined && destinationCopy.state !== 'uninvited';
  const homeCopy: EventCopy = {
    ...(isShown ? asHomeCopy(destinationCopy) : withReadersOf(destination, asHomeCopy(sourceCopy))),
    ...(sourceCopy.imported && { imported: true }),
    id,
    stamp,
  };
  const next: EventRecord = {
    ...record,
    version: record.version + 1,
    homeId: destination.id,
    core: moveCore(record.core, destination, destinationCopy),
    coreStamp: stamp,
    openStamp: stamp,
    copies: {
      ...record.copies,
      [source.id]: { ...asFormerHomeCopy(sourceCopy, record.core, move), stamp },
      [destination.id]: homeCopy,
    },
  };
  const moveException = createExceptionMover(record, next, move);
  return { record: next, exceptions: exceptions.map(moveException) };
}

/** Core of a moved event. The new organizer keeps an entry on the guest list; a removed copy was declined. */
function moveCore(core: EventBody, { owner }: CalendarRecord, destinationCopy: EventCopy | undefined) {
  const key = addressKey(owner);
  return {
    ...core,
    organizer: { email: owner },
    sequence: Math.min((core.sequence ?? 0) + 1, maxInt32),
    ...(destinationCopy?.state === 'removed' &&
      core.attendees && {
        attendees: core.attendees.map((entry) =>
          attendeeKey(entry) === key ? { ...entry, responseStatus: 'declined' as const } : entry,
        ),
      }),
  };
}

/** Copy of the organizer's calendar: without the marks of guests' and former copies. */
function asHomeCopy(copy: EventCopy): EventCopy {
  const { guest: _guest, remains: _remains, apart: _apart, moved: _moved, ...homeCopy } = copy;
  return { ...homeCopy, state: 'present' };
}

/** Drops the settings of users who may not read a calendar. */
function withReadersOf(calendar: CalendarRecord, { viewers, ...copy }: EventCopy): EventCopy {
  const readers = Object.entries(viewers ?? {}).filter(([identity]) =>
    includesRole(roleOn(calendar, { identity }), 'reader'),
  );
  return { ...copy, ...(readers.length > 0 && { viewers: Object.fromEntries(readers) }) };
}

/** Copy of the source calendar: a guest's, or a tombstone if its owner is no guest. Own fields stay, so private ones stay private. */
function asFormerHomeCopy(copy: EventCopy, core: EventBody, { source, destination }: HomeMove): EventCopy {
  const key = addressKey(source.owner);
  // The owner of both calendars has the event on the new one.
  if (key === addressKey(destination.owner)) return asMovedCopy(copy, core);
  const { imported: _mark, ...guestCopy } = { ...copy, guest: key };
  const isGuest = core.attendees?.some((entry) => attendeeKey(entry) === key);
  return isGuest ? guestCopy : asMovedCopy(guestCopy, core);
}

/** Creates the function that moves the exceptions of a series. Their copies are merge patches over those of the series. */
function createExceptionMover(
  { copies }: EventRecord,
  movedSeries: EventRecord,
  { source, destination, clock }: HomeMove,
): (exception: EventRecord) => EventRecord {
  const [seriesCopy, movedCopy] = [copies[destination.id], movedSeries.copies[destination.id] as EventCopy];
  const formerHomeCopy = movedSeries.copies[source.id] as EventCopy;
  const hasSeriesAtDestination = seriesCopy !== undefined && seriesCopy.state !== 'uninvited';
  const seriesReference = homeReference(movedSeries);
  const owner = addressKey(destination.owner);
  /** The destination's copy; undefined if it follows the series. */
  function homeCopyOf({
    copies: { [source.id]: sourceCopy, [destination.id]: copy },
  }: EventRecord): EventCopy | undefined {
    if (hasSeriesAtDestination) return copy && asHomeCopy(copy);
    const isStandalone = copy !== undefined && copy.state !== 'uninvited' && (!seriesCopy || copy.apart);
    if (isStandalone) return { ...asHomeCopy(copy), own: createMergePatch(movedCopy.own, copy.own) };
    return sourceCopy && withReadersOf(destination, asHomeCopy(sourceCopy));
  }

  /** Exception's copy of the source calendar, whose owner may be a guest of the exception or the series alone. */
  function formerHomeCopyOf(exception: EventRecord, copy: EventCopy): EventCopy {
    const { guest } = formerHomeCopy;
    const { attendees, status } = exception.core;
    if (guest === undefined) return copy;
    const isListed = attendees?.some((entry) => attendeeKey(entry) === guest);
    const guestCopy: EventCopy = { ...copy, guest };
    const stamp = nextStamp(clock, exception);
    if (formerHomeCopy.state === 'uninvited')
      return isListed && status !== 'cancelled'
        ? { ...guestCopy, apart: true, stamp, own: patch(formerHomeCopy.own, copy.own) ?? {} }
        : guestCopy;
    return attendees !== undefined && !isListed
      ? { ...guestCopy, state: 'uninvited', stamp, remains: tombstoneOf(movedSeries.core) }
      : guestCopy;
  }

  return (exception) => {
    const { [source.id]: sourceCopy, [destination.id]: destinationCopy } = exception.copies;
    const id = destinationCopy?.id ?? `${movedCopy.id}_${originalStartOf(exception)}`;
    const homeCopy = homeCopyOf(exception);
    const changedCopies: Record<string, EventCopy> = { ...exception.copies };
    if (sourceCopy) changedCopies[source.id] = formerHomeCopyOf(exception, sourceCopy);
    if (homeCopy) changedCopies[destination.id] = { ...homeCopy, id };
    // An exception with its own guest list is on the organizer's calendar too.
    else if (exception.core.attendees !== undefined)
      changedCopies[destination.id] = { id, state: 'present', stamp: nextStamp(clock, exception), own: {} };
    const instancePart = exception.instance as InstancePart;
    const { answers } = instancePart;
    const instance: InstancePart = {
      ...instancePart,
      series: seriesReference,
      // The destination had removed the instance, which counts as its owner's response.
      ...(destinationCopy?.state === 'removed' && {
        answers: { ...answers, [owner]: { ...answers[owner], responseStatus: 'declined' } },
      }),
    };
    return {
      ...exception,
      version: exception.version + 1,
      homeId: destination.id,
      copies: changedCopies,
      instance,
    };
  };
}
