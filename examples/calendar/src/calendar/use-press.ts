import { useEffect, useRef, useState, type RefObject } from 'react';

/** Longer than the library takes to end a drag after the pointer was let go. */
const longestStopMs = 1000;

interface Press {
  /** From when the pointer goes down until what it did has ended. */
  readonly isHeld: boolean;
  /** Whether Escape cancelled what the pointer did last. */
  readonly isCancelled: () => boolean;
  /** The library says when it begins to move something, and when that has ended. */
  readonly onMoving: (isMoving: boolean) => void;
}

/**
 * Tracks the pointer in an element. Escape cancels a press: the library has no such key, so it gets a release whose
 * events are ignored.
 */
export function usePress(element: RefObject<HTMLElement | null>): Press {
  const isCancelled = useRef(false);
  const isMoving = useRef(false);
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    const listeners = new AbortController();
    const listen = { capture: true, signal: listeners.signal };
    let isDown = false;
    let release: ReturnType<typeof setTimeout> | undefined;
    addEventListener(
      'pointerdown',
      ({ target }) => {
        clearTimeout(release);
        isDown = target instanceof Node && element.current?.contains(target) === true;
        isCancelled.current = false;
        isMoving.current = false;
        setHeld(isDown);
      },
      listen,
    );
    const letGo = (): void => {
      if (!isDown) return;
      isDown = false;
      // The library hears of it behind this, and says nothing where the view was another one by then.
      release = setTimeout(() => setHeld(false), isMoving.current ? longestStopMs : 0);
    };
    addEventListener('pointerup', letGo, listen);
    addEventListener('pointercancel', letGo, listen);
    // Detects a release outside the window.
    addEventListener('pointermove', ({ buttons }) => buttons === 0 && letGo(), listen);
    addEventListener(
      'keydown',
      (event) => {
        if (event.key !== 'Escape' || !isDown) return;
        event.preventDefault();
        event.stopPropagation();
        isCancelled.current = true;
        document.dispatchEvent(new MouseEvent('mouseup'));
      },
      listen,
    );
    return () => {
      listeners.abort();
      clearTimeout(release);
    };
  }, [element]);
  return {
    isHeld,
    isCancelled: () => isCancelled.current,
    onMoving: (moves) => {
      isMoving.current = moves;
      if (!moves) setHeld(false);
    },
  };
}
