import { errorAt } from '../../core/kernel/errors.ts';

/** In units of `Occurrences.between`: two thousand common series, or the dearest ten looks at one. */
const mostWork = 4_000;

/** What one list may spend on looking for occurrences of its series. */
export class Effort {
  #left = mostWork;

  /** Throws when there is no more to spend: an answer without occurrences that there are would be wrong. */
  take(work: number): void {
    this.#left -= work;
    if (this.#left < 0) throw errorAt('BAD_USER_INPUT', ['timeMax'], 'tooMany', tooDear);
  }
}

const tooDear =
  'The series of this calendar are too many, or their rules too dear, to be looked through at once. ' +
  'Ask for less time between timeMin and timeMax, for a smaller "first", or for one series by instances.';
