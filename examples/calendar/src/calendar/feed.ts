import type { ApolloClient } from '@apollo/client';
import type { Temporal } from 'temporal-polyfill';
import { messageOf } from '../api/failure.ts';
import { changesQuery, eventsQuery } from '../api/operations.ts';
import type { DemoEventsQuery, EventFieldsFragment } from '../gql/graphql.ts';
import type { Span } from './shown.ts';
import { inZone, momentOf, timesOf, type CalendarEvent, type Times } from './week.ts';

/** The events of one calendar as far as they are known, and why not. */
export interface FeedState {
  readonly events: readonly CalendarEvent[] | undefined;
  readonly problem: string | undefined;
}

export interface Feed {
  /** Asks for what changed since the last time. */
  sync(): Promise<void>;
  close(): void;
}

type Events = NonNullable<DemoEventsQuery['events']>;

/** Reads the events of a calendar in a span into the cache, and shows what the cache has of them whenever that changes. */
export function openFeed(client: ApolloClient, calendarId: string, span: Span, show: (state: FeedState) => void): Feed {
  const startOf = (date: Temporal.PlainDate): string => momentOf(date.toPlainDateTime(), span.zone);
  const variables = { calendarId, timeMin: startOf(span.from), timeMax: startOf(span.to) };
  const known = { query: eventsQuery, variables };
  const withCalendar = ({ nodes }: Events): readonly CalendarEvent[] => nodes.map((event) => ({ ...event, calendarId }));
  let closed = false;
  let failed = false;

  const load = async (): Promise<void> => {
    const events = await readAll((after) => client.query({ query: eventsQuery, variables: { ...variables, after }, fetchPolicy: 'no-cache' }));
    client.writeQuery({ ...known, data: { events } });
  };
  const catchUp = async (): Promise<void> => {
    const syncToken = client.readQuery(known)?.events?.nextSyncToken;
    const read = (token: string) =>
      readAll((after) => client.query({ query: changesQuery, variables: { calendarId, syncToken: token, after }, fetchPolicy: 'no-cache' }));
    const changes = syncToken ? await read(syncToken).catch(() => undefined) : undefined;
    // A token that is too old, or a series that changed: everything is read once more.
    if (!changes) await load();
    else client.cache.updateQuery(known, (now) => now?.events && { events: applied(now.events, changes, span) });
  };
  const showKnown = (): void => {
    const events = client.readQuery(known, true)?.events;
    if (events && !closed) show({ events: withCalendar(events), problem: undefined });
  };
  const tried = (work: () => Promise<void>) => async (): Promise<void> => {
    if (closed) return;
    try {
      await work();
      if (failed) showKnown();
      failed = false;
    } catch (error) {
      failed = true;
      if (!closed) show({ events: undefined, problem: messageOf(error) });
    }
  };

  const watched = client.watchQuery({ ...known, fetchPolicy: 'cache-only' }).subscribe(() => {
    if (!failed) showKnown();
  });
  // One after the other: each begins with the token that the one before got.
  let last = tried(client.readQuery(known) ? catchUp : load)();
  return {
    sync: () => (last = last.then(tried(catchUp))),
    close: () => {
      closed = true;
      watched.unsubscribe();
    },
  };
}

/** All pages as one; only the last one carries a sync token. */
async function readAll(read: (after: string | undefined) => Promise<{ data?: DemoEventsQuery | undefined }>): Promise<Events> {
  const nodes: EventFieldsFragment[] = [];
  let after: string | undefined;
  for (;;) {
    const page = (await read(after)).data?.events;
    if (!page) throw new Error('The events cannot be read.');
    nodes.push(...page.nodes);
    after = (page.pageInfo.hasNextPage && page.pageInfo.endCursor) || undefined;
    if (after === undefined) return { ...page, nodes };
  }
}

/** The span with what changed: taken out where it is gone or elsewhere by now. */
function applied(events: Events, { nodes, nextSyncToken }: Events, span: Span): Events {
  const changed = new Set(nodes.map(({ nodeId }) => nodeId));
  const here = nodes.filter((event) => event.status !== 'cancelled' && isIn(event, span));
  return { ...events, nextSyncToken, nodes: [...events.nodes.filter(({ nodeId }) => !changed.has(nodeId)), ...here] };
}

function isIn(event: EventFieldsFragment, { from, to, zone }: Span): boolean {
  const times = timesOf(event, zone);
  if (!times) return false;
  const at = (time: Times['start']): number => inZone(time, zone).epochMilliseconds;
  const [start, end, first, last] = [at(times.start), at(times.end), at(from.toPlainDateTime()), at(to.toPlainDateTime())];
  // What has no length is at its start.
  return start < last && (end > first || start >= first);
}
