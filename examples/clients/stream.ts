import { createClient, type Client } from 'graphql-sse';
import { errorsIn, messageOf } from './errors.ts';

/** The gateway does not open the stream; the message is its own. */
export class StreamRefused extends Error {
  readonly status: number;

  constructor(status: number, body: string) {
    super(messageOf(errorsIn(body, status)));
    this.status = status;
  }
}

/**
 * Opens a stream at `/graphql/stream`. A connection that is lost is opened again, five times at most, with what `headers`
 * gives by then; a stream that is refused ends at once with StreamRefused.
 */
export function createStream(url: string, headers: () => Record<string, string>): Client {
  let refusal: StreamRefused | undefined;
  return createClient({
    url,
    headers,
    async fetchFn(input: string, init: RequestInit) {
      const response = await fetch(input, init);
      refusal = response.ok ? undefined : new StreamRefused(response.status, await response.clone().text());
      return response;
    },
    async retry(attempts) {
      if (refusal) throw refusal;
      await new Promise((resolve) => setTimeout(resolve, 1000 * 2 ** attempts));
    },
  });
}
