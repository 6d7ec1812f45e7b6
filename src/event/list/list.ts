import type { Viewer } from '../../access/permissions.ts';
import { resolveCalendarRef, openCalendar, type OpenCalendar } from '../../calendar/calendar.access.ts';
import { type CalendarView, calendarViewOf } from '../../calendar/calendar.view.ts';
import { invalidInputError, type Issue } from '../../core/errors.ts';
import { tooManyEntriesArguments } from '../../core/fields/validate.ts';
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
import { isExpired, retentionCutoff, withoutExpired } from '../instances/removed-instances.ts';
import {
  type EventRecord,
  isCancelled,
  isSeries,
  recordAsOnCalendar,
  asOnCalendar,
} from '../model/record.ts';
import { visibilityOf, seesGuests, type EventContext, type Visibility } from '../visibility/event-context.ts';
import { type EventView, viewOf } from '../visibility/event-view.ts';
import { looksLikeSeries } from '../visibility/visible-state.ts';
import {
  createEdges,
  expiredCursorIssue,
  expiredSyncTokenIssue,
  instancesDroppedIssue,
  type ListRequest,
  parseListRequest,
  seriesChangedIssue,
  writePageToken,
} from './list-request.ts';
import { isSelected, mayMatch } from './matching.ts';
import { compareKeys, collectInstanceNodes, composeListedRecord, type ListNode } from './instance-nodes.ts';
import { excludesSyncToken } from './selection.ts';
import { collectWork, eventWork, instanceWork, tooManyEventsError } from './work-units.ts';

/** Page of a calendar's events. */
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

/** Request for a page, with its calendar, its reader and its work budget. */
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
 * Lists a page of a calendar's events, whose order does not depend on changes. Incremental requests also list
 * cancelled events, with their id only; showDeleted lists them in full. Access is checked once, when the page
 * begins.
 */
export async function listEvents(
  viewer: Viewer,
  args: ListEventsArgs,
  { store, seal, eventContext, clock }: ListDependencies,
  budget: WorkBudget,
): Promise<EventList> {
  const ref = resolveCalendarRef(args.calendarId, viewer);
  let listing: Listing | undefined;
  const prepareQuery = (state: CalendarState | undefined): EventQuery => {
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
      ...parseListRequest(args, openedCalendar, revision, viewer, seal),
    };
    return createQuery(listing);
  };
  const nodes: ListNode[] = [];
  let page = await store.listCalendar(ref, prepareQuery);
  for (;;) {
    if (!page || !listing)
      throw invalidInputError([listing?.syncToken ? expiredSyncTokenIssue : expiredCursorIssue]);
    nodes.push(...(await collectNodes(page, await loadSeriesStates(page, listing, store), listing)));
    const after = page.entries.at(-1);
    // Series without instances in the range leave the page unfilled, so the loop continues.
    if (nodes.length > listing.pageSize || !page.hasMore || !after) break;
    page = await store.listEvents(listing.calendar.id, {
      ...createQuery(listing),
      after,
      revision: page.revision,
    });
  }
  return createEventList(nodes, page.revision ?? '', listing, seal);
}

/** View of a calendar that the caller may see, without `primary`. */
export const calendarViewFor = ({ calendar }: OpenCalendar, viewer: Viewer): CalendarView =>
  calendarViewOf(calendar, viewer, undefined) as CalendarView;

function createQuery(listing: Listing): EventQuery {
  const { query, budget } = listing;
  return {
    accepts(event) {
      const isListed = isAccepted(event, listing);
      // The page size already accounts for the work of listed events.
      if (!isListed) budget.spend(eventWork, tooManyEventsError);
      return isListed;
    },
    onCollect: (eventCount) => budget.spend(eventCount * collectWork, tooManyEventsError),
    ...query,
  };
}

/**
 * Whether a list shows an event, or expands it as a series. Throws if this event makes the sync token expire.
 */
function isAccepted(
  event: ListCandidate,
  {
    calendar: { id: calendarId },
    selection,
    listsInstances,
    syncToken,
    budget,
    eventContext,
    query,
    cutoff,
  }: Listing,
): boolean {
  if (isExpired(event.record, cutoff)) {
    if (syncToken) throw invalidInputError([instancesDroppedIssue]);
    return false;
  }
  if (listsInstances && !syncToken && isSeries(recordAsOnCalendar(event.record, calendarId))) return true;
  // Exceptions of a series that uninvited the owner are listed only if the reader saw them before.
  if (event.neverSeen && asOnCalendar(calendarId, event).series?.copies[calendarId]?.state === 'uninvited')
    return false;
  if (!mayMatch(event, calendarId, selection, budget)) return false;
  const record = composeListedRecord(event, calendarId);
  const context = record.copies[calendarId] && eventContext(record);
  const isVisible =
    context && !(event.series && looksLikeSeries(calendarId, event, !seesGuests(context), query.identity));
  const isListed = isVisible === true && isSelected(context, selection, budget);
  if (!isListed && event.series) budget.spend(instanceWork, tooManyEventsError);
  return isListed;
}

/**
 * Loads the current states of series that a page lists by instances, by key. Changes since the page are newer
 * than its revision.
 */
async function loadSeriesStates(
  { entries, series }: EventPage,
  { query, calendar }: Listing,
  store: EventStore,
): Promise<ReadonlyMap<string, SeriesState>> {
  const records = [...entries, ...series]
    .map(({ record }) => record)
    .filter((record) => query.expandsSeries && isSeries(recordAsOnCalendar(record, calendar.id)));
  const states = records.length === 0 ? [] : await store.exceptionsOf(records);
  return new Map(states.map((state) => [state.record.key, state]));
}

/** Collects the sorted nodes of a page's entries, up to one more than the list shows. */
async function collectNodes(
  page: EventPage,
  seriesStates: ReadonlyMap<string, SeriesState>,
  listing: Listing,
): Promise<ListNode[]> {
  const { listsInstances, syncToken, pageSize, calendar, selection, query, budget, eventContext, cursor } =
    listing;
  const isSortedByStart = query.order === 'start';
  const lastSortTimeMs = isSortedByStart && page.hasMore ? page.entries.at(-1)?.at : undefined;
  let rangeEndMs = lastSortTimeMs === undefined ? selection.to : Math.min(selection.to, lastSortTimeMs + 1);
  let nodes: ListNode[] = [];
  const expandSeries = async ({ record, position, at }: ListedEvent): Promise<ListNode[]> => {
    const state = seriesStates.get(record.key);
    // A series that no longer recurs is newer than the page.
    if (!state || !isSeries(recordAsOnCalendar(state.record, calendar.id))) return [];
    return collectInstanceNodes(
      { ...state, exceptions: withoutExpired(state.exceptions, listing.cutoff), position, at },
      {
        selection: { ...selection, to: rangeEndMs },
        zone: calendar.timeZone,
        calendarId: calendar.id,
        eventContext,
        order: query.order,
        limit: pageSize + 1,
        after: cursor?.key,
        budget,
      },
    );
  };
  for (const entry of page.entries) {
    // Except by start, entries are sorted and instances of a series follow each other.
    if (!isSortedByStart && nodes.length > pageSize) break;
    const isRecurring = isSeries(recordAsOnCalendar(entry.record, calendar.id));
    if (listsInstances && syncToken && (isRecurring || entry.wasSeries))
      throw invalidInputError([seriesChangedIssue]);
    const { droppedUntil } = entry.record;
    if (syncToken && droppedUntil !== undefined && droppedUntil > (syncToken.at ?? ''))
      throw invalidInputError([instancesDroppedIssue]);
    const { position, at } = entry;
    // Under load each check of the event loop waits, so only expensive, composed entries yield.
    const turn = entry.series || isRecurring ? eventLoop.enter() : undefined;
    if (turn) await turn;
    if (listsInstances && isRecurring) nodes.push(...(await expandSeries(entry)));
    else
      nodes.push({ key: { position, at }, context: eventContext(composeListedRecord(entry, calendar.id)) });
  }
  for (const entry of page.series) {
    await eventLoop.enter();
    const nodesOfSeries = await expandSeries(entry);
    if (nodesOfSeries.length === 0) continue;
    nodes = [...nodes, ...nodesOfSeries].sort((a, b) => compareKeys(a.key, b.key)).slice(0, pageSize + 1);
    // Instances of the next series that start after the page's last node are not needed.
    const nextNode = nodes[pageSize];
    if (nextNode) rangeEndMs = Math.min(rangeEndMs, nextNode.key.at + 1);
  }
  return nodes;
}

async function createEventList(
  nodes: readonly ListNode[],
  revision: string,
  listing: Listing,
  seal: Seal,
): Promise<EventList> {
  const { args, viewer, requestedAt, role, cursor, syncToken, argumentsKey, selection, pageSize } = listing;
  const calendarId = listing.calendar.id;
  const hasMore = nodes.length > pageSize;
  const shownVisibility = (context: EventContext): Visibility =>
    !selection.showDeleted && isCancelled(context.record, context.copy) ? 'none' : visibilityOf(context);
  const tokenBase = {
    revision,
    sight: cursor ? cursor.sight : visibilityForRole(role),
    at: cursor ? (cursor.at ?? '') : requestedAt,
  };
  return {
    edges: await createEdges(
      nodes.slice(0, pageSize),
      { kind: 'page', calendarId, since: syncToken?.revision, chosen: argumentsKey, ...tokenBase },
      seal,
      (context) => viewOf(context, args, shownVisibility(context)),
    ),
    hasNextPage: hasMore,
    hasPreviousPage: cursor !== undefined,
    get calendar() {
      return calendarViewFor(listing, viewer);
    },
    get nextSyncToken() {
      return hasMore || excludesSyncToken(args, selection)
        ? null
        : writePageToken(
            { kind: 'sync', calendarId, ...tokenBase, chosen: String(listing.listsInstances) },
            seal,
          );
    },
  };
}

/** Limit of the calendars that one request names. */
const maxCalendars = 50;

export function calendarCountIssues(actual: number): Issue[] {
  const path = ['calendarIds'];
  if (actual === 0) {
    const message = `Name the calendars, 1 to ${maxCalendars}.`;
    return [{ path, reason: 'required', message, params: { min: 1, max: maxCalendars, actual } }];
  }
  if (actual <= maxCalendars) return [];
  const limit = { entries: maxCalendars, label: 'calendars' };
  const [reason, message, params] = tooManyEntriesArguments(limit, actual);
  return [{ path, reason, message, params }];
}
