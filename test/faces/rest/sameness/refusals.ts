import type { Answer } from '../../../harness.ts';
import type { RestAnswer } from '../rest.harness.ts';
import { bodyOf, parameters } from './requests.ts';

type Path = readonly (string | number)[];

/** An issue as GraphQL tells it. */
interface Told {
  readonly path: Path;
  readonly reason: string;
  readonly message: string;
}

/** A fault as REST tells it. */
export interface Fault {
  readonly domain: string;
  readonly reason: string;
  /** Absent where each face has words of its own. */
  readonly message?: string;
  readonly locationType?: string;
  readonly location?: string;
}

export interface Refusal {
  readonly status: number;
  readonly faults: readonly Fault[];
  /** The present etag, for whoever had another one. */
  readonly etag?: string;
}

const statuses: Readonly<Record<string, number>> = {
  BAD_USER_INPUT: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  PRECONDITION_FAILED: 412,
  RATE_LIMITED: 429,
};
const calendarReasons = [
  'timeRangeEmpty',
  'forbiddenForNonOrganizer',
  'fullSyncRequired',
  'eventRemindersCountExceedsLimit',
  'cannotUseDefaultRemindersAndSpecifyOverride',
];

const print = (path: Path): string =>
  path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`))
    .join('');
/** A path in the body, in official names. */
export const inBody = (path: Path): Path =>
  path[0] === 'callLink' ? ['hangoutLink', ...path.slice(1)] : path;

/** Messages name an argument as the face does that is asked. */
const spelt: Readonly<Record<string, string>> = { ...parameters, ifMatch: 'If-Match' };
const inRestWords = (message: string, argument: string | number = ''): string => {
  const name = spelt[String(argument)];
  return name === undefined ? message : message.replace(new RegExp(`\\b${argument}\\b`, 'g'), name);
};

/** Where REST tells a fault of an argument. */
function placeOf(name: string, line: string, [first, ...rest]: Path): object {
  const other = (path: Path): object =>
    path.length === 0 ? {} : { locationType: 'other', location: print(path) };
  if (first === undefined) return {};
  if (first === bodyOf(name)) return other(inBody(rest));
  if (first === 'ifMatch') return { locationType: 'header', location: spelt[first] };
  if (name === 'setCalendarAccess' && first !== 'calendarId')
    return line.startsWith('POST')
      ? other(first === 'email' ? ['scope', 'value'] : [first])
      : { locationType: 'parameter', location: 'ruleId' };
  if (name === 'freeBusy')
    return other(first === 'calendarIds' ? ['items', ...rest, ...(rest.length > 0 ? ['id'] : [])] : [first]);
  return { locationType: 'parameter', location: parameters[first] ?? String(first) };
}

/** The refusal that REST owes where GraphQL answered with errors; `broken` is the argument whose text does not parse. */
export function owed(
  name: string,
  line: string,
  { errors = [] }: Pick<Answer, 'errors'>,
  broken?: string,
): Refusal {
  const { code, reason, etag } = (errors[0] as NonNullable<Answer['errors']>[number]).extensions;
  const issues = errors.flatMap(({ message, extensions }): readonly Told[] =>
    extensions.issues.length > 0 ? extensions.issues : [{ path: [], reason: extensions.reason, message }],
  );
  const isSync = code === 'BAD_USER_INPUT' && issues.every(({ path }) => path[0] === 'syncToken');
  const status = isSync ? 410 : (statuses[code] ?? 500);
  const faults = issues.map((issue): Fault => {
    const isBroken = broken !== undefined && issue.path[0] === broken;
    const isTaken = name === 'insertBucket' && issue.reason === 'duplicate';
    const official =
      (isSync && 'fullSyncRequired') ||
      (reason === 'insufficientScope' && 'insufficientPermissions') ||
      (isBroken && 'invalidParameter') ||
      (isTaken ? 'conflict' : issue.reason);
    const place =
      code === 'UNAUTHENTICATED'
        ? { locationType: 'header', location: 'Authorization' }
        : placeOf(name, line, issue.path);
    return {
      domain: calendarReasons.includes(official) ? 'calendar' : 'global',
      reason: official,
      ...(!isBroken && { message: inRestWords(issue.message, issue.path[0]) }),
      ...place,
    };
  });
  return { status, faults, ...(etag !== undefined && { etag }) };
}

/** The refusal that REST gave. */
export function given({ status, json, headers }: RestAnswer, broken?: string): Refusal {
  const { error } = json;
  expect([error.code, error.message]).toEqual([status, error.errors[0].message]);
  const hasOwnWords = ({ reason, location }: Fault): boolean =>
    reason === 'deleted' || (broken !== undefined && location === (parameters[broken] ?? broken));
  const faults = (error.errors as Fault[]).map(({ message, ...fault }) =>
    hasOwnWords(fault) ? fault : { ...fault, message },
  );
  return { status, faults, ...(status === 412 && headers.etag !== undefined && { etag: headers.etag }) };
}
