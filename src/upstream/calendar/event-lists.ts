import type { Viewer } from '../../access/permissions.ts';
import type { FieldSelection, GetSelection } from '../../core/fields/table.ts';
import { requireValid, type Issue } from '../../core/errors.ts';
import type { Fields } from '../../core/json.ts';
import { createSeal, type Seal } from '../../core/seal.ts';
import type { RequestKey } from '../../core/runtime/request-loader.ts';
import type { PageArgs, PresentationArgs } from '../../event/event.requests.ts';
import type { EventService } from '../../event/event.service.ts';
import { instanceArgumentsKey, foreignInstancesCursorIssue } from '../../event/list/instances.ts';
import type { EventList } from '../../event/list/list.ts';
import {
  listArgumentsKey,
  foreignCursorIssue,
  foreignSyncTokenIssue,
} from '../../event/list/list-request.ts';
import { defaultPageSize, listIssues, pageIssues } from '../../event/list/selection.ts';
import type { EventView } from '../../event/visibility/event-view.ts';
import type { Query } from '../client/http-exchange.ts';
import { formatFieldsParameter, selectsAll, formatItemsField } from '../field-mappings.ts';
import {
  type ServicePage,
  parsePage,
  type PagePosition,
  readAs,
  readListPage,
  parseToken,
  toEdges,
} from '../pages.ts';
import { type CalendarConverter, toCanonicalId } from './calendars.ts';
import type { EventConverter } from './event-converter.ts';
import type { CalendarDependencies } from './event-calls.ts';
import { rethrowReadError, type ReadOperation } from './refusal-errors.ts';

/** Request for a page of events or instances, with all that differs between the two lists. */
interface ListRequest {
  readonly viewer: Viewer;
  readonly args: PageArgs & { readonly calendarId: string };
  readonly method: 'events.list' | 'events.instances';
  readonly path: readonly string[];
  readonly query: Query;
  readonly issues: readonly Issue[];
  /** Arguments that must be equal on each page. */
  readonly filterKey: string;
  /** Issue of a cursor that belongs to another list. */
  readonly foreignIssue: Issue;
  readonly operation: ReadOperation;
}

/** Page of the service, with its JSON for the properties of the calendar. */
interface EventPage extends ServicePage<EventView> {
  readonly body: Fields;
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

type EventListDependencies = Pick<CalendarDependencies, 'client' | 'tools'> & {
  readonly eventConverter: EventConverter;
  readonly calendarConverter: CalendarConverter;
};

/** Creates the lists of events and instances, read from the service page by page. */
export function createEventLists({
  client,
  tools,
  eventConverter,
  calendarConverter,
}: EventListDependencies) {
  const seal = createSeal(tools.signingSecret, 'upstream event lists');

  async function readList(
    { viewer, args, method, path, query, issues, filterKey, foreignIssue, operation }: ListRequest,
    request: RequestKey,
    selected?: GetSelection,
  ): Promise<EventList> {
    const calendarId = toCanonicalId(args.calendarId, viewer);
    const cursor = openCursor(args.after, calendarId, filterKey, seal);
    const allIssues = [...issues, ...(typeof args.after === 'string' && !cursor ? [foreignIssue] : [])];
    requireValid(allIssues);
    const fields = listFieldsParameter(selected?.(), eventConverter);
    const requestedId = cursor?.named ?? args.calendarId;

    const readPage = async (pageToken: string | undefined, maxResults: number): Promise<EventPage> => {
      const body = await readAs(viewer, client, request, {
        apiMethod: method,
        path: ['calendars', requestedId, 'events', ...path],
        query: { ...query, maxResults, pageToken, fields },
      }).catch(rethrowReadError(operation));
      return { ...parsePage(body, (item) => eventConverter.viewOf(item, calendarId)), body };
    };
    const { entries, hasNextPage, firstPage, lastPage } = await readListPage(
      args.first ?? defaultPageSize,
      cursor?.place,
      readPage,
    );
    return {
      edges: toEdges(entries, (place) =>
        seal.close({ calendarId, named: requestedId, chosen: filterKey, place } satisfies Cursor),
      ),
      hasNextPage,
      hasPreviousPage: cursor !== undefined,
      nextSyncToken: hasNextPage ? null : (parseToken(lastPage.body.nextSyncToken) ?? null),
      get calendar() {
        return calendarConverter.viewOfList(firstPage.body, calendarId);
      },
    };
  }

  const lists: Pick<EventService, 'listEvents' | 'listInstances'> = {
    listEvents: (viewer, args, request, _budget, selected) =>
      readList(
        {
          viewer,
          args,
          method: 'events.list',
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
        request,
        selected,
      ),
    listInstances: (viewer, args, request, _budget, selected) =>
      readList(
        {
          viewer,
          args,
          method: 'events.instances',
          path: [args.eventId, 'instances'],
          issues: pageIssues(args),
          filterKey: instanceArgumentsKey(args),
          foreignIssue: foreignInstancesCursorIssue,
          operation: { isEventRead: true },
          query: pageQuery(args),
        },
        request,
        selected,
      ),
  };
  return lists;
}

/** Query parameters that affect how events are presented. */
export const presentationQuery = ({ maxAttendees, alwaysIncludeEmail }: PresentationArgs): Query => ({
  maxAttendees,
  alwaysIncludeEmail: alwaysIncludeEmail || undefined,
});

const pageQuery = (args: PageArgs & PresentationArgs): Query => ({
  ...presentationQuery(args),
  timeMin: args.timeMin,
  timeMax: args.timeMax,
  showDeleted: args.showDeleted || undefined,
});

/** Opens a cursor; undefined if it belongs to another list. */
function openCursor(
  after: string | null | undefined,
  calendarId: string,
  filterKey: string,
  seal: Seal,
): Cursor | undefined {
  const cursor = typeof after === 'string' ? (seal.open(after) as Cursor | undefined) : undefined;
  return cursor?.calendarId === calendarId && cursor.chosen === filterKey ? cursor : undefined;
}

/** Returns the parameter `fields` of a list for a selection. */
function listFieldsParameter(
  selection: FieldSelection | undefined,
  converter: EventConverter,
): string | undefined {
  if (!selection || selectsAll(selection)) return undefined;
  const { fields } = selection;
  return formatFieldsParameter([
    'nextPageToken',
    ...(fields.has('nextSyncToken') ? ['nextSyncToken'] : []),
    ...(fields.has('calendar') ? ['etag', 'summary', 'timeZone', 'accessRole', 'defaultReminders'] : []),
    formatItemsField(selection, 'id', (nodes) => converter.formatFields(nodes)),
  ]);
}
