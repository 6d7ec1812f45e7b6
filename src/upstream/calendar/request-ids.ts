import { createHmac } from 'node:crypto';
import type { RequestRecord } from '../../core/kernel/request-record.ts';

/** Makes the id of an event from a requestId, the same by every gateway with this secret. */
export function createRequestIds(secret: string): (request: RequestRecord) => string {
  const key = createHmac('sha256', secret).update('event ids of requests').digest();
  return (request) => base32hex(createHmac('sha256', key).update(request.key).digest().subarray(0, 20));
}

const digits = '0123456789abcdefghijklmnopqrstuv';

/** RFC 4648, section 7, in lower case and without padding. */
export function base32hex(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => digits[parseInt(five.padEnd(5, '0'), 2)]).join('');
}
