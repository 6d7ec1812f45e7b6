import { AppError } from '../../core/errors.ts';

interface Rule {
  /** What the caller is told. */
  readonly code: 'RATE_LIMITED' | 'UNAVAILABLE';
  /** Whether it passes, so that trying again may help. */
  readonly passes: boolean;
  /** Whether the service may have carried the call out. */
  readonly maybeDone: boolean;
  /** Whether the service seems to be away. */
  readonly away: boolean;
  /** For whom the caller is: a sentence. */
  readonly words: string;
}

const noAnswer = {
  code: 'UNAVAILABLE',
  passes: true,
  maybeDone: true,
  away: true,
  words: 'The service behind the gateway did not answer.',
} as const;
const brokenAnswer = {
  ...noAnswer,
  words: 'The service behind the gateway gave an answer that cannot be used.',
} as const;
const refusing = { code: 'UNAVAILABLE', passes: false, maybeDone: false, away: false } as const;

/** Why a call came to nothing, without the service having decided on it. */
const failures = {
  rateLimited: {
    code: 'RATE_LIMITED',
    passes: true,
    maybeDone: false,
    away: false,
    words: 'The service behind the gateway takes no more requests for now.',
  },
  quotaExceeded: {
    code: 'RATE_LIMITED',
    passes: false,
    maybeDone: false,
    away: false,
    words: 'A quota of the service behind the gateway is used up.',
  },
  /** The connection was never made. */
  unreachable: { ...noAnswer, maybeDone: false, words: 'The service behind the gateway cannot be reached.' },
  timeout: noAnswer,
  reset: noAnswer,
  malformed: brokenAnswer,
  backendError: { ...noAnswer, words: 'The service behind the gateway failed.' },
  tooLong: { ...brokenAnswer, passes: false, away: false },
  /** A redirect, or a status that the service has no use for. */
  unexpected: { ...refusing, words: brokenAnswer.words },
  accessNotConfigured: {
    ...refusing,
    words: 'The service behind the gateway is not enabled for the project of the token.',
  },
  /** Nothing was sent: the service has been away. */
  circuitOpen: { ...refusing, words: 'The service behind the gateway is away.' },
  /** Nothing was sent: others of the same request took the time. */
  timeUsedUp: { ...refusing, words: 'The service behind the gateway took too long.' },
  /** Nobody waits any more. */
  gone: { ...refusing, maybeDone: true, words: 'The request has ended.' },
} as const satisfies Readonly<Record<string, Rule>>;

export type FailureReason = keyof typeof failures;

interface FailureParts {
  readonly status?: number;
  /** For how long (ms) the service wants to be left alone. */
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

  get rule(): Rule {
    return failures[this.reason];
  }
}

/** Seconds that callers are told to wait where the service told none. */
const unknownWait = { RATE_LIMITED: 10, UNAVAILABLE: 1 };

const daySeconds = 86_400;

/** Seconds after which a caller may try again: within a day. */
export const retryAfterOf = ({ wait, rule: { code } }: CallFailure): number =>
  Math.min(Math.ceil(wait / 1000), daySeconds) || unknownWait[code];

/** What the caller is told of a failure that is left over. */
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
