import type { ServerResponse } from 'node:http';
import { AppError } from '../core/kernel/errors.ts';

/** How long (ms) a connection with a request under way may be silent. */
export const silenceMs = 15_000;

/** Logged as status when the client disconnected before the response. */
export const goneStatus = 499;

/** Whether the response was sent or its client disconnected. */
export const isOver = (response: ServerResponse): boolean => response.writableEnded || response.destroyed;

/** Answers with an error when the time for silence is over, instead of cutting the connection, unless the answer has begun. */
export function answerAtLimit(response: ServerResponse, refuse: (error: AppError) => void): void {
  response.on('timeout', () => {
    if (response.headersSent)
      response.destroy(); // its client does not read
    else refuse(tookTooLong());
  });
}

function tookTooLong(): AppError {
  const seconds = silenceMs / 1000;
  const message = `This was not done within ${seconds} s. Ask for less at once. Of a mutation some may have been carried out: read the result before you send it again.`;
  return new AppError('UNAVAILABLE', 'backendError', message, [], { retryAfter: seconds });
}
