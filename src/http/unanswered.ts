import type { ServerResponse } from 'node:http';
import { AppError } from '../core/kernel/errors.ts';

/** How long a connection at work may be silent. */
export const silenceMs = 15_000;

/** Logged as status when the client disconnected before the response. */
export const goneStatus = 499;

/** Whether nobody waits for an answer any more. */
export const isOver = (response: ServerResponse): boolean => response.writableEnded || response.destroyed;

/** At the end of the time for silence: an answer, instead of a connection that is cut, where none has begun. */
export function answerAtLimit(response: ServerResponse, refuse: (error: AppError) => void): void {
  response.on('timeout', () => {
    if (response.headersSent) response.destroy(); // is not read
    else refuse(tookTooLong());
  });
}

function tookTooLong(): AppError {
  const seconds = silenceMs / 1000;
  const message = `This was not done within ${seconds} s. Ask for less at once. Of a mutation some may have been carried out: read the result before you send it again.`;
  return new AppError('UNAVAILABLE', 'backendError', message, [], { retryAfter: seconds });
}
