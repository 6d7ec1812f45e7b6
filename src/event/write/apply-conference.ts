import type { FieldNode } from '../../core/fields/table.ts';
import { removeReadOnly } from '../../core/fields/reduce-change.ts';
import { definedFields, patch, withoutNulls } from '../../core/json.ts';
import {
  addOnType,
  contentJson,
  hasContent,
  isCreatableType,
  signedContent,
  solutionTypeOf,
  withRegionCodes,
} from '../conference/signed-content.ts';
import type { Draft } from '../draft.ts';
import type { ConferenceData, EventPatch } from '../model/fields.ts';

const conferencePath = ['event', 'conferenceData'] as const;

/** Conference data that a client sends: null clears a field, an absent field keeps its value. */
type ConferencePatch = NonNullable<EventPatch['conferenceData']>;
type CreateRequest = NonNullable<ConferenceData['createRequest']>;

/** Fields of the conference itself, which its signature covers. */
const contentFields = ['conferenceId', 'conferenceSolution', 'entryPoints'] as const;
const conferenceFields = [...contentFields, 'notes', 'parameters', 'createRequest'] as const;
type ConferenceField = (typeof conferenceFields)[number];

/** Applies conference data that a client sent (event resource, sections 2 and 4). Unsupported changes only cause warnings. */
export function applyConference(draft: Draft, node: FieldNode): void {
  const { body, before, report, changedFields } = draft;
  const storedConference = before.core.conferenceData;
  const sentConference = body.conferenceData;
  if (sentConference === null || sentConference === undefined) {
    // Null without a stored conference keeps a call link that was imported without conference data.
    if (storedConference === undefined) return;
    draft.replacements = { conferenceData: undefined, callLink: undefined };
    changedFields.push({ node, path: conferencePath });
    return;
  }
  const patchedConference = removeReadOnly(
    node,
    sentConference,
    conferencePath,
    draft.unappliedValues,
  ) as ConferencePatch;
  const mergedConference = patch<ConferenceData | undefined>(storedConference, patchedConference) ?? {};
  // A merge drops an empty request, which the rules must report as incomplete.
  const isEmptyRequest = sentConference.createRequest != null && mergedConference.createRequest === undefined;
  const change = compareConference(
    storedConference,
    patchedConference,
    isEmptyRequest ? { ...mergedConference, createRequest: {} } : mergedConference,
  );
  if (change.changedFields.size === 0) return warnOfRepetition(draft, change);
  changedFields.push({ node, path: conferencePath });
  if (isUnchangeable(storedConference))
    return report.addIssue(conferencePath, 'invalid', unchangeableMessage);
  const copy = findSignedCopy(draft, change);
  // A request with a status was read before, so it is not new.
  const isNewRequest = sentConference.createRequest?.status == null;
  const request = findNewRequest(change, (copy !== undefined || concernsAddOn(change)) && isNewRequest);
  if (request) createConference(draft, change, request);
  else if (copy) applySignedCopy(draft, change, copy);
  else if (hasNewContent(change) && concernsAddOn(change)) applyAddOn(draft, change);
  else if (storedConference && !hasNewContent(change)) editConference(draft, change, storedConference);
  else refuseUnsigned(draft, change);
}

/** Whether a conference can only be shown and removed, since its type is unknown or empty (section 2, key.type). */
function isUnchangeable(storedConference: ConferenceData | undefined): boolean {
  const type = solutionTypeOf(storedConference);
  return (
    storedConference !== undefined &&
    hasContent(storedConference) &&
    type !== addOnType &&
    !isCreatableType(type)
  );
}

const unchangeableMessage =
  'The stored conference is of an unknown type and cannot be modified. Remove it first with conferenceData: null.';

/** Stored conference, a patch of it, and what the patch changes. */
type ConferenceChange = ReturnType<typeof compareConference>;

/** Compares a merged patch with the stored conference. */
function compareConference(
  before: ConferenceData | undefined,
  conferencePatch: ConferencePatch,
  mergedData: ConferenceData,
) {
  const storedRequest = before?.createRequest;
  // A request with the same id as the previous one is ignored, as in Google's API.
  const isRepeatedRequest =
    storedRequest?.requestId !== undefined && mergedData.createRequest?.requestId === storedRequest.requestId;
  const effectiveData = isRepeatedRequest ? { ...mergedData, createRequest: storedRequest } : mergedData;
  const differs = (earlier: ConferenceData, later: ConferenceData) => (field: ConferenceField) =>
    comparableText(earlier, field) !== comparableText(later, field);
  const { signature } = conferencePatch;
  return {
    before,
    /** Patch without its nulls. */
    sentData: withoutNulls(conferencePatch) as ConferenceData,
    /** Stored conference with the patch merged in. */
    mergedData,
    /** Merged conference that ignores a repeated request. */
    effectiveData,
    /** Fields in which `effectiveData` differs from the stored data, without the signature. */
    changedFields: new Set<ConferenceField>(conferenceFields.filter(differs(before ?? {}, effectiveData))),
    /** The patch repeats the id of the stored request with other content. */
    isRequestAltered: differs(mergedData, effectiveData)('createRequest'),
    /** The patch sends or clears a signature that is not the stored one. */
    isSignatureChanged: signature !== undefined && (signature ?? undefined) !== before?.signature,
  };
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

/** Whether fields other than notes, parameters and the request change. */
function hasNewContent({ changedFields }: ConferenceChange): boolean {
  return contentFields.some((field) => changedFields.has(field));
}

/** Whether a change sends or edits another provider's conference. A change of the type alone does not count. */
const concernsAddOn = ({ before, sentData, mergedData }: ConferenceChange): boolean =>
  solutionTypeOf(mergedData) === addOnType &&
  (solutionTypeOf(before) === addOnType || (sentData.entryPoints ?? []).length > 0);

/** Finds a copied conference with a valid signature in the sent or the merged data; undefined for other changes. */
function findSignedCopy(draft: Draft, change: ConferenceChange): ConferenceData | undefined {
  if (!hasNewContent(change)) return undefined;
  const copy = [change.sentData, change.mergedData].find(
    (candidate) => hasContent(candidate) && draft.getConferenceMaker().hasValidSignature(candidate),
  );
  return copy && { ...copy, createRequest: requestOfCopy(change, copy) };
}

/** Request that made a copied conference. Clients omit its read-only status, which can only be success. */
function requestOfCopy(
  { effectiveData, changedFields }: ConferenceChange,
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
 * Returns the request of a change for a new conference. A request next to entry points is normally the history
 * of a copy and creates nothing. `mayAccompanyCopy`: the entry points are valid and the request is new.
 */
function findNewRequest({ effectiveData, changedFields }: ConferenceChange, mayAccompanyCopy: boolean) {
  const { createRequest } = effectiveData;
  if (!changedFields.has('createRequest') || !createRequest) return undefined;
  const sendsEntryPoints = changedFields.has('entryPoints') && (effectiveData.entryPoints ?? []).length > 0;
  const isComplete =
    createRequest.requestId !== undefined && createRequest.conferenceSolutionKey?.type !== undefined;
  return sendsEntryPoints && !(mayAccompanyCopy && isComplete) ? undefined : createRequest;
}

const warnIgnored = ({ report }: Draft, field: string, message: string): void =>
  report.warn([...conferencePath, field], 'ignored', message);

function createConference(
  draft: Draft,
  { sentData, changedFields }: ConferenceChange,
  createRequest: CreateRequest,
): void {
  const { notes, parameters } = sentData;
  draft.validatedConference = { createRequest, notes, parameters };
  const { requestId, conferenceSolutionKey } = createRequest;
  const type = conferenceSolutionKey?.type;
  // Rules report such an invalid request.
  if (!requestId || !isCreatableType(type)) return;
  const { conference, callLink } = draft.getConferenceMaker().create({ requestId, type });
  draft.replacements = {
    conferenceData: { ...conference, ...definedFields({ notes, parameters }) },
    callLink,
  };
  for (const field of contentFields) {
    if (sentData[field] === undefined || !changedFields.has(field)) continue;
    const message = `${field} was ignored: a createRequest makes a new conference. Leave ${field} out of it.`;
    warnIgnored(draft, field, message);
  }
}

function applySignedCopy(draft: Draft, change: ConferenceChange, copy: ConferenceData): void {
  const entryPoints = withRegionCodes(copy.entryPoints ?? [], change.before?.entryPoints ?? []);
  const videoLink = entryPoints.find((entry) => entry.entryPointType === 'video')?.uri;
  draft.validatedConference = copy;
  draft.replacements = {
    conferenceData: definedFields({ ...copy, entryPoints: copy.entryPoints && entryPoints }),
    callLink: solutionTypeOf(copy) === addOnType ? undefined : videoLink,
  };
  warnOfRepeatedRequest(draft, change);
}

/** Takes another provider's conference, which needs no signature, and signs it. It has no call link. */
function applyAddOn(draft: Draft, { before, sentData, mergedData }: ConferenceChange): void {
  // Only a stored add-on conference is patched; one of another type is replaced.
  const {
    createRequest: _,
    signature: __,
    ...content
  } = solutionTypeOf(before) === addOnType ? mergedData : sentData;
  const conference = definedFields<ConferenceData>({
    ...content,
    entryPoints: content.entryPoints && withRegionCodes(content.entryPoints, before?.entryPoints ?? []),
  });
  const conferenceData = hasContent(conference)
    ? { ...conference, signature: draft.getConferenceMaker().sign(conference) }
    : conference;
  draft.validatedConference = definedFields(content);
  draft.replacements = { conferenceData, callLink: undefined };
  if (sentData.createRequest)
    warnIgnored(
      draft,
      'createRequest',
      'The createRequest was ignored: an add-on conference is created by its own provider.',
    );
  if (sentData.signature !== undefined && sentData.signature !== conferenceData.signature)
    warnIgnored(draft, 'signature', badSignatureMessage);
}

const badSignatureMessage =
  'The server creates the signature: yours was ignored. Send it unchanged when a conference is copied.';

/** Changes notes and parameters, or clears the request. The signature covers none of these and stays. */
function editConference(draft: Draft, change: ConferenceChange, before: ConferenceData): void {
  const { notes, parameters, createRequest } = change.effectiveData;
  const conferenceData = definedFields({ ...before, notes, parameters, createRequest });
  draft.validatedConference = conferenceData;
  draft.replacements = { conferenceData, callLink: draft.before.core.callLink };
  warnOfRepetition(draft, change);
}

/** Warns of ignored values in a change that keeps the conference itself. */
function warnOfRepetition(draft: Draft, change: ConferenceChange): void {
  warnOfRepeatedRequest(draft, change);
  if (change.isSignatureChanged) warnIgnored(draft, 'signature', badSignatureMessage);
}

function warnOfRepeatedRequest(draft: Draft, { isRequestAltered }: ConferenceChange): void {
  const message =
    'A request with this requestId was carried out before, so this one was ignored. ' +
    'Generate a new requestId to get another conference.';
  if (isRequestAltered) warnIgnored(draft, 'createRequest', message);
}

/** Does not apply unsigned content, but has the rules check it. */
function refuseUnsigned(draft: Draft, change: ConferenceChange): void {
  const { before, sentData, effectiveData, changedFields } = change;
  // Unsigned content is checked as sent: merged with another conference, it could break rules for reasons
  // that the client cannot see. A request beside it belongs to an earlier conference. Unchanged fields are the
  // stored ones, so that rules do not report old faults.
  const unchangedFields = conferenceFields
    .filter((field) => !changedFields.has(field))
    .map((field) => [field, before?.[field]] as const);
  draft.validatedConference = definedFields<ConferenceData>({
    ...(hasNewContent(change) ? sentData : effectiveData),
    createRequest: undefined,
    ...Object.fromEntries(unchangedFields),
  });
  const fault = sentData.signature === undefined ? 'has no signature' : 'does not match its signature';
  const message =
    `The conference data was not applied: it ${fault}. To copy a conference, send its conferenceData as you ` +
    'read, with its signature; to create a new one, send a createRequest with a new requestId and no entry points; for ' +
    `another provider's, give conferenceSolution.key.type "${addOnType}".`;
  warnIgnored(draft, 'signature', message);
  warnOfRepeatedRequest(draft, change);
}
