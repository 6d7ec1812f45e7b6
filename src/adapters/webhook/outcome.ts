import { done, type Delivery } from '../../outbox/delivery.ts';
import type { Answer } from './exchange.ts';
import { WebhookFailure } from './failure.ts';

const longestPause = 24 * 60 * 60 * 1000;

/** What an answer means for the message and for its webhook. */
export function deliveryOf({ status, retryAfter }: Answer, now: number): Delivery {
  if (status >= 200 && status < 300) return done;
  const cause = new WebhookFailure(`answered with ${status}`);
  if (status === 410) return { outcome: 'off', cause };
  const pause = retryAfter === undefined ? 0 : pauseOf(retryAfter, now);
  return pause > 0 ? { outcome: 'pause', until: now + Math.min(pause, longestPause), cause } : { outcome: 'again', cause };
}

/** The milliseconds of a Retry-After header, which has seconds or a date in one of the forms of HTTP; 0 for anything else. */
function pauseOf(value: string, now: number): number {
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  if (!/^[A-Z][a-z]+,? /.test(value)) return 0;
  // The one form without a zone (asctime) is in UTC like the others.
  const until = Date.parse(value.endsWith(' GMT') ? value : `${value} GMT`);
  return Number.isNaN(until) ? 0 : until - now;
}
