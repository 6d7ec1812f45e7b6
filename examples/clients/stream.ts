import { createClient, type Client } from 'graphql-sse';
import { errorsIn, messageOf } from './errors.ts';

/** Error of a stream that the gateway refused to open, with the gateway's message. */
export class StreamRefused extends Error {
  readonly status: number;

  constructor(status: number, body: string) {
    super(messageOf(errorsIn(body, status)));
    this.status = status;
  }
}

/**
 * Opens a stream at `/graphql/stream`. `headers` is called for each attempt. A lost connection calls `onLost`
 * and is opened again, at most five times. If the gateway refuses it, the stream ends at once with
 * StreamRefused.
 */
export function createStream(
  url: string,
  headers: () => Record<string, string>,
  onLost?: () => void,
): Client {
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
      onLost?.();
      await new Promise((resolve) => setTimeout(resolve, 1000 * 2 ** attempts));
    },
  });
}
