import { AppError } from '../kernel/errors.ts';

/** Units of about 0.1 ms: 2,000 look-ups of typical series, or ten of the most expensive ones. */
const mostWork = 4_000;

/** Nobody reads this error: its caller's connection is gone. */
export class CallerGoneError extends AppError {
  constructor() {
    super('UNAVAILABLE', 'backendError', 'Nobody waits for this answer any more.');
  }
}

/** Bounds the work of one request that cannot be estimated beforehand. Shared by all its root fields. */
export class WorkBudget {
  #left = mostWork;
  readonly #isOver: () => boolean;

  /** `isOver`: whether nobody waits for the answer any more. */
  constructor(isOver: () => boolean = () => false) {
    this.#isOver = isOver;
  }

  /** Spends units. Throws `refusal` when the budget is exhausted (a partial answer would be wrong), CallerGoneError when nobody waits. */
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
