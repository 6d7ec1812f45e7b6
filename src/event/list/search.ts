import type { WorkBudget } from '../../core/runtime/limits.ts';
import type { EventBody } from '../model/fields.ts';
import type { StoredEvent } from '../model/record.ts';
import { searchWork, tooMuchText } from './work-units.ts';

/** Folds case (ß equals ss) and decomposes characters, so that equal texts compare equal. */
const folded = (text: string): string => text.normalize('NFD').toLowerCase().toUpperCase();

/** Words of `q`, folded, each once; none for white space alone, which is no filter. */
export const wordsOf = (q: string | null | undefined): readonly string[] => [
  ...new Set(
    folded(q ?? '')
      .split(/\s+/u)
      .filter((word) => word !== ''),
  ),
];

/** To look for a word takes a tenth of what it takes to fold the text. */
const wordWork = 0.1;

/** The search of one list for words, each of them in any text of an event, also as a part of a longer word. */
export class Search {
  readonly #words: readonly string[];
  /** The words that a series, whose texts many instances share, does not have. */
  readonly #lacking = new WeakMap<EventBody, readonly string[]>();

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  finds(event: EventBody, budget: WorkBudget): boolean {
    return lacking(event, this.#words, budget).length === 0;
  }

  /** Whether an event may be found before it is put together: what a caller sees says no more than what is stored. */
  mayFind({ record, series }: StoredEvent, budget: WorkBudget): boolean {
    const words = lacking(record.core, this.#words, budget);
    if (words.length === 0 || !series) return words.length === 0;
    const alsoLacking = this.#lackingOf(series.core, budget);
    return !words.some((word) => alsoLacking.includes(word));
  }

  #lackingOf(core: EventBody, budget: WorkBudget): readonly string[] {
    let words = this.#lacking.get(core);
    if (!words) this.#lacking.set(core, (words = lacking(core, this.#words, budget)));
    return words;
  }
}

/** The words that are in no text of an event. */
function lacking(event: EventBody, words: readonly string[], budget: WorkBudget): readonly string[] {
  let left = words;
  for (const text of textsOf(event)) {
    if (left.length === 0) break;
    budget.take(searchWork(text.length) * (1 + wordWork * left.length), tooMuchText);
    const within = folded(text);
    left = left.filter((word) => !within.includes(word));
  }
  return left;
}

const textsOf = ({ summary, description, location, attendees }: EventBody): string[] =>
  [
    summary,
    description,
    location,
    ...(attendees ?? []).flatMap(({ displayName, email }) => [displayName, email]),
  ].filter((text) => typeof text === 'string');
