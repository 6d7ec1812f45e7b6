import type { Viewer } from '../../access/permissions.ts';
import { invalidInputError, requireValid, type Issue } from '../../core/errors.ts';
import { type ListInstancesArgs, eventNotFoundError } from '../event.requests.ts';
import { resolveCalendarRef, openCalendar } from '../../calendar/calendar.access.ts';
import { type EventReference, isSeries, recordAsOnCalendar, type StoredEvent } from '../model/record.ts';
import { retentionCutoff, withoutExpired } from '../instances/removed-instances.ts';
import { viewOf } from '../visibility/event-view.ts';
import type { RequestKey } from '../../core/runtime/request-loader.ts';
import type { WorkBudget } from '../../core/runtime/limits.ts';
import { collectInstanceNodes } from './instance-nodes.ts';
import type { ReadCalendar } from '../../calendar/calendar.store.ts';
import { calendarViewFor, type EventList, type ListDependencies } from './list.ts';
import { createEdges, readPageToken } from './list-request.ts';
import { defaultPageSize, pageIssues, selectionOf } from './selection.ts';

export interface InstanceDependencies extends ListDependencies {
  readonly readCalendar: ReadCalendar;
  /** Reads an event. Concurrent reads of a request are batched, and results are cached for the request. */
  readonly readEvent: (request: RequestKey, reference: EventReference) => Promise<StoredEvent | undefined>;
}

/** Arguments that a cursor of instances was made for, as text. */
export const instanceArgumentsKey = (args: ListInstancesArgs): string =>
  JSON.stringify([
    'instances',
    args.eventId,
    args.timeMin ?? null,
    args.timeMax ?? null,
    args.showDeleted === true,
  ]);

export const foreignInstancesCursorIssue: Issue = {
  path: ['after'],
  reason: 'invalid',
  message: 'after must be a cursor of the same list. Leave it out to start again.',
};

const notRecurringIssue: Issue = {
  path: ['eventId'],
  reason: 'invalid',
  message: 'This event does not recur, so it has no instances.',
};

/** Lists a page of a series' instances by original start. */
export async function listInstances(
  viewer: Viewer,
  args: ListInstancesArgs,
  { store, seal, eventContext, clock, readCalendar, readEvent }: InstanceDependencies,
  request: RequestKey,
  budget: WorkBudget,
): Promise<EventList> {
  const ref = resolveCalendarRef(args.calendarId, viewer);
  const openedCalendar = openCalendar(await readCalendar(request, ref), ref, viewer, 'freeBusyReader');
  const { id: calendarId, timeZone: zone } = openedCalendar.calendar;
  const event = await readEvent(request, { calendarId, eventId: args.eventId });
  if (!event) throw eventNotFoundError();
  const issues = pageIssues(args);
  const argumentsKey = instanceArgumentsKey(args);
  const cursor = readPageToken(args.after, 'page', calendarId, seal);
  if (typeof args.after === 'string' && cursor?.chosen !== argumentsKey)
    issues.push(foreignInstancesCursorIssue);
  requireValid(issues);
  const [seriesState] = await store.exceptionsOf([event.record]);
  if (!seriesState || !isSeries(recordAsOnCalendar(seriesState.record, calendarId)))
    throw invalidInputError([notRecurringIssue]);
  const pageSize = args.first ?? defaultPageSize;
  const exceptions = withoutExpired(seriesState.exceptions, retentionCutoff(clock()));
  const nodes = await collectInstanceNodes(
    // Only one series is listed, so its position among others does not matter if all pages use the same one.
    { ...seriesState, exceptions, at: 0, position: cursor?.key?.position ?? 0 },
    {
      selection: selectionOf(args),
      zone,
      calendarId,
      order: 'position',
      includesDetached: true,
      limit: pageSize + 1,
      after: cursor?.key,
      budget,
      eventContext: (record) => eventContext(record, openedCalendar, viewer),
    },
  );
  return {
    edges: await createEdges(
      nodes.slice(0, pageSize),
      { kind: 'page', calendarId, revision: '', chosen: argumentsKey },
      seal,
      (context) => viewOf(context, args),
    ),
    hasNextPage: nodes.length > pageSize,
    hasPreviousPage: cursor !== undefined,
    nextSyncToken: null,
    get calendar() {
      return calendarViewFor(openedCalendar, viewer);
    },
  };
}
