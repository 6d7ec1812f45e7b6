import { AppError } from '../../core/errors.ts';
import { isFields } from '../../core/patch.ts';
import { retryAfterMs } from '../../core/text/retry-after.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The response of a service to one attempt. */
export interface Answer {
  readonly status: number;
  readonly etag?: string | undefined;
  readonly retryAfter?: string | undefined;
  /** The header WWW-Authenticate. */
  readonly challenge?: string | undefined;
  readonly text: string;
}

/** An answer of a service with a status below 300. */
export interface Reply {
  readonly status: number;
  readonly etag?: string | undefined;
  /** The JSON of its body; undefined where there is none. */
  readonly body: unknown;
}

interface FailureRule {
  readonly code: 'RATE_LIMITED' | 'UNAVAILABLE';
  /** Whether it passes, so that trying again may help. */
  readonly passes: boolean;
  /** Whether the service may have carried the call out. */
  readonly maybeDone: boolean;
  /** Whether the service seems to be away. */
  readonly away: boolean;
  /** The sentence for the caller. */
  readonly words: string;
}

const refused = { code: 'UNAVAILABLE', passes: false, maybeDone: false, away: false } as const;
const unanswered = { code: 'UNAVAILABLE', passes: true, maybeDone: true, away: true } as const;
const [silent, unusable] = [
  'The service behind the gateway did not answer.',
  'The service behind the gateway gave an answer that cannot be used.',
];

/** Why a call came to nothing, without the service having decided on it. */
const failures = {
  rateLimited: {
    ...refused,
    code: 'RATE_LIMITED',
    passes: true,
    words: 'The service behind the gateway takes no more requests for now.',
  },
  quotaExceeded: {
    ...refused,
    code: 'RATE_LIMITED',
    words: 'A quota of the service behind the gateway is used up.',
  },
  accessNotConfigured: {
    ...refused,
    words: 'The service behind the gateway is not enabled for the project of the token.',
  },
  backendError: { ...unanswered, words: 'The service behind the gateway failed.' },
  /** A redirect, or a status that the service has no use for. */
  unexpected: { ...refused, words: unusable },
  malformed: { ...unanswered, words: unusable },
  tooLong: { ...refused, maybeDone: true, words: unusable },
  timeout: { ...unanswered, words: silent },
  reset: { ...unanswered, words: silent },
  /** The connection was never made. */
  unreachable: {
    ...unanswered,
    maybeDone: false,
    words: 'The service behind the gateway cannot be reached.',
  },
  /** Nothing was sent: the service has been away. */
  circuitOpen: { ...refused, words: 'The service behind the gateway is away.' },
  /** Nothing was sent: others of the same request took the time. */
  timeUsedUp: { ...refused, words: 'The service behind the gateway took too long.' },
  /** Nobody waits any more. */
  gone: { ...refused, maybeDone: true, words: 'The request has ended.' },
} as const satisfies Readonly<Record<string, FailureRule>>;

export type FailureReason = keyof typeof failures;

/** Reasons with which a service refuses whatever it is asked for (403 and 429). */
const failureReasons: ReadonlyMap<string, FailureReason> = new Map([
  ['rateLimitExceeded', 'rateLimited'],
  ['userRateLimitExceeded', 'rateLimited'],
  ['quotaExceeded', 'quotaExceeded'],
  ['dailyLimitExceeded', 'quotaExceeded'],
  ['accessNotConfigured', 'accessNotConfigured'],
]);

/** Reasons of a token without the scope that a call needs: of Google's APIs, of their error details, of RFC 6750. */
const scopeReasons: ReadonlySet<unknown> = new Set([
  'insufficientPermissions',
  'insufficientScope',
  'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
  'insufficient_scope',
]);

/** The failure that an answer means; undefined where the service has decided. */
function failureReasonOf(status: number, reason: string): FailureReason | undefined {
  if (status < 400) return 'unexpected';
  if (status === 408 || status >= 500) return 'backendError';
  if (status !== 403 && status !== 429) return undefined;
  return failureReasons.get(reason) ?? (status === 429 ? 'rateLimited' : undefined);
}

export function failureOf(
  { status, retryAfter }: Pick<Answer, 'status' | 'retryAfter'>,
  now: number,
  refusalReason = '',
): CallFailure | undefined {
  const reason = failureReasonOf(status, refusalReason);
  const wait = retryAfter === undefined ? 0 : Math.max(0, retryAfterMs(retryAfter, now));
  return reason && new CallFailure(reason, { status, wait });
}

/** Reads an answer. Throws a CallFailure, a ServiceRefusal or UNAUTHENTICATED for one that is no reply. */
export function replyOf(answer: Answer, verb: string, now: number): Reply {
  const { status, etag, text } = answer;
  if (status >= 200 && status < 300) {
    const body = jsonOf(text);
    // Whatever has a body has an object.
    if (!body && (text !== '' || verb !== 'DELETE')) throw new CallFailure('malformed', { status });
    return { status, etag, body };
  }
  if (status === 401)
    throw new AppError(
      'UNAUTHENTICATED',
      'authError',
      'The service behind the gateway does not accept the token. Get a new one.',
    );
  const refusal = refusalOf(answer);
  throw failureOf(answer, now, refusal.reason) ?? refusal;
}

/** Undefined for what is no object. */
export function jsonOf(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a refusal from its first error. That the token lacks a scope may stand elsewhere. */
function refusalOf({ status, text, challenge = '' }: Answer): ServiceRefusal {
  const { error } = jsonOf(text) ?? {};
  const { errors, details, message } = isFields(error) ? error : {};
  const [first = {}, ...rest]: readonly Fields[] = [...objectsIn(errors), {}, ...objectsIn(details)];
  const scope = [first, ...rest, { reason: /\berror="?(\w+)/.exec(challenge)?.[1] }].find(({ reason }) =>
    scopeReasons.has(reason),
  );
  const { reason, location }: Fields = { ...first, ...scope };
  return new ServiceRefusal(
    status,
    // A reason is a word: nothing else of an answer gets into the log.
    typeof reason === 'string' && /^[A-Z_]{1,64}$/i.test(reason) ? reason : '',
    [first.message, message].find((one) => typeof one === 'string') ?? '',
    typeof location === 'string' ? location : undefined,
  );
}

const objectsIn = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);

/** Parts of a service's text that callers do not see: markup, addresses, tokens. */
const hidden: readonly (readonly [RegExp, string])[] = [
  [/<[a-z!/][^>]*(?:>|$)|&#?\w+;|[\p{C}\s]+/giu, ' '],
  [/\w+:\/\/[^\s"']+|\S+@\S+|\d+(?:\.\d+){3}(?::\d+)?/g, '…'],
  [/\bbearer +\S+|\bya29\.\S+|(?=[\w.~+/=-]*\d)[\w.~+/=-]{24,}/gi, '…'],
  [/ +/g, ' '],
];

/** A service's text for callers, shortened. */
const clean = (text: string): string =>
  hidden
    .reduce((words, [pattern, instead]) => words.replaceAll(pattern, instead), text.slice(0, 1000))
    .trim()
    .slice(0, 200);

/** A refusal of a service, status 4xx. */
export class ServiceRefusal extends Error {
  readonly status: number;
  /** A word of the service: `invalid`, `notFound`, `forbiddenForNonOrganizer`; empty if the answer has none. */
  readonly reason: string;
  /** The service's text, as callers may see it. */
  readonly words: string;
  /** The parameter or field that the first error names. */
  readonly location: string | undefined;
  /** An attempt before, whose answer was lost, may have been carried out. */
  again = false;

  constructor(status: number, reason: string, words: string, location?: string) {
    super(`the service answered ${status} ${reason}`);
    this.name = 'ServiceRefusal';
    this.status = status;
    this.reason = reason;
    this.words = clean(words);
    this.location = location;
  }

  get lacksScope(): boolean {
    return this.status === 403 && scopeReasons.has(this.reason);
  }
}

interface FailureParts {
  readonly status?: number;
  /** The time (ms) for which the service wants to be left alone. */
  readonly wait?: number;
}

/** A failure whose message may be logged. */
export class CallFailure extends Error {
  readonly reason: FailureReason;
  readonly status: number | undefined;
  readonly wait: number;
  /** Whether the service may have carried out this attempt, or one before. */
  maybeDone: boolean;

  constructor(reason: FailureReason, { status, wait = 0 }: FailureParts = {}) {
    super(`${reason}${status === undefined ? '' : `, status ${status}`}`);
    this.name = 'CallFailure';
    this.reason = reason;
    this.status = status;
    this.wait = wait;
    this.maybeDone = this.rule.maybeDone;
  }

  get rule(): FailureRule {
    return failures[this.reason];
  }
}

/** Whether a write may have been carried out. */
export const isUnknown = (error: unknown): boolean =>
  error instanceof AppError && error.reason === 'outcomeUnknown';

/** Seconds that callers are told to wait where the service told none. */
const unknownWait = { RATE_LIMITED: 10, UNAVAILABLE: 1 };

const daySeconds = 86_400;

/** Seconds after which a caller may try again: within a day. */
export const retryAfterOf = ({ wait, rule: { code } }: CallFailure): number =>
  Math.min(Math.ceil(wait / 1000), daySeconds) || unknownWait[code];

/** The error for a caller, of a failure that is left over. */
export function errorOfFailure(failure: CallFailure, isWrite: boolean): AppError {
  const { code, words } = failure.rule;
  if (failure.maybeDone && isWrite) {
    return new AppError(
      'UNAVAILABLE',
      'outcomeUnknown',
      `${words} It may have been carried out: look before you send it again.`,
      [],
      {},
      failure,
    );
  }
  const retryAfter = retryAfterOf(failure);
  const reason = code === 'RATE_LIMITED' ? 'rateLimitExceeded' : 'backendError';
  return new AppError(code, reason, `${words} Try again in ${retryAfter} s.`, [], { retryAfter }, failure);
}
