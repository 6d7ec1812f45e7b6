import { AppError } from '../../core/kernel/errors.ts';
import { isFields } from '../../core/kernel/patch.ts';
import { retryAfterMs } from '../../core/text/retry-after.ts';
import { ServiceRefusal, type Reply, type Verb } from './call.ts';
import type { Answer } from './exchange.ts';
import { CallFailure, type FailureReason } from './failure.ts';

/** Reasons of a refusal that say nothing of the call. */
const reasons: Readonly<Record<string, FailureReason>> = {
  rateLimitExceeded: 'rateLimited',
  userRateLimitExceeded: 'rateLimited',
  quotaExceeded: 'quotaExceeded',
  dailyLimitExceeded: 'quotaExceeded',
  accessNotConfigured: 'accessNotConfigured',
};
const longestWords = 300;

/** What an answer says. Throws for what is no reply: a CallFailure, a ServiceRefusal, or UNAUTHENTICATED. */
export function replyOf({ status, etag, retryAfter, text }: Answer, verb: Verb, now: number): Reply {
  if (status >= 200 && status < 300) return { status, etag, body: bodyOf(status, text, verb) };
  const failure = failureOf({ status, retryAfter }, now);
  if (failure && status !== 429) throw failure;
  if (status === 401)
    throw new AppError(
      'UNAUTHENTICATED',
      'authError',
      'The service behind the gateway does not accept the token. Get a new one.',
    );
  const refusal = refusalOf(status, text);
  const reason = status === 403 || status === 429 ? reasons[refusal.reason] : undefined;
  throw reason === undefined
    ? (failure ?? refusal)
    : new CallFailure(reason, { status, wait: waitOf(retryAfter, now) });
}

/** What a status alone tells of a failure. */
export function failureOf(
  { status, retryAfter }: Pick<Answer, 'status' | 'retryAfter'>,
  now: number,
): CallFailure | undefined {
  if (status < 400) return new CallFailure('unexpected', { status });
  const reason =
    status === 429 ? 'rateLimited' : status >= 500 || status === 408 ? 'backendError' : undefined;
  return reason && new CallFailure(reason, { status, wait: waitOf(retryAfter, now) });
}

const waitOf = (retryAfter: string | undefined, now: number): number =>
  retryAfter === undefined ? 0 : Math.max(0, retryAfterMs(retryAfter, now));

/** Whatever has a body has an object. */
function bodyOf(status: number, text: string, verb: Verb): object | undefined {
  if (text === '' && verb === 'DELETE') return undefined;
  const body = jsonOf(text);
  if (body === undefined) throw new CallFailure('malformed', { status });
  return body;
}

/** Undefined for what is no object. */
export function jsonOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

interface ErrorBody {
  readonly error?: {
    readonly message?: unknown;
    readonly errors?: readonly {
      readonly reason?: unknown;
      readonly message?: unknown;
      readonly location?: unknown;
    }[];
  };
}

function refusalOf(status: number, text: string): ServiceRefusal {
  const { error } = (jsonOf(text) ?? {}) as ErrorBody;
  const first = error?.errors?.[0];
  const { reason, location } = first ?? {};
  const words = [first?.message, error?.message].find((one) => typeof one === 'string');
  // A reason is a word: nothing else of an answer gets into the log.
  const word = typeof reason === 'string' && /^[A-Za-z]{1,64}$/.test(reason) ? reason : '';
  return new ServiceRefusal(
    status,
    word,
    words?.slice(0, longestWords) ?? '',
    typeof location === 'string' ? location : undefined,
  );
}
