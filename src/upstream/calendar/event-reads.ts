import DataLoader from 'dataloader';
import type { Viewer } from '../../access/permissions.ts';
import { requireValid, serviceUnavailableError, type Issue } from '../../core/errors.ts';
import type { FieldSelection, GetSelection } from '../../core/fields/table.ts';
import { type Fields, groupByKey } from '../../core/json.ts';
import { createSeal } from '../../core/seal.ts';
import { memoizeByObject } from '../../core/memoize.ts';
import type { RequestKey } from '../../core/runtime/request-loader.ts';
import {
  argumentIssues,
  type GetEventArgs,
  type PageArgs,
  type PresentationArgs,
} from '../../event/event.requests.ts';
import type { EventService } from '../../event/event.service.ts';
import { instanceArgumentsKey, foreignInstancesCursorIssue } from '../../event/list/instances.ts';
import type { EventList } from '../../event/list/list.ts';
import {
  listArgumentsKey,
  foreignCursorIssue,
  foreignSyncTokenIssue,
} from '../../event/list/list-request.ts';
import { defaultPageSize, listIssues, pageIssues } from '../../event/list/selection.ts';
import type { Call, CallContext, Query } from '../client/http-exchange.ts';
import { formatFieldsParameter, formatListFields, mergeSelections } from '../field-mappings.ts';
import { parsePage, type PagePosition, readListPage, parseToken } from '../pages.ts';
import {
  type CalendarDependencies,
  toCanonicalId,
  toEventPath,
  createCalendarConverter,
} from './calendars.ts';
import { createEventConverter } from './event-converter.ts';
import { rethrowReadError, type ReadOperation } from './refusal-errors.ts';
import { queryFreeBusy } from './free-busy.ts';

/** Read of one event by one root field. */
interface EventRead {
  readonly viewer: Viewer;
  readonly args: GetEventArgs;
  readonly selection: FieldSelection | undefined;
}

/** Returns the key of a read. Reads with the same key differ only in their selection. */
const readKeyOf = ({
  viewer,
  args: { calendarId, eventId, maxAttendees, alwaysIncludeEmail },
}: EventRead): string =>
  JSON.stringify([
    toCanonicalId(calendarId, viewer),
    eventId,
    maxAttendees ?? null,
    alwaysIncludeEmail === true,
  ]);

/** Request for a page of events or instances, with all that differs between the two lists. */
interface ListRequest {
  readonly args: PageArgs & { readonly calendarId: string };
  readonly apiMethod: Call['apiMethod'];
  /** Path below the events of the calendar. */
  readonly path: readonly string[];
  readonly query: Query;
  readonly issues: readonly Issue[];
  /** Arguments that must be equal on each page. */
  readonly filterKey: string;
  /** Issue of a cursor that belongs to another list. */
  readonly foreignIssue: Issue;
  readonly operation: ReadOperation;
}

/** Contents of a sealed cursor. Clients may hold cursors of earlier releases, so names must not change. */
interface Cursor {
  readonly calendarId: string;
  /** Calendar id of the first request, to which the service's page tokens belong. */
  readonly named: string;
  /** The `filterKey` of the list. */
  readonly chosen: string;
  /** Position behind the entry. */
  readonly place: PagePosition;
}

/** Properties of a list that its fields are read from. */
const listProperties = {
  nextSyncToken: ['nextSyncToken'],
  calendar: ['etag', 'summary', 'timeZone', 'accessRole', 'defaultReminders'],
};

/** Reads events from the service with the caller's token. */
export function createEventReads({
  client,
  schemas,
  tools,
}: CalendarDependencies): Pick<EventService, 'getEvent' | 'listEvents' | 'listInstances' | 'freeBusy'> {
  const eventConverter = createEventConverter(tools.model, schemas);
  const calendarConverter = createCalendarConverter(schemas);
  const seal = createSeal(tools.signingSecret, 'upstream event lists');

  /** Reads an event by one call for several reads of it, with their merged selection. */
  function readEvent(reads: readonly [EventRead, ...EventRead[]], request: RequestKey): Promise<Fields> {
    const [{ viewer, args }] = reads;
    const fields = eventConverter.formatFields(mergeSelections(reads.map(({ selection }) => selection)));
    const call = {
      apiMethod: 'events.get',
      path: toEventPath(args.calendarId, args.eventId),
      query: { ...presentationQuery(args), fields: formatFieldsParameter(fields) },
    } as const;
    return client.call(call, { viewer, request });
  }

  /** Batches the reads of a request, so that concurrent reads of the same event become one call. */
  const eventLoaderOf = memoizeByObject(
    (request) =>
      new DataLoader<EventRead, Fields>(
        (reads) => {
          const callsByKey = new Map(
            [...groupByKey(reads, readKeyOf)].map(([key, sameReads]) => [key, readEvent(sameReads, request)]),
          );
          return Promise.all(
            reads.map((read) =>
              (callsByKey.get(readKeyOf(read)) as Promise<Fields>).catch((error: Error) => error),
            ),
          );
        },
        {
          // Not cached, since a later write of the request may change the event.
          cache: false,
          // Root fields of the same turn of the event loop join the batch.
          batchScheduleFn: (startBatch) => void setImmediate(startBatch),
        },
      ),
  );

  async function readList(
    { args, apiMethod, path, query, issues, filterKey, foreignIssue, operation }: ListRequest,
    context: CallContext,
    selected: GetSelection | undefined,
  ): Promise<EventList> {
    const calendarId = toCanonicalId(args.calendarId, context.viewer);
    const cursor = openCursor(args.after, calendarId, filterKey);
    requireValid([...issues, ...(typeof args.after === 'string' && !cursor ? [foreignIssue] : [])]);
    const fields = formatListFields(selected?.(), 'id', eventConverter.formatFields, listProperties);
    const requestedId = cursor?.named ?? args.calendarId;

    const readPage = async (pageToken: string | undefined, maxResults: number) => {
      const call = {
        apiMethod,
        path: toEventPath(requestedId, ...path),
        query: { ...query, maxResults, pageToken, fields },
      };
      const body = await client.call(call, context).catch(rethrowReadError(operation));
      return { ...parsePage(body, (item) => eventConverter.viewOf(item, calendarId)), body };
    };
    const { firstPage, lastPage, ...page } = await readListPage(
      args.first ?? defaultPageSize,
      cursor?.place,
      readPage,
      (place) => seal.close({ calendarId, named: requestedId, chosen: filterKey, place } satisfies Cursor),
    );
    return {
      ...page,
      nextSyncToken: page.hasNextPage ? null : (parseToken(lastPage.body.nextSyncToken) ?? null),
      get calendar() {
        return calendarConverter.viewOfList(firstPage.body, calendarId);
      },
    };
  }

  /** Opens a cursor; undefined if it belongs to another list. */
  function openCursor(after: PageArgs['after'], calendarId: string, filterKey: string): Cursor | undefined {
    const cursor = typeof after === 'string' ? (seal.open(after) as Cursor | undefined) : undefined;
    return cursor?.calendarId === calendarId && cursor.chosen === filterKey ? cursor : undefined;
  }

  return {
    async getEvent(viewer, args, request, selected) {
      requireValid(argumentIssues(args));
      const json = await eventLoaderOf(request)
        .load({ viewer, args, selection: selected?.() })
        .catch(rethrowReadError({ isEventRead: true }));
      const event = eventConverter.viewOf(json, toCanonicalId(args.calendarId, viewer));
      if (!event) throw serviceUnavailableError('The calendar service did not return an event.');
      return event;
    },
    listEvents: (viewer, args, request, _budget, selected) =>
      readList(
        {
          args,
          apiMethod: 'events.list',
          path: [],
          issues: [...listIssues(args), ...(args.syncToken === '' ? [foreignSyncTokenIssue] : [])],
          filterKey: JSON.stringify([listArgumentsKey(args), args.syncToken ?? null]),
          foreignIssue: foreignCursorIssue,
          operation: { usesSyncToken: typeof args.syncToken === 'string' },
          query: {
            ...pageQuery(args),
            singleEvents: args.singleEvents || undefined,
            orderBy: args.orderBy,
            q: args.q || undefined,
            iCalUID: args.iCalUID || undefined,
            privateExtendedProperty: args.privateExtendedProperty,
            sharedExtendedProperty: args.sharedExtendedProperty,
            updatedMin: args.updatedMin,
            syncToken: args.syncToken,
          },
        },
        { viewer, request },
        selected,
      ),
    listInstances: (viewer, args, request, _budget, selected) =>
      readList(
        {
          args,
          apiMethod: 'events.instances',
          path: [args.eventId, 'instances'],
          issues: pageIssues(args),
          filterKey: instanceArgumentsKey(args),
          foreignIssue: foreignInstancesCursorIssue,
          operation: { isEventRead: true },
          query: pageQuery(args),
        },
        { viewer, request },
        selected,
      ),
    freeBusy: (viewer, args, request) => queryFreeBusy(client, { viewer, request }, args),
  };
}

/** Query parameters that affect how events are presented. */
const presentationQuery = ({ maxAttendees, alwaysIncludeEmail }: PresentationArgs): Query => ({
  maxAttendees,
  alwaysIncludeEmail: alwaysIncludeEmail || undefined,
});

const pageQuery = (args: PageArgs & PresentationArgs): Query => ({
  ...presentationQuery(args),
  timeMin: args.timeMin,
  timeMax: args.timeMax,
  showDeleted: args.showDeleted || undefined,
});
