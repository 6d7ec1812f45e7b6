import { useEffect, useState, type RefObject } from 'react';

/** How many pixels a rem has, for what the grid wants in pixels; it grows with the text. */
export function useRem(probe: RefObject<HTMLElement | null>): number {
  const [rem, setRem] = useState(() => parseFloat(getComputedStyle(document.documentElement).fontSize));
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => entry && setRem(entry.contentRect.width));
    if (probe.current) watch.observe(probe.current);
    return () => watch.disconnect();
  }, [probe]);
  return rem;
}
