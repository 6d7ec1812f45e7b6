import { AppError } from '../../core/errors.ts';
import { type Fields, isFields } from '../../core/json.ts';
import { parseRetryAfter } from '../../core/text/retry-after.ts';

/** A response as it was received. */
export interface RawResponse {
  readonly status: number;
  readonly retryAfter?: string | undefined;
  /** The header `WWW-Authenticate`. */
  readonly challenge?: string | undefined;
  readonly text: string;
}

/** Consequences of a failure: for retries, for the circuit breaker, and for the caller. */
interface FailureRule {
  readonly code: 'RATE_LIMITED' | 'UNAVAILABLE';
  readonly isTransient: boolean;
  /** Whether the service may have carried the call out. */
  readonly mayBeDone: boolean;
  /** Whether the service seems to be unavailable. */
  readonly isUnavailable: boolean;
  readonly message: string;
}

/** Rule for failures after which a retry cannot help. */
const finalRule = {
  code: 'UNAVAILABLE',
  isTransient: false,
  mayBeDone: false,
  isUnavailable: false,
} as const;
/** Rule for failures of the service itself. */
const outageRule = { code: 'UNAVAILABLE', isTransient: true, mayBeDone: true, isUnavailable: true } as const;
const [noResponseMessage, unusableResponseMessage] = [
  'The service behind the gateway did not answer.',
  'The service behind the gateway returned an unusable response.',
];

/** Failures of calls on which the service made no decision. */
const failureRules = {
  rateLimited: {
    ...finalRule,
    code: 'RATE_LIMITED',
    isTransient: true,
    message: 'The service behind the gateway accepts no more requests for now.',
  },
  quotaExceeded: {
    ...finalRule,
    code: 'RATE_LIMITED',
    message: 'A quota of the service behind the gateway is used up.',
  },
  accessNotConfigured: {
    ...finalRule,
    message: 'The service behind the gateway is not enabled for the project of the token.',
  },
  backendError: { ...outageRule, message: 'The service behind the gateway failed.' },
  /** A redirect, or a status that the API does not document. */
  unexpected: { ...finalRule, message: unusableResponseMessage },
  malformed: { ...outageRule, message: unusableResponseMessage },
  tooLong: { ...finalRule, mayBeDone: true, message: unusableResponseMessage },
  timeout: { ...outageRule, message: noResponseMessage },
  reset: { ...outageRule, message: noResponseMessage },
  unreachable: {
    ...outageRule,
    mayBeDone: false,
    message: 'The service behind the gateway cannot be reached.',
  },
  /** Not sent, since the service has been unavailable. */
  circuitOpen: { ...finalRule, message: 'The service behind the gateway is down.' },
  /** Not sent, since other calls of the request used up its retry budget. */
  timeUsedUp: { ...finalRule, message: 'The service behind the gateway took too long.' },
} as const satisfies Readonly<Record<string, FailureRule>>;

export type FailureReason = keyof typeof failureRules;

/** Google's reasons for refusing any call (403 and 429). */
const failuresByGoogleReason: ReadonlyMap<string, FailureReason> = new Map([
  ['rateLimitExceeded', 'rateLimited'],
  ['userRateLimitExceeded', 'rateLimited'],
  ['quotaExceeded', 'quotaExceeded'],
  ['dailyLimitExceeded', 'quotaExceeded'],
  ['accessNotConfigured', 'accessNotConfigured'],
]);

/** Reasons for a missing scope, from Google's errors, their details, and RFC 6750. */
const scopeReasons: ReadonlySet<unknown> = new Set([
  'insufficientPermissions',
  'insufficientScope',
  'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
  'insufficient_scope',
]);

/** Classifies a status; undefined if the service decided on the call. */
function failureReasonOf(status: number, reason: string): FailureReason | undefined {
  if (status < 400) return 'unexpected';
  if (status === 408 || status >= 500) return 'backendError';
  if (status !== 403 && status !== 429) return undefined;
  return failuresByGoogleReason.get(reason) ?? (status === 429 ? 'rateLimited' : undefined);
}

/** Creates the failure of a response; undefined if the service decided on the call. */
export function classifyFailure(
  { status, retryAfter }: Pick<RawResponse, 'status' | 'retryAfter'>,
  now: number,
  refusalReason = '',
): CallFailure | undefined {
  const reason = failureReasonOf(status, refusalReason);
  const waitMs = retryAfter === undefined ? 0 : Math.max(0, parseRetryAfter(retryAfter, now));
  return reason && new CallFailure(reason, { status, waitMs });
}

/** Reads the body of a response. Throws a CallFailure, a ServiceRefusal or UNAUTHENTICATED unless it is successful. */
export function parseResponse(response: RawResponse, httpMethod: string, now: number): Fields {
  const { status, text } = response;
  if (status >= 200 && status < 300) {
    // All bodies are JSON objects; only DELETE has none.
    const body = text === '' && httpMethod === 'DELETE' ? {} : parseJsonObject(text);
    if (!body) throw new CallFailure('malformed', { status });
    return body;
  }
  if (status === 401)
    throw new AppError(
      'UNAUTHENTICATED',
      'authError',
      'The service behind the gateway does not accept the token. Get a new one.',
    );
  const refusal = parseRefusal(response);
  throw classifyFailure(response, now, refusal.reason) ?? refusal;
}

/** Parses a JSON object; undefined for any other text. */
export function parseJsonObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a refusal from its first error, or from any error or header about a missing scope. */
function parseRefusal({ status, text, challenge = '' }: RawResponse): ServiceRefusal {
  const { error } = parseJsonObject(text) ?? {};
  const { errors, details, message } = isFields(error) ? error : {};
  const [firstError = {}, ...otherErrors]: readonly Fields[] = [
    ...objectsIn(errors),
    {},
    ...objectsIn(details),
  ];
  const scopeError = [firstError, ...otherErrors, { reason: /\berror="?(\w+)/.exec(challenge)?.[1] }].find(
    ({ reason }) => scopeReasons.has(reason),
  );
  const { reason, location }: Fields = { ...firstError, ...scopeError };
  return new ServiceRefusal(
    status,
    // A reason is one word, since it is logged and other contents of responses must not be.
    typeof reason === 'string' && /^[A-Z_]{1,64}$/i.test(reason) ? reason : '',
    [firstError.message, message].find((value) => typeof value === 'string') ?? '',
    typeof location === 'string' ? location : undefined,
  );
}

const objectsIn = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);

/** Replacements for markup, addresses and tokens in a service's text. */
const redactions: readonly (readonly [RegExp, string])[] = [
  [/<[a-z!/][^>]*(?:>|$)|&#?\w+;|[\p{C}\s]+/giu, ' '],
  [/\w+:\/\/[^\s"']+|\S+@\S+|\d+(?:\.\d+){3}(?::\d+)?/g, '…'],
  [/\bbearer +\S+|\bya29\.\S+|(?=[\w.~+/=-]*\d)[\w.~+/=-]{24,}/gi, '…'],
  [/ +/g, ' '],
];

/** Maximum number of characters of a service's text that are read, and that callers get. */
const [maxSourceLength, maxServiceTextLength] = [1000, 200];

/** Removes what may be confidential, and shortens the text. */
const redactText = (text: string): string =>
  redactions
    .reduce(
      (redactedText, [pattern, replacement]) => redactedText.replaceAll(pattern, replacement),
      text.slice(0, maxSourceLength),
    )
    .trim()
    .slice(0, maxServiceTextLength);

/** A decision of a service against a call (4xx). */
export class ServiceRefusal extends Error {
  readonly status: number;
  /** Google's reason, such as `notFound` or `forbiddenForNonOrganizer`; may be empty. */
  readonly reason: string;
  /** The service's text, redacted for callers. */
  readonly serviceText: string;
  /** Parameter or path in the body that the refusal is about. */
  readonly location: string | undefined;
  /** Whether an earlier attempt, whose response was lost, may have been carried out. */
  hasEarlierAttempt = false;

  constructor(status: number, reason: string, serviceText: string, location?: string) {
    super(`the service answered ${status} ${reason}`);
    this.name = 'ServiceRefusal';
    this.status = status;
    this.reason = reason;
    this.serviceText = redactText(serviceText);
    this.location = location;
  }

  /** Whether the token lacks a scope for the call. */
  get lacksScope(): boolean {
    return this.status === 403 && scopeReasons.has(this.reason);
  }
}

/** A call on which the service made no decision. The message may be logged. */
export class CallFailure extends Error {
  readonly reason: FailureReason;
  readonly status: number | undefined;
  /** Retry-After of the service (ms). */
  readonly waitMs: number;
  /** Whether this attempt or an earlier one may have been carried out. */
  mayBeDone: boolean;

  constructor(
    reason: FailureReason,
    { status, waitMs = 0 }: { readonly status?: number; readonly waitMs?: number } = {},
  ) {
    super(`${reason}${status === undefined ? '' : `, status ${status}`}`);
    this.name = 'CallFailure';
    this.reason = reason;
    this.status = status;
    this.waitMs = waitMs;
    this.mayBeDone = this.rule.mayBeDone;
  }

  get rule(): FailureRule {
    return failureRules[this.reason];
  }
}

/** Creates the error of a write that may have been carried out. `cause`: for the log only. */
export const outcomeUnknownError = (message: string, cause?: unknown): AppError =>
  new AppError('UNAVAILABLE', 'outcomeUnknown', message, [], {}, cause);

/** Whether an error for the caller says that a write may have been carried out. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof AppError && error.reason === 'outcomeUnknown';

/** Seconds of Retry-After for callers, if the service sent none. */
const defaultRetryAfterSeconds = { RATE_LIMITED: 10, UNAVAILABLE: 1 };

const maxRetryAfterSeconds = 86_400;

/** Returns the Retry-After for callers: seconds, at most a day. */
export const retryAfterSecondsOf = ({ waitMs, rule: { code } }: CallFailure): number =>
  Math.min(Math.ceil(waitMs / 1000), maxRetryAfterSeconds) || defaultRetryAfterSeconds[code];

/** Converts the last failure of a call to an error for the caller. */
export function errorOfFailure(failure: CallFailure, isWrite: boolean): AppError {
  const { code, message } = failure.rule;
  if (failure.mayBeDone && isWrite)
    return outcomeUnknownError(
      `${message} It may have been carried out: check before you send it again.`,
      failure,
    );
  const retryAfter = retryAfterSecondsOf(failure);
  const reason = code === 'RATE_LIMITED' ? 'rateLimitExceeded' : 'backendError';
  return new AppError(code, reason, `${message} Try again in ${retryAfter} s.`, [], { retryAfter }, failure);
}
