import { useEffect, useState, useSyncExternalStore } from 'react';
import { shownIn, type Shown } from './shown.ts';
import { todayIn } from './week.ts';

const phone = matchMedia('(max-width: 720px)');
/** Below this width, seven columns of hours beside the list of calendars are narrower than 7 rem. */
const tablet = matchMedia('(max-width: 1100px)');

const useMatches = (query: MediaQueryList): boolean =>
  useSyncExternalStore(
    (listener) => {
      query.addEventListener('change', listener);
      return () => query.removeEventListener('change', listener);
    },
    () => query.matches,
  );

/** The number of days in a week view where seven columns do not fit. */
export const daysOnTablet = 3;

export type Width = 'phone' | 'tablet' | 'desktop';

/** The width of the window, as far as the views depend on it. */
export function useWidth(): Width {
  const [isPhone, isTablet] = [useMatches(phone), useMatches(tablet)];
  if (isPhone) return 'phone';
  return isTablet ? 'tablet' : 'desktop';
}

/** View and date, kept in the address of the page. */
export function useShown(zone: string): [Shown, (shown: Shown) => void] {
  const [shown, show] = useState<Shown>(() => {
    const { view, date } = shownIn(location.search);
    return { view: view ?? (phone.matches ? 'day' : 'week'), date: date ?? todayIn(zone) };
  });
  const address = `?view=${shown.view}&date=${shown.date.toString()}`;
  useEffect(() => history.replaceState(null, '', `${address}${location.hash}`), [address]);
  return [shown, show];
}
