import type { WorkBudget } from '../../core/runtime/limits.ts';
import type { EventBody } from '../model/fields.ts';
import type { StoredEvent } from '../model/record.ts';
import { searchWork, tooMuchTextError } from './work-units.ts';

/** Folds case (ß equals ss) and decomposes characters, so that equal texts compare equal. */
const foldCase = (text: string): string => text.normalize('NFD').toLowerCase().toUpperCase();

/** Work of searching a text for one word, as a fraction of the work of folding the text. */
const wordWork = 0.1;

/** Full-text search of one list. An event matches if each word is part of any of its texts. */
export type Search = NonNullable<ReturnType<typeof createSearch>>;

/** Creates a search for the words of `q`; undefined for white space, which is no filter. */
export function createSearch(q: string | null | undefined) {
  const words = [...new Set(foldCase(q ?? '').split(/\s+/u))].filter((word) => word !== '');
  if (words.length === 0) return undefined;
  /** Cache of words missing from a series, whose texts many instances share. */
  const missingBySeries = new Map<EventBody, readonly string[]>();
  const wordsMissingFrom = (series: EventBody, budget: WorkBudget): readonly string[] => {
    const missingWords = missingBySeries.get(series) ?? findMissingWords(series, words, budget);
    missingBySeries.set(series, missingWords);
    return missingWords;
  };
  return {
    /** Whether each word is part of a text of the event. */
    matches: (event: EventBody, budget: WorkBudget): boolean =>
      findMissingWords(event, words, budget).length === 0,

    /** Whether a stored event may match. A view never shows more than is stored, so this check needs no view. */
    mayMatch({ record, series }: StoredEvent, budget: WorkBudget): boolean {
      const missingWords = findMissingWords(record.core, words, budget);
      if (missingWords.length === 0 || !series) return missingWords.length === 0;
      const missingFromSeries = wordsMissingFrom(series.core, budget);
      return !missingWords.some((word) => missingFromSeries.includes(word));
    },
  };
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
