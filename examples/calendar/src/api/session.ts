import { createStore } from './store.ts';

/** Whether the token has expired: nothing can be read or saved until the page is reloaded. */
export const sessionEndedStore = createStore(false);
