import { makeVar } from '@apollo/client';
import { useApolloClient, useReactiveVar } from '@apollo/client/react';
import { useRef, useState } from 'react';
import { failureOf } from '../api/failure.ts';
import { showNotice } from '../api/notices.ts';
import { eventFields } from '../api/operations.ts';
import { changeTimes, replaceTimes } from '../editor/change-times.ts';
import { restoreFields, type SavedChange, type Scope } from '../editor/save-change.ts';
import type { useScopeDialog } from '../editor/scope-dialog.tsx';
import { isMovedInstance } from '../editor/series-move.ts';
import { subjectOf, undoChange } from '../editor/undo-change.ts';
import { titleOf } from './event-card.tsx';
import { toZonedTime, describeTimes, timesOf, type CalendarEvent, type Times } from './event-times.ts';

interface MoveOptions {
  /** Loaded events, among which are instances that were moved individually. */
  readonly events: readonly CalendarEvent[];
  readonly zone: string;
  /** Asks which events of a series to change; undefined if the user cancels. */
  readonly askScope: ReturnType<typeof useScopeDialog>['askScope'];
  /** Reads the changes of a calendar; ends when they are visible. */
  readonly onMoved: (event: CalendarEvent) => Promise<void>;
  readonly onConflict: (event: CalendarEvent, times: Times) => void;
}

interface LatestMove extends SavedChange {
  readonly storedAtMs: number;
}

/** Moves of one event within this time, as by repeated key presses, are undone together. */
const maxPauseMs = 3000;

/**
 * Moves events, one move after another. `plannedEvents` have the times of their pending moves, by `nodeId`: a move is
 * visible at once, and reverted if the gateway refuses it.
 */
export function useMove({ events, zone, askScope, onMoved, onConflict }: MoveOptions) {
  const client = useApolloClient();
  const [plannedEvents] = useState(() => makeVar<ReadonlyMap<string, CalendarEvent>>(new Map()));
  // Moves run one after another, because the second move of an event needs the etag of the first.
  const queue = useRef(Promise.resolve());
  /** Latest moves by the subject of their notices. */
  const latestMoves = useRef(new Map<string, LatestMove>());

  const addPlan = (event: CalendarEvent): void =>
    void plannedEvents(new Map(plannedEvents()).set(event.nodeId, event));
  const isPlanned = (event: CalendarEvent): boolean => plannedEvents().get(event.nodeId) === event;
  const forgetPlan = (nodeId: string): void =>
    void plannedEvents(new Map([...plannedEvents()].filter(([plannedId]) => plannedId !== nodeId)));

  const undo = (event: CalendarEvent, scope: Scope, savedChange: SavedChange): void => {
    latestMoves.current.delete(subjectOf(event, scope));
    const moveBack = async (): Promise<void> => {
      await restoreFields(client, savedChange);
      void onMoved(event);
    };
    queue.current = queue.current.then(() =>
      undoChange({ kind: 'move', event, scope }, moveBack, () => undo(event, scope, savedChange)),
    );
  };
  /** Reports a stored move. The notice replaces that of an earlier move of the same event. */
  const reportMove = (
    event: CalendarEvent,
    text: string,
    scope: Scope,
    saved: SavedChange | undefined,
  ): void => {
    const subject = subjectOf(event, scope);
    const previousMove = latestMoves.current.get(subject);
    const isContinued = previousMove && Date.now() - previousMove.storedAtMs < maxPauseMs;
    const undoableChange =
      saved && (isContinued ? { ...saved, eventBefore: previousMove.eventBefore } : saved);
    showNotice(
      'done',
      text,
      undoableChange && { label: 'Undo', run: () => undo(event, scope, undoableChange) },
      subject,
    );
    // A move of a series changes its instances: their earlier moves cannot be undone.
    if (scope !== 'this') latestMoves.current.clear();
    if (undoableChange) latestMoves.current.set(subject, { ...undoableChange, storedAtMs: Date.now() });
  };

  const storeMove = async (visibleEvent: CalendarEvent, times: Times, scope: Scope): Promise<void> => {
    const id = client.cache.identify(visibleEvent);
    const storedEvent = client.cache.readFragment({ id, fragment: eventFields, fragmentName: 'EventFields' });
    const event = { ...visibleEvent, ...storedEvent };
    try {
      reportMove(
        event,
        describeMove(event, times, zone, scope) + describeKeptInstances(event, scope, events),
        scope,
        await changeTimes(client, event, times, zone, scope),
      );
    } catch (error) {
      // Waiting moves continue from the stored event.
      forgetPlan(event.nodeId);
      const failure = failureOf(error, 'event');
      if (failure.isConflict) onConflict(event, times);
      else
        showNotice(
          'error',
          `“${titleOf(event)}” stays where it was. ${Object.values(failure.errorsByField).join(' ')}`,
        );
      return;
    }
    void onMoved(event).then(() => isPlanned(visibleEvent) && forgetPlan(visibleEvent.nodeId));
  };
  const moveInstance = async (event: CalendarEvent, times: Times): Promise<void> => {
    const scope = await askScope(event, 'change');
    if (!scope) return;
    const movedEvent = replaceTimes(event, times, zone);
    if (scope === 'this') addPlan(movedEvent);
    await storeMove(scope === 'this' ? movedEvent : event, times, scope);
  };
  /** Stores new times of an event, and reports the result in a notice with Undo. */
  const move = (event: CalendarEvent, times: Times): void => {
    if (event.recurringEventId) {
      queue.current = queue.current.then(() => moveInstance(event, times));
      return;
    }
    const movedEvent = replaceTimes(event, times, zone);
    addPlan(movedEvent);
    // A later move of the event includes this one.
    queue.current = queue.current.then(() =>
      isPlanned(movedEvent) ? storeMove(movedEvent, times, 'this') : undefined,
    );
  };
  return { plannedEvents: useReactiveVar(plannedEvents), move };
}

/** Names what a move of a series left in place, if the loaded events include such an instance. */
function describeKeptInstances(event: CalendarEvent, scope: Scope, events: readonly CalendarEvent[]): string {
  if (scope === 'this') return '';
  const includesKeptInstance = events.some(
    (other) =>
      other.calendarId === event.calendarId &&
      other.recurringEventId === event.recurringEventId &&
      isMovedInstance(other) &&
      // Ids end in the original start.
      (scope === 'all' || other.id > event.id),
  );
  return includesKeptInstance ? ' Events that were moved individually stayed.' : '';
}

/** Describes a stored move for its notice. */
function describeMove(event: CalendarEvent, times: Times, zone: string, scope: Scope): string {
  const title = `“${titleOf(event)}”`;
  if (scope === 'all') return `All events of ${title} moved.`;
  if (scope === 'following') return `${title} and all later events moved.`;
  const previousTimes = timesOf(event, zone);
  const isResized =
    previousTimes?.allDay === times.allDay &&
    toZonedTime(previousTimes.start, zone).equals(toZonedTime(times.start, zone));
  return `${title} ${isResized ? 'resized' : 'moved'} to ${describeTimes(times)}.`;
}
