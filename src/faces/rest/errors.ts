import type { Caller } from '../../access/permissions.ts';
import { type AppError, type Issue, type Path, formatPath } from '../../core/errors.ts';
import { maxIssues } from '../../core/report.ts';
import { BodyError, type HttpResponse, HttpError, statusByCode } from '../../http/face.ts';
import { toAppError, shortenIssue } from '../../operations/failure.ts';

/** Location of an error in a request, in the format of the official APIs. */
export interface Location {
  readonly locationType: 'parameter' | 'header' | 'other';
  readonly location: string;
}

/** An error with a reason of the official APIs. */
export class RestError extends HttpError {
  readonly officialReason: string;
  readonly location: Location | undefined;

  constructor(
    status: number,
    officialReason: string,
    message: string,
    {
      location,
      headers = {},
    }: { readonly location?: Location; readonly headers?: HttpError['headers'] } = {},
  ) {
    super(status, status === 404 ? 'notFound' : 'invalid', message, headers);
    this.officialReason = officialReason;
    this.location = location;
  }
}

export const parameterLocation = (location: string): Location => ({ locationType: 'parameter', location });
export const headerLocation = (location: string): Location => ({ locationType: 'header', location });

/** Translates issues into the names of a method's request. */
export interface Naming {
  /** Returns the location of an issue; undefined for the request as a whole. */
  readonly locate: (path: Path) => Location | undefined;
  /** Parameters with malformed values. */
  readonly unparsableNames: ReadonlySet<string>;
  /** Reason for a conflict, if not `duplicate`. */
  readonly conflictReason?: string;
  /** Whether a write was carried out, so that the error concerns its response only. */
  readonly isWriteDone?: boolean | undefined;
  /** Rewrites a message with the names of the request. */
  readonly reword?: (issue: Issue) => string;
}

/** Matches a query that asks for indentation; not parsed, because the query itself may be malformed. */
const prettyPrintPattern = /(?:^|&)prettyPrint=[Tt][Rr][Uu][Ee](?:&|$)/;

const defaultNaming: Naming = { locate: () => undefined, unparsableNames: new Set() };

interface OfficialError extends Partial<Location> {
  readonly domain: string;
  readonly reason: string;
  readonly message: string;
}

/** Names of statuses; all others are INVALID_ARGUMENT. */
const statusNames: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  409: 'ALREADY_EXISTS',
  410: 'FAILED_PRECONDITION',
  412: 'FAILED_PRECONDITION',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

/** Domains of errors by reason; all other reasons have `global`. */
const domainByReason: Readonly<Record<string, string>> = {
  timeRangeEmpty: 'calendar',
  forbiddenForNonOrganizer: 'calendar',
  fullSyncRequired: 'calendar',
  eventRemindersCountExceedsLimit: 'calendar',
  cannotUseDefaultRemindersAndSpecifyOverride: 'calendar',
  rateLimitExceeded: 'usageLimits',
};

/** Reasons of the official APIs that replace the gateway's reason, by status. */
const reasonByStatus: Readonly<Record<number, string>> = {
  404: 'notFound',
  413: 'uploadTooLarge',
  415: 'unsupportedMediaType',
  503: 'backendError',
  500: 'internalError',
};

const maxErrorBytes = 16_000;

/** Converts an error to a response, and adds its code to the caller's report. */
export function createErrorResponse(
  error: unknown,
  { requestId, log, report }: Pick<Caller, 'requestId' | 'log' | 'report'>,
  naming: Naming = defaultNaming,
  search = '',
): HttpResponse {
  const failure = toAppError(error, requestId, log, naming.isWriteDone);
  report.codes = [failure.code];
  report.rest ??= 'none';
  const status = statusOf(failure);
  const issues: readonly Issue[] =
    failure.issues.length > 0
      ? failure.issues
      : [{ path: [], reason: failure.reason, message: failure.message }];
  const errors = limitErrors(
    issues
      .slice(0, maxIssues)
      .map(shortenIssue)
      .map((issue) => toOfficialError(issue, failure, status, naming)),
  );
  const content = {
    error: {
      code: status,
      message: errors[0]?.message,
      errors,
      status: statusNames[status] ?? 'INVALID_ARGUMENT',
    },
  };
  return {
    status,
    headers: { 'content-type': 'application/json; charset=UTF-8', ...headersOf(failure, status) },
    body: `${JSON.stringify(content, undefined, prettyPrintPattern.test(search) ? 2 : undefined)}\n`,
  };
}

function statusOf(failure: AppError): number {
  if (failure instanceof HttpError) return failure.status;
  // 410 makes clients restart a sync, so it is limited to sync tokens.
  const isSyncTokenError =
    failure.code === 'BAD_USER_INPUT' &&
    failure.issues.length > 0 &&
    failure.issues.every(({ path }) => path[0] === 'syncToken');
  return isSyncTokenError ? 410 : statusByCode[failure.code];
}

function toOfficialError(issue: Issue, failure: AppError, status: number, naming: Naming): OfficialError {
  const reason = reasonOf(issue, failure, status, naming);
  return {
    domain: domainByReason[reason] ?? 'global',
    reason,
    message: naming.reword?.(issue) ?? issue.message,
    ...locationOf(issue, failure, naming),
  };
}

function reasonOf(
  { path, reason }: Issue,
  failure: AppError,
  status: number,
  { unparsableNames, conflictReason = 'duplicate' }: Naming,
): string {
  if (failure instanceof RestError) return failure.officialReason;
  if (failure instanceof BodyError) return 'parseError';
  if (status === 410) return 'fullSyncRequired';
  if (reason === 'insufficientScope') return 'insufficientPermissions';
  if (status === 409) return reason === 'duplicate' ? conflictReason : 'duplicate';
  if (unparsableNames.has(String(path[0]))) return 'invalidParameter';
  return reasonByStatus[status] ?? reason;
}

function locationOf({ path }: Issue, failure: AppError, naming: Naming): Partial<Location> {
  if (failure instanceof RestError) return failure.location ?? {};
  if (failure.code === 'UNAUTHENTICATED') return headerLocation('Authorization');
  return (path.length > 0 && naming.locate(path)) || {};
}

/** Location of a value that is neither a parameter nor a header, such as one in the body. */
export const otherLocation = (path: Path): Location | undefined =>
  path.length > 0 ? { locationType: 'other', location: formatPath(path) } : undefined;

function headersOf(failure: AppError, status: number): Record<string, string> {
  const { retryAfter, etag } = failure.details;
  const needsRetryAfter = status === 429 || status === 503;
  return {
    ...(failure instanceof HttpError && failure.headers),
    ...(failure.code === 'UNAUTHENTICATED' && { 'www-authenticate': 'Bearer' }),
    ...(failure.reason === 'insufficientScope' && {
      'www-authenticate': 'Bearer error="insufficient_scope"',
    }),
    ...(needsRetryAfter && {
      'retry-after': String(retryAfter ?? (status === 429 ? secondsUntilMidnight() : 1)),
    }),
    ...(status === 412 && typeof etag === 'string' && { etag }),
  };
}

const dayMs = 86_400_000;

/** Returns the seconds until daily limits reset (UTC). */
const secondsUntilMidnight = (): number => Math.ceil((dayMs - (Date.now() % dayMs)) / 1000);

/** Limits errors to `maxErrorBytes`, so that a faulty request cannot produce a long response. */
function limitErrors(errors: readonly OfficialError[]): readonly OfficialError[] {
  let bytesLeft = maxErrorBytes;
  return errors.filter(
    (error, index) => (bytesLeft -= Buffer.byteLength(JSON.stringify(error))) >= 0 || index === 0,
  );
}
