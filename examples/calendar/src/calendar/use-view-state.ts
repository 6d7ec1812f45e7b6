import { useEffect, useState, useSyncExternalStore } from 'react';
import { addListeners } from '../api/listen.ts';
import { parseViewState, type ViewState } from './view-state.ts';
import { todayIn } from './event-times.ts';

const phoneQuery = matchMedia('(max-width: 720px)');
/** Below this width, seven columns of hours beside the sidebar are narrower than 7 rem. */
const tabletQuery = matchMedia('(max-width: 1100px)');

const useMediaQuery = (query: MediaQueryList): boolean =>
  useSyncExternalStore(
    (listener) => addListeners(query, ['change'], listener),
    () => query.matches,
  );

/** The number of days in a week view where seven columns do not fit. */
export const tabletWeekDays = 3;

/** Width class of the window. */
export type DeviceWidth = 'phone' | 'tablet' | 'desktop';

/** Follows the width class of the window. */
export function useDeviceWidth(): DeviceWidth {
  const [isPhone, isTablet] = [useMediaQuery(phoneQuery), useMediaQuery(tabletQuery)];
  if (isPhone) return 'phone';
  return isTablet ? 'tablet' : 'desktop';
}

/** The visible view and date, kept in the URL of the page. */
export function useViewState(zone: string): [ViewState, (viewState: ViewState) => void] {
  const [viewState, setViewState] = useState<ViewState>(() => {
    const { view, date } = parseViewState(location.search);
    return { view: view ?? (phoneQuery.matches ? 'day' : 'week'), date: date ?? todayIn(zone) };
  });
  const search = `?view=${viewState.view}&date=${viewState.date.toString()}`;
  useEffect(() => history.replaceState(null, '', `${search}${location.hash}`), [search]);
  return [viewState, setViewState];
}
