import { withoutNulls } from '../../core/patch.ts';
import type { ConferenceData, EventPatch } from '../model/fields.ts';
import { contentJson, hasContent, signedContent } from './content.ts';

/** Conference data as a client sends it: null clears a field, an absent one stays. */
export type ConferencePatch = NonNullable<EventPatch['conferenceData']>;
type CreateRequest = NonNullable<ConferenceData['createRequest']>;

export const contentFields = ['conferenceId', 'conferenceSolution', 'entryPoints'] as const;
export const conferenceFields = [...contentFields, 'notes', 'parameters', 'createRequest'] as const;
type ConferenceField = (typeof conferenceFields)[number];

/** What a client may say about a conference that is to be made. */
type RequestedConference = Pick<ConferenceData, 'notes' | 'parameters'> & {
  readonly createRequest: CreateRequest;
};

/** A patch seen against what is stored. */
export interface ConferenceDifference {
  readonly before: ConferenceData | undefined;
  /** The patch alone, without its nulls. */
  readonly sent: ConferenceData;
  /** The merged conference as it came from the caller. */
  readonly merged: ConferenceData;
  /** The merged conference with a repeated request taken back. */
  readonly next: ConferenceData;
  /** The fields in which `next` differs from `before`; the signature is validated apart. */
  readonly fields: ReadonlySet<ConferenceField>;
  /** The stored request was sent again by its id, but not as it was. */
  readonly alteredRequest: boolean;
  /** A signature was sent, or cleared, that is not the stored one. */
  readonly otherSignature: boolean;
}

/** Holds a patch, which is merged already, against what is stored. */
export function differenceOf(
  before: ConferenceData | undefined,
  patch: ConferencePatch,
  merged: ConferenceData,
): ConferenceDifference {
  const stored = before?.createRequest;
  // A request with the same id as the previous one is ignored (event resource, section 2, requestId).
  const isRepeated = stored?.requestId !== undefined && merged.createRequest?.requestId === stored.requestId;
  const next = isRepeated ? { ...merged, createRequest: stored } : merged;
  const differs = (a: ConferenceData, b: ConferenceData) => (field: ConferenceField) =>
    textOf(a, field) !== textOf(b, field);
  return {
    before,
    sent: withoutNulls(patch),
    merged,
    next,
    fields: new Set(conferenceFields.filter(differs(before ?? {}, next))),
    alteredRequest: differs(merged, next)('createRequest'),
    otherSignature: patch.signature !== undefined && (patch.signature ?? undefined) !== before?.signature,
  };
}

/** Whether more changes than notes, parameters and the request. */
export function hasNewContent(difference: ConferenceDifference): boolean {
  return contentFields.some((field) => difference.fields.has(field));
}

/**
 * The copy in a change, if its content is new and signed. Sent as a whole, a conference replaces the stored one;
 * sent in part, it has to be signed as merged.
 */
export function signedCopy(
  difference: ConferenceDifference,
  isSigned: (conference: ConferenceData) => boolean,
): ConferenceData | undefined {
  if (!hasNewContent(difference)) return undefined;
  const found = [difference.sent, difference.merged].find(
    (candidate) => hasContent(candidate) && isSigned(candidate),
  );
  return found && { ...found, createRequest: requestOfCopy(difference, found) };
}

/** A copy brings the request that made it; the caller took its read-only status away, which can only be success. */
function requestOfCopy(
  { next, fields }: ConferenceDifference,
  copy: ConferenceData,
): CreateRequest | undefined {
  if (!fields.has('createRequest')) return next.createRequest;
  const request = next.createRequest;
  // Read in part, or of another type, it did not make this conference: kept, it would stand in the way of one that does.
  const type = request?.conferenceSolutionKey?.type;
  if (request?.requestId === undefined || type === undefined || type !== copy.conferenceSolution?.key?.type)
    return undefined;
  return { ...request, status: { statusCode: 'success' } };
}

/**
 * The part of a change that asks for a new conference. Entry points beside a request are a copy that brought its
 * history along: without a signature it must not turn into another conference. `besideCopy`: the request came with a
 * signed copy and without a status, so that it is no history.
 */
export function requestIn(
  { sent, next, fields }: ConferenceDifference,
  besideCopy: boolean,
): RequestedConference | undefined {
  const { createRequest } = next;
  if (!fields.has('createRequest') || !createRequest) return undefined;
  const sendsEntryPoints = fields.has('entryPoints') && (next.entryPoints ?? []).length > 0;
  const isComplete =
    createRequest.requestId !== undefined && createRequest.conferenceSolutionKey?.type !== undefined;
  if (sendsEntryPoints && !(besideCopy && isComplete)) return undefined;
  return { createRequest, notes: sent.notes, parameters: sent.parameters };
}

/** A field as it is compared: without what the server fills in, which says nothing about what a client wants. */
function textOf(conference: ConferenceData, field: ConferenceField): string | undefined {
  if (field === 'createRequest') {
    const request = conference.createRequest;
    // An empty request is one that lacks everything, not none.
    return request && (contentJson({ ...request, status: undefined }) ?? '{}');
  }
  if (field === 'entryPoints') return contentJson(signedContent({ entryPoints: conference.entryPoints }));
  return contentJson(conference[field]);
}
