import { useEffect, useRef, useState, type RefObject } from 'react';

/**
 * What the pointer does in an element. Escape cancels it: the grid's library has no such key; it is told that the pointer was
 * let go, and what it tells of that is not to be heard. Gives whether this is so, which lasts until the next press, and whether
 * the pointer is down.
 */
export function usePress(element: RefObject<HTMLElement | null>): { readonly isDown: boolean; readonly isCancelled: () => boolean } {
  const isCancelled = useRef(false);
  const [isDown, setDown] = useState(false);
  useEffect(() => {
    const listeners = new AbortController();
    const listen = { capture: true, signal: listeners.signal };
    let down = false;
    addEventListener('pointerdown', ({ target }) => {
      down = target instanceof Node && element.current?.contains(target) === true;
      isCancelled.current = false;
      setDown(down);
    }, listen);
    const letGo = (): void => {
      if (!down) return;
      down = false;
      // The library hears of it behind this.
      setTimeout(() => setDown(down));
    };
    addEventListener('pointerup', letGo, listen);
    addEventListener('pointercancel', letGo, listen);
    // Where it was let go outside of the window.
    addEventListener('pointermove', ({ buttons }) => buttons === 0 && letGo(), listen);
    addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || !down) return;
      event.preventDefault();
      event.stopPropagation();
      isCancelled.current = true;
      document.dispatchEvent(new MouseEvent('mouseup'));
    }, listen);
    return () => listeners.abort();
  }, [element]);
  return { isDown, isCancelled: () => isCancelled.current };
}
