import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import type { ConferenceData, EntryPoint } from '../model/fields.ts';
import { contentJson, type CreatableType, dialIn, signedContent } from './content.ts';

/** Makes and signs conferences for one event. */
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
  /** Absolute http(s) URL under which calls live, without a slash at its end. */
  readonly linkBase: string;
  /** As many characters as a label may have. */
  readonly longestLabel: number;
}

type Call = Pick<ConferenceData, 'conferenceId' | 'entryPoints'>;

const solutions: Readonly<
  Record<CreatableType, { name: string; icon: string; call: (input: MakerInput) => Call }>
> = {
  eventCall: { name: 'Event call', icon: 'event-call.svg', call: eventCall },
  eventNamedCall: { name: 'Named event call', icon: 'event-named-call.svg', call: eventNamedCall },
  hostedCall: { name: 'Hosted call', icon: 'hosted-call.svg', call: hostedCall },
};

/** Makes signed conferences (event resource, section 2, conferenceId). Links cannot be guessed: each has a random part. */
export function createConferenceMaker(input: MakerInput, secret: string): ConferenceMaker {
  const sign = (conference: ConferenceData): string => signConference(conference, secret);
  return {
    sign,
    isSigned: (conference) => isSigned(conference, secret),
    create({ requestId, type }) {
      const { name, icon, call } = solutions[type];
      const made = call(input);
      const key = { type };
      const conference: ConferenceData = {
        ...made,
        conferenceSolution: { iconUri: `${input.linkBase}/icons/${icon}`, key, name },
        createRequest: { conferenceSolutionKey: key, requestId, status: { statusCode: 'success' } },
      };
      return {
        conference: { ...conference, signature: sign(conference) },
        callLink: made.entryPoints?.[0]?.uri,
      };
    },
  };
}

function eventCall({ eventId, linkBase, longestLabel }: MakerInput): Call {
  const uri = `${linkBase}/event/${slugOf(eventId) || 'call'}-${randomLetters(10)}`;
  return { entryPoints: [videoAt(uri, longestLabel)] };
}

function eventNamedCall({ summary = '', linkBase, longestLabel }: MakerInput): Call {
  const name = `${slugOf(summary) || 'call'}-${randomLetters(10)}`;
  return { conferenceId: name, entryPoints: [videoAt(`${linkBase}/named/${name}`, longestLabel)] };
}

function hostedCall({ linkBase, longestLabel }: MakerInput): Call {
  const code = randomLetters(10);
  const shown = `${code.slice(0, 3)}-${code.slice(3, 7)}-${code.slice(7)}`;
  const pin = String(randomInt(1_000_000_000)).padStart(9, '0');
  // The hash key ends the PIN; in a URI it would begin a fragment, so it is escaped.
  const phone: EntryPoint = { ...dialIn, entryPointType: 'phone', uri: `${dialIn.uri},,${pin}%23`, pin };
  const more: EntryPoint = { entryPointType: 'more', uri: `${linkBase}/dial-in/${shown}`, pin };
  return { conferenceId: code, entryPoints: [videoAt(`${linkBase}/${shown}`, longestLabel), phone, more] };
}

function videoAt(uri: string, longestLabel: number): EntryPoint {
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
