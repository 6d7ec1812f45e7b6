import { createHash } from 'node:crypto';
import { mebibyte } from '../../core/json.ts';
import type { OutgoingMessage } from '../../notification/notification.store.ts';
import type { Destination } from '../../outbox/destination.ts';
import { createWebhookPublisher, type Webhook, type WebhookParts } from './publisher.ts';

interface WebhooksConfig extends WebhookParts {
  readonly webhooks: readonly Webhook[];
  /** Changes with the file that names the webhooks: one that is off is tried again then. */
  readonly version: string;
}

/** Enough of a digest to tell texts apart. */
export const digestOf = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, 22);

/** 8 MiB of text: what waits is reckoned with two bytes for each character. */
const room = { bytes: 16 * mebibyte, bytesPerOwner: 16 * mebibyte, whenFull: 'drop' } as const;
const pauses = { first: 1000, longest: 10 * 60 * 1000 };

/** The attempts of all webhooks together, and the fewest and most of one, so that objects without an answer leave room for others. */
const attempts = { all: 1024, fewest: 16, most: 128 };

/** A destination for each webhook. */
export const webhookDestinations = ({
  webhooks,
  version,
  ...parts
}: WebhooksConfig): readonly Destination<OutgoingMessage>[] =>
  webhooks.map((webhook) => ({
    name: nameOf(webhook),
    kind: 'webhook',
    place: { host: webhook.url.host, path: webhook.url.pathname },
    publisher: createWebhookPublisher(webhook, parts),
    takes: ({ topic }) => topic === webhook.topic,
    room,
    pauses,
    mostAtOnce: Math.min(
      attempts.most,
      Math.max(attempts.fewest, Math.floor(attempts.all / webhooks.length)),
    ),
    version,
  }));

/** The same for a topic and a URL, whatever else changes; a query may hold a secret, so it is a digest. */
const nameOf = ({ topic, url }: Webhook): string => `webhook:${digestOf(JSON.stringify([topic, url.href]))}`;
