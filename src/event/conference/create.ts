import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import type { ConferenceData, EntryPoint } from '../model/fields.ts';
import { contentJson, type CreatableType, dialIn, signedContent } from './content.ts';

/** Makes and signs conferences for one event. */
export interface ConferenceMaker {
  readonly isSigned: (conference: ConferenceData) => boolean;
  readonly sign: (conference: ConferenceData) => string;
  readonly create: (request: ConferenceRequest) => CreatedConference;
}

interface ConferenceRequest {
  readonly requestId: string;
  readonly type: CreatableType;
}

interface ConferenceFacts {
  readonly eventId: string;
  readonly summary?: string;
  /** Absolute http(s) URL under which calls live, without a slash at its end. */
  readonly linkBase: string;
  /** As many characters as a label may have. */
  readonly longestLabel: number;
}

interface CreatedConference {
  readonly conference: ConferenceData;
  readonly callLink?: string;
}

interface Call {
  readonly conferenceId?: string;
  readonly entryPoints: readonly [EntryPoint & { readonly uri: string }, ...EntryPoint[]];
}

const solutions: Readonly<
  Record<CreatableType, { name: string; icon: string; call: (facts: ConferenceFacts, base: string) => Call }>
> = {
  eventCall: { name: 'Event call', icon: 'event-call.svg', call: eventCall },
  eventNamedCall: { name: 'Named event call', icon: 'event-named-call.svg', call: eventNamedCall },
  hostedCall: { name: 'Hosted call', icon: 'hosted-call.svg', call: hostedCall },
};

/**
 * A new, signed conference of the wanted type, with the identifier that type has (event resource, section 2,
 * conferenceId). Links cannot be guessed: each holds a random part.
 */
export function createConference(
  request: ConferenceRequest,
  facts: ConferenceFacts,
  sign: (conference: ConferenceData) => string,
): CreatedConference & { readonly callLink: string } {
  const { name, icon, call } = solutions[request.type];
  const { linkBase: base } = facts;
  const made = call(facts, base);
  const conference: ConferenceData = {
    ...made,
    conferenceSolution: { iconUri: `${base}/icons/${icon}`, key: { type: request.type }, name },
    createRequest: {
      conferenceSolutionKey: { type: request.type },
      requestId: request.requestId,
      status: { statusCode: 'success' },
    },
  };
  return { conference: { ...conference, signature: sign(conference) }, callLink: made.entryPoints[0].uri };
}

function eventCall({ eventId, longestLabel }: ConferenceFacts, base: string): Call {
  return {
    entryPoints: [videoAt(`${base}/event/${slugOf(eventId) || 'call'}-${randomLetters(10)}`, longestLabel)],
  };
}

function eventNamedCall({ summary = '', longestLabel }: ConferenceFacts, base: string): Call {
  const name = `${slugOf(summary) || 'call'}-${randomLetters(10)}`;
  return { conferenceId: name, entryPoints: [videoAt(`${base}/named/${name}`, longestLabel)] };
}

function hostedCall({ longestLabel }: ConferenceFacts, base: string): Call {
  const code = randomLetters(10);
  const shown = `${code.slice(0, 3)}-${code.slice(3, 7)}-${code.slice(7)}`;
  const pin = String(randomInt(1_000_000_000)).padStart(9, '0');
  // The hash key ends the PIN; in a URI it would begin a fragment, so it is escaped.
  const phone: EntryPoint = { ...dialIn, entryPointType: 'phone', uri: `${dialIn.uri},,${pin}%23`, pin };
  const more: EntryPoint = { entryPointType: 'more', uri: `${base}/dial-in/${shown}`, pin };
  return { conferenceId: code, entryPoints: [videoAt(`${base}/${shown}`, longestLabel), phone, more] };
}

function videoAt(uri: string, longestLabel: number): EntryPoint & { readonly uri: string } {
  return { entryPointType: 'video', uri, label: uri.slice(uri.indexOf('://') + 3).slice(0, longestLabel) };
}

/** At most 40 characters of a to z, 0 to 9 and single hyphens; empty when the text has none of them. */
function slugOf(text: string): string {
  const plain = text.slice(0, 200).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words = plain.split(/[^a-z0-9]/).filter((word) => word !== '');
  const slug = words.join('-').slice(0, 40);
  return slug.endsWith('-') ? slug.slice(0, -1) : slug;
}

function randomLetters(count: number): string {
  return Array.from({ length: count }, () => String.fromCharCode(97 + randomInt(26))).join('');
}

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
