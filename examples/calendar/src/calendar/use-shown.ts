import { useEffect, useState, useSyncExternalStore } from 'react';
import { shownIn, type Shown } from './shown.ts';
import { todayIn } from './week.ts';

const phone = matchMedia('(max-width: 720px)');

export function useIsPhone(): boolean {
  return useSyncExternalStore(
    (listener) => {
      phone.addEventListener('change', listener);
      return () => phone.removeEventListener('change', listener);
    },
    () => phone.matches,
  );
}

/** Visible range, kept in the page's address. */
export function useShown(zone: string): [Shown, (shown: Shown) => void] {
  const [shown, show] = useState<Shown>(() => {
    const { view, date } = shownIn(location.search);
    return { view: view ?? (phone.matches ? 'day' : 'week'), date: date ?? todayIn(zone) };
  });
  const address = `?view=${shown.view}&date=${shown.date.toString()}`;
  useEffect(() => history.replaceState(null, '', `${address}${location.hash}`), [address]);
  return [shown, show];
}
