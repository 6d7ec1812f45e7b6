import { createHash } from 'node:crypto';
import { withTimeout } from '../../core/runtime/clock.ts';
import { canonicalHost } from '../../core/text/host.ts';
import { splitTopic } from '../../core/text/google-names.ts';
import type { OutgoingMessage } from '../../notification/notification.store.ts';
import {
  type DeliveryResult,
  type Destination,
  doneResult,
  type Publisher,
} from '../../outbox/destination.ts';
import { brokerCapacity } from '../../outbox/outbox.store.ts';
import {
  type Authorize,
  errorCode,
  loadGoogleCredentials,
  authorizeWithoutCredentials,
} from './credentials.ts';
import { createTopicConcurrency, type TopicConcurrencyLimits } from './topic-concurrency.ts';

interface PubSubSettings {
  /** Host in the names of topics, to which they are published. */
  readonly host: string;
  /** Host and port of an emulator, used instead of `host` without credentials. */
  readonly emulatorHost?: string;
}

/** The destination Google Cloud Pub/Sub. Throws StartError if the package for credentials is missing. */
export async function createPubSubDestination({
  host,
  emulatorHost,
}: PubSubSettings): Promise<Destination<OutgoingMessage>> {
  const endpoint = emulatorHost === undefined ? `https://${host}` : `http://${emulatorHost}`;
  const authorize = emulatorHost === undefined ? await loadGoogleCredentials() : authorizeWithoutCredentials;
  const ownHost = canonicalHost(host);
  return {
    name: 'pubsub',
    kind: 'pubsub',
    publisher: createPubSubPublisher({ endpoint, authorize }),
    accepts: ({ topic }) => hostOfTopic(topic) === ownHost,
    capacity: brokerCapacity,
    // Google's own clients back off for at most a minute.
    pauses: { firstMs: 500, maxMs: 60_000 },
    maxConcurrentKeys: 1000,
  };
}

export interface PubSubDependencies {
  /** Scheme, host and port. Access tokens are sent nowhere else. */
  readonly endpoint: string;
  readonly authorize: Authorize;
  readonly limits?: Partial<PubSubLimits>;
}

interface PubSubLimits extends TopicConcurrencyLimits {
  /** Milliseconds for a request and its response; including the wait for a slot, an attempt must end within 30 s. */
  readonly requestMs: number;
}

const defaultLimits: PubSubLimits = {
  maxRequests: 250,
  maxProbes: 4,
  silentAfterMs: 3000,
  maxWaitMs: 12_000,
  requestMs: 15_000,
};

/** Error statuses that never pass (https://cloud.google.com/pubsub/docs/reference/error-codes); operators can fix all others. */
const permanentErrors: readonly (string | undefined)[] = ['INVALID_ARGUMENT'];

/** Publishes to Google Cloud Pub/Sub over its REST API, one message per request. Pub/Sub does not drop duplicates. */
export function createPubSubPublisher({
  endpoint,
  authorize,
  limits,
}: PubSubDependencies): Publisher<OutgoingMessage> {
  const { requestMs, ...concurrencyLimits }: PubSubLimits = { ...defaultLimits, ...limits };
  const concurrency = createTopicConcurrency(concurrencyLimits);
  const maxAttemptMs = concurrencyLimits.maxWaitMs + requestMs;
  const closingController = new AbortController();

  /** Posts a message; repeats once with a new token after a 401. */
  async function post(
    message: OutgoingMessage,
    abortSignal: AbortSignal,
    refusedHeaders?: Headers,
  ): Promise<PubSubResponse> {
    const authorization = await authorize(refusedHeaders);
    const headers = new Headers(authorization);
    headers.set('content-type', 'application/json');
    const url = endpoint + publishPath(message.topic);
    const response = await readPubSubResponse(
      fetch(url, {
        method: 'POST',
        headers,
        body: publishBody(message),
        redirect: 'manual',
        signal: abortSignal,
      }),
    );
    return response.status === 401 && refusedHeaders === undefined
      ? post(message, abortSignal, authorization)
      : response;
  }

  return {
    async publish(message, abortSignal) {
      const response = await withTimeout(
        maxAttemptMs,
        [abortSignal, closingController.signal],
        (attemptSignal) =>
          concurrency.run(message.topic, () =>
            withTimeout(requestMs, [attemptSignal], (requestSignal) => post(message, requestSignal)),
          ),
      );
      return toDeliveryResult(response);
    },
    async close() {
      closingController.abort();
    },
  };
}

function toDeliveryResult({ status, errorStatus }: PubSubResponse): DeliveryResult {
  if (status >= 200 && status < 300) return doneResult;
  const cause = new Error(`Pub/Sub answered ${status}${errorStatus === undefined ? '' : ` ${errorStatus}`}`);
  return { outcome: permanentErrors.includes(errorStatus) ? 'never' : 'again', cause };
}

export const hostOfTopic = (topic: string): string => splitTopic(topic).host;

export function publishPath(topic: string): string {
  const { project, name } = splitTopic(topic);
  return `/v1/projects/${encodeURIComponent(project)}/topics/${encodeURIComponent(name)}:publish`;
}

/** The body of `topics.publish` with one message: those of a request must share a key, and the outbox hands out one per key. */
function publishBody(message: OutgoingMessage): string {
  const { attributes, data } = message;
  // Pub/Sub refuses a message without data and attributes; these always have attributes.
  const encodedData = data === '' ? {} : { data: Buffer.from(data).toString('base64') };
  return JSON.stringify({ messages: [{ ...encodedData, attributes, orderingKey: orderingKeyOf(message) }] });
}

/** Bytes of an ordering key beyond which a digest replaces it. */
const maxKeyBytes = 1024;

/** The key `bucket/name` of an object, or a digest if too long. A digest has no slash, so it never equals another object's key. */
export function orderingKeyOf({ attributes: { bucketId = '', objectId = '' } }: OutgoingMessage): string {
  const key = `${bucketId}/${objectId}`;
  return Buffer.byteLength(key) <= maxKeyBytes
    ? key
    : `sha256:${createHash('sha256').update(key).digest('hex')}`;
}

/** A response of Pub/Sub: the HTTP status, and the status in an error body, such as `NOT_FOUND`. */
interface PubSubResponse {
  readonly status: number;
  readonly errorStatus?: string;
}

const maxResponseBytes = 64 * 1024;

/** Reads a response. A failure reports only its code, since its message may contain data that must not be logged. */
async function readPubSubResponse(pendingResponse: Promise<Response>): Promise<PubSubResponse> {
  const response = await pendingResponse.catch((error: unknown) => {
    throw new Error(`no response (${errorCode(error)})`);
  });
  const { status, ok } = response;
  const body = readText(response).catch(() => '');
  // The body is read even after success, so that the connection can be reused.
  return ok ? { status } : { status, errorStatus: parseErrorStatus(await body) };
}

/** Reads a body as text, up to the limit. */
async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > maxResponseBytes) break;
  }
  return Buffer.concat(chunks).toString();
}

/** Parses the status of `{ "error": { "code", "message", "status" } }`; the message may contain object names. */
function parseErrorStatus(body: string): string | undefined {
  try {
    const { error } = JSON.parse(body) as { error?: { status?: unknown } };
    return typeof error?.status === 'string' && /^[A-Z_]{1,40}$/.test(error.status)
      ? error.status
      : undefined;
  } catch {
    return undefined;
  }
}
