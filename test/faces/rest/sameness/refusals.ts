import type { Answer } from '../../../harness.ts';
import type { RestAnswer } from '../rest.harness.ts';
import { bodyArgumentOf, parameterNames } from './requests.ts';

type Path = readonly (string | number)[];

/** An issue in a GraphQL error. */
interface GraphqlIssue {
  readonly path: Path;
  readonly reason: string;
  readonly message: string;
}

/** An entry of a REST error. */
export interface Fault {
  readonly domain: string;
  readonly reason: string;
  /** Absent where the faces use different messages. */
  readonly message?: string;
  readonly locationType?: string;
  readonly location?: string;
}

/** An error response in terms of REST. */
export interface Refusal {
  readonly status: number;
  readonly faults: readonly Fault[];
  /** The current etag, if If-Match had another one. */
  readonly etag?: string;
}

const statusByCode: Readonly<Record<string, number>> = {
  BAD_USER_INPUT: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  PRECONDITION_FAILED: 412,
  RATE_LIMITED: 429,
};
/** Reasons of the domain `calendar`; all others are of the domain `global`. */
const calendarReasons = [
  'timeRangeEmpty',
  'forbiddenForNonOrganizer',
  'fullSyncRequired',
  'eventRemindersCountExceedsLimit',
  'cannotUseDefaultRemindersAndSpecifyOverride',
];

const formatPath = (path: Path): string =>
  path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`))
    .join('');
/** Path in the body with Google's field names. */
export const officialPath = (path: Path): Path =>
  path[0] === 'callLink' ? ['hangoutLink', ...path.slice(1)] : path;

/** REST names of arguments, which messages use. */
const restNames: Readonly<Record<string, string>> = { ...parameterNames, ifMatch: 'If-Match' };
const toRestMessage = (message: string, argument: string | number = ''): string => {
  const name = restNames[String(argument)];
  return name === undefined ? message : message.replace(new RegExp(`\\b${argument}\\b`, 'g'), name);
};

/** Location that REST reports for an issue at an argument's path. */
function locateFault(name: string, line: string, [argumentName, ...innerPath]: Path): object {
  const locateInBody = (path: Path): object =>
    path.length === 0 ? {} : { locationType: 'other', location: formatPath(path) };
  if (argumentName === undefined) return {};
  if (argumentName === bodyArgumentOf(name)) return locateInBody(officialPath(innerPath));
  if (argumentName === 'ifMatch') return { locationType: 'header', location: restNames[argumentName] };
  if (name === 'setCalendarAccess' && argumentName !== 'calendarId')
    return line.startsWith('POST')
      ? locateInBody(argumentName === 'email' ? ['scope', 'value'] : [argumentName])
      : { locationType: 'parameter', location: 'ruleId' };
  if (name === 'freeBusy')
    return locateInBody(
      argumentName === 'calendarIds'
        ? ['items', ...innerPath, ...(innerPath.length > 0 ? ['id'] : [])]
        : [argumentName],
    );
  return { locationType: 'parameter', location: parameterNames[argumentName] ?? String(argumentName) };
}

/** Converts GraphQL errors to the refusal that REST should return. The value of `invalidArgument` does not parse. */
export function toRestRefusal(
  name: string,
  line: string,
  { errors = [] }: Pick<Answer, 'errors'>,
  invalidArgument?: string,
): Refusal {
  const { code, reason, etag } = (errors[0] as NonNullable<Answer['errors']>[number]).extensions;
  const issues = errors.flatMap(({ message, extensions }): readonly GraphqlIssue[] =>
    extensions.issues.length > 0 ? extensions.issues : [{ path: [], reason: extensions.reason, message }],
  );
  const isSyncTokenIssue = code === 'BAD_USER_INPUT' && issues.every(({ path }) => path[0] === 'syncToken');
  const status = isSyncTokenIssue ? 410 : (statusByCode[code] ?? 500);
  const faults = issues.map((issue): Fault => {
    const isUnparsed = invalidArgument !== undefined && issue.path[0] === invalidArgument;
    const isNameTaken = name === 'insertBucket' && issue.reason === 'duplicate';
    const restReason =
      (isSyncTokenIssue && 'fullSyncRequired') ||
      (reason === 'insufficientScope' && 'insufficientPermissions') ||
      (isUnparsed && 'invalidParameter') ||
      (isNameTaken ? 'conflict' : issue.reason);
    const location =
      code === 'UNAUTHENTICATED'
        ? { locationType: 'header', location: 'Authorization' }
        : locateFault(name, line, issue.path);
    return {
      domain: calendarReasons.includes(restReason) ? 'calendar' : 'global',
      reason: restReason,
      ...(!isUnparsed && { message: toRestMessage(issue.message, issue.path[0]) }),
      ...location,
    };
  });
  return { status, faults, ...(etag !== undefined && { etag }) };
}

/** Reads the refusal in a REST response. */
export function readRestRefusal({ status, json, headers }: RestAnswer, unparsedArgument?: string): Refusal {
  const { error } = json;
  expect([error.code, error.message]).toEqual([status, error.errors[0].message]);
  const hasOwnMessage = ({ reason, location }: Fault): boolean =>
    reason === 'deleted' ||
    (unparsedArgument !== undefined && location === (parameterNames[unparsedArgument] ?? unparsedArgument));
  const faults = (error.errors as Fault[]).map(({ message, ...fault }) =>
    hasOwnMessage(fault) ? fault : { ...fault, message },
  );
  return { status, faults, ...(status === 412 && headers.etag !== undefined && { etag: headers.etag }) };
}
