import type { Viewer } from '../../access/permissions.ts';
import { invalidInput, type Issue } from '../../core/kernel/errors.ts';
import type { Page } from '../../core/kernel/page.ts';
import type { Seal } from '../../core/kernel/seal.ts';
import { eventLoop } from '../../core/runtime/event-loop.ts';
import type { QueryEventsArgs } from '../../generated/resolvers-types.ts';
import { calendarRef, openCalendar, type OpenCalendar } from '../../calendar/calendar.access.ts';
import { asking } from '../event.access.ts';
import type { EventPage, EventQuery, EventStore, FoundEvent, ListedEvent } from '../event.store.ts';
import type { EventRecord } from '../model/record.ts';
import { isCancelled, isSeries, seenOn } from '../model/record.ts';
import { isUnchanged } from '../model/visible-state.ts';
import { viewOf, type EventView } from '../view/event-view.ts';
import { levelOf, seesGuests, type Viewpoint } from '../view/viewpoint.ts';
import type { WorkBudget } from '../../core/runtime/work-budget.ts';
import { collectWork, eventWork, instanceWork, tooManyEvents } from './work-units.ts';
import { isSelected, mayMatch } from './matching.ts';
import { compareKeys, instancesOf, listedRecord, shownOf, type ListNode } from './nodes.ts';
import { edgeOf, readPageToken, writePageToken, type PageToken } from './page-token.ts';
import { defaultPage, isFiltered, listIssues, selectionOf, type Selection } from './selection.ts';

export interface EventList extends Page<EventView> {
  /** Set on the last page only: what changes from the first page on is listed with it. */
  readonly nextSyncToken: string | null;
}

export interface ListTools {
  readonly store: EventStore;
  /** Of sync tokens and cursors. */
  readonly seal: Seal;
  readonly pointOf: (record: EventRecord, open: OpenCalendar, viewer: Viewer) => Viewpoint;
}

/** A request for a page, understood. */
interface Ask {
  readonly open: OpenCalendar;
  readonly selection: Selection;
  readonly query: Omit<EventQuery, 'accepts'>;
  readonly first: number;
  readonly expand: boolean;
  readonly sync: PageToken | undefined;
  readonly cursor: PageToken | undefined;
  readonly budget: WorkBudget;
  /** What a cursor goes on with. */
  readonly chosen: string;
}

/**
 * One page of a calendar's events (event resource, section 3: list visibility). The order never changes while events
 * do. Cancelled events are listed in incremental requests, with their id only, or with showDeleted in full.
 */
export async function listEvents(viewer: Viewer, args: QueryEventsArgs, { store, seal, pointOf }: ListTools, budget: WorkBudget): Promise<EventList> {
  const ref = calendarRef(args.calendarId, viewer);
  let known: Ask | undefined;
  const nodes: ListNode[] = [];
  let page: EventPage | undefined;
  let mark: string | undefined;
  let after: EventQuery['after'];
  do {
    page = await store.listEvents(ref, (calendar) => {
      const ask = (known ??= askOf(args, openCalendar(calendar, ref, viewer, 'freeBusyReader'), viewer, seal, budget));
      const accepts: EventQuery['accepts'] = (event) => {
        const isListed = accepted(ask, event, viewer, pointOf);
        // What is listed was paid for by "first".
        if (!isListed) budget.take(eventWork, tooManyEvents);
        return isListed;
      };
      return { ...ask.query, ...(after && { after }), accepts, onCollect: (events) => budget.take(events * collectWork, tooManyEvents) };
    });
    const { sync } = known as Ask;
    if (!page) throw invalidInput([sync ? expiredSyncToken : expiredCursor]);
    mark ??= page.mark;
    nodes.push(...(await nodesOf(page, known as Ask, (record) => pointOf(record, (known as Ask).open, viewer))));
    after = page.entries.at(-1);
    // A series can be without an instance in the range: then there is room for more.
  } while (nodes.length <= (known as Ask).first && page.more && after);
  return pageOf(await shownOf(nodes, (known as Ask).first), nodes.length > (known as Ask).first, known as Ask, mark, args, seal);
}

function accepted({ open, selection, expand, sync, budget }: Ask, event: FoundEvent, viewer: Viewer, pointOf: ListTools['pointOf']): boolean {
  const { id: calendarId } = open.calendar;
  // Its instances are held against the selection one by one.
  if (expand && !sync && isSeries(seenOn(event.record, calendarId))) return true;
  // Of a series that was taken away nothing is left but what was seen of it before.
  if (event.neverSeen && event.series?.copies[calendarId]?.state === 'uninvited') return false;
  if (!mayMatch(event, calendarId, selection, budget)) return false;
  const point = pointOf(listedRecord(event, calendarId), open, viewer);
  const isNews = point.copy !== undefined && !(event.series && isUnchanged(calendarId, event, !seesGuests(point), viewer.identity));
  const isListed = isNews && isSelected(point, selection, budget);
  if (!isListed && event.series) budget.take(instanceWork, tooManyEvents);
  return isListed;
}

/** What the entries of a page come to, in order: at least one more than the list shows, where there are as many. */
async function nodesOf(page: EventPage, ask: Ask, pointOf: (record: EventRecord) => Viewpoint): Promise<ListNode[]> {
  const { expand, sync, first, open: { calendar }, selection, query, budget } = ask;
  const byStart = query.order === 'start';
  const last = byStart && page.more ? page.entries.at(-1)?.at : undefined;
  let end = last === undefined ? selection.to : Math.min(selection.to, last + 1);
  let nodes: ListNode[] = [];
  const instances = (entry: ListedEvent): Promise<ListNode[]> =>
    instancesOf(entry, {
      selection: { ...selection, to: end },
      zone: calendar.timeZone, calendarId: calendar.id, pointOf, identity: query.identity, order: query.order, limit: first + 1, after: ask.cursor?.key, budget,
    });
  for (const entry of page.entries) {
    // They come in order, those of a series together.
    if (!byStart && nodes.length > first) break;
    const recurs = isSeries(seenOn(entry.record, calendar.id));
    if (expand && sync && (recurs || entry.wasSeries)) throw invalidInput([seriesChanged]);
    const { position, at } = entry;
    // Where others wait each look at the time is a wait: only what is put together here is worth one.
    const turn = entry.series || recurs ? eventLoop.enter() : undefined;
    if (turn) await turn;
    if (expand && recurs) nodes.push(...(await instances(entry)));
    else nodes.push({ key: { position, at }, point: pointOf(listedRecord(entry, calendar.id)) });
  }
  for (const entry of page.series) {
    await eventLoop.enter();
    const found = await instances(entry);
    if (found.length === 0) continue;
    nodes = [...nodes, ...found].sort((a, b) => compareKeys(a.key, b.key)).slice(0, first + 1);
    // Of the next series nothing is looked for that starts behind what the list shows.
    const behind = nodes[first];
    if (behind) end = Math.min(end, behind.key.at + 1);
  }
  return nodes;
}

function pageOf(shown: readonly ListNode[], more: boolean, ask: Ask, mark: string, args: QueryEventsArgs, seal: Seal): EventList {
  const { cursor, sync, chosen, selection, expand, open: { calendar: { id: calendarId } } } = ask;
  const began = cursor?.mark ?? mark;
  return {
    edges: shown.map(({ key, point }) => edgeOf({ kind: 'page', calendarId, mark: began, since: sync?.mark, chosen, key }, seal, viewOf(point, args, !selection.showDeleted && isCancelled(point.record, point.copy) ? 'gone' : levelOf(point)))),
    hasNextPage: more,
    hasPreviousPage: cursor !== undefined,
    nextSyncToken: more || isFiltered(args) ? null : writePageToken({ kind: 'sync', calendarId, mark: began, chosen: String(expand) }, seal),
  };
}

/** What the arguments ask the store for; throws AppError with all that is wrong with them. */
function askOf(args: QueryEventsArgs, open: OpenCalendar, viewer: Viewer, seal: Seal, budget: WorkBudget): Ask {
  const { id } = open.calendar;
  const issues = listIssues(args);
  const expand = args.singleEvents === true;
  const sync = readPageToken(args.syncToken, 'sync', id, seal);
  const cursor = readPageToken(args.after, 'page', id, seal);
  if (typeof args.syncToken === 'string' && (!sync || sync.chosen !== String(expand))) issues.push(sync ? otherSingleEvents : foreignSyncToken);
  const selection = selectionOf(args);
  const chosen = JSON.stringify([expand, args.orderBy, args.timeMin, args.timeMax, args.q, args.iCalUID, args.privateExtendedProperty,
    args.sharedExtendedProperty, args.updatedMin, selection.showDeleted].map((value) => value ?? null));
  const fits = cursor && cursor.since === sync?.mark && cursor.chosen === chosen;
  if (typeof args.after === 'string' && !fits) issues.push(foreignCursor);
  if (issues.length > 0) throw invalidInput(issues);
  const first = args.first ?? defaultPage;
  const { from, to, showDeleted, incremental } = selection;
  const key = cursor?.key;
  const query: Ask['query'] = {
    ...asking(open.role, viewer),
    ...(sync && { since: sync.mark }),
    ...(cursor && { knows: cursor.mark }),
    // The rest of a series that an earlier page began is still to come.
    ...(key && { after: { at: key.at, position: key.original === undefined ? key.position : key.position - 1 } }),
    ...(selection.updatedMin !== undefined && { updatedMin: selection.updatedMin }),
    cancelled: showDeleted || incremental || expand,
    ...((from !== -Infinity || to !== Infinity) && { between: { from, to } }),
    ...(args.iCalUID && { iCalUID: args.iCalUID }),
    expand: expand && !sync,
    order: args.orderBy === 'startTime' ? 'start' : args.orderBy === 'updated' ? 'updated' : 'position',
    limit: first + 1,
  };
  return { open, selection, query, first, expand, sync, cursor, chosen, budget };
}

const fresh = 'Leave it out to list everything again, and go on with the nextSyncToken of that answer.';
const syncIssue = (message: string): Issue => ({ path: ['syncToken'], reason: 'invalid', message: `${message} ${fresh}` });
const foreignSyncToken = syncIssue("The syncToken is not one that this calendar's list gave out.");
const otherSingleEvents = syncIssue('The syncToken goes with the singleEvents of the list that gave it out.');
const expiredSyncToken = syncIssue('The syncToken has expired.');
const seriesChanged = syncIssue('The syncToken has expired: a series has changed, and with it its instances.');
const expiredCursor: Issue = { path: ['after'], reason: 'invalid', message: 'The cursor in after has expired. Leave it out to begin again.' };
const foreignCursor: Issue = {
  path: ['after'],
  reason: 'invalid',
  message: 'after must be a cursor of the same list: the same calendar and the same arguments. Leave it out to begin again.',
};
