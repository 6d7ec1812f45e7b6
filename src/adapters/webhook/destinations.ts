import { createHash } from 'node:crypto';
import { mebibyte } from '../../core/json.ts';
import type { OutgoingMessage } from '../../notification/notification.store.ts';
import type { Destination } from '../../outbox/destination.ts';
import { createWebhookPublisher, type Webhook, type WebhookDependencies } from './publisher.ts';

interface WebhookDestinationsInput extends WebhookDependencies {
  readonly webhooks: readonly Webhook[];
  /** Changes with the file that names the webhooks; disabled webhooks are then tried again. */
  readonly version: string;
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

export const createWebhookDestinations = ({
  webhooks,
  version,
  ...dependencies
}: WebhookDestinationsInput): readonly Destination<OutgoingMessage>[] =>
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
