import { createStore } from './store.ts';

/** Whether the token has expired: nothing can be read or saved until the page is opened again. */
export const sessionEnded = createStore(false);
