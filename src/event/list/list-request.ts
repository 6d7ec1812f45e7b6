import type { Viewer } from '../../access/permissions.ts';
import type { OpenCalendar } from '../../calendar/calendar.access.ts';
import { invalidInput, type Issue } from '../../core/kernel/errors.ts';
import type { Seal } from '../../core/kernel/seal.ts';
import { asking, sightOf } from '../event.access.ts';
import type { ListEventsArgs } from '../event.requests.ts';
import type { EventQuery } from '../event.store.ts';
import { readPageToken, type PageToken } from './page-token.ts';
import { defaultPage, listIssues, selectionOf, type Selection } from './selection.ts';

/** The arguments of a list, understood. */
export interface ListRequest {
  readonly selection: Selection;
  readonly query: Omit<EventQuery, 'accepts'>;
  /** The size of the page. */
  readonly first: number;
  /** Series are listed by their instances. */
  readonly expand: boolean;
  readonly sync: PageToken | undefined;
  readonly cursor: PageToken | undefined;
  /** The arguments that a cursor continues with, as text. */
  readonly chosen: string;
}

/** What the arguments ask the store for; throws AppError with all that is wrong with them. */
export function listRequestOf(
  args: ListEventsArgs,
  { calendar: { id }, role }: OpenCalendar,
  revision: string,
  viewer: Viewer,
  seal: Seal,
): ListRequest {
  const issues = listIssues(args);
  const expand = args.singleEvents === true;
  const sync = readPageToken(args.syncToken, 'sync', id, seal);
  const cursor = readPageToken(args.after, 'page', id, seal);
  if (typeof args.syncToken === 'string' && (!sync || sync.chosen !== String(expand)))
    issues.push(sync ? otherSingleEvents : foreignSyncToken);
  if (sync?.sight !== undefined && sync.sight !== sightOf(role)) issues.push(roleChanged);
  const selection = selectionOf(args);
  const chosen = chosenOf(args);
  const fits = cursor && cursor.since === sync?.revision && cursor.chosen === chosen;
  if (typeof args.after === 'string' && !fits) issues.push(foreignCursor);
  if (issues.length > 0) throw invalidInput(issues);
  const first = args.first ?? defaultPage;
  const { from, to, showDeleted, incremental } = selection;
  const key = cursor?.key;
  const query: ListRequest['query'] = {
    revision: cursor?.revision ?? revision,
    ...asking(role, viewer),
    ...(sync && { since: sync.revision }),
    // The rest of a series that an earlier page began is still to come.
    ...(key && {
      after: { at: key.at, position: key.original === undefined ? key.position : key.position - 1 },
    }),
    ...(selection.updatedMin !== undefined && { updatedMin: selection.updatedMin }),
    cancelled: showDeleted || incremental || expand,
    ...((from !== -Infinity || to !== Infinity) && { between: { from, to } }),
    ...(args.iCalUID && { iCalUID: args.iCalUID }),
    expand: expand && !sync,
    order: args.orderBy === 'startTime' ? 'start' : args.orderBy === 'updated' ? 'updated' : 'position',
    limit: first + 1,
  };
  return { selection, query, first, expand, sync, cursor, chosen };
}

/** The arguments that a cursor of a list goes on with. */
export const chosenOf = (args: ListEventsArgs): string =>
  JSON.stringify(
    [
      args.singleEvents === true,
      args.orderBy,
      args.timeMin,
      args.timeMax,
      args.q,
      args.iCalUID,
      args.privateExtendedProperty,
      args.sharedExtendedProperty,
      args.updatedMin,
      args.showDeleted === true,
    ].map((value) => value ?? null),
  );

const fresh = 'Leave it out to list everything again, and go on with the nextSyncToken of that answer.';
const syncIssue = (message: string): Issue => ({
  path: ['syncToken'],
  reason: 'invalid',
  message: `${message} ${fresh}`,
});
export const foreignSyncToken = syncIssue("The syncToken is not one that this calendar's list gave out.");
const otherSingleEvents = syncIssue('The syncToken goes with the singleEvents of the list that gave it out.');
export const expiredSyncToken = syncIssue('The syncToken has expired.');
export const seriesChanged = syncIssue(
  'The syncToken has expired: a series has changed, and with it its instances.',
);
export const instancesDropped = syncIssue(
  'The syncToken has expired: instances that a series lost since are not kept any more.',
);
const roleChanged = syncIssue(
  'The syncToken has expired: your role on this calendar has changed, and with it what you see of its events.',
);
export const expiredCursor: Issue = {
  path: ['after'],
  reason: 'invalid',
  message: 'The cursor in after has expired. Leave it out to begin again.',
};
export const foreignCursor: Issue = {
  path: ['after'],
  reason: 'invalid',
  message:
    'after must be a cursor of the same list: the same calendar and the same arguments. Leave it out to begin again.',
};
