import { destination } from 'pino';
import type { LogTarget } from '../app.ts';

/** So many characters are written at once. */
const minLength = 16_000;
/** And no line waits longer. */
const longestMs = 100;

/**
 * Standard output, several lines at a time: a system call for each line would cost more than all that makes it. What is
 * left is written when the process ends, unless it is killed.
 */
export const standardOutput = (): LogTarget => destination({ dest: 1, sync: false, minLength, periodicFlush: longestMs });
