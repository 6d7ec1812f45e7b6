import { useEffect, useRef, type FocusEvent, type RefObject } from 'react';

/** Members of a key press that both the browser's and React's events have. */
export type KeyPress = Pick<KeyboardEvent, 'key' | 'altKey' | 'shiftKey' | 'preventDefault'>;

/**
 * Keeps the focus on an event that moves by keyboard, although the library shows it as another element on another day.
 * A mutation observer finds that element, because the library inserts and measures it after React has rendered. Keys
 * that are pressed meanwhile, while nothing has the focus, go to `onKeyWithoutFocus`.
 */
export function useMovedFocus(
  root: RefObject<HTMLElement | null>,
  onKeyWithoutFocus: (eventId: string, key: KeyPress) => void,
) {
  const followedId = useRef<string>(undefined);
  const latestOnKey = useRef(onKeyWithoutFocus);
  useEffect(() => void (latestOnKey.current = onKeyWithoutFocus));
  const idWithoutFocus = (): string | undefined =>
    document.activeElement === document.body ? followedId.current : undefined;
  const restoreFocus = (): void => {
    const id = idWithoutFocus();
    if (id !== undefined)
      root.current?.querySelector<HTMLElement>(`[data-event="${CSS.escape(id)}"]`)?.focus();
  };
  useEffect(() => {
    const handleKey = (key: KeyboardEvent): void => {
      const id = idWithoutFocus();
      // A key that the event handled itself may have moved the focus.
      if (id !== undefined && !key.defaultPrevented) latestOnKey.current(id, key);
    };
    const stopFollowing = (): void => void (followedId.current = undefined);
    const observer = new MutationObserver(restoreFocus);
    if (root.current) observer.observe(root.current, { childList: true, subtree: true, attributes: true });
    document.addEventListener('keydown', handleKey);
    document.addEventListener('pointerdown', stopFollowing);
    return () => {
      observer.disconnect();
      document.removeEventListener('keydown', handleKey);
      document.removeEventListener('pointerdown', stopFollowing);
    };
  }, [root]);
  return {
    /** Focuses the event with this id as soon as nothing else has the focus. */
    followFocus: (eventId: string): void => {
      followedId.current = eventId;
      restoreFocus();
    },
    onFocus: ({ target }: FocusEvent<HTMLElement>): void => {
      if (target.dataset.event !== followedId.current) followedId.current = undefined;
    },
  };
}
