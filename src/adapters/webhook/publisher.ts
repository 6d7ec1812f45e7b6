import { createHmac } from 'node:crypto';
import type { Clock } from '../../core/runtime/clock.ts';
import type { OutgoingMessage } from '../../notification/notification.store.ts';
import type { Publisher } from '../../outbox/destination.ts';
import { type AddressRules, createCheckedAgent, type Resolve, systemResolve } from './agent.ts';
import { deliveryOf, post } from './exchange.ts';

const contentType = 'application/cloudevents+json';

const kinds: Readonly<Record<string, string>> = {
  OBJECT_FINALIZE: 'finalized',
  OBJECT_DELETE: 'deleted',
  OBJECT_ARCHIVE: 'archived',
  OBJECT_METADATA_UPDATE: 'metadataUpdated',
};

/** A message as CloudEvent 1.0 in JSON. The object stands in it as it is in the message, character by character. */
function cloudEventOf({ id, attributes, data }: OutgoingMessage): string {
  const { eventType = '', bucketId: bucket, objectId, eventTime } = attributes;
  const head = JSON.stringify({
    specversion: '1.0',
    id,
    type: `google.cloud.storage.object.v1.${kinds[eventType] ?? 'changed'}`,
    source: `//storage.googleapis.com/projects/_/buckets/${bucket ?? ''}`,
    subject: objectId === undefined ? undefined : `objects/${objectId}`,
    time: eventTime,
    bucket,
    attributes: printable(JSON.stringify(attributes)),
    datacontenttype: data === '' ? undefined : 'application/json',
  });
  return data === '' ? head : `${head.slice(0, -1)},"data":${data}}`;
}

/** JSON text with escapes for what a string of a CloudEvent may not hold: controls that JSON allows, and code points that are none. */
const printable = (json: string): string =>
  json.replace(/[\u007f-\u009f]|\p{Noncharacter_Code_Point}/gu, (found) =>
    Array.from(
      { length: found.length },
      (_, index) => `\\u${found.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );

/** The headers by which a receiver knows who has sent a body, as Standard Webhooks has them: a signature for each secret. */
function signedHeaders(
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

/** Messages of a topic go to a URL. */
export interface Webhook {
  /** In full form. */
  readonly topic: string;
  readonly url: URL;
  /** Keys of the signatures, at least one. */
  readonly secrets: readonly Buffer[];
}

export interface WebhookParts {
  readonly rules: AddressRules;
  readonly clock?: Clock;
  readonly resolve?: Resolve;
  /** Milliseconds until an attempt without an answer is given up. */
  readonly timeout?: number;
}

/** Sends messages to a webhook: a POST of a signed CloudEvent for each. Rejects with failures that may be logged. */
export function createWebhookPublisher(
  { url, secrets }: Pick<Webhook, 'url' | 'secrets'>,
  { rules, clock = Date.now, resolve = systemResolve, timeout = 10_000 }: WebhookParts,
): Publisher<OutgoingMessage> {
  const agent = createCheckedAgent(url.protocol, rules, resolve);
  return {
    async publish(message, signal) {
      const body = Buffer.from(cloudEventOf(message));
      const headers = {
        'content-type': contentType,
        'user-agent': 'resource-gateway',
        ...signedHeaders(message.id, body, secrets, clock()),
      };
      return deliveryOf(await post({ url, agent, headers, body, timeout, signal }), clock());
    },
    close: async () => agent.destroy(),
  };
}
