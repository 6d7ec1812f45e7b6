import type { Viewer } from '../../access/permissions.ts';
import { calendarRef, openCalendar, type OpenCalendar } from '../../calendar/calendar.access.ts';
import { type CalendarView, calendarViewOf } from '../../calendar/calendar.view.ts';
import { invalidInput, type Issue } from '../../core/errors.ts';
import { tooMany } from '../../core/fields/validate.ts';
import type { Page } from '../../core/page.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { eventLoop } from '../../core/runtime/event-loop.ts';
import type { WorkBudget } from '../../core/runtime/limits.ts';
import type { Seal } from '../../core/seal.ts';
import { type ListEventsArgs, visibilityForRole } from '../event.requests.ts';
import type {
  CalendarState,
  EventPage,
  EventQuery,
  EventStore,
  ListCandidate,
  ListedEvent,
  SeriesState,
} from '../event.store.ts';
import { isExpired, retentionCutoff, withoutExpired } from '../instances/expired.ts';
import {
  type EventRecord,
  isCancelled,
  isSeries,
  recordAsOnCalendar,
  asOnCalendar,
} from '../model/record.ts';
import { visibilityOf, seesGuests, type EventContext, type Visibility } from '../visibility/event-context.ts';
import { type EventView, viewOf } from '../visibility/event-view.ts';
import { isUnchanged } from '../visibility/visible-state.ts';
import {
  Edge,
  expiredCursor,
  expiredSyncToken,
  instancesDropped,
  type ListRequest,
  listRequestOf,
  seriesChanged,
  writePageToken,
} from './list-request.ts';
import { isSelected, mayMatch } from './matching.ts';
import { compareKeys, instanceNodes, listedRecord, type ListNode, visibleNodes } from './nodes.ts';
import { isFiltered } from './selection.ts';
import { collectWork, eventWork, instanceWork, tooManyEvents } from './work-units.ts';

export interface EventList extends Page<EventView> {
  /** Token that lists changes since the first page; set on the last page only. */
  readonly nextSyncToken: string | null;
  readonly calendar: CalendarView;
}

export interface ListDependencies {
  readonly store: EventStore;
  readonly seal: Seal;
  readonly eventContext: (record: EventRecord, openedCalendar: OpenCalendar, viewer: Viewer) => EventContext;
  readonly clock: Clock;
}

interface Listing extends ListRequest, OpenCalendar {
  readonly args: ListEventsArgs;
  readonly viewer: Viewer;
  /** RFC 3339 time of this page. */
  readonly requestedAt: string;
  /** Removed instances are shown if they changed after this time. */
  readonly cutoff: string;
  readonly eventContext: (record: EventRecord) => EventContext;
  readonly budget: WorkBudget;
}

/**
 * Lists a page of a calendar's events. Changes of events do not change their
 * order. Cancelled events are listed with their id only in incremental requests, and in full with showDeleted. Access is
 * checked once, when the page begins.
 */
export async function listEvents(
  viewer: Viewer,
  args: ListEventsArgs,
  { store, seal, eventContext, clock }: ListDependencies,
  budget: WorkBudget,
): Promise<EventList> {
  const ref = calendarRef(args.calendarId, viewer);
  let listing: Listing | undefined;
  const queryOf = (state: CalendarState | undefined): EventQuery => {
    const openedCalendar = openCalendar(state?.calendar, ref, viewer, 'freeBusyReader');
    const revision = state?.revision ?? '';
    const now = clock();
    listing = {
      args,
      viewer,
      requestedAt: new Date(now).toISOString(),
      cutoff: retentionCutoff(now),
      budget,
      eventContext: (record) => eventContext(record, openedCalendar, viewer),
      ...openedCalendar,
      ...listRequestOf(args, openedCalendar, revision, viewer, seal),
    };
    return queryFor(listing);
  };
  const nodes: ListNode[] = [];
  let page = await store.listCalendar(ref, queryOf);
  for (;;) {
    if (!page || !listing) throw invalidInput([listing?.sync ? expiredSyncToken : expiredCursor]);
    nodes.push(...(await nodesOf(page, await seriesOf(page, listing, store), listing)));
    const after = page.entries.at(-1);
    // Series without instances in the range leave the page unfilled, so the loop continues.
    if (nodes.length > listing.pageSize || !page.hasMore || !after) break;
    page = await store.listEvents(listing.calendar.id, {
      ...queryFor(listing),
      after,
      revision: page.revision,
    });
  }
  return listOf(nodes, page.revision ?? '', listing, seal);
}

/** View of a calendar that the caller may see, without `primary`. */
export const calendarViewFor = ({ calendar }: OpenCalendar, viewer: Viewer): CalendarView =>
  calendarViewOf(calendar, viewer, undefined) as CalendarView;

function queryFor(listing: Listing): EventQuery {
  const { query, budget } = listing;
  return {
    accepts(event) {
      const isListed = isAccepted(event, listing);
      // The page size already accounts for the work of listed events.
      if (!isListed) budget.spend(eventWork, tooManyEvents);
      return isListed;
    },
    onCollect: (events) => budget.spend(events * collectWork, tooManyEvents),
    ...query,
  };
}

function isAccepted(
  event: ListCandidate,
  { calendar: { id: calendarId }, selection, expand, sync, budget, eventContext, query, cutoff }: Listing,
): boolean {
  if (isExpired(event.record, cutoff)) {
    if (sync) throw invalidInput([instancesDropped]);
    return false;
  }
  if (expand && !sync && isSeries(recordAsOnCalendar(event.record, calendarId))) return true;
  // Exceptions of a series that uninvited the owner are listed only if the reader saw them before.
  if (event.neverSeen && asOnCalendar(calendarId, event).series?.copies[calendarId]?.state === 'uninvited')
    return false;
  if (!mayMatch(event, calendarId, selection, budget)) return false;
  const record = listedRecord(event, calendarId);
  const context = record.copies[calendarId] && eventContext(record);
  const isVisible =
    context && !(event.series && isUnchanged(calendarId, event, !seesGuests(context), query.identity));
  const isListed = isVisible === true && isSelected(context, selection, budget);
  if (!isListed && event.series) budget.spend(instanceWork, tooManyEvents);
  return isListed;
}

/** Current states of series that a page lists by instances, by key. Changes since the page are newer than its revision. */
async function seriesOf(
  { entries, series }: EventPage,
  { query, calendar }: Listing,
  store: EventStore,
): Promise<ReadonlyMap<string, SeriesState>> {
  const records = [...entries, ...series]
    .map(({ record }) => record)
    .filter((record) => query.expand && isSeries(recordAsOnCalendar(record, calendar.id)));
  const states = records.length === 0 ? [] : await store.exceptionsOf(records);
  return new Map(states.map((state) => [state.record.key, state]));
}

/** Sorted nodes of a page's entries: one more than the list shows if there are so many. */
async function nodesOf(
  page: EventPage,
  series: ReadonlyMap<string, SeriesState>,
  listing: Listing,
): Promise<ListNode[]> {
  const { expand, sync, pageSize, calendar, selection, query, budget, eventContext, cursor } = listing;
  const byStart = query.order === 'start';
  const lastSortTime = byStart && page.hasMore ? page.entries.at(-1)?.at : undefined;
  let end = lastSortTime === undefined ? selection.to : Math.min(selection.to, lastSortTime + 1);
  let nodes: ListNode[] = [];
  const expandSeries = async ({ record, position, at }: ListedEvent): Promise<ListNode[]> => {
    const state = series.get(record.key);
    // A series that no longer recurs is newer than the page.
    if (!state || !isSeries(recordAsOnCalendar(state.record, calendar.id))) return [];
    return instanceNodes(
      { ...state, exceptions: withoutExpired(state.exceptions, listing.cutoff), position, at },
      {
        selection: { ...selection, to: end },
        zone: calendar.timeZone,
        calendarId: calendar.id,
        eventContext,
        identity: query.identity,
        order: query.order,
        limit: pageSize + 1,
        after: cursor?.key,
        budget,
      },
    );
  };
  for (const entry of page.entries) {
    // Except by start, entries are sorted and instances of a series follow each other.
    if (!byStart && nodes.length > pageSize) break;
    const isRecurring = isSeries(recordAsOnCalendar(entry.record, calendar.id));
    if (expand && sync && (isRecurring || entry.wasSeries)) throw invalidInput([seriesChanged]);
    const { droppedUntil } = entry.record;
    if (sync && droppedUntil !== undefined && droppedUntil > (sync.at ?? ''))
      throw invalidInput([instancesDropped]);
    const { position, at } = entry;
    // Under load each check of the event loop waits, so only expensive, composed entries yield.
    const turn = entry.series || isRecurring ? eventLoop.enter() : undefined;
    if (turn) await turn;
    if (expand && isRecurring) nodes.push(...(await expandSeries(entry)));
    else nodes.push({ key: { position, at }, context: eventContext(listedRecord(entry, calendar.id)) });
  }
  for (const entry of page.series) {
    await eventLoop.enter();
    const instanceNodes = await expandSeries(entry);
    if (instanceNodes.length === 0) continue;
    nodes = [...nodes, ...instanceNodes].sort((a, b) => compareKeys(a.key, b.key)).slice(0, pageSize + 1);
    // Instances of the next series that start after the page's last node are not needed.
    const nextNode = nodes[pageSize];
    if (nextNode) end = Math.min(end, nextNode.key.at + 1);
  }
  return nodes;
}

async function listOf(
  nodes: readonly ListNode[],
  revision: string,
  listing: Listing,
  seal: Seal,
): Promise<EventList> {
  const { args, viewer, requestedAt, role, cursor, sync, argumentsKey, selection, pageSize } = listing;
  const calendarId = listing.calendar.id;
  const hasMore = nodes.length > pageSize;
  const pageNodes = await visibleNodes(nodes, pageSize);
  const shownVisibility = (context: EventContext): Visibility =>
    !selection.showDeleted && isCancelled(context.record, context.copy) ? 'gone' : visibilityOf(context);
  const tokenBase = {
    revision,
    sight: cursor ? cursor.sight : visibilityForRole(role),
    at: cursor ? (cursor.at ?? '') : requestedAt,
  };
  const cursorBase = {
    kind: 'page',
    calendarId,
    since: sync?.revision,
    chosen: argumentsKey,
    ...tokenBase,
  } as const;
  return {
    edges: pageNodes.map(
      ({ key, context }) =>
        new Edge({ key, ...cursorBase }, seal, viewOf(context, args, shownVisibility(context))),
    ),
    hasNextPage: hasMore,
    hasPreviousPage: cursor !== undefined,
    get calendar() {
      return calendarViewFor(listing, viewer);
    },
    get nextSyncToken() {
      return hasMore || isFiltered(args)
        ? null
        : writePageToken({ kind: 'sync', calendarId, ...tokenBase, chosen: String(listing.expand) }, seal);
    },
  };
}

/** Limit of the calendars that one request names. */
const maxCalendars = 50;

export function calendarCountIssues(actual: number): Issue[] {
  const path = ['calendarIds'];
  const max = maxCalendars;
  if (actual === 0)
    return [
      {
        path,
        reason: 'required',
        message: `Name the calendars, 1 to ${max}.`,
        params: { min: 1, max, actual },
      },
    ];
  if (actual <= max) return [];
  const [reason, message, params] = tooMany({ entries: max, label: 'calendars' }, actual);
  return [{ path, reason, message, params }];
}
