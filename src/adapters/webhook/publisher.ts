import type { Clock } from '../../core/runtime/clock.ts';
import type { OutgoingMessage } from '../../notification/message.store.ts';
import type { Publisher } from '../../outbox/delivery.ts';
import type { AddressRules } from './address-rules.ts';
import { createCheckedAgent, systemResolve, type Resolve } from './agent.ts';
import { cloudEventOf, contentType } from './cloud-event.ts';
import { post } from './exchange.ts';
import { deliveryOf } from './outcome.ts';
import { signedHeaders } from './signature.ts';

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
