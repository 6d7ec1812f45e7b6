import type { Viewer } from '../../access/permissions.ts';
import type { FieldSelection, Selected } from '../../core/fields/table.ts';
import { invalidInput, type Issue } from '../../core/errors.ts';
import { createSeal, type Seal } from '../../core/seal.ts';
import type { RequestKey } from '../../core/runtime/limits.ts';
import {
  argumentIssues,
  type ListEventsArgs,
  type ListInstancesArgs,
  type PageArgs,
  type Presentation,
} from '../../event/event.requests.ts';
import { chosenInstances, otherInstances } from '../../event/list/instances.ts';
import type { EventList } from '../../event/list/list.ts';
import { chosenOf, foreignCursor, foreignSyncToken } from '../../event/list/list-request.ts';
import { defaultPage, listIssues, pageIssues } from '../../event/list/selection.ts';
import type { EventView } from '../../event/visibility/event-view.ts';
import type { Query } from '../client/exchange.ts';
import { fieldsParameter, isWhole, itemsText } from '../form.ts';
import { type GivenPage, pageOf, type Place, readAs, readPages, tokenIn } from '../pages.ts';
import { type CalendarForm, calendarNamed } from './calendars.ts';
import type { EventForm } from './event-form.ts';
import type { UpstreamCalendarParts } from './event-calls.ts';
import { inOwnWords, type Reading } from './faults.ts';

/** A list of events, as it is asked for. */
interface Listing {
  readonly viewer: Viewer;
  readonly args: PageArgs & { readonly calendarId: string };
  readonly method: 'events.list' | 'events.instances';
  /** Below the calendar. */
  readonly path: readonly string[];
  readonly query: Query;
  readonly issues: readonly Issue[];
  /** The arguments that a cursor goes on with. */
  readonly chosen: string;
  readonly foreign: Issue;
  readonly reading: Reading;
}

interface EventPage extends GivenPage<EventView> {
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a cursor holds. */
interface Cursor {
  readonly calendarId: string;
  /** As the list was asked for first: the service's tokens belong to it. */
  readonly named: string;
  readonly chosen: string;
  readonly place: Place;
}

type ListedParts = Pick<UpstreamCalendarParts, 'client' | 'tools'> & {
  readonly form: EventForm;
  readonly calendars: CalendarForm;
};

export function createEventLists({ client, tools, form, calendars }: ListedParts) {
  const seal = createSeal(tools.signingSecret, 'upstream event lists');

  async function list(
    { viewer, args, method, path, query, issues, chosen, foreign, reading }: Listing,
    request: RequestKey,
    selected?: Selected,
  ): Promise<EventList> {
    const calendarId = calendarNamed(args.calendarId, viewer);
    const cursor = cursorIn(args.after, calendarId, chosen, seal);
    const all = [...issues, ...(typeof args.after === 'string' && !cursor ? [foreign] : [])];
    if (all.length > 0) throw invalidInput(all);
    const fields = fieldsOf(selected?.(), form);
    const named = cursor?.named ?? args.calendarId;

    const read = async (pageToken: string | undefined, maxResults: number): Promise<EventPage> => {
      const body = await readAs(viewer, client, request, {
        method,
        path: ['calendars', named, 'events', ...path],
        query: { ...query, maxResults, pageToken, fields },
      }).catch(inOwnWords(reading));
      return { ...pageOf(body, (item) => form.viewOf(item, calendarId)), body };
    };
    const { entries, hasNextPage, begun, ended } = await readPages(
      args.first ?? defaultPage,
      cursor?.place,
      read,
    );
    return {
      edges: entries.map(({ node, behind }) => {
        let closed: string | undefined;
        return {
          node,
          get cursor() {
            return (closed ??= seal.close({ calendarId, named, chosen, place: behind } satisfies Cursor));
          },
        };
      }),
      hasNextPage,
      hasPreviousPage: cursor !== undefined,
      nextSyncToken: hasNextPage ? null : (tokenIn(ended.body.nextSyncToken) ?? null),
      get calendar() {
        return calendars.listed(begun.body, calendarId);
      },
    };
  }

  return {
    listEvents: (
      viewer: Viewer,
      args: ListEventsArgs,
      request: RequestKey,
      selected?: Selected,
    ): Promise<EventList> =>
      list(
        {
          viewer,
          args,
          method: 'events.list',
          path: [],
          issues: [...listIssues(args), ...(args.syncToken === '' ? [foreignSyncToken] : [])],
          chosen: JSON.stringify([chosenOf(args), args.syncToken ?? null]),
          foreign: foreignCursor,
          reading: { syncs: typeof args.syncToken === 'string' },
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
    listInstances: (
      viewer: Viewer,
      args: ListInstancesArgs,
      request: RequestKey,
      selected?: Selected,
    ): Promise<EventList> =>
      list(
        {
          viewer,
          args,
          method: 'events.instances',
          path: [args.eventId, 'instances'],
          issues: [...argumentIssues(args), ...pageIssues(args)],
          chosen: chosenInstances(args),
          foreign: otherInstances,
          reading: { ofEvent: true },
          query: pageQuery(args),
        },
        request,
        selected,
      ),
  };
}

export const presentationQuery = ({ maxAttendees, alwaysIncludeEmail }: Presentation): Query => ({
  maxAttendees,
  alwaysIncludeEmail: alwaysIncludeEmail || undefined,
});

const pageQuery = (args: PageArgs & Presentation): Query => ({
  ...presentationQuery(args),
  timeMin: args.timeMin,
  timeMax: args.timeMax,
  showDeleted: args.showDeleted || undefined,
});

/** The cursor in what a client sent, where it goes on with the same list. */
function cursorIn(
  after: string | null | undefined,
  calendarId: string,
  chosen: string,
  seal: Seal,
): Cursor | undefined {
  const cursor = typeof after === 'string' ? (seal.open(after) as Cursor | undefined) : undefined;
  return cursor?.calendarId === calendarId && cursor.chosen === chosen ? cursor : undefined;
}

/** What a list needs of the service's answer to show what is selected of it. */
function fieldsOf(selection: FieldSelection | undefined, form: EventForm): string | undefined {
  if (!selection || isWhole(selection)) return undefined;
  const { fields } = selection;
  return fieldsParameter([
    'nextPageToken',
    ...(fields.has('nextSyncToken') ? ['nextSyncToken'] : []),
    ...(fields.has('calendar') ? ['etag', 'summary', 'timeZone', 'accessRole', 'defaultReminders'] : []),
    itemsText(selection, 'id', (nodes) => form.fieldsOf(nodes)),
  ]);
}
