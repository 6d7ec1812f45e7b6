import { useLayoutEffect, useRef, type FocusEvent, type RefObject } from 'react';

/** An event that moves to another day is another element there: who moved it with the keys goes on with it. */
export function useFocusAlong(root: RefObject<HTMLElement | null>) {
  const moved = useRef<string>(undefined);
  useLayoutEffect(() => {
    if (moved.current === undefined || document.activeElement !== document.body) return;
    root.current?.querySelector<HTMLElement>(`[data-event="${CSS.escape(moved.current)}"]`)?.focus();
  });
  return {
    follow: (id: string): void => {
      moved.current = id;
    },
    onFocus: ({ target }: FocusEvent<HTMLElement>): void => {
      if (target.dataset.event !== moved.current) moved.current = undefined;
    },
  };
}
