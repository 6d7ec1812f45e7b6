import type { Viewer } from '../../access/permissions.ts';
import { invalidInput, type Issue } from '../../core/errors.ts';
import type { Page } from '../../core/page.ts';
import type { QueryEventsArgs } from '../../generated/resolvers-types.ts';
import { calendarRef, openCalendar, type OpenCalendar } from '../event.access.ts';
import { argumentIssues } from '../event.arguments.ts';
import type { EventQuery, EventStore } from '../event.store.ts';
import type { EventRecord } from '../model/record.ts';
import { viewOf, type EventView } from '../view/event-view.ts';
import { levelOf, type Viewpoint } from '../view/viewpoint.ts';
import { readMarker, writeMarker, type Marker } from './page-token.ts';

export interface EventList extends Page<EventView> {
  /** Set on the last page only: what changes from the first page on is listed with it. */
  readonly nextSyncToken: string | null;
}

export interface ListTools {
  readonly store: EventStore;
  /** The key that keeps tokens from being made up. */
  readonly secret: string;
  readonly pointOf: (record: EventRecord, open: OpenCalendar, viewer: Viewer) => Viewpoint;
}

const defaultPage = 250;
const maxPage = 2500;

/** A request for a page, understood. */
interface Ask {
  readonly open: OpenCalendar;
  readonly query: EventQuery;
  readonly first: number;
  readonly sync: Marker | undefined;
  readonly cursor: Marker | undefined;
}

/**
 * One page of a calendar's events (event resource, section 3: list visibility). The order never changes while events
 * do. Cancelled events are listed in incremental requests, with their id only, or with showDeleted in full.
 */
export async function listEvents(viewer: Viewer, args: QueryEventsArgs, { store, secret, pointOf }: ListTools): Promise<EventList> {
  const ref = calendarRef(args.calendarId, viewer);
  let asked: Ask | undefined;
  const page = await store.listEvents(ref, (calendar) => {
    asked = askOf(args, openCalendar(calendar, ref, viewer, 'freeBusyReader'), viewer, secret);
    return asked.query;
  });
  const { open, sync, cursor } = asked as unknown as Ask;
  if (!page) throw invalidInput([sync ? expiredSyncToken : expiredCursor]);
  const showDeleted = args.showDeleted === true;
  const calendarId = open.calendar.id;
  const selection = {
    calendarId, since: sync?.mark, mark: cursor?.mark ?? page.mark, showDeleted, ...(args.updatedMin && { updatedMin: args.updatedMin }),
  };
  return {
    edges: page.entries.map(({ position, record }) => {
      const at = pointOf(record, open, viewer);
      return {
        cursor: writeMarker({ kind: 'page', ...selection, position }, secret),
        node: viewOf(at, args, !showDeleted && isGone(at) ? 'gone' : levelOf(at)),
      };
    }),
    hasNextPage: page.more,
    hasPreviousPage: cursor !== undefined,
    nextSyncToken: page.more ? null : writeMarker({ kind: 'sync', calendarId, mark: selection.mark }, secret),
  };
}

/** Only the id is left of a cancelled event for those who follow changes. */
const isGone = ({ record, copy }: Viewpoint): boolean => record.core.status === 'cancelled' || copy.state !== 'present';

/** What the arguments ask the store for; throws AppError with all that is wrong with them. */
function askOf(args: QueryEventsArgs, open: OpenCalendar, viewer: Viewer, secret: string): Ask {
  const { id } = open.calendar;
  const issues = [...argumentIssues(args), ...listIssues(args)];
  const sync = readMarker(args.syncToken, 'sync', id, secret);
  const cursor = readMarker(args.after, 'page', id, secret);
  if (typeof args.syncToken === 'string' && !sync) issues.push(foreignSyncToken);
  const showDeleted = args.showDeleted === true;
  const updatedMin = args.updatedMin ?? undefined;
  const fits = cursor && cursor.since === sync?.mark && cursor.updatedMin === updatedMin && cursor.showDeleted === showDeleted;
  if (typeof args.after === 'string' && !fits) issues.push(foreignCursor);
  if (issues.length > 0) throw invalidInput(issues);
  const first = args.first ?? defaultPage;
  const query: EventQuery = {
    identity: viewer.identity,
    since: sync?.mark,
    knows: cursor?.mark,
    after: cursor?.position,
    updatedMin,
    cancelled: showDeleted || sync !== undefined || updatedMin !== undefined,
    limit: first,
  };
  return { open, query, first, sync, cursor };
}

function listIssues({ first, updatedMin, syncToken }: QueryEventsArgs): Issue[] {
  const issues: Issue[] = [];
  if (typeof first === 'number' && (first < 1 || first > maxPage)) {
    const message = `first must be from 1 to ${maxPage}.`;
    issues.push({ path: ['first'], reason: 'invalid', message, params: { min: 1, max: maxPage, actual: first } });
  }
  if (typeof updatedMin === 'string' && typeof syncToken === 'string') {
    const message = 'updatedMin does not go with syncToken, which knows where to begin. Leave one out.';
    issues.push({ path: ['updatedMin'], reason: 'invalid', message });
  }
  return issues;
}

const fresh = 'Leave it out to list everything again, and go on with the nextSyncToken of that answer.';
const foreignSyncToken: Issue = {
  path: ['syncToken'],
  reason: 'invalid',
  message: `The syncToken is not one that this calendar's list gave out. ${fresh}`,
};
const expiredSyncToken: Issue = { path: ['syncToken'], reason: 'invalid', message: `The syncToken has expired. ${fresh}` };
const expiredCursor: Issue = { path: ['after'], reason: 'invalid', message: 'The cursor in after has expired. Leave it out to begin again.' };
const foreignCursor: Issue = {
  path: ['after'],
  reason: 'invalid',
  message: 'after must be a cursor of the same list: same calendar, syncToken, updatedMin and showDeleted. Leave it out to begin again.',
};
