import { retryAfterMs } from '../../core/text/retry-after.ts';
import { done, type Delivery } from '../../outbox/delivery.ts';
import type { Answer } from './exchange.ts';
import { WebhookFailure } from './failure.ts';

const longestPause = 24 * 60 * 60 * 1000;

/** What an answer means for the message and for its webhook. */
export function deliveryOf({ status, retryAfter }: Answer, now: number): Delivery {
  if (status >= 200 && status < 300) return done;
  const cause = new WebhookFailure(`answered with ${status}`);
  if (status === 410) return { outcome: 'off', cause };
  const pause = retryAfter === undefined ? 0 : retryAfterMs(retryAfter, now);
  return pause > 0
    ? { outcome: 'pause', until: now + Math.min(pause, longestPause), cause }
    : { outcome: 'again', cause };
}
