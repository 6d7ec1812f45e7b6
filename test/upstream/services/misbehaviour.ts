import { Random } from '../../random/seed.ts';
import { Refusal, type Json } from './answers.ts';

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

const refusing = (status: number, reason: string, headers?: Readonly<Record<string, string>>): Fault => ({
  done: false,
  answer: () => ({
    status,
    text: textOf(new Refusal(status, reason, `Message of ${reason}`).json),
    ...(headers && { headers }),
  }),
});
const textOf = (json: Json): string => JSON.stringify(json);

export const faults = {
  nothing: undefined,
  '429': refusing(429, 'rateLimitExceeded'),
  '429 with Retry-After': refusing(429, 'rateLimitExceeded', { 'retry-after': '2' }),
  '429 with a long Retry-After': refusing(429, 'rateLimitExceeded', { 'retry-after': '60' }),
  '429 for nine seconds': refusing(429, 'rateLimitExceeded', { 'retry-after': '9' }),
  rateLimitExceeded: refusing(403, 'rateLimitExceeded'),
  userRateLimitExceeded: refusing(403, 'userRateLimitExceeded'),
  quotaExceeded: refusing(403, 'quotaExceeded'),
  accessNotConfigured: refusing(403, 'accessNotConfigured'),
  insufficientPermissions: refusing(403, 'insufficientPermissions'),
  '401': refusing(401, 'authError', { 'www-authenticate': 'Bearer' }),
  '412': refusing(412, 'conditionNotMet'),
  '500': refusing(500, 'backendError'),
  '500 when it is done': {
    done: true,
    answer: () => ({ status: 500, text: textOf(new Refusal(500, 'backendError', 'Backend Error').json) }),
  },
  '503': { done: false, answer: () => ({ status: 503, text: '<html>Service Unavailable</html>' }) },
  '503 with Retry-After': {
    done: false,
    answer: () => ({ status: 503, text: '', headers: { 'retry-after': '1' } }),
  },
  redirect: {
    done: false,
    answer: () => ({ status: 302, text: '', headers: { location: 'http://127.0.0.1:9/' } }),
  },
  'reset before': { done: false },
  'reset when it is done': { done: true },
  slow: { done: true, answer: (rightful) => ({ ...rightful, delay: 2_000 }) },
  'broken JSON': {
    done: true,
    answer: ({ status, text }) => ({
      status: Math.max(status, 200),
      text: `${text.slice(0, -1)}!`,
      headers: { 'content-type': 'application/json' },
    }),
  },
  'a cut body': { done: true, answer: (rightful) => ({ ...rightful, cutAt: 3 }) },
  'too long a body': {
    done: true,
    answer: ({ status, text }) => ({ status, text: text.padEnd(17 * 1024 * 1024) }),
  },
} as const satisfies Readonly<Record<string, Fault | undefined>>;

export type FaultName = keyof typeof faults;

export interface Wrongly {
  readonly of?: RegExp;
  /** All calls behind them go wrong like the last one. */
  readonly ever?: boolean;
  /** What happens right behind the first of them. */
  readonly meanwhile?: () => void;
}

/** Says what goes wrong with the next calls. */
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

  atRandom(seed: number, chance: number, names: readonly FaultName[]): void {
    const random = new Random(seed);
    this.#random = () => (random.chance(chance) ? random.pick(names) : undefined);
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
