import type { Issue } from '../../core/errors.ts';
import { sizeIssues } from '../../core/page.ts';
import { argumentIssues, type ListEventsArgs, type ListInstancesArgs } from '../event.requests.ts';
import { Search, wordsOf } from './search.ts';

export const defaultPage = 250;
const maxPage = 2500;
const maxSearchLength = 1024;
const maxProperties = 20;

/** Which events of a calendar a caller asks for. */
export interface Selection {
  /** Epoch milliseconds: what ends at or before `from`, or starts at or after `to`, is left out. */
  readonly from: number;
  readonly to: number;
  readonly search: Search | undefined;
  readonly iCalUID: string | undefined;
  /** Epoch milliseconds: what the caller saw change last before it is left out. */
  readonly updatedMin: number | undefined;
  /** Properties as `key=value`. */
  readonly privateProperties: readonly string[];
  readonly sharedProperties: readonly string[];
  /** Cancelled events too, with the details they still have. */
  readonly showDeleted: boolean;
  /** Cancelled events too, by their id. */
  readonly incremental: boolean;
}

const instant = (time: string | null | undefined): number | undefined =>
  typeof time === 'string' ? Date.parse(time.toUpperCase()) : undefined;

export function selectionOf(args: ListEventsArgs): Selection {
  const words = wordsOf(args.q);
  return {
    search: words.length > 0 ? new Search(words) : undefined,
    ...rangeOf(args),
    iCalUID: args.iCalUID || undefined,
    updatedMin: instant(args.updatedMin),
    privateProperties: args.privateExtendedProperty ?? [],
    sharedProperties: args.sharedExtendedProperty ?? [],
    showDeleted: args.showDeleted === true,
    incremental: typeof args.syncToken === 'string' || typeof args.updatedMin === 'string',
  };
}

export const rangeOf = ({
  timeMin,
  timeMax,
}: Pick<ListEventsArgs, 'timeMin' | 'timeMax'>): Pick<Selection, 'from' | 'to'> => ({
  from: instant(timeMin) ?? -Infinity,
  to: instant(timeMax) ?? Infinity,
});

/** Arguments that choose or order events, which a sync token has done already. */
const choosing = [
  'timeMin',
  'timeMax',
  'orderBy',
  'q',
  'iCalUID',
  'privateExtendedProperty',
  'sharedExtendedProperty',
  'updatedMin',
] as const;

/** Whether the list leaves anything out that a later change may bring in unseen: then it gives no sync token out. */
export const isFiltered = (args: ListEventsArgs): boolean =>
  wordsOf(args.q).length > 0 ||
  (['iCalUID', 'privateExtendedProperty', 'sharedExtendedProperty', 'updatedMin'] as const).some(
    (name) => args[name] != null,
  );

/** What is wrong with the arguments of a list by themselves. */
export function listIssues(args: Omit<ListEventsArgs, 'calendarId'>): Issue[] {
  const issues = [...argumentIssues(args), ...pageIssues(args)];
  const add = (
    name: string,
    message: string,
    reason: Issue['reason'] = 'invalid',
    params?: Issue['params'],
  ) => issues.push({ path: [name], reason, message, ...(params && { params }) });
  if (args.orderBy === 'startTime' && args.singleEvents !== true)
    add('orderBy', 'orderBy: startTime needs singleEvents: true: a series has no one start.');
  if ((args.q?.length ?? 0) > maxSearchLength)
    add('q', `q has at most ${maxSearchLength} characters.`, 'tooLong', { max: maxSearchLength });
  for (const name of ['privateExtendedProperty', 'sharedExtendedProperty'] as const) {
    const list = args[name] ?? [];
    if (list.length > maxProperties) {
      const params = { max: maxProperties, actual: list.length };
      add(name, `At most ${maxProperties} properties can be asked for.`, 'tooMany', params);
      continue;
    }
    for (const [index, text] of list.entries()) {
      // An entry that does not fit the schema is null.
      if (typeof text === 'string' && !text.includes('='))
        issues.push({ path: [name, index], reason: 'invalid', message: 'A property is written key=value.' });
    }
  }
  for (const name of typeof args.syncToken === 'string' ? choosing : [])
    if (args[name] != null)
      add(name, `${name} does not go with syncToken, which knows where to begin. Leave one out.`);
  return issues;
}

/** Issues of the arguments of a list of instances by themselves. */
export const instancesIssues = (args: Omit<ListInstancesArgs, 'calendarId' | 'eventId'>): Issue[] => [
  ...argumentIssues(args),
  ...pageIssues(args),
];

/** What is wrong with the size of a page and its range of time. */
export function pageIssues({
  first,
  timeMin,
  timeMax,
}: Pick<ListInstancesArgs, 'first' | 'timeMin' | 'timeMax'>): Issue[] {
  const issues = sizeIssues(first, maxPage);
  const { from, to } = rangeOf({ timeMin, timeMax });
  if (from >= to)
    issues.push({ path: ['timeMax'], reason: 'invalid', message: 'timeMax must be after timeMin.' });
  return issues;
}
