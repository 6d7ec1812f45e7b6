import type { KeyboardEvent, RefObject } from 'react';
import { showNotice } from '../api/notices.ts';
import { titleOf } from './event-card.tsx';
import type { GridEvent } from './grid-events.ts';
import { timeShiftForKey, shiftTimes } from './time-shift.ts';
import { followFocus, useMovedFocus, type KeyPress } from './use-moved-focus.ts';
import { timesOf, type CalendarEvent, type Times } from './event-times.ts';

interface EventKeysOptions {
  readonly eventsById: ReadonlyMap<string, GridEvent>;
  readonly zone: string;
  readonly onMove: (event: CalendarEvent, times: Times) => void;
  /** Undefined turns the Delete key off. */
  readonly onDelete: ((event: CalendarEvent) => void) | undefined;
}

/** Keys of the focused event in an element: Alt with arrows moves it, Delete deletes it. */
export function useEventKeys(
  root: RefObject<HTMLElement | null>,
  { eventsById, zone, onMove, onDelete }: EventKeysOptions,
) {
  const moveByKey = (id: string, keyPress: KeyPress): void => {
    const { event, isEditable } = eventsById.get(id) ?? {};
    const times = event && timesOf(event, zone);
    const shift = times && timeShiftForKey(keyPress, times.allDay);
    if (!shift) return;
    keyPress.preventDefault();
    if (!isEditable) return;
    followFocus(event.nodeId);
    onMove(event, shiftTimes(times, shift, zone));
  };
  const { onFocus } = useMovedFocus(root, moveByKey);
  const deleteByKey = (id: string, keyPress: KeyboardEvent): void => {
    const { event, isEditable } = eventsById.get(id) ?? {};
    const hasModifier = keyPress.altKey || keyPress.ctrlKey || keyPress.metaKey || keyPress.shiftKey;
    if (!event || !onDelete || hasModifier || keyPress.repeat || document.querySelector('[role=dialog]'))
      return;
    keyPress.preventDefault();
    if (!isEditable) {
      showNotice('warning', `“${titleOf(event)}” cannot be deleted: its calendar is read-only.`);
      return;
    }
    onDelete(event);
  };
  const onKeyDown = (keyPress: KeyboardEvent): void => {
    const card =
      keyPress.target instanceof Element ? keyPress.target.closest<HTMLElement>('[data-event]') : undefined;
    const id = card?.dataset.event ?? '';
    if (keyPress.key === 'Delete') deleteByKey(id, keyPress);
    else moveByKey(id, keyPress);
  };
  return { onKeyDown, onFocus };
}
