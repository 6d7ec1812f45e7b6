import type { OutgoingMessage } from '../../notification/message.store.ts';
import { within } from '../../core/runtime/within.ts';
import { done, type Delivery, type Publisher } from '../../outbox/delivery.ts';
import { answerOf, type Answer } from './answer.ts';
import type { Authorize } from './credentials.ts';
import { createLanes, type LaneLimits } from './lanes.ts';
import { bodyOf, pathOf } from './request.ts';

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
