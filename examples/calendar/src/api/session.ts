import { createStore } from './store.ts';

const ended = createStore(false);

/** The token is valid no more: nothing can be read or saved until the page is opened again. */
export const endSession = (): void => ended.set(true);

export const sessionEnded = ended.get;
export const useSessionEnded = ended.use;

/** The page comes with another token then. */
export const openAgain = (): void => location.reload();
