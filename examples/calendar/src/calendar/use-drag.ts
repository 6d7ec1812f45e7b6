import { useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';

/** By how much an event moves, or only its end. */
export interface Shift {
  readonly days: number;
  readonly minutes: number;
  readonly endOnly: boolean;
}

export const stepMinutes = 15;
const slackPixels = 4;

/** Moves by the pointer or with Alt and the arrow keys; a click without a move is a click. */
export function useDrag(pixelsPerMinute: number, onShift: (shift: Shift) => void) {
  const [shift, setShift] = useState<Shift>();
  const held = useRef<{ x: number; y: number; dayWidth: number; endOnly: boolean; moved: boolean }>(undefined);

  const onPointerDown = (event: PointerEvent<HTMLElement>): void => {
    // A finger scrolls.
    if (event.button !== 0 || event.pointerType === 'touch') return;
    const endOnly = event.target instanceof HTMLElement && event.target.dataset.handle === 'end';
    const dayWidth = event.currentTarget.closest('[data-day]')?.getBoundingClientRect().width ?? 1;
    held.current = { x: event.clientX, y: event.clientY, dayWidth, endOnly, moved: false };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>): void => {
    const from = held.current;
    if (!from) return;
    const x = event.clientX - from.x;
    const y = event.clientY - from.y;
    from.moved ||= Math.hypot(x, y) > slackPixels;
    if (!from.moved) return;
    const minutes = Math.round(y / pixelsPerMinute / stepMinutes) * stepMinutes;
    setShift({ days: from.endOnly ? 0 : Math.round(x / from.dayWidth), minutes, endOnly: from.endOnly });
  };
  const onPointerUp = (): void => {
    if (shift && (shift.days !== 0 || shift.minutes !== 0)) onShift(shift);
    setShift(undefined);
  };
  const onPointerCancel = (): void => {
    held.current = undefined;
    setShift(undefined);
  };
  /** Whether the click that just came ends a move. */
  const endsMove = (): boolean => {
    const moved = held.current?.moved ?? false;
    held.current = undefined;
    return moved;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const arrow = arrows[event.key];
    if (!event.altKey || !arrow) return;
    event.preventDefault();
    if (!event.shiftKey || arrow.minutes !== 0) onShift({ ...arrow, endOnly: event.shiftKey });
  };
  return { shift, endsMove, handlers: { onPointerDown, onPointerMove, onPointerUp, onPointerCancel, onKeyDown } };
}

const arrows: Readonly<Record<string, { readonly days: number; readonly minutes: number }>> = {
  ArrowUp: { days: 0, minutes: -stepMinutes },
  ArrowDown: { days: 0, minutes: stepMinutes },
  ArrowLeft: { days: -1, minutes: 0 },
  ArrowRight: { days: 1, minutes: 0 },
};
