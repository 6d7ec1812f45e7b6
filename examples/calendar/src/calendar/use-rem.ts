import { useEffect, useState, type RefObject } from 'react';

/** Measures a rem in pixels, for options of the grid. The value follows the text size. */
export function useRem(probe: RefObject<HTMLElement | null>): number {
  const [rem, setRem] = useState(() => parseFloat(getComputedStyle(document.documentElement).fontSize));
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => entry && setRem(entry.contentRect.width));
    if (probe.current) watch.observe(probe.current);
    return () => watch.disconnect();
  }, [probe]);
  return rem;
}
