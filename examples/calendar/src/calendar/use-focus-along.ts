import { useEffect, useRef, type FocusEvent, type RefObject } from 'react';

/** A key, as the browser or React tells of it. */
export type PressedKey = Pick<KeyboardEvent, 'key' | 'altKey' | 'shiftKey' | 'preventDefault'>;

/**
 * An event that moves to another day is another element there: who moved it with the keys goes on with it. The library puts elements
 * in their places when it wants to, and shows them once they are measured: they are watched, and not what is rendered here. Keys that
 * are pressed meanwhile, while nothing has the focus, are the event's: `onKey`.
 */
export function useFocusAlong(
  root: RefObject<HTMLElement | null>,
  onKey: (id: string, key: PressedKey) => void,
) {
  const moved = useRef<string>(undefined);
  const lastOnKey = useRef(onKey);
  useEffect(() => void (lastOnKey.current = onKey));
  useEffect(() => {
    const lost = (): string | undefined =>
      document.activeElement === document.body ? moved.current : undefined;
    const goAlong = (): void => {
      const id = lost();
      if (id !== undefined)
        root.current?.querySelector<HTMLElement>(`[data-event="${CSS.escape(id)}"]`)?.focus();
    };
    const press = (key: KeyboardEvent): void => {
      const id = lost();
      // A key that the event handled itself may have moved the focus.
      if (id !== undefined && !key.defaultPrevented) lastOnKey.current(id, key);
    };
    const leave = (): void => void (moved.current = undefined);
    const observer = new MutationObserver(goAlong);
    if (root.current) observer.observe(root.current, { childList: true, subtree: true, attributes: true });
    document.addEventListener('keydown', press);
    document.addEventListener('pointerdown', leave);
    return () => {
      observer.disconnect();
      document.removeEventListener('keydown', press);
      document.removeEventListener('pointerdown', leave);
    };
  }, [root]);
  return {
    follow: (id: string): void => {
      moved.current = id;
    },
    onFocus: ({ target }: FocusEvent<HTMLElement>): void => {
      if (target.dataset.event !== moved.current) moved.current = undefined;
    },
  };
}
