import { useEffect, useRef, type FocusEvent, type RefObject } from 'react';
import { createStore } from '../api/store.ts';

/** Members of a key press that both the browser's and React's events have. */
export type KeyPress = Pick<KeyboardEvent, 'key' | 'altKey' | 'shiftKey' | 'preventDefault'>;

/** Id of the event that keeps the focus wherever the grid shows it; undefined: none. */
const followedEventId = createStore<string | undefined>(undefined);

/** Focuses the event with this id, or the grid while it has none, as soon as nothing else has the focus. */
export const followFocus = (eventId: string): void => followedEventId.set(eventId);

/**
 * Keeps the focus on an event that moves by keyboard, although the library shows it as another element on another day.
 * A mutation observer finds that element, because the library inserts and measures it after React has rendered. Keys
 * that are pressed meanwhile, while nothing has the focus, go to `onKeyWithoutFocus`.
 */
export function useMovedFocus(
  root: RefObject<HTMLElement | null>,
  onKeyWithoutFocus: (eventId: string, key: KeyPress) => void,
) {
  const latestHandler = useRef(onKeyWithoutFocus);
  useEffect(() => void (latestHandler.current = onKeyWithoutFocus));
  /** Returns the id of the followed event while nothing but the page or the grid has the focus. */
  const findIdWithoutFocus = (): string | undefined =>
    [document.body, root.current].includes(document.activeElement as HTMLElement)
      ? followedEventId.get()
      : undefined;
  const restoreFocus = (): void => {
    const id = findIdWithoutFocus();
    if (id === undefined) return;
    const card = root.current?.querySelector<HTMLElement>(`[data-event="${CSS.escape(id)}"]`);
    if (card ?? document.activeElement === document.body) (card ?? root.current)?.focus();
  };
  useEffect(() => {
    const handleKey = (key: KeyboardEvent): void => {
      const id = findIdWithoutFocus();
      // A key that the event handled itself may have moved the focus.
      if (id !== undefined && !key.defaultPrevented) latestHandler.current(id, key);
    };
    const stopFollowing = (): void => followedEventId.set(undefined);
    const observer = new MutationObserver(restoreFocus);
    if (root.current) observer.observe(root.current, { childList: true, subtree: true, attributes: true });
    const unsubscribe = followedEventId.subscribe(restoreFocus);
    document.addEventListener('keydown', handleKey);
    document.addEventListener('pointerdown', stopFollowing);
    return () => {
      unsubscribe();
      observer.disconnect();
      document.removeEventListener('keydown', handleKey);
      document.removeEventListener('pointerdown', stopFollowing);
    };
  }, [root]);
  return {
    onFocus: ({ target }: FocusEvent<HTMLElement>): void => {
      if (target !== root.current && target.dataset.event !== followedEventId.get())
        followedEventId.set(undefined);
    },
  };
}
