import { Random } from '../../random/seed.ts';
import { Refusal } from './fake-api.ts';

/** A way in which a call fails. */
interface Fault {
  /** Whether the call is carried out nevertheless. */
  readonly isCarriedOut: boolean;
  /** Makes the response; absent if the connection is reset. */
  readonly createResponse?: (correct: CorrectResponse) => FaultyResponse;
}

/** The response that the service would have sent. */
interface CorrectResponse {
  readonly status: number;
  readonly text: string;
}

export interface FaultyResponse extends CorrectResponse {
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes after which the connection is closed. */
  readonly maxBytes?: number;
}

const respondWith = (
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
  isCarriedOut = false,
): Fault => ({ isCarriedOut, createResponse: () => ({ status, text, headers }) });
const refuseWith = (
  status: number,
  reason: string,
  headers?: Readonly<Record<string, string>>,
  carriesOut?: boolean,
): Fault =>
  respondWith(
    status,
    JSON.stringify(new Refusal(status, reason, `Message of ${reason}`).json),
    headers,
    carriesOut,
  );
/** Carries out the call and alters its response. */
const alterResponse = (change: (correct: CorrectResponse) => Partial<FaultyResponse>): Fault => ({
  isCarriedOut: true,
  createResponse: (correct) => ({ ...correct, ...change(correct) }),
});

/** Faults by name. `when done` names those whose call is carried out, though its response fails. */
export const faults = {
  nothing: undefined,
  '429': refuseWith(429, 'rateLimitExceeded'),
  '429 with Retry-After': refuseWith(429, 'rateLimitExceeded', { 'retry-after': '2' }),
  '429 with a long Retry-After': refuseWith(429, 'rateLimitExceeded', { 'retry-after': '60' }),
  rateLimitExceeded: refuseWith(403, 'rateLimitExceeded'),
  userRateLimitExceeded: refuseWith(403, 'userRateLimitExceeded'),
  quotaExceeded: refuseWith(403, 'quotaExceeded'),
  insufficientPermissions: refuseWith(403, 'insufficientPermissions'),
  'a scope missing by the details': respondWith(
    403,
    JSON.stringify({
      error: {
        code: 403,
        message: 'Request had insufficient authentication scopes.',
        errors: [{ domain: 'global', reason: 'forbidden', message: 'Insufficient Permission' }],
        status: 'PERMISSION_DENIED',
        details: [
          { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT' },
        ],
      },
    }),
  ),
  'a scope missing by the challenge': respondWith(403, '', {
    'www-authenticate': 'Bearer realm="https://accounts.google.com/", error="insufficient_scope"',
  }),
  '401': refuseWith(401, 'authError', { 'www-authenticate': 'Bearer' }),
  '412': refuseWith(412, 'conditionNotMet'),
  '500': refuseWith(500, 'backendError'),
  '500 when done': refuseWith(500, 'backendError', {}, true),
  '503': respondWith(503, '<html>Service Unavailable</html>'),
  '503 with Retry-After': respondWith(503, '', { 'retry-after': '1' }),
  redirect: respondWith(302, '', { location: 'http://127.0.0.1:9/' }),
  'reset before': { isCarriedOut: false },
  'reset when done': { isCarriedOut: true },
  'broken JSON': alterResponse(({ text }) => ({ text: `${text.slice(0, -1)}!` })),
  'a cut body': alterResponse(() => ({ maxBytes: 3 })),
} as const satisfies Readonly<Record<string, Fault | undefined>>;

export type FaultName = keyof typeof faults;

/** Transient faults: a retry succeeds. */
export const transientFaults: readonly FaultName[] = [
  ...(['429', '429 with Retry-After', 'rateLimitExceeded', 'userRateLimitExceeded'] as const),
  ...(['500', '500 when done', '503', '503 with Retry-After'] as const),
  ...(['reset before', 'reset when done', 'broken JSON', 'a cut body'] as const),
];
/** Faults that a retry does not overcome. */
const lastingFaults = ['429 with a long Retry-After', 'quotaExceeded', '401', 'redirect'] as const;

export interface FaultOptions {
  /** Names of the methods that fail; by default all. */
  readonly methods?: RegExp;
  /** Whether all later calls fail like the last one. */
  readonly repeatsLast?: boolean;
  /** Runs once, right after the first fault. */
  readonly meanwhile?: () => void;
}

/** Decides which of the next calls fail, and how. */
export class Misbehaviour {
  #nextFaults: FaultName[] = [];
  #repeatedFault: FaultName | undefined;
  #pickRandom: (() => FaultName | undefined) | undefined;
  #methods: RegExp = /./;
  #meanwhile: (() => void) | undefined;

  /** Makes the next calls of the methods fail with these faults in turn. */
  failNext(
    names: readonly FaultName[],
    { methods = /./, repeatsLast = false, meanwhile }: FaultOptions = {},
  ): void {
    this.#meanwhile = meanwhile;
    this.#nextFaults = [...names];
    this.#repeatedFault = repeatsLast ? names.at(-1) : undefined;
    this.#methods = methods;
  }

  failAtRandom(seed: number, probability: number): void {
    const random = new Random(seed);
    this.#pickRandom = () =>
      random.chance(probability) ? random.pick([...transientFaults, ...lastingFaults]) : undefined;
  }

  stopFaults(): void {
    this.failNext([]);
    this.#pickRandom = undefined;
  }

  /** Runs `meanwhile` after the first fault. */
  runMeanwhile(): void {
    this.#meanwhile?.();
    this.#meanwhile = undefined;
  }

  takeNextFault(method: string): Fault | undefined {
    const name = this.#methods.test(method)
      ? (this.#nextFaults.shift() ?? this.#repeatedFault ?? this.#pickRandom?.())
      : undefined;
    return name && faults[name];
  }
}
