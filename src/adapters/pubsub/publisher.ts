import { createHash } from 'node:crypto';
import { within } from '../../core/runtime/clock.ts';
import { canonicalHost } from '../../core/text/host.ts';
import { topicParts } from '../../core/text/google-names.ts';
import type { OutgoingMessage } from '../../notification/notification.store.ts';
import { type Delivery, type Destination, done, type Publisher } from '../../outbox/destination.ts';
import { brokerRoom } from '../../outbox/outbox.store.ts';
import { type Authorize, codeOf, googleCredentials, nobody } from './credentials.ts';
import { createLanes, type LaneLimits } from './lanes.ts';

interface PubSubSettings {
  /** The host of the topics that go to Pub/Sub, which is where they are published. */
  readonly host: string;
  /** Host and port of an emulator, which takes the place of the host and asks for no credentials. */
  readonly emulatorHost?: string;
}

/** Google Cloud Pub/Sub. Throws StartError where what its credentials need is not installed. */
export async function pubsubDestination({
  host,
  emulatorHost,
}: PubSubSettings): Promise<Destination<OutgoingMessage>> {
  const endpoint = emulatorHost === undefined ? `https://${host}` : `http://${emulatorHost}`;
  const authorize = emulatorHost === undefined ? await googleCredentials() : nobody;
  const own = canonicalHost(host);
  return {
    name: 'pubsub',
    kind: 'pubsub',
    publisher: createPubSubPublisher({ endpoint, authorize }),
    takes: ({ topic }) => hostOf(topic) === own,
    room: brokerRoom,
    // Google's own clients wait for a minute at most.
    pauses: { first: 500, longest: 60_000 },
    mostAtOnce: 1000,
  };
}

export interface PubSubParts {
  /** Scheme, host and port. Tokens go nowhere else. */
  readonly endpoint: string;
  readonly authorize: Authorize;
  /** Other ones in tests. */
  readonly limits?: Partial<Limits>;
}

interface Limits extends LaneLimits {
  /** Milliseconds for a request and its answer: with the wait for its turn an attempt ends within 30 s. */
  readonly request: number;
}

const defaults: Limits = { most: 250, probes: 4, patience: 3000, turn: 12_000, request: 15_000 };

/**
 * What Pub/Sub says of a message that it will never take (https://cloud.google.com/pubsub/docs/reference/error-codes). All else
 * passes or can be mended: a missing topic or permission, billing, quotas, regions.
 */
const permanent: readonly (string | undefined)[] = ['INVALID_ARGUMENT'];

/** Publishes to Google Cloud Pub/Sub over its REST API, each message in a request of its own. It knows no repeated messages. */
export function createPubSubPublisher({
  endpoint,
  authorize,
  limits,
}: PubSubParts): Publisher<OutgoingMessage> {
  const { request, ...laneLimits }: Limits = { ...defaults, ...limits };
  const lanes = createLanes(laneLimits);
  const longest = laneLimits.turn + request;
  const closing = new AbortController();

  /** Asks a second time where the token was refused: it may have expired or been withdrawn. */
  async function ask(message: OutgoingMessage, signal: AbortSignal, refused?: Headers): Promise<Answer> {
    const authorization = await authorize(refused);
    const headers = new Headers(authorization);
    headers.set('content-type', 'application/json');
    const url = endpoint + pathOf(message.topic);
    const answer = await answerOf(
      fetch(url, { method: 'POST', headers, body: bodyOf(message), redirect: 'manual', signal }),
    );
    return answer.status === 401 && refused === undefined ? ask(message, signal, authorization) : answer;
  }

  return {
    async publish(message, signal) {
      const answer = await within(longest, [signal, closing.signal], (attempt) =>
        lanes.run(message.topic, () => within(request, [attempt], (asking) => ask(message, asking))),
      );
      return deliveryOf(answer);
    },
    async close() {
      closing.abort();
    },
  };
}

function deliveryOf({ status, word }: Answer): Delivery {
  if (status >= 200 && status < 300) return done;
  const cause = new Error(`Pub/Sub answered ${status}${word === undefined ? '' : ` ${word}`}`);
  return { outcome: permanent.includes(word) ? 'never' : 'again', cause };
}

/** The host of a topic, as `//host/projects/P/topics/T` has it. */
export const hostOf = (topic: string): string => topicParts(topic).host;

/** The path of the method `topics.publish` of Pub/Sub's REST API. Each part is one segment, whatever is in it. */
export function pathOf(topic: string): string {
  const { project, name } = topicParts(topic);
  return `/v1/projects/${encodeURIComponent(project)}/topics/${encodeURIComponent(name)}:publish`;
}

/**
 * The body of `topics.publish` for one message. All messages of a request must have the same ordering key, and the outbox
 * hands out one message of a key at a time: so a request never has two. Pub/Sub refuses messages without data and without
 * attributes; these always have attributes.
 */
export function bodyOf(message: OutgoingMessage): string {
  const { attributes, data } = message;
  const encoded = data === '' ? {} : { data: Buffer.from(data).toString('base64') };
  return JSON.stringify({ messages: [{ ...encoded, attributes, orderingKey: orderingKeyOf(message) }] });
}

const longestKey = 1024;

/**
 * The ordering key of an object of a bucket: its bucket, a slash and its name, or a digest of that where it is longer than keys may be.
 * A digest is the key of no other object: it has no slash. Names of buckets have none.
 */
export function orderingKeyOf({ attributes: { bucketId = '', objectId = '' } }: OutgoingMessage): string {
  const key = `${bucketId}/${objectId}`;
  return Buffer.byteLength(key) <= longestKey
    ? key
    : `sha256:${createHash('sha256').update(key).digest('hex')}`;
}

/** An answer of Pub/Sub: the status, and the word for it that its errors hold, such as `NOT_FOUND`. */
interface Answer {
  readonly status: number;
  readonly word?: string;
}

const maxBytes = 64 * 1024;

/** Reads an answer. A failure to get one says no more than its code: its message may hold what the log must not. */
async function answerOf(asked: Promise<Response>): Promise<Answer> {
  const response = await asked.catch((error: unknown) => {
    throw new Error(`no answer (${codeOf(error)})`);
  });
  const { status, ok } = response;
  const body = textOf(response).catch(() => '');
  // A connection is used again once its answer was read; what was published is so by now.
  return ok ? { status } : { status, word: wordIn(await body) };
}

async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > maxBytes) break;
  }
  return Buffer.concat(chunks).toString();
}

/** Errors are `{ "error": { "code", "message", "status" } }`; the message may hold names of objects. */
function wordIn(body: string): string | undefined {
  try {
    const { error } = JSON.parse(body) as { error?: { status?: unknown } };
    return typeof error?.status === 'string' && /^[A-Z_]{1,40}$/.test(error.status)
      ? error.status
      : undefined;
  } catch {
    return undefined;
  }
}
