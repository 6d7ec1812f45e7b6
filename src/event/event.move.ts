import { includesRole, type Viewer } from '../access/permissions.ts';
import { calendarNotFound, requireAllowed, roleForRef } from '../calendar/calendar.access.ts';
import type { CalendarRef } from '../calendar/calendar.ts';
import { errorAt, type Issue } from '../core/errors.ts';
import { changedFieldNames } from './attendees/notices.ts';
import type { MoveEventArgs } from './event.requests.ts';
import type { ChangeState, Decision, DestinationCalendar } from './event.store.ts';
import type { EventTools } from './event.tools.ts';
import { findNamedEvent, withoutNotices, type WriteResult, type Writes } from './event.writes.ts';
import type { EventRecord } from './model/record.ts';
import { type EventContext, isCreator } from './visibility/event-context.ts';
import { viewOf } from './visibility/event-view.ts';
import { moveHome } from './write/move-home.ts';

interface MoveTarget {
  readonly source: CalendarRef;
  readonly destination: CalendarRef;
}

/** Creates a function that decides moves of events to other calendars. It throws AppError with all issues. */
export function createMoves({ clock }: EventTools, { openChange, eventContext }: Writes) {
  return function decideMove(
    viewer: Viewer,
    target: MoveTarget,
    args: Omit<MoveEventArgs, 'calendarId' | 'destination'>,
    loaded: ChangeState,
  ): Decision<WriteResult> {
    const { calendar, destination, event } = loaded;
    const sourceRole = roleForRef(calendar, target.source, viewer);
    const destinationRole = roleForRef(destination?.calendar, target.destination, viewer);
    const missingPaths = [
      ...(sourceRole === 'none' ? [['calendarId']] : []),
      ...(destinationRole === 'none' ? [['destination']] : []),
    ];
    if (!calendar || !destination || missingPaths.length > 0) throw calendarNotFound(missingPaths);
    const refusals = includesRole(destinationRole, 'writer') ? [] : [notWritableIssue];
    if (!includesRole(sourceRole, 'writer')) requireAllowed([notOwnerIssue, ...refusals]);
    const change = openChange(viewer, target.source, args, loaded);
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

    const movedSeries = moveHome(
      { record, exceptions },
      { source: calendar, destination: destination.calendar, clock },
    );
    const contextAfter = contextAtDestination(movedSeries.record);
    if (args.validateOnly) return withoutNotices(contextAfter);
    const notices = change.noticesForChange(
      {
        context: contextAfter,
        coreBefore: record.core,
        changedFields: changedFieldNames(record.core, movedSeries.record.core),
        copyBefore: undefined,
        addedGuestKeys: () => [],
      },
      { exceptions: () => movedSeries.exceptions },
    );
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
