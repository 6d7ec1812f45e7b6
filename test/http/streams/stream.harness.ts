import { listenOnFreePort } from '../raw-http.ts';
import { startGateway, tokenFor, type TestGateway } from '../../harness.ts';
import { useForAll } from '../../use-resource.ts';
import type { StoreUnderTest } from '../../stores.ts';

/** A server-sent event. */
export interface WireEvent {
  readonly id: string | undefined;
  readonly event: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a result of any selection, as `Answer.data`
  readonly data: any;
}

export type Streams = Awaited<ReturnType<typeof listenForStreams>>;
export type OpenStream = Awaited<ReturnType<Streams['open']>>;

/** Caller and headers of a stream; `token` replaces the one that is signed for `as`. */
export interface StreamOptions {
  readonly as?: string | null;
  readonly scopes?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly lastEventId?: string;
  readonly token?: string;
}

/** Writes a subscription to the changes of a calendar. */
export const writeCalendarSubscription = (calendarId = 'primary'): string =>
  `subscription { calendarChanged(calendarId: "${calendarId}") { calendarId changedAt } }`;
export const writeMessageSubscription = (topic = 'projects/demo-project/topics/photos'): string =>
  `subscription { messagePublished(topic: "${topic}") { messageId topic attributes data state } }`;

/** Listens on loopback, and opens streams with fetch. */
export async function listenForStreams(gateway: TestGateway) {
  const url = `http://127.0.0.1:${await listenOnFreePort(gateway)}/graphql/stream`;
  return {
    url,
    async open(
      query: string,
      { as = 'alice@example.com', scopes, headers, lastEventId, token }: StreamOptions = {},
    ) {
      const controller = new AbortController();
      const authorization = token ?? (as === null ? undefined : await tokenFor(as, scopes));
      const response = await fetch(url, {
        method: 'POST',
        signal: controller.signal,
        body: JSON.stringify({ query }),
        headers: {
          'content-type': 'application/json',
          accept: 'text/event-stream',
          ...(authorization !== undefined && { authorization: `Bearer ${authorization}` }),
          ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
          ...headers,
        },
      });
      const events = readEvents(response);
      return {
        status: response.status,
        headers: response.headers,
        /** Waits for the next event; undefined if the stream has ended. */
        next: async () => (await events.next()).value as WireEvent | undefined,
        /** Reads events until the stream ends. */
        readUntilEnd: async () => {
          const remainingEvents: WireEvent[] = [];
          for await (const event of events) remainingEvents.push(event);
          return remainingEvents;
        },
        json: () =>
          response.json() as Promise<{
            errors: { message: string; extensions: { code: string; reason: string; requestId: string } }[];
          }>,
        close: () => controller.abort(),
      };
    },
  };
}

/**
 * Starts a gateway with streams, and a `writer` on the same store (in memory: the same gateway). For use in a
 * `describe.each(stores)`.
 */
export function useStreams({ name, useEnvironments }: StoreUnderTest, seed: object) {
  const createEnvironment = useEnvironments();
  return useForAll(async () => {
    const env = await createEnvironment();
    const gateway = await startGateway(env, { seed });
    const writer = name === 'memory' ? gateway : await startGateway(env);
    const close = async (): Promise<void> => {
      await gateway.close();
      if (writer !== gateway) await writer.close();
    };
    return { gateway, writer, streams: await listenForStreams(gateway), close };
  });
}

async function* readEvents({ body }: Response): AsyncGenerator<WireEvent> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of body ?? []) {
    const chunkText = decoder.decode(chunk as Uint8Array, { stream: true });
    text += chunkText;
    if (!chunkText.includes('\n')) continue; // a long event arrives in many chunks
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = Object.fromEntries(
        block
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
      );
      if (fields.event !== undefined)
        yield { id: fields.id, event: fields.event, data: fields.data ? JSON.parse(fields.data) : undefined };
    }
  }
}
