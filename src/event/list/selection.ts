import type { WorkBudget } from '../../core/runtime/limits.ts';
import type { EventBody } from '../model/fields.ts';
import type { StoredEvent } from '../model/record.ts';
import { searchWork, tooMuchTextError } from './work-units.ts';
import type { Issue } from '../../core/errors.ts';
import { pageSizeIssues } from '../../core/page.ts';
import { argumentIssues, type ListEventsArgs, type ListInstancesArgs } from '../event.requests.ts';

/** Folds case (ß equals ss) and decomposes characters, so that equal texts compare equal. */
const foldCase = (text: string): string => text.normalize('NFD').toLowerCase().toUpperCase();

/** Distinct folded words of `q`; none for white space, which is no filter. */
const parseSearchWords = (q: string | null | undefined): readonly string[] => [
  ...new Set(
    foldCase(q ?? '')
      .split(/\s+/u)
      .filter((word) => word !== ''),
  ),
];

/** Work of searching a text for one word, as a fraction of the work of folding the text. */
const wordWork = 0.1;

/** Full-text search of one list. An event matches if each word is part of any of its texts. */
class Search {
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

export const defaultPageSize = 250;
const maxPageSize = 2500;
/** Limit of `q` in characters. */
const maxSearchLength = 1024;
/** Limit of each list of required properties. */
const maxProperties = 20;

export interface Selection {
  /** Epoch milliseconds: events that end at or before `from`, or start at or after `to`, are excluded. */
  readonly from: number;
  readonly to: number;
  readonly search: Search | undefined;
  readonly iCalUID: string | undefined;
  /** Epoch milliseconds: events whose latest visible change is earlier are excluded. */
  readonly updatedMin: number | undefined;
  /** Required properties as `key=value`. */
  readonly privateProperties: readonly string[];
  readonly sharedProperties: readonly string[];
  /** Includes cancelled events with their remaining details. */
  readonly showDeleted: boolean;
  /** Includes cancelled events with their id only. */
  readonly includesCancelledIds: boolean;
}

const parseInstantMs = (time: string | null | undefined): number | undefined =>
  typeof time === 'string' ? Date.parse(time.toUpperCase()) : undefined;

/** Converts the arguments of a list to filters. */
export function selectionOf(args: ListEventsArgs): Selection {
  const words = parseSearchWords(args.q);
  return {
    search: words.length > 0 ? new Search(words) : undefined,
    ...timeRangeOf(args),
    iCalUID: args.iCalUID || undefined,
    updatedMin: parseInstantMs(args.updatedMin),
    privateProperties: args.privateExtendedProperty ?? [],
    sharedProperties: args.sharedExtendedProperty ?? [],
    showDeleted: args.showDeleted === true,
    includesCancelledIds: typeof args.syncToken === 'string' || typeof args.updatedMin === 'string',
  };
}

/** Range of a list in epoch milliseconds; a missing bound is infinite. */
export const timeRangeOf = ({
  timeMin,
  timeMax,
}: Pick<ListEventsArgs, 'timeMin' | 'timeMax'>): Pick<Selection, 'from' | 'to'> => ({
  from: parseInstantMs(timeMin) ?? -Infinity,
  to: parseInstantMs(timeMax) ?? Infinity,
});

/** Arguments that filter or sort events and do not go with a sync token. */
const argumentsExcludedBySyncToken = [
  'timeMin',
  'timeMax',
  'orderBy',
  'q',
  'iCalUID',
  'privateExtendedProperty',
  'sharedExtendedProperty',
  'updatedMin',
] as const;

/** Whether a later change may match the filters unnoticed by a sync. Such a list has no sync token. */
export const excludesSyncToken = (args: ListEventsArgs): boolean =>
  parseSearchWords(args.q).length > 0 ||
  (['iCalUID', 'privateExtendedProperty', 'sharedExtendedProperty', 'updatedMin'] as const).some(
    (name) => args[name] != null,
  );

export function listIssues(args: Omit<ListEventsArgs, 'calendarId'>): Issue[] {
  const issues = [...argumentIssues(args), ...pageIssues(args)];
  const addIssue = (
    name: string,
    message: string,
    reason: Issue['reason'] = 'invalid',
    params?: Issue['params'],
  ) => issues.push({ path: [name], reason, message, ...(params && { params }) });
  if (args.orderBy === 'startTime' && args.singleEvents !== true)
    addIssue('orderBy', 'orderBy: startTime needs singleEvents: true: a series has no one start.');
  if ((args.q?.length ?? 0) > maxSearchLength)
    addIssue('q', `q has at most ${maxSearchLength} characters.`, 'tooLong', { max: maxSearchLength });
  for (const name of ['privateExtendedProperty', 'sharedExtendedProperty'] as const) {
    const properties = args[name] ?? [];
    if (properties.length > maxProperties) {
      const params = { max: maxProperties, actual: properties.length };
      addIssue(name, `At most ${maxProperties} properties can be searched for.`, 'tooMany', params);
      continue;
    }
    for (const [index, property] of properties.entries()) {
      // Entries that do not fit the schema are null.
      if (typeof property === 'string' && !property.includes('='))
        issues.push({ path: [name, index], reason: 'invalid', message: 'A property is written key=value.' });
    }
  }
  for (const name of typeof args.syncToken === 'string' ? argumentsExcludedBySyncToken : [])
    if (args[name] != null) addIssue(name, `${name} cannot be combined with syncToken. Leave one out.`);
  return issues;
}

export const instancesIssues = (args: Omit<ListInstancesArgs, 'calendarId' | 'eventId'>): Issue[] => [
  ...argumentIssues(args),
  ...pageIssues(args),
];

export function pageIssues({
  first,
  timeMin,
  timeMax,
}: Pick<ListInstancesArgs, 'first' | 'timeMin' | 'timeMax'>): Issue[] {
  const issues = pageSizeIssues(first, maxPageSize);
  const { from, to } = timeRangeOf({ timeMin, timeMax });
  if (from >= to)
    issues.push({ path: ['timeMax'], reason: 'invalid', message: 'timeMax must be after timeMin.' });
  return issues;
}
