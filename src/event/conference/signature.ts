import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ConferenceData } from '../model/fields.ts';
import { contentJson, signedContent } from './content.ts';

/** Keeps a signature from meaning anything else that is signed with the same secret. */
const purpose = 'conferenceData.v1:';

/** The signature of a conference: HMAC-SHA-256 (RFC 2104) over its canonical content, as base64url (RFC 4648). */
export function signConference(conference: ConferenceData, secret: string | Uint8Array): string {
  const content = contentJson(signedContent(conference)) ?? '{}';
  return createHmac('sha256', secret).update(purpose).update(content).digest('base64url');
}

/** Whether a conference carries the signature that this service would give it; compared in constant time. */
export function isSigned(conference: ConferenceData, secret: string | Uint8Array): boolean {
  if (conference.signature === undefined) return false;
  const given = Buffer.from(conference.signature);
  const expected = Buffer.from(signConference(conference, secret));
  return given.length === expected.length && timingSafeEqual(given, expected);
}
