import { makeVar } from '@apollo/client';

/** Whether the token has expired: nothing can be read or saved until the page is reloaded. */
export const hasSessionEnded = makeVar(false);
