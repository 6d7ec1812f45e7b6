import type { Caller } from '../../access/permissions.ts';
import { type AppError, type ErrorCode, type Issue, type Path, printPath } from '../../core/errors.ts';
import { maxIssues } from '../../core/report.ts';
import { BodyFault, type HttpAnswer, HttpError } from '../../http/face.ts';
import { failureOf, shortIssue } from '../../operations/failure.ts';

/** The place of a fault, in the words of the official APIs. */
export interface Location {
  readonly locationType: 'parameter' | 'header' | 'other';
  readonly location: string;
}

/** A fault that only this face knows. */
export class RestFault extends HttpError {
  /** As the official APIs call it. */
  readonly official: string;
  readonly at: Location | undefined;

  constructor(
    status: number,
    official: string,
    message: string,
    { at, headers = {} }: { readonly at?: Location; readonly headers?: HttpError['headers'] } = {},
  ) {
    super(status, status === 404 ? 'notFound' : 'invalid', message, headers);
    this.official = official;
    this.at = at;
  }
}

export const atParameter = (location: string): Location => ({ locationType: 'parameter', location });
export const atHeader = (location: string): Location => ({ locationType: 'header', location });

/** How a request names what is wrong in it. */
export interface Naming {
  /** Where an issue lies; undefined for the request as a whole. */
  readonly locate: (path: Path) => Location | undefined;
  /** Whether a parameter was refused for its form. */
  readonly isUnparsed: (path: Path) => boolean;
  /** What a conflict is called, where it has a name of its own. */
  readonly conflict?: string;
  /** A write was carried out: only its answer failed. */
  readonly done?: boolean;
  /** What is wrong, in the names of the request. */
  readonly reword?: (issue: Issue) => string;
}

/** In a query. What is wrong may be the query itself. */
const wantsIndent = /(?:^|&)prettyPrint=[Tt][Rr][Uu][Ee](?:&|$)/;

const unnamed: Naming = { locate: () => undefined, isUnparsed: () => false };

interface Official extends Partial<Location> {
  readonly domain: string;
  readonly reason: string;
  readonly message: string;
}

const states: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  409: 'ALREADY_EXISTS',
  410: 'FAILED_PRECONDITION',
  412: 'FAILED_PRECONDITION',
  413: 'INVALID_ARGUMENT',
  415: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

const statuses: Readonly<Record<ErrorCode, number>> = {
  BAD_USER_INPUT: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  PRECONDITION_FAILED: 412,
  RATE_LIMITED: 429,
  UNAVAILABLE: 503,
  INTERNAL_SERVER_ERROR: 500,
};

const domains: Readonly<Record<string, string>> = {
  timeRangeEmpty: 'calendar',
  forbiddenForNonOrganizer: 'calendar',
  fullSyncRequired: 'calendar',
  eventRemindersCountExceedsLimit: 'calendar',
  cannotUseDefaultRemindersAndSpecifyOverride: 'calendar',
  rateLimitExceeded: 'usageLimits',
};

/** What the official APIs say in place of a reason, by the status of the answer. */
const byStatus: Readonly<Record<number, string>> = {
  404: 'notFound',
  413: 'uploadTooLarge',
  415: 'unsupportedMediaType',
  503: 'backendError',
  500: 'internalError',
};

const maxBytes = 16_000;

/** The answer to a request that failed; writes the code into the caller's report. */
export function errorAnswer(
  error: unknown,
  { requestId, log, report }: Pick<Caller, 'requestId' | 'log' | 'report'>,
  naming: Naming = unnamed,
  search = '',
): HttpAnswer {
  const failure = failureOf(error, requestId, log, naming.done);
  report.codes = [failure.code];
  report.rest ??= 'none';
  const status = statusOf(failure);
  const given: readonly Issue[] =
    failure.issues.length > 0
      ? failure.issues
      : [{ path: [], reason: failure.reason, message: failure.message }];
  const errors = bounded(
    given
      .slice(0, maxIssues)
      .map(shortIssue)
      .map((issue) => official(issue, failure, status, naming)),
  );
  const content = {
    error: {
      code: status,
      message: errors[0]?.message,
      errors,
      status: states[status] ?? 'INVALID_ARGUMENT',
    },
  };
  return {
    status,
    headers: { 'content-type': 'application/json; charset=UTF-8', ...headersOf(failure, status) },
    body: `${JSON.stringify(content, undefined, wantsIndent.test(search) ? 2 : undefined)}\n`,
  };
}

function statusOf(failure: AppError): number {
  if (failure instanceof HttpError) return failure.status;
  // Lists are to be begun anew for this alone.
  const isSync =
    failure.code === 'BAD_USER_INPUT' &&
    failure.issues.length > 0 &&
    failure.issues.every(({ path }) => path[0] === 'syncToken');
  return isSync ? 410 : statuses[failure.code];
}

function official(issue: Issue, failure: AppError, status: number, naming: Naming): Official {
  const reason = reasonOf(issue, failure, status, naming);
  return {
    domain: domains[reason] ?? 'global',
    reason,
    message: naming.reword?.(issue) ?? issue.message,
    ...locationOf(issue, failure, naming),
  };
}

function reasonOf(
  { path, reason }: Issue,
  failure: AppError,
  status: number,
  { isUnparsed, conflict = 'duplicate' }: Naming,
): string {
  if (failure instanceof RestFault) return failure.official;
  if (failure instanceof BodyFault) return 'parseError';
  if (status === 410) return 'fullSyncRequired';
  if (reason === 'insufficientScope') return 'insufficientPermissions';
  if (status === 409) return reason === 'duplicate' ? conflict : 'duplicate';
  if (path.length > 0 && isUnparsed(path)) return 'invalidParameter';
  return byStatus[status] ?? reason;
}

function locationOf({ path }: Issue, failure: AppError, naming: Naming): Partial<Location> {
  if (failure instanceof RestFault) return failure.at ?? {};
  if (failure.code === 'UNAUTHENTICATED') return atHeader('Authorization');
  return (path.length > 0 && naming.locate(path)) || {};
}

export const otherAt = (path: Path): Location | undefined =>
  path.length > 0 ? { locationType: 'other', location: printPath(path) } : undefined;

function headersOf(failure: AppError, status: number): Record<string, string> {
  const { retryAfter, etag } = failure.details;
  const waits = status === 429 || status === 503;
  return {
    ...(failure instanceof HttpError && failure.headers),
    ...(failure.code === 'UNAUTHENTICATED' && { 'www-authenticate': 'Bearer' }),
    ...(failure.reason === 'insufficientScope' && {
      'www-authenticate': 'Bearer error="insufficient_scope"',
    }),
    ...(waits && { 'retry-after': String(retryAfter ?? (status === 429 ? secondsOfDay() : 1)) }),
    ...(status === 412 && typeof etag === 'string' && { etag }),
  };
}

const dayMs = 86_400_000;

/** Until the bounds of a day begin anew (UTC). */
const secondsOfDay = (): number => Math.ceil((dayMs - (Date.now() % dayMs)) / 1000);

/** A faulty request cannot produce a long answer. */
function bounded(errors: readonly Official[]): readonly Official[] {
  let left = maxBytes;
  return errors.filter(
    (error, index) => (left -= Buffer.byteLength(JSON.stringify(error))) >= 0 || index === 0,
  );
}
