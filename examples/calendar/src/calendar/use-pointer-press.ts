import { useEffect, useRef, useState, type RefObject } from 'react';

/** Longer than the library takes to end a drag after the pointer was released. */
const maxDragEndMs = 1000;

/**
 * Tracks the pointer in an element. Escape cancels a press: the library has no such key, so it gets a release whose
 * events are ignored.
 */
export function usePointerPress(element: RefObject<HTMLElement | null>) {
  const isCancelled = useRef(false);
  const isDragging = useRef(false);
  const [isPressed, setPressed] = useState(false);
  useEffect(() => {
    const listeners = new AbortController();
    const listenerOptions = { capture: true, signal: listeners.signal };
    let isDown = false;
    let endTimer: ReturnType<typeof setTimeout> | undefined;
    addEventListener(
      'pointerdown',
      ({ target }) => {
        clearTimeout(endTimer);
        isDown = target instanceof Node && element.current?.contains(target) === true;
        isCancelled.current = false;
        isDragging.current = false;
        setPressed(isDown);
      },
      listenerOptions,
    );
    const release = (): void => {
      if (!isDown) return;
      isDown = false;
      // The library handles the release after this listener. It reports no end if the view has changed
      // meanwhile.
      endTimer = setTimeout(() => setPressed(false), isDragging.current ? maxDragEndMs : 0);
    };
    addEventListener('pointerup', release, listenerOptions);
    addEventListener('pointercancel', release, listenerOptions);
    // Detects a release outside the window.
    addEventListener('pointermove', ({ buttons }) => buttons === 0 && release(), listenerOptions);
    addEventListener(
      'keydown',
      (event) => {
        if (event.key !== 'Escape' || !isDown) return;
        event.preventDefault();
        event.stopPropagation();
        isCancelled.current = true;
        document.dispatchEvent(new MouseEvent('mouseup'));
      },
      listenerOptions,
    );
    return () => {
      listeners.abort();
      clearTimeout(endTimer);
    };
  }, [element]);
  return {
    /** Whether the pointer is down, or the library still handles its release. */
    isPressed,
    /** Whether Escape cancelled the last press. */
    isCancelled: () => isCancelled.current,
    /** Must be called at the start and at the end of each drag in the library. */
    setDragging: (isNowDragging: boolean) => {
      isDragging.current = isNowDragging;
      if (!isNowDragging) setPressed(false);
    },
  };
}
