import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { RequestRecord } from '../../core/kernel/request-record.ts';
import type { Clock } from '../../core/runtime/clock.ts';

/** The inserts that a gateway remembers, at most. */
const most = 10_000;

/** Ids of events made from requestIds, the same by every gateway with this secret; and the inputs that were sent with them. */
export function createRequestIds(secret: string, clock: Clock) {
  const inputs = new LRUCache<string, Pick<RequestRecord, 'fingerprint' | 'until'>>({ max: most });
  const key = createHmac('sha256', secret).update('event ids of requests').digest();
  return {
    eventIdOf: (request: RequestRecord): string => base32hex(createHmac('sha256', key).update(request.key).digest().subarray(0, 20)),

    /** Whether the request came with this input before; undefined where that is not known. */
    isSame(request: RequestRecord): boolean | undefined {
      const earlier = inputs.get(request.key);
      return earlier && earlier.until > clock() ? earlier.fingerprint === request.fingerprint : undefined;
    },

    /** For what was carried out: the first input counts. */
    remember({ key: name, fingerprint, until }: RequestRecord): void {
      const earlier = inputs.get(name);
      if (!earlier || earlier.until <= clock()) inputs.set(name, { fingerprint, until });
    },
  };
}

const digits = '0123456789abcdefghijklmnopqrstuv';

/** RFC 4648, section 7, in lower case and without padding. */
export function base32hex(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => digits[parseInt(five.padEnd(5, '0'), 2)]).join('');
}
