import type { WorkBudget } from '../../core/runtime/limits.ts';
import type { EventBody } from '../model/fields.ts';
import type { StoredEvent } from '../model/record.ts';
import { searchWork, tooMuchTextError } from './work-units.ts';

/** Folds case (ß equals ss) and decomposes characters, so that equal texts compare equal. */
const foldCase = (text: string): string => text.normalize('NFD').toLowerCase().toUpperCase();

/** Distinct folded words of `q`; none for white space, which is no filter. */
export const parseSearchWords = (q: string | null | undefined): readonly string[] => [
  ...new Set(
    foldCase(q ?? '')
      .split(/\s+/u)
      .filter((word) => word !== ''),
  ),
];

/** Work of searching a text for one word, as a fraction of the work of folding the text. */
const wordWork = 0.1;

/** Full-text search of one list. An event matches if each word is part of any of its texts. */
export class Search {
  readonly #words: readonly string[];
  /** Cache of words missing from a series, whose texts many instances share. */
  readonly #missingBySeries = new WeakMap<EventBody, readonly string[]>();

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  /** Whether each word is part of a text of the event. */
  matches(event: EventBody, budget: WorkBudget): boolean {
    return findMissingWords(event, this.#words, budget).length === 0;
  }

  /** Whether a stored event may match. A view never shows more than is stored, so this check needs no view. */
  mayMatch({ record, series }: StoredEvent, budget: WorkBudget): boolean {
    const words = findMissingWords(record.core, this.#words, budget);
    if (words.length === 0 || !series) return words.length === 0;
    const missingFromSeries = this.#wordsMissingFrom(series.core, budget);
    return !words.some((word) => missingFromSeries.includes(word));
  }

  #wordsMissingFrom(core: EventBody, budget: WorkBudget): readonly string[] {
    let words = this.#missingBySeries.get(core);
    if (!words) this.#missingBySeries.set(core, (words = findMissingWords(core, this.#words, budget)));
    return words;
  }
}

function findMissingWords(event: EventBody, words: readonly string[], budget: WorkBudget): readonly string[] {
  let remainingWords = words;
  for (const text of textsOf(event)) {
    if (remainingWords.length === 0) break;
    budget.spend(searchWork(text.length) * (1 + wordWork * remainingWords.length), tooMuchTextError);
    const foldedText = foldCase(text);
    remainingWords = remainingWords.filter((word) => !foldedText.includes(word));
  }
  return remainingWords;
}

const textsOf = ({ summary, description, location, attendees }: EventBody): string[] =>
  [
    summary,
    description,
    location,
    ...(attendees ?? []).flatMap(({ displayName, email }) => [displayName, email]),
  ].filter((text) => typeof text === 'string');
