import { useSyncExternalStore } from 'react';
import type { Store } from './store.ts';

/** Returns the value of a store, and renders the component again whenever it changes. */
export const useStore = <T>({ subscribe, get }: Store<T>): T => useSyncExternalStore(subscribe, get);
