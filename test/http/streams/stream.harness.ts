import { listen } from '../raw.ts';
import { tokenFor, type TestGateway } from '../../harness.ts';

/** One server-sent event as it came over the wire. */
export interface WireEvent {
  readonly id: string | undefined;
  readonly event: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a result of any selection, as `Answer.data`
  readonly data: any;
}

export interface Opened {
  readonly status: number;
  readonly headers: Headers;
  /** The next event; undefined where the stream ended. */
  next(): Promise<WireEvent | undefined>;
  /** Events up to the end of the stream. */
  rest(): Promise<WireEvent[]>;
  json(): Promise<{
    errors: { message: string; extensions: { code: string; reason: string; requestId: string } }[];
  }>;
  close(): void;
}

export interface Opening {
  readonly as?: string | null;
  readonly scopes?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly lastEventId?: string;
  readonly token?: string;
}

export interface Streams {
  readonly url: string;
  open(query: string, options?: Opening): Promise<Opened>;
}

export const calendarChanged = (calendarId = 'primary'): string =>
  `subscription { calendarChanged(calendarId: "${calendarId}") { calendarId changedAt } }`;
export const messagePublished = (topic = 'projects/demo-project/topics/photos'): string =>
  `subscription { messagePublished(topic: "${topic}") { messageId topic attributes data state } }`;

/** Listens on loopback, and opens streams with plain fetch. */
export async function listenForStreams(gateway: TestGateway): Promise<Streams> {
  const url = `http://127.0.0.1:${await listen(gateway)}/graphql/stream`;
  return {
    url,
    async open(query, { as = 'alice@example.com', scopes, headers, lastEventId, token } = {}) {
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
      const events = eventsOf(response);
      return {
        status: response.status,
        headers: response.headers,
        next: async () => (await events.next()).value as WireEvent | undefined,
        rest: async () => {
          const all: WireEvent[] = [];
          for await (const event of events) all.push(event);
          return all;
        },
        json: () => response.json() as ReturnType<Opened['json']>,
        close: () => controller.abort(),
      };
    },
  };
}

async function* eventsOf({ body }: Response): AsyncGenerator<WireEvent> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const part of body ?? []) {
    const added = decoder.decode(part as Uint8Array, { stream: true });
    text += added;
    if (!added.includes('\n')) continue; // a long event comes in many parts
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
