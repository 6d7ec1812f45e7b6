import { useEffect, useRef, type RefObject } from 'react';

/**
 * Escape cancels what the pointer does in an element. The grid's library has no such key: it is told that the pointer was
 * let go, and what it tells of that is not to be heard. Gives whether this is so, which lasts until the next press.
 */
export function useEscape(element: RefObject<HTMLElement | null>): () => boolean {
  const state = useRef<'up' | 'down' | 'cancelled'>('up');
  useEffect(() => {
    const listeners = new AbortController();
    const listen = { capture: true, signal: listeners.signal };
    addEventListener('pointerdown', ({ target }) => (state.current = target instanceof Node && element.current?.contains(target) ? 'down' : 'up'), listen);
    addEventListener('pointerup', () => (state.current = state.current === 'down' ? 'up' : state.current), listen);
    addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || state.current !== 'down') return;
      event.preventDefault();
      event.stopPropagation();
      state.current = 'cancelled';
      document.dispatchEvent(new MouseEvent('mouseup'));
    }, listen);
    return () => listeners.abort();
  }, [element]);
  return () => state.current === 'cancelled';
}
