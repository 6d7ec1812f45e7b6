import { Random } from '../../random/seed.ts';
import { Refusal } from './answers.ts';

/** How a call goes wrong. */
interface Fault {
  /** Whether it is carried out all the same. */
  readonly done: boolean;
  /** What is answered; absent: the connection ends. */
  readonly answer?: (rightful: Rightful) => Wrong;
}

/** What would have been answered. */
interface Rightful {
  readonly status: number;
  readonly text: string;
}

export interface Wrong extends Rightful {
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes after which the connection ends. */
  readonly cutAt?: number;
  /** Milliseconds until the answer. */
  readonly delay?: number;
}

const answering = (
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
  done = false,
): Fault => ({ done, answer: () => ({ status, text, headers }) });
const refusing = (
  status: number,
  reason: string,
  headers?: Readonly<Record<string, string>>,
  done?: boolean,
): Fault =>
  answering(status, JSON.stringify(new Refusal(status, reason, `Message of ${reason}`).json), headers, done);
/** Carries the call out, and answers it in another way. */
const distorting = (change: (rightful: Rightful) => Partial<Wrong>): Fault => ({
  done: true,
  answer: (rightful) => ({ ...rightful, ...change(rightful) }),
});

export const faults = {
  nothing: undefined,
  '429': refusing(429, 'rateLimitExceeded'),
  '429 with Retry-After': refusing(429, 'rateLimitExceeded', { 'retry-after': '2' }),
  '429 with a long Retry-After': refusing(429, 'rateLimitExceeded', { 'retry-after': '60' }),
  '429 for nine seconds': refusing(429, 'rateLimitExceeded', { 'retry-after': '9' }),
  rateLimitExceeded: refusing(403, 'rateLimitExceeded'),
  userRateLimitExceeded: refusing(403, 'userRateLimitExceeded'),
  quotaExceeded: refusing(403, 'quotaExceeded'),
  insufficientPermissions: refusing(403, 'insufficientPermissions'),
  'a scope missing by the details': answering(
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
  'a scope missing by the challenge': answering(403, '', {
    'www-authenticate': 'Bearer realm="https://accounts.google.com/", error="insufficient_scope"',
  }),
  '401': refusing(401, 'authError', { 'www-authenticate': 'Bearer' }),
  '412': refusing(412, 'conditionNotMet'),
  '500': refusing(500, 'backendError'),
  '500 when it is done': refusing(500, 'backendError', {}, true),
  '503': answering(503, '<html>Service Unavailable</html>'),
  '503 with Retry-After': answering(503, '', { 'retry-after': '1' }),
  redirect: answering(302, '', { location: 'http://127.0.0.1:9/' }),
  'reset before': { done: false },
  'reset when it is done': { done: true },
  slow: distorting(() => ({ delay: 2_000 })),
  'broken JSON': distorting(({ text }) => ({ text: `${text.slice(0, -1)}!` })),
  'a cut body': distorting(() => ({ cutAt: 3 })),
} as const satisfies Readonly<Record<string, Fault | undefined>>;

export type FaultName = keyof typeof faults;

/** What passes: who sends the call again is answered. */
export const passing: readonly FaultName[] = [
  ...(['429', '429 with Retry-After', 'rateLimitExceeded', 'userRateLimitExceeded'] as const),
  ...(['500', '500 when it is done', '503', '503 with Retry-After'] as const),
  ...(['reset before', 'reset when it is done', 'broken JSON', 'a cut body'] as const),
];
const lasting = ['429 with a long Retry-After', 'quotaExceeded', '401', 'redirect'] as const;

export interface Wrongly {
  readonly of?: RegExp;
  /** All calls behind them go wrong like the last one. */
  readonly ever?: boolean;
  /** What happens right behind the first of them. */
  readonly meanwhile?: () => void;
}

/** Decides which of the next calls go wrong, and how. */
export class Misbehaviour {
  #next: FaultName[] = [];
  #always: FaultName | undefined;
  #random: (() => FaultName | undefined) | undefined;
  #methods: RegExp = /./;
  #meanwhile: (() => void) | undefined;

  /** The next calls of these methods go wrong, one after the other. */
  next(names: readonly FaultName[], { of = /./, ever = false, meanwhile }: Wrongly = {}): void {
    this.#meanwhile = meanwhile;
    this.#next = [...names];
    this.#always = ever ? names.at(-1) : undefined;
    this.#methods = of;
  }

  atRandom(seed: number, chance: number): void {
    const random = new Random(seed);
    this.#random = () => (random.chance(chance) ? random.pick([...passing, ...lasting]) : undefined);
  }

  none(): void {
    this.next([]);
    this.#random = undefined;
  }

  /** Something went wrong. */
  passed(): void {
    this.#meanwhile?.();
    this.#meanwhile = undefined;
  }

  of(method: string): Fault | undefined {
    const name = this.#methods.test(method)
      ? (this.#next.shift() ?? this.#always ?? this.#random?.())
      : undefined;
    return name && faults[name];
  }
}
