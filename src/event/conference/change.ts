import { withoutNulls } from '../../core/patch.ts';
import type { ConferenceData, EventPatch } from '../model/fields.ts';
import {
  addOnType,
  contentJson,
  hasContent,
  isCreatable,
  signedContent,
  typeOf,
  withRegionCodes,
} from './content.ts';
import type { ConferenceMaker } from './create.ts';

/** Conference data as a client sends it: null clears a field, an absent one stays. */
export type ConferencePatch = NonNullable<EventPatch['conferenceData']>;
type CreateRequest = NonNullable<ConferenceData['createRequest']>;

const contentFields = ['conferenceId', 'conferenceSolution', 'entryPoints'] as const;
const conferenceFields = [...contentFields, 'notes', 'parameters', 'createRequest'] as const;
type ConferenceField = (typeof conferenceFields)[number];

/** A patch seen against what is stored. */
interface ConferenceDifference {
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
function hasNewContent(difference: ConferenceDifference): boolean {
  return contentFields.some((field) => difference.fields.has(field));
}

/** The signed copy of another conference in a change: the patch as it was sent, or else as merged. */
function signedCopy(
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
  if (request?.requestId === undefined || type === undefined || type !== typeOf(copy)) return undefined;
  return { ...request, status: { statusCode: 'success' } };
}

/**
 * The part of a change that asks for a new conference. Entry points beside a request are a copy that brought its
 * history along: without a signature it must not turn into another conference. `besideCopy`: the request came with a
 * signed copy and without a status, so that it is no history.
 */
function requestIn(
  { sent, next, fields }: ConferenceDifference,
  besideCopy: boolean,
): ConferenceData | undefined {
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

/** What becomes of conference data. */
interface ConferenceResult {
  /** What to store; absent where what is stored stays. */
  readonly next?: {
    readonly conferenceData: ConferenceData | undefined;
    readonly callLink: string | undefined;
  };
  /** What the rules are held against, as the client sees it. */
  readonly validated?: ConferenceData;
  /** What is not applied, by field. */
  readonly ignored: readonly { readonly field: string; readonly message: string }[];
}

interface ConferenceContext {
  readonly maker: ConferenceMaker;
  readonly callLink: string | undefined;
  /** The request came with its status: it is part of what was read, not a new one. */
  readonly isHistory: boolean;
}

/** Decides what conference data that differs from the stored one means. */
export function changeConference(
  difference: ConferenceDifference,
  facts: ConferenceContext,
): ConferenceResult {
  const { before, fields } = difference;
  if (fields.size === 0) return { ignored: ignoredIn(difference) };
  const copy = signedCopy(difference, facts.maker.isSigned);
  const request = requestIn(difference, (copy !== undefined || isAddOn(difference)) && !facts.isHistory);
  if (request) return create(request, difference, facts);
  if (copy) return take(copy, difference);
  if (hasNewContent(difference) && isAddOn(difference)) return takeAddOn(difference, facts.maker);
  if (before && !hasNewContent(difference)) return edit(before, facts.callLink, difference);
  // Content without a signature is validated as it was sent: merged into another conference it breaks rules that the
  // client cannot know about; a request beside it is only its history.
  const validated = {
    ...(hasNewContent(difference) ? difference.sent : difference.next),
    createRequest: undefined,
  };
  return {
    validated: defined(onlyChanged(validated, difference)),
    ignored: [unsigned(difference), ...ignoredRequest(difference)],
  };
}

/** Another provider's conference, sent as a whole or changed in part. A type alone does not make another conference one. */
const isAddOn = ({ before, sent, merged }: ConferenceDifference): boolean =>
  typeOf(merged) === addOnType && (typeOf(before) === addOnType || (sent.entryPoints ?? []).length > 0);

function take(copy: ConferenceData, difference: ConferenceDifference): ConferenceResult {
  const entryPoints = withRegionCodes(copy.entryPoints ?? [], difference.before?.entryPoints ?? []);
  const callLink =
    typeOf(copy) === addOnType
      ? undefined
      : entryPoints.find((entry) => entry.entryPointType === 'video')?.uri;
  const conferenceData = defined({ ...copy, entryPoints: copy.entryPoints && entryPoints });
  return { next: { conferenceData, callLink }, validated: copy, ignored: ignoredRequest(difference) };
}

/** Another provider's conference needs no signature to come in, and gets the server's; it has no call link. */
function takeAddOn({ before, sent, merged }: ConferenceDifference, maker: ConferenceMaker): ConferenceResult {
  // What was there before was another conference, unless it was one of this kind.
  const { createRequest: _, signature: __, ...content } = typeOf(before) === addOnType ? merged : sent;
  const validated = defined(content);
  const made = defined({
    ...validated,
    entryPoints: content.entryPoints && withRegionCodes(content.entryPoints, before?.entryPoints ?? []),
  });
  const conferenceData = hasContent(made) ? { ...made, signature: maker.sign(made) } : made;
  const ignored = [
    ...(sent.createRequest ? [addOnRequest] : []),
    ...(sent.signature !== undefined && sent.signature !== conferenceData.signature ? [otherSignature] : []),
  ];
  return { next: { conferenceData, callLink: undefined }, validated, ignored };
}

const addOnRequest = {
  field: 'createRequest',
  message: 'The createRequest was ignored: an add-on conference is made by its own provider.',
};
const otherSignature = {
  field: 'signature',
  message:
    'The signature is made by the server and was ignored. Send it unchanged when a conference is copied.',
};

function create(
  request: ConferenceData,
  difference: ConferenceDifference,
  { maker }: ConferenceContext,
): ConferenceResult {
  const { createRequest, notes, parameters } = request;
  const { requestId, conferenceSolutionKey } = createRequest ?? {};
  const type = conferenceSolutionKey?.type;
  // The rules say what is wrong with such a request.
  if (!requestId || !isCreatable(type)) return { validated: request, ignored: [] };
  const made = maker.create({ requestId, type });
  const unused = contentFields.filter(
    (field) => difference.sent[field] !== undefined && difference.fields.has(field),
  );
  return {
    next: {
      conferenceData: { ...made.conference, ...defined({ notes, parameters }) },
      callLink: made.callLink,
    },
    validated: request,
    ignored: unused.map((field) => ({
      field,
      message: `${field} was ignored: a createRequest makes a new conference. Leave ${field} out of it.`,
    })),
  };
}

/** Notes, parameters and a request that is cleared: the signature covers none of them and stays. */
function edit(
  before: ConferenceData,
  callLink: string | undefined,
  difference: ConferenceDifference,
): ConferenceResult {
  const { notes, parameters, createRequest } = difference.next;
  const conferenceData = defined({ ...before, notes, parameters, createRequest });
  return { next: { conferenceData, callLink }, validated: conferenceData, ignored: ignoredIn(difference) };
}

function ignoredIn(difference: ConferenceDifference): ConferenceResult['ignored'] {
  return [...ignoredRequest(difference), ...(difference.otherSignature ? [otherSignature] : [])];
}

function ignoredRequest({ alteredRequest }: ConferenceDifference): ConferenceResult['ignored'] {
  const message =
    'A request with this requestId was carried out before, so this one was ignored. ' +
    'Generate a new requestId to get another conference.';
  return alteredRequest ? [{ field: 'createRequest', message }] : [];
}

function unsigned({ sent }: ConferenceDifference): ConferenceResult['ignored'][number] {
  const fault = sent.signature === undefined ? 'has no signature' : 'does not match its signature';
  const message =
    `The conference data was not applied: it ${fault}. To copy a conference, send its conferenceData as it was ` +
    'read, with its signature; to make a new one, send a createRequest with a new requestId and no entry points; for ' +
    `another provider's, give conferenceSolution.key.type "${addOnType}".`;
  return { field: 'signature', message };
}

/** Old oddities of fields that stay are no fault of the change. */
function onlyChanged(conference: ConferenceData, { before, fields }: ConferenceDifference): ConferenceData {
  const unchanged = conferenceFields
    .filter((field) => !fields.has(field))
    .map((field) => [field, before?.[field]] as const);
  return { ...conference, ...Object.fromEntries(unchanged) };
}

function defined(conference: ConferenceData): ConferenceData {
  return Object.fromEntries(Object.entries(conference).filter(([, value]) => value !== undefined));
}
