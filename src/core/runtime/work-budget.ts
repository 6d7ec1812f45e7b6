import { AppError } from '../kernel/errors.ts';

/** Units of about 0.1 ms: 2,000 look-ups of typical series, or ten of the most expensive ones. */
const maxWork = 4_000;

/** The most that is granted to one request beyond that: 2 s of work. */
const maxExtra = 20_000;

/** Ends the work of a request whose client disconnected; it is never sent. */
export class CallerGoneError extends AppError {
  constructor() {
    super('UNAVAILABLE', 'backendError', 'Nobody waits for this answer any more.');
  }
}

/** Bounds the work of one request that cannot be estimated beforehand. Shared by all its root fields. */
export class WorkBudget {
  #left = maxWork;
  #extra = 0;
  readonly #isOver: () => boolean;

  /** `isOver`: whether the response was sent or its client disconnected. */
  constructor(isOver: () => boolean = () => false) {
    this.#isOver = isOver;
  }

  /** Spends units. Throws `refusal` when the budget is exhausted (a partial answer would be wrong), CallerGoneError after a disconnect. */
  take(work: number, refusal: () => AppError): void {
    this.throwIfGone();
    this.#left -= work;
    if (this.#left < 0) throw refusal();
  }

  /** Grants more to an operation that is asked to do, and pays for, more at once. */
  extend(work: number): void {
    const more = Math.min(work, maxExtra - this.#extra);
    this.#extra += more;
    this.#left += more;
  }

  throwIfGone(): void {
    if (this.#isOver()) throw new CallerGoneError();
  }
}
