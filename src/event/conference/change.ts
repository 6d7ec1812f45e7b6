import { definedFields, withoutNulls } from '../../core/json.ts';
import type { ConferenceData, EventPatch } from '../model/fields.ts';
import {
  addOnType,
  contentJson,
  hasContent,
  isCreatableType,
  signedContent,
  solutionTypeOf,
  withRegionCodes,
} from './signed-content.ts';
import type { ConferenceMaker } from './create.ts';

/** Conference data that a client sends: null clears a field, an absent field keeps its value. */
export type ConferencePatch = NonNullable<EventPatch['conferenceData']>;
type CreateRequest = NonNullable<ConferenceData['createRequest']>;

/** Fields of the conference itself, which its signature covers. */
const contentFields = ['conferenceId', 'conferenceSolution', 'entryPoints'] as const;
const conferenceFields = [...contentFields, 'notes', 'parameters', 'createRequest'] as const;
type ConferenceField = (typeof conferenceFields)[number];

/** Stored conference, a patch of it, and what the patch changes. */
interface ConferenceDifference {
  readonly before: ConferenceData | undefined;
  /** Patch without its nulls. */
  readonly sentData: ConferenceData;
  /** Stored conference with the patch merged in. */
  readonly mergedData: ConferenceData;
  /** Merged conference that ignores a repeated request. */
  readonly effectiveData: ConferenceData;
  /** Fields in which `effectiveData` differs from the stored data, without the signature. */
  readonly changedFields: ReadonlySet<ConferenceField>;
  /** The patch repeats the id of the stored request with other content. */
  readonly isRequestAltered: boolean;
  /** The patch sends or clears a signature that is not the stored one. */
  readonly isSignatureChanged: boolean;
}

/** Compares a merged patch with the stored conference. */
export function compareConference(
  before: ConferenceData | undefined,
  patch: ConferencePatch,
  mergedData: ConferenceData,
): ConferenceDifference {
  const storedRequest = before?.createRequest;
  // A request with the same id as the previous one is ignored, as in Google's API.
  const isRepeatedRequest =
    storedRequest?.requestId !== undefined && mergedData.createRequest?.requestId === storedRequest.requestId;
  const effectiveData = isRepeatedRequest ? { ...mergedData, createRequest: storedRequest } : mergedData;
  const differs = (earlier: ConferenceData, later: ConferenceData) => (field: ConferenceField) =>
    comparableText(earlier, field) !== comparableText(later, field);
  return {
    before,
    sentData: withoutNulls(patch),
    mergedData,
    effectiveData,
    changedFields: new Set(conferenceFields.filter(differs(before ?? {}, effectiveData))),
    isRequestAltered: differs(mergedData, effectiveData)('createRequest'),
    isSignatureChanged: patch.signature !== undefined && (patch.signature ?? undefined) !== before?.signature,
  };
}

/** Whether fields other than notes, parameters and the request change. */
function hasNewContent(difference: ConferenceDifference): boolean {
  return contentFields.some((field) => difference.changedFields.has(field));
}

/**
 * Finds a copied conference with a valid signature in the sent or the merged data. Undefined for other
 * changes.
 */
function findSignedCopy(
  difference: ConferenceDifference,
  hasValidSignature: (conference: ConferenceData) => boolean,
): ConferenceData | undefined {
  if (!hasNewContent(difference)) return undefined;
  const copy = [difference.sentData, difference.mergedData].find(
    (candidate) => hasContent(candidate) && hasValidSignature(candidate),
  );
  return copy && { ...copy, createRequest: requestOfCopy(difference, copy) };
}

/** Request that made a copied conference. Clients omit its read-only status, which can only be success. */
function requestOfCopy(
  { effectiveData, changedFields }: ConferenceDifference,
  copy: ConferenceData,
): CreateRequest | undefined {
  if (!changedFields.has('createRequest')) return effectiveData.createRequest;
  const request = effectiveData.createRequest;
  // An incomplete request or one of another type did not make this conference; storing it would block a real request.
  const type = request?.conferenceSolutionKey?.type;
  if (request?.requestId === undefined || type === undefined || type !== solutionTypeOf(copy))
    return undefined;
  return { ...request, status: { statusCode: 'success' } };
}

/**
 * Returns the part of a change that requests a new conference. A request next to entry points is normally the
 * history of a copy and creates nothing. `mayAccompanyCopy`: the entry points are valid and the request is new.
 */
function findNewRequest(
  { sentData, effectiveData, changedFields }: ConferenceDifference,
  mayAccompanyCopy: boolean,
): ConferenceData | undefined {
  const { createRequest } = effectiveData;
  if (!changedFields.has('createRequest') || !createRequest) return undefined;
  const sendsEntryPoints = changedFields.has('entryPoints') && (effectiveData.entryPoints ?? []).length > 0;
  const isComplete =
    createRequest.requestId !== undefined && createRequest.conferenceSolutionKey?.type !== undefined;
  if (sendsEntryPoints && !(mayAccompanyCopy && isComplete)) return undefined;
  return { createRequest, notes: sentData.notes, parameters: sentData.parameters };
}

/** Comparable text of a field, without values that the server fills in. */
function comparableText(conference: ConferenceData, field: ConferenceField): string | undefined {
  if (field === 'createRequest') {
    const request = conference.createRequest;
    // An empty request is an incomplete one and differs from none.
    return request && (contentJson({ ...request, status: undefined }) ?? '{}');
  }
  if (field === 'entryPoints') return contentJson(signedContent({ entryPoints: conference.entryPoints }));
  return contentJson(conference[field]);
}

/** Effect of a conference patch: the values to store, the conference that the rules check, and warnings. */
interface ConferenceResult {
  /** Values to store; absent if the stored ones stay. */
  readonly valuesToStore?: {
    readonly conferenceData: ConferenceData | undefined;
    readonly callLink: string | undefined;
  };
  /** Conference that the rules check, as the client sees it. */
  readonly validatedConference?: ConferenceData;
  /** Warnings about sent fields that are ignored. */
  readonly warnings: readonly { readonly field: string; readonly message: string }[];
}

interface ConferenceChangeInput {
  readonly maker: ConferenceMaker;
  /** Stored call link of the event. */
  readonly callLink: string | undefined;
  /** The request came with a status, so it was read before and is not new. */
  readonly isRequestHistory: boolean;
}

/** Decides how a difference of conference data is applied: as a request, a copy, an add-on conference, or an edit. */
export function decideConferenceChange(
  difference: ConferenceDifference,
  input: ConferenceChangeInput,
): ConferenceResult {
  const { before, changedFields } = difference;
  if (changedFields.size === 0) return { warnings: collectWarnings(difference) };
  const copy = findSignedCopy(difference, input.maker.hasValidSignature);
  const request = findNewRequest(
    difference,
    (copy !== undefined || concernsAddOn(difference)) && !input.isRequestHistory,
  );
  if (request) return createConference(request, difference, input);
  if (copy) return applySignedCopy(copy, difference);
  if (hasNewContent(difference) && concernsAddOn(difference)) return applyAddOn(difference, input.maker);
  if (before && !hasNewContent(difference)) return editConference(before, input.callLink, difference);
  // Unsigned content is checked as sent: merged with another conference, it could break rules for reasons
  // that the client cannot see. A request beside it belongs to an earlier conference.
  const validated = {
    ...(hasNewContent(difference) ? difference.sentData : difference.effectiveData),
    createRequest: undefined,
  };
  return {
    validatedConference: definedFields(restoreUnchangedFields(validated, difference)),
    warnings: [unsignedWarning(difference), ...requestWarnings(difference)],
  };
}

/** Whether a change sends or edits another provider's conference. A change of the type alone does not count. */
const concernsAddOn = ({ before, sentData, mergedData }: ConferenceDifference): boolean =>
  solutionTypeOf(mergedData) === addOnType &&
  (solutionTypeOf(before) === addOnType || (sentData.entryPoints ?? []).length > 0);

function applySignedCopy(copy: ConferenceData, difference: ConferenceDifference): ConferenceResult {
  const entryPoints = withRegionCodes(copy.entryPoints ?? [], difference.before?.entryPoints ?? []);
  const callLink =
    solutionTypeOf(copy) === addOnType
      ? undefined
      : entryPoints.find((entry) => entry.entryPointType === 'video')?.uri;
  const conferenceData = definedFields({ ...copy, entryPoints: copy.entryPoints && entryPoints });
  return {
    valuesToStore: { conferenceData, callLink },
    validatedConference: copy,
    warnings: requestWarnings(difference),
  };
}

/** Takes another provider's conference, which needs no signature, and signs it. It has no call link. */
function applyAddOn(
  { before, sentData, mergedData }: ConferenceDifference,
  maker: ConferenceMaker,
): ConferenceResult {
  // Only a stored add-on conference is patched; one of another type is replaced.
  const {
    createRequest: _,
    signature: __,
    ...content
  } = solutionTypeOf(before) === addOnType ? mergedData : sentData;
  const validatedConference = definedFields(content);
  const conference = definedFields<ConferenceData>({
    ...validatedConference,
    entryPoints: content.entryPoints && withRegionCodes(content.entryPoints, before?.entryPoints ?? []),
  });
  const conferenceData = hasContent(conference)
    ? { ...conference, signature: maker.sign(conference) }
    : conference;
  const warnings = [
    ...(sentData.createRequest ? [addOnRequestWarning] : []),
    ...(sentData.signature !== undefined && sentData.signature !== conferenceData.signature
      ? [badSignatureWarning]
      : []),
  ];
  return { valuesToStore: { conferenceData, callLink: undefined }, validatedConference, warnings };
}

const addOnRequestWarning = {
  field: 'createRequest',
  message: 'The createRequest was ignored: an add-on conference is created by its own provider.',
};
const badSignatureWarning = {
  field: 'signature',
  message:
    'The server creates the signature: yours was ignored. Send it unchanged when a conference is copied.',
};

function createConference(
  request: ConferenceData,
  difference: ConferenceDifference,
  { maker }: ConferenceChangeInput,
): ConferenceResult {
  const { createRequest, notes, parameters } = request;
  const { requestId, conferenceSolutionKey } = createRequest ?? {};
  const type = conferenceSolutionKey?.type;
  // Rules report such an invalid request.
  if (!requestId || !isCreatableType(type)) return { validatedConference: request, warnings: [] };
  const creationResult = maker.create({ requestId, type });
  const unusedFields = contentFields.filter(
    (field) => difference.sentData[field] !== undefined && difference.changedFields.has(field),
  );
  return {
    valuesToStore: {
      conferenceData: { ...creationResult.conference, ...definedFields({ notes, parameters }) },
      callLink: creationResult.callLink,
    },
    validatedConference: request,
    warnings: unusedFields.map((field) => ({
      field,
      message: `${field} was ignored: a createRequest makes a new conference. Leave ${field} out of it.`,
    })),
  };
}

/** Changes notes and parameters, or clears the request. The signature covers none of these and stays. */
function editConference(
  before: ConferenceData,
  callLink: string | undefined,
  difference: ConferenceDifference,
): ConferenceResult {
  const { notes, parameters, createRequest } = difference.effectiveData;
  const conferenceData = definedFields({ ...before, notes, parameters, createRequest });
  return {
    valuesToStore: { conferenceData, callLink },
    validatedConference: conferenceData,
    warnings: collectWarnings(difference),
  };
}

function collectWarnings(difference: ConferenceDifference): ConferenceResult['warnings'] {
  return [...requestWarnings(difference), ...(difference.isSignatureChanged ? [badSignatureWarning] : [])];
}

function requestWarnings({ isRequestAltered }: ConferenceDifference): ConferenceResult['warnings'] {
  const message =
    'A request with this requestId was carried out before, so this one was ignored. ' +
    'Generate a new requestId to get another conference.';
  return isRequestAltered ? [{ field: 'createRequest', message }] : [];
}

function unsignedWarning({ sentData }: ConferenceDifference): ConferenceResult['warnings'][number] {
  const fault = sentData.signature === undefined ? 'has no signature' : 'does not match its signature';
  const message =
    `The conference data was not applied: it ${fault}. To copy a conference, send its conferenceData as you ` +
    'read, with its signature; to create a new one, send a createRequest with a new requestId and no entry points; for ' +
    `another provider's, give conferenceSolution.key.type "${addOnType}".`;
  return { field: 'signature', message };
}

/** Takes unchanged fields from the stored conference, so that rules do not report old faults. */
function restoreUnchangedFields(
  conference: ConferenceData,
  { before, changedFields }: ConferenceDifference,
): ConferenceData {
  const unchangedFields = conferenceFields
    .filter((field) => !changedFields.has(field))
    .map((field) => [field, before?.[field]] as const);
  return { ...conference, ...Object.fromEntries(unchangedFields) };
}
