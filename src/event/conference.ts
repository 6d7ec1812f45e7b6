import type { Issue, Path } from '../core/errors.ts';
import { checkEntryPoints, type EntryPoint } from './conference-entry-points.ts';
import { checkCount, checkLength, conferenceLimits } from './conference-limits.ts';

/** The solution types a conference can be created as (event resource, section 2, conferenceSolution.key.type). */
export const solutionTypes = ['eventCall', 'eventNamedCall', 'hostedCall'] as const;
export type SolutionType = (typeof solutionTypes)[number];

export interface SolutionKey {
  readonly type?: string;
}

export interface CreateRequest {
  readonly conferenceSolutionKey?: SolutionKey;
  readonly requestId?: string;
  readonly status?: { readonly statusCode?: 'pending' | 'success' | 'failure' };
}

/** A conference as it is stored (event resource, section 2). A field that is unset is absent, never null. */
export interface ConferenceData {
  readonly conferenceId?: string;
  readonly conferenceSolution?: {
    readonly iconUri?: string;
    readonly key?: SolutionKey;
    readonly name?: string;
  };
  readonly createRequest?: CreateRequest;
  readonly entryPoints?: readonly EntryPoint[];
  readonly notes?: string;
  readonly parameters?: {
    readonly addOnParameters?: { readonly parameters?: Readonly<Record<string, string>> };
  };
  readonly signature?: string;
}

const root: Path = ['conferenceData'];
/** Ten letters; hyphens may stand between them, as in the form that people read: abc-defg-hij. */
const hostedCode = /^[a-z](?:-?[a-z]){9}$/;

export function isSolutionType(type: string | undefined): type is SolutionType {
  return solutionTypes.some((known) => known === type);
}

/**
 * Every broken rule of a conference, with paths from the event (event resource, sections 2 and 8). An unknown type
 * of solution is no issue: it can be shown. An unknown type in a request is one: it cannot be made.
 */
export function checkConference(conference: ConferenceData): Issue[] {
  const { text, notes } = conferenceLimits;
  const solution = conference.conferenceSolution ?? {};
  const solutionPath = [...root, 'conferenceSolution'];
  return [
    ...checkId(conference),
    ...checkLength([...solutionPath, 'iconUri'], solution.iconUri, text),
    ...checkLength([...solutionPath, 'key', 'type'], solution.key?.type, text),
    ...checkLength([...solutionPath, 'name'], solution.name, text),
    ...(conference.createRequest ? checkRequest(conference.createRequest) : []),
    ...checkEntryPoints(conference.entryPoints ?? []),
    ...checkLength([...root, 'notes'], conference.notes, notes),
    ...checkParameters(conference.parameters?.addOnParameters?.parameters ?? {}),
    ...checkLength([...root, 'signature'], conference.signature, text),
  ];
}

function checkId({ conferenceId: id, conferenceSolution }: ConferenceData): Issue[] {
  const path = [...root, 'conferenceId'];
  if (id === undefined) return [];
  const long = checkLength(path, id, conferenceLimits.text);
  if (long.length > 0) return long;
  const invalid = (message: string): Issue[] => [{ path, reason: 'invalid', message }];
  switch (conferenceSolution?.key?.type) {
    case 'eventCall':
      return invalid('A conference of type eventCall has no conferenceId. Leave it out.');
    case 'eventNamedCall':
      if (id.trim() !== '') return [];
      return invalid('The conferenceId of an eventNamedCall is the name of the call; it must not be blank.');
    case 'hostedCall':
      if (hostedCode.test(id)) return [];
      return invalid('The conferenceId of a hostedCall is its meeting code: 10 letters a to z, as in abc-defg-hij.');
    default:
      return [];
  }
}

function checkRequest({ requestId, conferenceSolutionKey }: CreateRequest): Issue[] {
  const path = [...root, 'createRequest'];
  const issues = checkLength([...path, 'requestId'], requestId, conferenceLimits.text);
  if (!requestId) {
    const message = 'A createRequest needs a requestId. Generate a new unique one for each new request.';
    issues.push({ path: [...path, 'requestId'], reason: 'required', message });
  }
  const type = conferenceSolutionKey?.type;
  const typePath = [...path, 'conferenceSolutionKey', 'type'];
  const allowed = `Allowed are ${solutionTypes.join(', ')}.`;
  if (!type) {
    issues.push({ path: typePath, reason: 'required', message: `A createRequest needs a type. ${allowed}` });
  } else if (!isSolutionType(type)) {
    const message = `A conference of this type cannot be created. ${allowed}`;
    issues.push({ path: typePath, reason: 'invalid', message });
  }
  return issues;
}

function checkParameters(parameters: Readonly<Record<string, string>>): Issue[] {
  const path = [...root, 'parameters', 'addOnParameters', 'parameters'];
  const entries = Object.entries(parameters);
  const crowded = checkCount(path, entries.length, conferenceLimits.parameters);
  if (crowded.length > 0) return crowded;
  return entries.flatMap(([name, value]) => [
    ...checkName(path, name),
    ...checkLength([...path, name], value, conferenceLimits.text),
  ]);
}

function checkName(path: Path, name: string): Issue[] {
  const limit = conferenceLimits.parameterName;
  if (name.length <= limit) return [];
  const message = `A parameter's name has ${name.length} characters; at most ${limit} are allowed. Shorten it.`;
  return [{ path: [...path, name], reason: 'tooLong', message }];
}
