import { useEffect, useRef, type FocusEvent, type RefObject } from 'react';

/**
 * An event that moves to another day is another element there: who moved it with the keys goes on with it. The library puts elements
 * in their places when it wants to, and shows them once they are measured: they are watched, and not what is rendered here.
 */
export function useFocusAlong(root: RefObject<HTMLElement | null>) {
  const moved = useRef<string>(undefined);
  useEffect(() => {
    const goAlong = (): void => {
      if (moved.current === undefined || document.activeElement !== document.body) return;
      root.current?.querySelector<HTMLElement>(`[data-event="${CSS.escape(moved.current)}"]`)?.focus();
    };
    const observer = new MutationObserver(goAlong);
    if (root.current) observer.observe(root.current, { childList: true, subtree: true, attributes: true });
    return () => observer.disconnect();
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
