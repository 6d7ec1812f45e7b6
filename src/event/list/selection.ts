import type { Issue } from '../../core/errors.ts';
import { pageSizeIssues } from '../../core/page.ts';
import {
  argumentIssues,
  type ListEventsArgs,
  type PageArgs,
  type PresentationArgs,
} from '../event.requests.ts';
import { createSearch, type Search } from './search.ts';

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
  return {
    search: createSearch(args.q),
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
export const timeRangeOf = ({ timeMin, timeMax }: PageArgs): Pick<Selection, 'from' | 'to'> => ({
  from: parseInstantMs(timeMin) ?? -Infinity,
  to: parseInstantMs(timeMax) ?? Infinity,
});

/** Filters by which a later change may match unnoticed by a sync, as by words of `q`. */
const filtersWithoutSync = [
  'iCalUID',
  'privateExtendedProperty',
  'sharedExtendedProperty',
  'updatedMin',
] as const;

/** Arguments that filter or sort events and do not go with a sync token. */
const argumentsExcludedBySyncToken = ['timeMin', 'timeMax', 'orderBy', 'q', ...filtersWithoutSync] as const;

/** Whether a later change may match the filters unnoticed by a sync. Such a list has no sync token. */
export const excludesSyncToken = (args: ListEventsArgs, { search }: Selection): boolean =>
  search !== undefined || filtersWithoutSync.some((name) => args[name] != null);

export function listIssues(args: Omit<ListEventsArgs, 'calendarId'>): Issue[] {
  const issues = pageIssues(args);
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

/** Issues of the arguments that all lists have. */
export function pageIssues(args: PageArgs & PresentationArgs): Issue[] {
  const issues = [...argumentIssues(args), ...pageSizeIssues(args.first, maxPageSize)];
  const { from, to } = timeRangeOf(args);
  if (from >= to)
    issues.push({ path: ['timeMax'], reason: 'invalid', message: 'timeMax must be after timeMin.' });
  return issues;
}
