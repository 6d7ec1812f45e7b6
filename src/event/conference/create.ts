import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import type { ConferenceData, EntryPoint } from '../model/fields.ts';
import { contentJson, type CreatableType, dialIn, signedContent } from './content.ts';

export interface ConferenceMaker {
  readonly isSigned: (conference: ConferenceData) => boolean;
  readonly sign: (conference: ConferenceData) => string;
  readonly create: (request: { readonly requestId: string; readonly type: CreatableType }) => {
    readonly conference: ConferenceData;
    readonly callLink?: string | undefined;
  };
}

interface MakerInput {
  readonly eventId: string;
  readonly summary?: string | undefined;
  /** Absolute http(s) base URL of calls, without a slash at its end. */
  readonly linkBase: string;
  readonly maxLabelLength: number;
}

type Call = Pick<ConferenceData, 'conferenceId' | 'entryPoints'>;

const solutionsByType: Readonly<
  Record<CreatableType, { name: string; icon: string; createCall: (input: MakerInput) => Call }>
> = {
  eventCall: { name: 'Event call', icon: 'event-call.svg', createCall: eventCall },
  eventNamedCall: { name: 'Named event call', icon: 'event-named-call.svg', createCall: eventNamedCall },
  hostedCall: { name: 'Hosted call', icon: 'hosted-call.svg', createCall: hostedCall },
};

/** Creates signed conferences (event resource, section 2, conferenceId). A random part makes links hard to guess. */
export function createConferenceMaker(input: MakerInput, secret: string): ConferenceMaker {
  const sign = (conference: ConferenceData): string => signConference(conference, secret);
  return {
    sign,
    isSigned: (conference) => isSigned(conference, secret),
    create({ requestId, type }) {
      const { name, icon, createCall } = solutionsByType[type];
      const call = createCall(input);
      const key = { type };
      const conference: ConferenceData = {
        ...call,
        conferenceSolution: { iconUri: `${input.linkBase}/icons/${icon}`, key, name },
        createRequest: { conferenceSolutionKey: key, requestId, status: { statusCode: 'success' } },
      };
      return {
        conference: { ...conference, signature: sign(conference) },
        callLink: call.entryPoints?.[0]?.uri,
      };
    },
  };
}

function eventCall({ eventId, linkBase, maxLabelLength }: MakerInput): Call {
  const uri = `${linkBase}/event/${slugOf(eventId) || 'call'}-${randomLetters(10)}`;
  return { entryPoints: [videoAt(uri, maxLabelLength)] };
}

function eventNamedCall({ summary = '', linkBase, maxLabelLength }: MakerInput): Call {
  const name = `${slugOf(summary) || 'call'}-${randomLetters(10)}`;
  return { conferenceId: name, entryPoints: [videoAt(`${linkBase}/named/${name}`, maxLabelLength)] };
}

function hostedCall({ linkBase, maxLabelLength }: MakerInput): Call {
  const code = randomLetters(10);
  const shown = `${code.slice(0, 3)}-${code.slice(3, 7)}-${code.slice(7)}`;
  const pin = String(randomInt(1_000_000_000)).padStart(9, '0');
  // The hash key ends the PIN; in a URI it would begin a fragment, so it is escaped.
  const phone: EntryPoint = { ...dialIn, entryPointType: 'phone', uri: `${dialIn.uri},,${pin}%23`, pin };
  const more: EntryPoint = { entryPointType: 'more', uri: `${linkBase}/dial-in/${shown}`, pin };
  return { conferenceId: code, entryPoints: [videoAt(`${linkBase}/${shown}`, maxLabelLength), phone, more] };
}

function videoAt(uri: string, maxLabelLength: number): EntryPoint {
  return { entryPointType: 'video', uri, label: uri.slice(uri.indexOf('://') + 3).slice(0, maxLabelLength) };
}

/** Slug of at most 40 characters: a to z, 0 to 9 and single hyphens. Empty if the text has none of these. */
function slugOf(text: string): string {
  const plain = text.slice(0, 200).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words = plain.split(/[^a-z0-9]/).filter((word) => word !== '');
  const slug = words.join('-').slice(0, 40);
  return slug.endsWith('-') ? slug.slice(0, -1) : slug;
}

function randomLetters(count: number): string {
  return Array.from({ length: count }, () => String.fromCharCode(97 + randomInt(26))).join('');
}

/** Prefix of signed content, which separates these signatures from others with the same secret. */
const signaturePrefix = 'conferenceData.v1:';

/** Signs a conference: HMAC-SHA-256 (RFC 2104) over its canonical content, as base64url (RFC 4648). */
export function signConference(conference: ConferenceData, secret: string | Uint8Array): string {
  const content = contentJson(signedContent(conference)) ?? '{}';
  return createHmac('sha256', secret).update(signaturePrefix).update(content).digest('base64url');
}

/** Whether a conference carries the signature that this service would give it; compared in constant time. */
export function isSigned(conference: ConferenceData, secret: string | Uint8Array): boolean {
  if (conference.signature === undefined) return false;
  const given = Buffer.from(conference.signature);
  const expected = Buffer.from(signConference(conference, secret));
  return given.length === expected.length && timingSafeEqual(given, expected);
}
