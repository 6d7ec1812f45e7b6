import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import { canonicalJson } from '../../core/json.ts';
import type { ConferenceData, EntryPoint } from '../model/fields.ts';

/** What makes and signs conferences for one event. */
export interface ConferenceMaker {
  readonly isSigned: (conference: ConferenceData) => boolean;
  readonly sign: (conference: ConferenceData) => string;
  readonly create: (request: ConferenceRequest) => CreatedConference;
}

/**
 * What a signature covers: where the conference is and how to get in. Not covered: notes and parameters, which a
 * modifying client may change, the history of the request, and regionCode, which clients do not have to send back.
 */
export function signedContent(conference: ConferenceData): unknown {
  const { conferenceId, conferenceSolution, entryPoints = [] } = conference;
  return {
    conferenceId,
    conferenceSolution,
    entryPoints: entryPoints.map((entry) => ({ ...entry, regionCode: undefined })),
  };
}

/** Whether there is a conference at all, and not only notes or a request that is pending or failed. */
export function hasContent(conference: ConferenceData): boolean {
  return contentJson(signedContent(conference)) !== undefined;
}

/**
 * Canonical JSON of the content, undefined for none: an unset field, null, an empty list and an empty object are the
 * same, and keys have one order.
 */
export function contentJson(value: unknown): string | undefined {
  const content = withoutEmpty(value);
  return content === undefined ? undefined : canonicalJson(content);
}

function withoutEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  if (Array.isArray(value))
    return value.length === 0 ? undefined : value.map((entry) => withoutEmpty(entry) ?? null);
  const fields = Object.entries(value)
    .map(([key, field]) => [key, withoutEmpty(field)] as const)
    .filter(([, field]) => field !== undefined);
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

/** The number under which hosted calls are reached by phone, and its region (ISO 3166). */
const dialIn = { uri: 'tel:+1-202-555-0143', label: '+1 202-555-0143', regionCode: 'US' } as const;

/**
 * Entry points with the region codes that this service knows (event resource, section 2, regionCode: populated by
 * the backend, for phone entry points only): of the stored entry that is otherwise the same, or of its own number.
 * One that a client sent is never taken over.
 */
export function withRegionCodes(entries: readonly EntryPoint[], stored: readonly EntryPoint[]): EntryPoint[] {
  const known = new Map<string | undefined, string | undefined>();
  for (const entry of stored) known.set(keyOf(entry), entry.regionCode);
  return entries.map((entry) => {
    const { regionCode: _, ...rest } = entry;
    const regionCode =
      rest.entryPointType === 'phone' ? (known.get(keyOf(entry)) ?? ownRegion(rest.uri)) : undefined;
    return regionCode === undefined ? rest : { ...rest, regionCode };
  });
}

function keyOf(entry: EntryPoint): string | undefined {
  return contentJson({ ...entry, regionCode: undefined });
}

/** A comma ends the number and begins what is dialled after it. */
function ownRegion(uri: string | undefined): string | undefined {
  return `${uri},`.startsWith(`${dialIn.uri},`) ? dialIn.regionCode : undefined;
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

/** The solution types a conference can be created as (event resource, section 2, conferenceSolution.key.type). */
export const creatableTypes = ['eventCall', 'eventNamedCall', 'hostedCall'] as const;
type CreatableType = (typeof creatableTypes)[number];

/** The type of a conference that another provider made: the client describes it, and the server signs it. */
export const addOnType = 'addOn';

export const isCreatable = (type: string | null | undefined): type is CreatableType =>
  creatableTypes.some((known) => known === type);

export const typeOf = (conference: ConferenceData | undefined): string | undefined =>
  conference?.conferenceSolution?.key?.type;
