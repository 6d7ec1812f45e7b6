import { useApolloClient, useQuery } from '@apollo/client/react';
import { useCallback, useEffect, useEffectEvent, useRef } from 'react';
import { messageOf } from '../api/failure.ts';
import { useLive, type LiveState } from '../api/live.ts';
import { calendarsChanged, changesQuery, eventsQuery } from '../api/operations.ts';
import type { DemoEventsQuery, EventFieldsFragment } from '../gql/graphql.ts';
import { boundsOf, timesOf, type CalendarEvent, type Week } from './week.ts';

export interface ShownWeek {
  readonly events: readonly CalendarEvent[];
  readonly loading: boolean;
  readonly problem: string | undefined;
  readonly live: LiveState;
  /** Asks for what changed since the last time. */
  readonly sync: () => Promise<void>;
}

/** The events of a week, kept up to date: the stream says when something changed, the sync token what. */
export function useWeek(calendarId: string, week: Week): ShownWeek {
  const client = useApolloClient();
  const variables = { calendarId, ...boundsOf(week) };
  const { data, error, fetchMore, refetch } = useQuery(eventsQuery, { variables, fetchPolicy: 'cache-and-network', nextFetchPolicy: 'cache-first' });
  const page = data?.events;

  // Only the last page carries a sync token.
  const cursor = page?.pageInfo.hasNextPage ? page.pageInfo.endCursor : undefined;
  const more = useEffectEvent((after: string) => void fetchMore({ variables: { after }, updateQuery: append }));
  useEffect(() => {
    if (cursor) more(cursor);
  }, [cursor]);

  const syncOnce = useEffectEvent(async () => {
    const token = client.readQuery({ query: eventsQuery, variables })?.events?.nextSyncToken;
    const read = (syncToken: string, after?: string | null) =>
      client.query({ query: changesQuery, variables: { calendarId, syncToken, after }, fetchPolicy: 'no-cache' }).then((answer) => answer.data?.events);
    const changes = token ? await readChanges(token, read).catch(() => undefined) : undefined;
    // A token that is too old, or a series that changed: everything is read once more.
    if (!changes) await refetch();
    else client.cache.updateQuery({ query: eventsQuery, variables }, (now) => now?.events && { events: applied(now.events, changes, week) });
  });
  // One after the other: each begins with the token that the one before got. What fails is shown as the query's error.
  const last = useRef(Promise.resolve());
  const runSync = useEffectEvent(() => (last.current = last.current.then(syncOnce).catch(() => undefined)));
  const sync = useCallback(() => runSync(), []);
  const live = useLive(calendarsChanged, { calendarIds: [calendarId] }, { onOpen: () => void runSync(), onData: () => void runSync() });

  return { events: (page?.nodes ?? []).map((event) => ({ ...event, calendarId })), loading: !page && !error, problem: error && messageOf(error), live, sync };
}

type Events = NonNullable<DemoEventsQuery['events']>;
interface Changes {
  readonly nodes: readonly EventFieldsFragment[];
  readonly nextSyncToken: string;
}

const append = (before: DemoEventsQuery, { fetchMoreResult: { events } }: { fetchMoreResult: DemoEventsQuery }): DemoEventsQuery =>
  before.events && events ? { events: { ...events, nodes: [...before.events.nodes, ...events.nodes] } } : before;

async function readChanges(syncToken: string, read: (syncToken: string, after?: string | null) => Promise<Events | null | undefined>): Promise<Changes> {
  const nodes: EventFieldsFragment[] = [];
  let after: string | null | undefined;
  for (;;) {
    const page = await read(syncToken, after);
    if (!page) throw new Error('The changes cannot be read.');
    nodes.push(...page.nodes);
    if (page.nextSyncToken) return { nodes, nextSyncToken: page.nextSyncToken };
    after = page.pageInfo.endCursor;
  }
}

/** The week with what changed: taken out where it is gone or elsewhere by now, in the order of the starts. */
function applied(events: Events, { nodes, nextSyncToken }: Changes, week: Week): Events {
  const changed = new Set(nodes.map(({ nodeId }) => nodeId));
  const here = nodes.filter((event) => event.status !== 'cancelled' && isIn(event, week));
  const all = [...events.nodes.filter(({ nodeId }) => !changed.has(nodeId)), ...here];
  const startOf = (event: EventFieldsFragment): string => timesOf(event, week.zone)?.start.toString() ?? '';
  return { ...events, nextSyncToken, nodes: all.toSorted((one, other) => startOf(one).localeCompare(startOf(other))) };
}

function isIn(event: EventFieldsFragment, { monday, zone }: Week): boolean {
  const times = timesOf(event, zone);
  const from = monday.toPlainDateTime();
  const compare = (one: typeof from, other: typeof from): boolean => one.toString() < other.toString();
  return times !== undefined && compare(times.start, from.add({ days: 7 })) && compare(from, times.end);
}
