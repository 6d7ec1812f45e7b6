import { createHmac, timingSafeEqual } from 'node:crypto';
import { invalidInput, type Issue } from '../core/errors.ts';
import type { Page } from '../core/page.ts';
import type { EventStore } from './event.store.ts';
import type { EventRecord } from './event.record.ts';
import type { EventView } from './event.ts';

export interface ListArgs {
  readonly showDeleted?: boolean | null;
  /** RFC 3339 with an offset: the schema lets nothing else in. */
  readonly updatedMin?: string | null;
  readonly syncToken?: string | null;
  readonly first?: number | null;
  readonly after?: string | null;
}

export interface EventList extends Page<EventView> {
  /** Set on the last page only: what changes from the first page on is listed with it. */
  readonly nextSyncToken: string | null;
}

export interface ListTools {
  readonly store: EventStore<EventRecord>;
  readonly calendarId: string;
  /** The key that keeps tokens from being made up. */
  readonly secret: string;
  /** What is wrong with the other arguments, to be reported together. */
  readonly issues: readonly Issue[];
  readonly view: (record: EventRecord) => EventView;
}

const defaultPage = 250;
export const maxPage = 2500;

/** What a cursor or a sync token says: where to go on, for which calendar and which selection. */
interface Marker {
  readonly kind: 'page' | 'sync';
  readonly calendarId: string;
  /** The calendar's state when the first page was read. */
  readonly mark: string;
  /** The selection: a cursor goes on with the one it came from. */
  readonly since?: string;
  readonly updatedMin?: string;
  readonly showDeleted?: boolean;
  readonly position?: number;
}

/**
 * One page of a calendar's events (event resource, section 3: list visibility). The order never changes while events
 * do. Cancelled events are listed in incremental requests, with their id only, or with showDeleted in full.
 */
export async function listEvents(args: ListArgs, tools: ListTools): Promise<EventList> {
  const issues = [...tools.issues, ...argumentIssues(args)];
  const sync = readMarker(args.syncToken, 'sync', tools);
  const cursor = readMarker(args.after, 'page', tools);
  if (typeof args.syncToken === 'string' && !sync) issues.push(foreignSyncToken);
  const showDeleted = args.showDeleted === true;
  const updatedMin = args.updatedMin ?? undefined;
  const fits = cursor && cursor.since === sync?.mark && cursor.updatedMin === updatedMin && cursor.showDeleted === showDeleted;
  if (typeof args.after === 'string' && !fits) issues.push(foreignCursor);
  if (issues.length > 0) throw invalidInput(issues);
  if (cursor && !(await knows(tools, cursor.mark))) throw invalidInput([expiredCursor]);

  const incremental = sync !== undefined || updatedMin !== undefined;
  const first = args.first ?? defaultPage;
  const page = await collect(tools, { since: sync?.mark, after: cursor?.position, limit: first + 1 }, (view) => {
    if (updatedMin !== undefined && Date.parse(view.updated as string) < Date.parse(updatedMin)) return undefined;
    if (view.status !== 'cancelled' || showDeleted) return view;
    return incremental ? onlyId(view) : undefined;
  });
  if (!page) throw invalidInput([expiredSyncToken]);

  const selection = { calendarId: tools.calendarId, mark: cursor?.mark ?? page.mark, since: sync?.mark, updatedMin, showDeleted };
  const hasNextPage = page.found.length > first;
  return {
    edges: page.found.slice(0, first).map(({ position, node }) => ({
      cursor: writeMarker({ kind: 'page', ...selection, position }, tools.secret),
      node,
    })),
    hasNextPage,
    hasPreviousPage: cursor !== undefined,
    nextSyncToken: hasNextPage
      ? null
      : writeMarker({ kind: 'sync', calendarId: tools.calendarId, mark: selection.mark }, tools.secret),
  };
}

/** False for a mark of a store that began anew since: its positions belonged to other events. */
const knows = async ({ store, calendarId }: ListTools, mark: string): Promise<boolean> =>
  (await store.listEvents({ calendarId, since: mark, limit: 1 })) !== undefined;

/** Reads on until there are enough events that `choose` keeps, or no more. */
async function collect(
  { store, calendarId, view }: ListTools,
  query: { since?: string; after?: number; limit: number },
  choose: (view: EventView) => EventView | undefined,
) {
  const found: { position: number; node: EventView }[] = [];
  let { after } = query;
  let mark: string | undefined;
  for (;;) {
    const page = await store.listEvents({ ...query, calendarId, after });
    if (!page) return undefined;
    mark ??= page.mark;
    for (const { position, record } of page.entries) {
      const node = choose(view(record));
      if (node) found.push({ position, node });
      if (found.length === query.limit) return { found, mark };
    }
    if (!page.more) return { found, mark };
    after = page.entries.at(-1)?.position;
  }
}

/** What is left of a cancelled event for those who only follow changes. */
function onlyId({ id, kind, etag, status, updated, recurringEventId, originalStartTime }: EventView): EventView {
  const instance = recurringEventId === undefined ? {} : { recurringEventId, originalStartTime };
  return { id, kind, etag, status, updated, ...instance };
}

function argumentIssues({ first, updatedMin, syncToken }: ListArgs): Issue[] {
  const issues: Issue[] = [];
  if (typeof first === 'number' && (first < 1 || first > maxPage)) {
    issues.push({ path: ['first'], reason: 'invalid', message: `first must be from 1 to ${maxPage}.` });
  }
  if (typeof updatedMin === 'string' && typeof syncToken === 'string') {
    const message = 'updatedMin does not go with syncToken, which knows where to begin. Leave one out.';
    issues.push({ path: ['updatedMin'], reason: 'invalid', message });
  }
  return issues;
}

function writeMarker(marker: Marker, secret: string): string {
  const content = Buffer.from(JSON.stringify(marker)).toString('base64url');
  return `${content}.${seal(content, secret)}`;
}

/** The marker in a token, when this gateway made it for this purpose and this calendar. */
function readMarker(token: string | null | undefined, kind: Marker['kind'], { calendarId, secret }: ListTools): Marker | undefined {
  const [content, sealed = '', ...rest] = (token ?? '').split('.') as [string, ...string[]];
  if (rest.length > 0) return undefined;
  const expected = Buffer.from(seal(content, secret));
  const given = Buffer.from(sealed);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const marker = JSON.parse(Buffer.from(content, 'base64url').toString()) as Marker;
  return marker.kind === kind && marker.calendarId === calendarId ? marker : undefined;
}

const seal = (content: string, secret: string): string =>
  createHmac('sha256', secret).update(`list marker\n${content}`).digest('base64url').slice(0, 22);

const fresh = 'Leave it out to list everything again, and go on with the nextSyncToken of that answer.';
const foreignSyncToken: Issue = {
  path: ['syncToken'],
  reason: 'invalid',
  message: `syncToken is not one that this calendar's list gave out. ${fresh}`,
};
const expiredSyncToken: Issue = { path: ['syncToken'], reason: 'invalid', message: `syncToken has expired. ${fresh}` };
const expiredCursor: Issue = { path: ['after'], reason: 'invalid', message: 'after has expired. Leave it out to begin again.' };
const foreignCursor: Issue = {
  path: ['after'],
  reason: 'invalid',
  message: 'after must be a cursor of the same list: same calendar, syncToken, updatedMin and showDeleted. Leave it out to begin again.',
};
