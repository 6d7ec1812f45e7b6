import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import { maxLengthOf } from '../../core/fields/table.ts';
import type { ConferenceData, EntryPoint } from '../model/fields.ts';
import type { EventModel } from '../model/model.ts';
import { contentJson, type CreatableType, dialInNumber, signedContent } from './signed-content.ts';

/** Creates and signs the conferences of one event. */
export interface ConferenceMaker {
  readonly hasValidSignature: (conference: ConferenceData) => boolean;
  readonly sign: (conference: ConferenceData) => string;
  readonly create: (request: { readonly requestId: string; readonly type: CreatableType }) => {
    readonly conference: ConferenceData;
    readonly callLink?: string | undefined;
  };
}

/** Number of random letters, which make a link hard to guess. */
const codeLength = 10;
/** Number of digits of the PIN that callers of a hosted call dial. */
const pinDigits = 9;
/** Limit of the characters that an id or a link takes from a title or an event id. */
const maxSlugLength = 40;
/** Limit of the characters of a text that its slug is made from, since texts may be long. */
const maxSlugSourceLength = 200;

/** Event of a new call, and the absolute http(s) base URL of calls, without a slash at its end. */
interface CallInput {
  readonly eventId: string;
  readonly summary?: string | undefined;
  readonly linkBaseUrl: string;
}

/** Parts of a conference that depend on its solution type. `path`: that of its link. */
interface Call {
  readonly path: string;
  readonly conferenceId?: string;
  readonly otherEntryPoints?: readonly EntryPoint[];
}

const solutionsByType: Readonly<
  Record<CreatableType, { name: string; icon: string; createCall: (input: CallInput) => Call }>
> = {
  eventCall: {
    name: 'Event call',
    icon: 'event-call.svg',
    createCall: ({ eventId }) => ({ path: `event/${createName(eventId)}` }),
  },
  eventNamedCall: {
    name: 'Named event call',
    icon: 'event-named-call.svg',
    createCall({ summary = '' }) {
      const name = createName(summary);
      return { path: `named/${name}`, conferenceId: name };
    },
  },
  hostedCall: { name: 'Hosted call', icon: 'hosted-call.svg', createCall: createHostedCall },
};

interface MakerDependencies {
  readonly model: EventModel;
  readonly links: { readonly call: string };
  readonly signingSecret: string;
}

/** Creates a maker of signed conferences, whose ids have the form of their solution type. */
export function createConferenceMaker(
  { model, links: { call: linkBaseUrl }, signingSecret }: MakerDependencies,
  eventId: string,
  summary: string | undefined,
): ConferenceMaker {
  const label = model.field('conferenceData').fields.get('entryPoints')?.fields.get('label');
  const sign = (conference: ConferenceData): string => signConference(conference, signingSecret);
  return {
    sign,
    hasValidSignature: (conference) => isSignatureValid(conference, signingSecret),
    create({ requestId, type }) {
      const { name, icon, createCall } = solutionsByType[type];
      const { path, conferenceId, otherEntryPoints = [] } = createCall({ eventId, summary, linkBaseUrl });
      const callLink = `${linkBaseUrl}/${path}`;
      const videoEntry: EntryPoint = {
        entryPointType: 'video',
        uri: callLink,
        label: callLink.slice(callLink.indexOf('://') + 3).slice(0, maxLengthOf(label?.value)),
      };
      const key = { type };
      const conference: ConferenceData = {
        ...(conferenceId !== undefined && { conferenceId }),
        entryPoints: [videoEntry, ...otherEntryPoints],
        conferenceSolution: { iconUri: `${linkBaseUrl}/icons/${icon}`, key, name },
        createRequest: { conferenceSolutionKey: key, requestId, status: { statusCode: 'success' } },
      };
      return { conference: { ...conference, signature: sign(conference) }, callLink };
    },
  };
}

function createHostedCall({ linkBaseUrl }: CallInput): Call {
  const code = generateLetters(codeLength);
  const path = `${code.slice(0, 3)}-${code.slice(3, 7)}-${code.slice(7)}`;
  const pin = String(randomInt(10 ** pinDigits)).padStart(pinDigits, '0');
  // The hash key ends the PIN; in a URI it would begin a fragment, so it is escaped.
  const phoneUri = `${dialInNumber.uri},,${pin}%23`;
  return {
    path,
    conferenceId: code,
    otherEntryPoints: [
      { ...dialInNumber, entryPointType: 'phone', uri: phoneUri, pin },
      { entryPointType: 'more', uri: `${linkBaseUrl}/dial-in/${path}`, pin },
    ],
  };
}

/** Creates a name for a link: the words of a text, and letters that make it hard to guess. */
const createName = (text: string): string => `${slugOf(text) || 'call'}-${generateLetters(codeLength)}`;

/** Slug of at most `maxSlugLength` characters: a to z, 0 to 9 and single hyphens. Empty if the text has none of these. */
function slugOf(text: string): string {
  const asciiText = text.slice(0, maxSlugSourceLength).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words = asciiText.split(/[^a-z0-9]/).filter((word) => word !== '');
  const slug = words.join('-').slice(0, maxSlugLength);
  return slug.endsWith('-') ? slug.slice(0, -1) : slug;
}

const letters = 'abcdefghijklmnopqrstuvwxyz';

function generateLetters(count: number): string {
  return Array.from({ length: count }, () => letters.charAt(randomInt(letters.length))).join('');
}

/** Prefix of signed content, which separates these signatures from others with the same secret. */
const signaturePrefix = 'conferenceData.v1:';

/** Signs a conference: HMAC-SHA-256 (RFC 2104) over its canonical content, as base64url (RFC 4648). */
export function signConference(conference: ConferenceData, secret: string | Uint8Array): string {
  const content = contentJson(signedContent(conference)) ?? '{}';
  return createHmac('sha256', secret).update(signaturePrefix).update(content).digest('base64url');
}

/** Whether a conference carries the signature that this service would give it; compared in constant time. */
export function isSignatureValid(conference: ConferenceData, secret: string | Uint8Array): boolean {
  if (conference.signature === undefined) return false;
  const sentSignature = Buffer.from(conference.signature);
  const expectedSignature = Buffer.from(signConference(conference, secret));
  return (
    sentSignature.length === expectedSignature.length && timingSafeEqual(sentSignature, expectedSignature)
  );
}
