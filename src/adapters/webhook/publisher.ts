import { createHmac, createHash } from 'node:crypto';
import type { Clock } from '../../core/runtime/clock.ts';
import type { OutgoingMessage } from '../../notification/notification.store.ts';
import type { Publisher, Destination } from '../../outbox/destination.ts';
import { type AddressRules, createCheckedAgent, type Resolve, systemResolve } from './address-rules.ts';
import { toDeliveryResult, post } from './post.ts';
import { mebibyte } from '../../core/json.ts';

const contentType = 'application/cloudevents+json';

/** Last part of the type of a CloudEvent, by the event type of Cloud Storage. */
const cloudEventTypes: Readonly<Record<string, string>> = {
  OBJECT_FINALIZE: 'finalized',
  OBJECT_DELETE: 'deleted',
  OBJECT_ARCHIVE: 'archived',
  OBJECT_METADATA_UPDATE: 'metadataUpdated',
};

/** Converts a message to a CloudEvent 1.0 in JSON. The object is copied verbatim. */
function toCloudEvent({ id, attributes, data }: OutgoingMessage): string {
  const { eventType = '', bucketId: bucket, objectId, eventTime } = attributes;
  const eventJson = JSON.stringify({
    specversion: '1.0',
    id,
    type: `google.cloud.storage.object.v1.${cloudEventTypes[eventType] ?? 'changed'}`,
    source: `//storage.googleapis.com/projects/_/buckets/${bucket ?? ''}`,
    subject: objectId === undefined ? undefined : `objects/${objectId}`,
    time: eventTime,
    bucket,
    attributes: escapeForCloudEvent(JSON.stringify(attributes)),
    datacontenttype: data === '' ? undefined : 'application/json',
  });
  return data === '' ? eventJson : `${eventJson.slice(0, -1)},"data":${data}}`;
}

/** Escapes characters that JSON allows but CloudEvents strings do not: C1 controls and noncharacters. */
const escapeForCloudEvent = (json: string): string =>
  json.replace(/[\u007f-\u009f]|\p{Noncharacter_Code_Point}/gu, (characters) =>
    Array.from(
      { length: characters.length },
      (_, index) => `\\u${characters.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );

/** Signature headers of Standard Webhooks, with a signature for each secret. */
function createSignedHeaders(
  id: string,
  body: Buffer,
  secrets: readonly Buffer[],
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = secrets.map(
    (secret) =>
      `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest('base64')}`,
  );
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/** A webhook of the configuration: messages of its topic are posted to its URL. */
export interface Webhook {
  /** Topic in full form, `//host/projects/P/topics/T`. */
  readonly topic: string;
  readonly url: URL;
  /** Keys of the signatures, at least one. */
  readonly secrets: readonly Buffer[];
}

export interface WebhookDependencies {
  readonly rules: AddressRules;
  readonly clock?: Clock;
  readonly resolve?: Resolve;
  /** Milliseconds to wait for a response. */
  readonly timeoutMs?: number;
}

/** Posts each message to a webhook as a signed CloudEvent. Rejects with failures that may be logged. */
export function createWebhookPublisher(
  { url, secrets }: Pick<Webhook, 'url' | 'secrets'>,
  { rules, clock = Date.now, resolve = systemResolve, timeoutMs = 10_000 }: WebhookDependencies,
): Publisher<OutgoingMessage> {
  const agent = createCheckedAgent(url.protocol, rules, resolve);
  return {
    async publish(message, signal) {
      const body = Buffer.from(toCloudEvent(message));
      const headers = {
        'content-type': contentType,
        'user-agent': 'resource-gateway',
        ...createSignedHeaders(message.id, body, secrets, clock()),
      };
      return toDeliveryResult(await post({ url, agent, headers, body, timeoutMs, signal }), clock());
    },
    close: async () => agent.destroy(),
  };
}

/** Digest of a text with 132 bits, in 22 characters. */
export const shortDigest = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, 22);

/** Capacity of one webhook: 8 MiB of text, as `estimateBytes` counts two bytes per character. */
const webhookCapacity = {
  maxBytes: 16 * mebibyte,
  maxBytesPerOwner: 16 * mebibyte,
  whenFull: 'drop',
} as const;
const webhookPauses = { firstMs: 1000, maxMs: 10 * 60 * 1000 };

/** Concurrent attempts of all webhooks together, and the minimum and maximum of one, so that unanswered objects do not block others. */
const attemptLimits = { total: 1024, min: 16, max: 128 };

/** `version`: changes with the file that names the webhooks; disabled webhooks are then tried again. */
export const createWebhookDestinations = ({
  webhooks,
  version,
  ...dependencies
}: WebhookDependencies & {
  readonly webhooks: readonly Webhook[];
  readonly version: string;
}): readonly Destination<OutgoingMessage>[] =>
  webhooks.map((webhook) => ({
    name: destinationName(webhook),
    kind: 'webhook',
    locationFields: { host: webhook.url.host, path: webhook.url.pathname },
    publisher: createWebhookPublisher(webhook, dependencies),
    accepts: ({ topic }) => topic === webhook.topic,
    capacity: webhookCapacity,
    pauses: webhookPauses,
    maxConcurrentKeys: Math.min(
      attemptLimits.max,
      Math.max(attemptLimits.min, Math.floor(attemptLimits.total / webhooks.length)),
    ),
    version,
  }));

/** A stable name for a topic and a URL; a digest, because the query may contain a secret. */
const destinationName = ({ topic, url }: Webhook): string =>
  `webhook:${shortDigest(JSON.stringify([topic, url.href]))}`;
