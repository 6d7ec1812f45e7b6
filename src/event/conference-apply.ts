import type { Issue, Path, Warning } from '../core/errors.ts';
import {
  changeOf,
  conferenceFields,
  contentFields,
  hasNewContent,
  requestIn,
  signedCopy,
  type ConferenceChange,
  type ConferencePatch,
  type RequestedConference,
} from './conference-change.ts';
import type { ConferenceRequest, CreatedConference } from './conference-create.ts';
import { withRegionCodes } from './conference-region.ts';
import { hasContent } from './conference-signature.ts';
import { checkConference, isSolutionType, type ConferenceData } from './conference.ts';

export interface ConferenceInput {
  /** What is stored, and the call link that is stored beside it. */
  readonly before?: ConferenceData | undefined;
  readonly callLink?: string | undefined;
  /** What the client sent: null removes the conference, undefined leaves it. */
  readonly patch: ConferencePatch | null | undefined;
  /** `patch` merged into `before`. */
  readonly after?: ConferenceData | undefined;
}

export interface ConferenceContext {
  readonly isSigned: (conference: ConferenceData) => boolean;
  /** Makes a signed conference; called at most once, and only when there is no issue. */
  readonly create: (request: ConferenceRequest) => CreatedConference;
}

/** What to store: an absent conference or call link is to be removed. With issues, it is what was there. */
export interface AppliedConference {
  readonly conference?: ConferenceData | undefined;
  readonly callLink?: string | undefined;
  readonly changed: boolean;
  readonly issues: readonly Issue[];
  readonly warnings: readonly Warning[];
}

const root: Path = ['conferenceData'];

/**
 * Decides what becomes of conference data that a client of version 1 sent (event resource, sections 2 and 4): the
 * same again, a copy, a request for a new conference, or new notes and parameters; anything else is not applied.
 * A client of version 0 sends nothing: its field is left out before the merge.
 */
export function applyConference(input: ConferenceInput, context: ConferenceContext): AppliedConference {
  const { before, callLink, patch, after = {} } = input;
  const kept: AppliedConference = { conference: before, callLink, changed: false, issues: [], warnings: [] };
  if (patch === undefined) return kept;
  if (patch === null) {
    return { changed: before !== undefined || callLink !== undefined, issues: [], warnings: [] };
  }
  const change = changeOf(before, patch, after);
  if (change.fields.size === 0) return { ...kept, warnings: ignoredIn(change) };
  if (isLocked(before)) return { ...kept, issues: [lockedIssue] };

  const copy = signedCopy(change, context.isSigned);
  const request = requestIn(change);
  const issues = copy || request ? checkConference({ ...(copy ?? request) }) : touchedIssues(change);
  if (issues.length > 0) return { ...kept, issues };
  if (copy) return takeCopy(copy, change);
  if (request) return makeNew(request, change, context.create);
  if (before && !hasNewContent(change)) return edit(before, callLink, change);
  return { ...kept, warnings: [unsignedWarning(change), ...requestWarnings(change)] };
}

/** A conference of unknown or empty type is shown and can be removed, but not modified (section 2, key.type). */
function isLocked(before: ConferenceData | undefined): boolean {
  return before !== undefined && hasContent(before) && !isSolutionType(before.conferenceSolution?.key?.type);
}

const lockedIssue: Issue = {
  path: root,
  reason: 'invalid',
  message:
    'The stored conference is of an unknown type and cannot be modified. Remove it first with conferenceData: null.',
};

/**
 * Old oddities of fields that stay block nothing. Content without a signature is judged as it was sent: merged into
 * another conference it breaks rules that the client cannot know about; a request beside it is only its history.
 */
function touchedIssues(change: ConferenceChange): Issue[] {
  const { sent, next, fields } = change;
  const candidate = hasNewContent(change) ? { ...sent, createRequest: undefined } : next;
  const untouched: readonly unknown[] = conferenceFields.filter((field) => !fields.has(field));
  return checkConference(candidate).filter((issue) => !untouched.includes(issue.path[1]));
}

function takeCopy(copy: ConferenceData, change: ConferenceChange): AppliedConference {
  const entryPoints = withRegionCodes(copy.entryPoints ?? [], change.before?.entryPoints ?? []);
  const callLink = entryPoints.find((entry) => entry.entryPointType === 'video')?.uri;
  const conference = defined({ ...copy, entryPoints: copy.entryPoints && entryPoints });
  return { conference, callLink, changed: true, issues: [], warnings: requestWarnings(change) };
}

function makeNew(
  { createRequest, notes, parameters }: RequestedConference,
  change: ConferenceChange,
  create: ConferenceContext['create'],
): AppliedConference {
  const { requestId, conferenceSolutionKey } = createRequest;
  // The caller has run checkConference on it: both are present and the type is known.
  const made = create({ requestId, type: conferenceSolutionKey?.type } as ConferenceRequest);
  const unused = contentFields.filter((field) => change.sent[field] !== undefined && change.fields.has(field));
  return {
    conference: { ...made.conference, ...defined({ notes, parameters }) },
    callLink: made.callLink,
    changed: true,
    issues: [],
    warnings: [...unused.map(unusedWarning), ...ignoredIn(change)],
  };
}

/** Notes, parameters and a request that is cleared: the signature covers none of them and stays. */
function edit(before: ConferenceData, callLink: string | undefined, change: ConferenceChange): AppliedConference {
  const { notes, parameters, createRequest } = change.next;
  const conference = defined({ ...before, notes, parameters, createRequest });
  return { conference, callLink, changed: true, issues: [], warnings: ignoredIn(change) };
}

function ignoredIn(change: ConferenceChange): Warning[] {
  const message = 'signature is made by the server and was ignored. Send it unchanged when a conference is copied.';
  const signature: Warning = { path: [...root, 'signature'], reason: 'ignored', message };
  return [...requestWarnings(change), ...(change.otherSignature ? [signature] : [])];
}

function requestWarnings({ alteredRequest }: ConferenceChange): Warning[] {
  const message =
    'A request with this requestId was carried out before, so this one was ignored. ' +
    'Generate a new requestId to get another conference.';
  return alteredRequest ? [{ path: [...root, 'createRequest'], reason: 'ignored', message }] : [];
}

function unusedWarning(field: string): Warning {
  const message = `${field} was ignored: a createRequest makes a new conference. Leave ${field} out of it.`;
  return { path: [...root, field], reason: 'ignored', message };
}

function unsignedWarning({ sent }: ConferenceChange): Warning {
  const fault = sent.signature === undefined ? 'has no signature' : 'does not match its signature';
  const message =
    `The conference data was not applied: it ${fault}. To copy a conference, send its conferenceData as it was ` +
    'read, with its signature; to make a new one, send a createRequest with a new requestId and no entry points.';
  return { path: [...root, 'signature'], reason: 'ignored', message };
}

function defined(conference: ConferenceData): ConferenceData {
  return Object.fromEntries(Object.entries(conference).filter(([, value]) => value !== undefined));
}
