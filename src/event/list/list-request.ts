import type { Viewer } from '../../access/permissions.ts';
import type { OpenCalendar } from '../../calendar/calendar.access.ts';
import { requireValid, type Issue } from '../../core/errors.ts';
import { eventLoop } from '../../core/runtime/event-loop.ts';
import type { Seal } from '../../core/seal.ts';
import { readerFilter, type ListEventsArgs, visibilityForRole } from '../event.requests.ts';
import type { EventQuery } from '../event.store.ts';
import type { EventContext } from '../visibility/event-context.ts';
import type { EventView } from '../visibility/event-view.ts';
import type { ListNode, NodeKey } from './instance-nodes.ts';
import { defaultPageSize, listIssues, type Selection, selectionOf } from './selection.ts';

/** Content of a cursor or sync token. Its names are stored in tokens that clients hold. */
interface PageToken {
  readonly kind: 'page' | 'sync';
  readonly calendarId: string;
  readonly revision: string;
  /** Revision of the sync token of an incremental list, in its cursors. */
  readonly since?: string;
  /** Arguments as text: all of them in a cursor, singleEvents in a sync token. The next request must repeat them. */
  readonly chosen: string;
  /** Role by which visibility differs (`visibilityForRole`) at the first page; absent in old tokens. */
  readonly sight?: string;
  /** RFC 3339 time of the first page; absent in old tokens. */
  readonly at?: string;
  /** Sort key of the entry after which a cursor continues. */
  readonly key?: NodeKey;
}

/**
 * JSON form of a page token; `mark` is the revision. Numbers are texts, since they may be infinite, and
 * padded, since lengths would reveal counts.
 */
type PageTokenForm = Omit<PageToken, 'key' | 'revision'> & {
  readonly mark: string;
  readonly key?: readonly [at: string, position: string, original?: string];
};

/** Digits to which positions in a token are padded. */
const positionDigits = 16;

/** Seals a page token as the text that clients get. */
export function writePageToken({ key, revision, ...tokenFields }: PageToken, seal: Seal): string {
  const form: PageTokenForm = {
    ...tokenFields,
    mark: revision,
    ...(key && { key: [String(key.at), String(key.position).padStart(positionDigits, '0'), key.original] }),
  };
  return seal.close(form);
}

/** Opens a page token from a client; undefined if it was not made for this purpose and calendar. */
export function readPageToken(
  token: string | null | undefined,
  kind: PageToken['kind'],
  calendarId: string,
  seal: Seal,
): PageToken | undefined {
  const form = typeof token === 'string' ? (seal.open(token) as PageTokenForm | undefined) : undefined;
  if (form?.kind !== kind || form.calendarId !== calendarId) return undefined;
  const { key, mark: revision, ...tokenFields } = form;
  return {
    ...tokenFields,
    revision,
    ...(key && {
      key: { at: Number(key[0]), position: Number(key[1]), ...(key[2] && { original: key[2] }) },
    }),
  };
}

/** Entry of a page with its cursor, which is sealed when it is first read. */
class Edge {
  readonly node: EventView;
  readonly #token: PageToken;
  readonly #seal: Seal;
  #cursor: string | undefined;

  constructor(token: PageToken, seal: Seal, node: EventView) {
    this.node = node;
    this.#token = token;
    this.#seal = seal;
  }

  get cursor(): string {
    return (this.#cursor ??= writePageToken(this.#token, this.#seal));
  }
}

/** Number of edges that are created before a list yields to other requests. */
const edgeBatchSize = 25;

/** Creates the edges of a page, whose cursors have the content `token`. Yields to other requests. */
export async function createEdges(
  nodes: readonly ListNode[],
  token: PageToken,
  seal: Seal,
  createView: (context: EventContext) => EventView,
): Promise<Edge[]> {
  const edges: Edge[] = [];
  for (const { key, context } of nodes) {
    if (edges.length > 0 && edges.length % edgeBatchSize === 0) await eventLoop.enter();
    edges.push(new Edge({ key, ...token }, seal, createView(context)));
  }
  return edges;
}

/** Parsed arguments of a list, with the query of its page. */
export interface ListRequest {
  readonly selection: Selection;
  readonly query: Omit<EventQuery, 'accepts'>;
  readonly pageSize: number;
  /** Lists instances in place of their series. */
  readonly listsInstances: boolean;
  readonly syncToken: PageToken | undefined;
  readonly cursor: PageToken | undefined;
  /** Arguments that a cursor of this list is made for, as text. */
  readonly argumentsKey: string;
}

/** Parses the arguments of a list. Throws AppError with all issues. */
export function parseListRequest(
  args: ListEventsArgs,
  { calendar: { id }, role }: OpenCalendar,
  revision: string,
  viewer: Viewer,
  seal: Seal,
): ListRequest {
  const issues = listIssues(args);
  const listsInstances = args.singleEvents === true;
  const syncToken = readPageToken(args.syncToken, 'sync', id, seal);
  const cursor = readPageToken(args.after, 'page', id, seal);
  if (typeof args.syncToken === 'string' && (!syncToken || syncToken.chosen !== String(listsInstances)))
    issues.push(syncToken ? singleEventsMismatchIssue : foreignSyncTokenIssue);
  if (syncToken?.sight !== undefined && syncToken.sight !== visibilityForRole(role))
    issues.push(roleChangedIssue);
  const selection = selectionOf(args);
  const argumentsKey = listArgumentsKey(args);
  const isSameList = cursor && cursor.since === syncToken?.revision && cursor.chosen === argumentsKey;
  if (typeof args.after === 'string' && !isSameList) issues.push(foreignCursorIssue);
  requireValid(issues);
  const pageSize = args.first ?? defaultPageSize;
  const { from, to, showDeleted, includesCancelledIds } = selection;
  const key = cursor?.key;
  const query: ListRequest['query'] = {
    revision: cursor?.revision ?? revision,
    ...readerFilter(role, viewer),
    ...(syncToken && { since: syncToken.revision }),
    // A cursor within a series continues with the same series.
    ...(key && {
      after: { at: key.at, position: key.original === undefined ? key.position : key.position - 1 },
    }),
    ...(selection.updatedMin !== undefined && { updatedMin: selection.updatedMin }),
    includesCancelled: showDeleted || includesCancelledIds || listsInstances,
    ...((from !== -Infinity || to !== Infinity) && { between: { from, to } }),
    ...(args.iCalUID && { iCalUID: args.iCalUID }),
    expandsSeries: listsInstances && !syncToken,
    order: args.orderBy === 'startTime' ? 'start' : args.orderBy === 'updated' ? 'updated' : 'position',
    limit: pageSize + 1,
  };
  return { selection, query, pageSize, listsInstances, syncToken, cursor, argumentsKey };
}

/** Arguments that a cursor of a list was made for, as text. */
export const listArgumentsKey = (args: ListEventsArgs): string =>
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

const restartHint =
  'Leave it out to list everything again, and continue with the nextSyncToken of that response.';
const createSyncTokenIssue = (message: string): Issue => ({
  path: ['syncToken'],
  reason: 'invalid',
  message: `${message} ${restartHint}`,
});
export const foreignSyncTokenIssue = createSyncTokenIssue(
  'The syncToken is not from a list of this calendar.',
);
const singleEventsMismatchIssue = createSyncTokenIssue(
  'The syncToken needs the singleEvents of the list that returned it.',
);
export const expiredSyncTokenIssue = createSyncTokenIssue('The syncToken has expired.');
export const seriesChangedIssue = createSyncTokenIssue(
  'The syncToken has expired: a series has changed, and with it its instances.',
);
export const instancesDroppedIssue = createSyncTokenIssue(
  'The syncToken has expired: instances that a series lost since then are no longer stored.',
);
const roleChangedIssue = createSyncTokenIssue(
  'The syncToken has expired: your role on this calendar has changed, and with it the events that you see.',
);
export const expiredCursorIssue: Issue = {
  path: ['after'],
  reason: 'invalid',
  message: 'The cursor in after has expired. Leave it out to start again.',
};
export const foreignCursorIssue: Issue = {
  path: ['after'],
  reason: 'invalid',
  message:
    'after must be a cursor of the same list: the same calendar and the same arguments. Leave it out to start again.',
};
