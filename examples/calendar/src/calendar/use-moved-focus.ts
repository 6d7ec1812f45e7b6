import { useEffect, useRef, type FocusEvent, type RefObject } from 'react';

/** Members of a key press that both the browser's and React's events have. */
export type KeyPress = Pick<KeyboardEvent, 'key' | 'altKey' | 'shiftKey' | 'preventDefault'>;

const findCards = (): readonly HTMLElement[] => [
  ...document.querySelectorAll<HTMLElement>('.grid [data-event]'),
];

/** Candidates for a lost focus: the first visible event gets it, else the grid. */
let followedIds: readonly string[] = [];
/** Event that is being deleted. A dialog may return the focus to it. */
let deletedId: string | undefined;

/** Focuses the event with this id, or the grid while it has none, as soon as nothing else has the focus. */
export function followFocus(eventId: string): void {
  [followedIds, deletedId] = [[eventId], undefined];
  restoreFocus();
}

/** Returns a function to call when this event was deleted: it focuses the event after it, or the one before the last. */
export function createNeighbourFocus(eventId: string): () => void {
  const ids = findCards().map(({ dataset }) => dataset.event ?? '');
  const index = ids.indexOf(eventId);
  const neighbourIds = [...ids.slice(index + 1), ...ids.slice(0, Math.max(index, 0)).reverse()];
  return () => {
    followedIds = neighbourIds.filter((id) => id !== eventId);
    deletedId = eventId;
    restoreFocus();
  };
}

/** Whether nothing but the page or the grid has the focus. */
const isFocusLost = (): boolean => document.activeElement?.matches('body, .grid') ?? true;

function restoreFocus(): void {
  if (deletedId === undefined && followedIds.length === 0) return;
  if (!isFocusLost()) return;
  const cards = findCards();
  const card = followedIds.flatMap((id) => cards.find(({ dataset }) => dataset.event === id) ?? [])[0];
  if (card) card.focus();
  else if (document.activeElement === document.body) document.querySelector<HTMLElement>('.grid')?.focus();
}

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
  const stopFollowing = (): void => void ([followedIds, deletedId] = [[], undefined]);
  useEffect(() => {
    const handleKey = (key: KeyboardEvent): void => {
      const [id] = followedIds;
      // A key that the event handled itself may have moved the focus.
      if (id !== undefined && isFocusLost() && !key.defaultPrevented) latestHandler.current(id, key);
    };
    // Dialogs are outside of the grid. They return the focus before they are removed.
    const observer = new MutationObserver(restoreFocus);
    observer.observe(document.body, { childList: true, subtree: true, attributes: true });
    document.addEventListener('keydown', handleKey);
    document.addEventListener('pointerdown', stopFollowing);
    return () => {
      observer.disconnect();
      document.removeEventListener('keydown', handleKey);
      document.removeEventListener('pointerdown', stopFollowing);
    };
  }, []);
  return {
    onFocus: ({ target }: FocusEvent<HTMLElement>): void => {
      const id = target.dataset.event ?? '';
      if (target === root.current || id === deletedId) return;
      if (followedIds.includes(id)) followedIds = [id];
      else stopFollowing();
    },
  };
}
