import { AppError } from '../kernel/errors.ts';

/** In units of some tenth of a millisecond at most: looks at two thousand common series, or the dearest ten looks at one. */
const mostWork = 4_000;

/** Nobody reads this error: its caller's connection is gone. */
export class CallerGoneError extends AppError {
  constructor() {
    super('UNAVAILABLE', 'backendError', 'Nobody waits for this answer any more.');
  }
}

/** What one request may spend on work of which nobody knows beforehand how much it is. All its root fields share it. */
export class Effort {
  #left = mostWork;
  readonly #isOver: () => boolean;

  /** `isOver`: whether nobody waits for the answer any more. */
  constructor(isOver: () => boolean = () => false) {
    this.#isOver = isOver;
  }

  /** Throws when there is no more to spend (an answer without what there is would be wrong), or nobody waits. */
  take(work: number, refusal: () => AppError): void {
    this.goOn();
    this.#left -= work;
    if (this.#left < 0) throw refusal();
  }

  /** Throws when nobody waits for the answer any more. */
  goOn(): void {
    if (this.#isOver()) throw new CallerGoneError();
  }
}
