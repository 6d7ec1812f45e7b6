import { useEffect, useState, type RefObject } from 'react';

/** Measures a rem in pixels by `ruler`, an element that is 1rem wide. Follows the reader's text size. */
export function useRem(ruler: RefObject<HTMLElement | null>): number {
  const [remPixels, setRemPixels] = useState(() =>
    parseFloat(getComputedStyle(document.documentElement).fontSize),
  );
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => entry && setRemPixels(entry.contentRect.width));
    if (ruler.current) observer.observe(ruler.current);
    return () => observer.disconnect();
  }, [ruler]);
  return remPixels;
}
