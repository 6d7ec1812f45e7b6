import type { ApolloClient } from '@apollo/client';
import type { Temporal } from 'temporal-polyfill';
import { errorsOf } from '../../../clients/apollo.ts';
import { messageOf } from '../api/failure.ts';
import { changesQuery, eventsQuery } from '../api/operations.ts';
import { isChanging, readUntilUndisturbed } from '../api/own-changes.ts';
import { Refused } from '../api/refusal.ts';
import { sessionEnded } from '../api/session.ts';
import type { DemoEventsQuery, EventFieldsFragment } from '../gql/graphql.ts';
import type { Span } from './shown.ts';
import { inZone, momentOf, timesOf, type CalendarEvent, type Times } from './week.ts';

/** The events of one calendar as far as they are known. */
export interface FeedState {
  readonly events: readonly CalendarEvent[] | undefined;
  /** Whether the last read failed: there may be newer ones. It is read again by itself. */
  readonly stale: boolean;
  /** Why the calendar is not to be seen any more. */
  readonly gone: string | undefined;
}

export interface Feed {
  readonly calendarId: string;
  /** Asks for what changed since the last time. */
  sync(): Promise<void>;
  close(): void;
}

/** The pauses between reads that fail double from the first to the last. */
const [firstPauseMs, lastPauseMs] = [2000, 60_000];

type Events = NonNullable<DemoEventsQuery['events']>;

/** Reads the events of a calendar in a span into the cache, and shows what the cache has of them whenever that changes. */
export function openFeed(
  client: ApolloClient,
  calendarId: string,
  span: Span,
  show: (state: FeedState) => void,
): Feed {
  const startOf = (date: Temporal.PlainDate): string => momentOf(date.toPlainDateTime(), span.zone);
  const variables = { calendarId, timeMin: startOf(span.from), timeMax: startOf(span.to) };
  const known = { query: eventsQuery, variables };
  const withCalendar = ({ nodes }: Events): readonly CalendarEvent[] =>
    nodes.map((event) => ({ ...event, calendarId }));
  let closed = false;
  let stale = false;
  let gone: string | undefined;
  let pauseMs = firstPauseMs;
  let again: ReturnType<typeof setTimeout> | undefined;

  const load = (): Promise<void> =>
    readUntilUndisturbed(
      () =>
        readAll((after) =>
          client.query({ query: eventsQuery, variables: { ...variables, after }, fetchPolicy: 'no-cache' }),
        ),
      (events) =>
        void client.writeQuery({
          ...known,
          data: { events: { ...events, nextSyncToken: tokenAfter(undefined, events) } },
        }),
    );
  const catchUp = async (): Promise<void> => {
    const syncToken = client.readQuery(known)?.events?.nextSyncToken;
    const read = (token: string) =>
      readAll((after) =>
        client.query({
          query: changesQuery,
          variables: { calendarId, syncToken: token, after },
          fetchPolicy: 'no-cache',
        }),
      );
    if (!syncToken) return load();
    let isTooOld = false;
    await readUntilUndisturbed(
      () => read(syncToken).catch(unlessRefused),
      (changes) => {
        isTooOld = !changes;
        if (!changes) return;
        const token = tokenAfter(syncToken, changes);
        client.cache.updateQuery(
          known,
          (now) => now?.events && { events: { ...applied(now.events, changes, span), nextSyncToken: token } },
        );
      },
    );
    // A token that is too old, or a series that changed: everything is read once more.
    if (isTooOld) await load();
  };
  const isKnown = (): boolean => Boolean(client.readQuery(known, true)?.events);
  const tell = (): void => {
    const events = client.readQuery(known, true)?.events;
    if (!closed)
      show({ events: events && gone === undefined ? withCalendar(events) : undefined, stale, gone });
  };
  const tried = (work: () => Promise<void>) => async (): Promise<void> => {
    if (closed) return;
    clearTimeout(again);
    const failedBefore = stale || gone !== undefined;
    try {
      await work();
      [stale, gone, pauseMs] = [false, undefined, firstPauseMs];
      if (failedBefore) tell();
    } catch (error) {
      stale = !isGone(error);
      if (!stale) gone = messageOf(error);
      tell();
      if (closed || !stale || sessionEnded.get()) return;
      clearTimeout(again);
      again = setTimeout(() => void sync(), pauseMs);
      pauseMs = Math.min(2 * pauseMs, lastPauseMs);
    }
  };

  const watched = client.watchQuery({ ...known, fetchPolicy: 'cache-only' }).subscribe(() => {
    if (isKnown() && gone === undefined) tell();
  });
  // Syncs run one after another, because each starts with the token of the previous one.
  let last = tried(client.readQuery(known) ? catchUp : load)();
  const sync = (): Promise<void> => (last = last.then(tried(catchUp)));
  return {
    calendarId,
    sync,
    close: () => {
      closed = true;
      clearTimeout(again);
      watched.unsubscribe();
    },
  };
}

/** The answer to a change that is under way may be older than what was read, and takes its place: then that is read once more. */
const tokenAfter = (before: string | undefined, { nextSyncToken }: Events): string | null =>
  (isChanging() ? before : nextSyncToken) ?? null;

const isGone = (error: unknown): boolean =>
  errorsOf(error).some(({ extensions }) => ['NOT_FOUND', 'FORBIDDEN'].includes(extensions?.code ?? ''));

/** Rethrows errors that would also refuse the next request. */
function unlessRefused(error: unknown): undefined {
  if (error instanceof Refused) throw error;
}

/** All pages as one; only the last one carries a sync token. */
async function readAll(
  read: (after: string | undefined) => Promise<{ data?: DemoEventsQuery | undefined }>,
): Promise<Events> {
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
function applied(events: Events, { nodes }: Events, span: Span): Events {
  const changed = new Set(nodes.map(({ nodeId }) => nodeId));
  const here = nodes.filter((event) => event.status !== 'cancelled' && isIn(event, span));
  return { ...events, nodes: [...events.nodes.filter(({ nodeId }) => !changed.has(nodeId)), ...here] };
}

function isIn(event: EventFieldsFragment, { from, to, zone }: Span): boolean {
  const times = timesOf(event, zone);
  if (!times) return false;
  const at = (time: Times['start']): number => inZone(time, zone).epochMilliseconds;
  const [start, end, first, last] = [
    at(times.start),
    at(times.end),
    at(from.toPlainDateTime()),
    at(to.toPlainDateTime()),
  ];
  // An event without a length counts at its start.
  return start < last && (end > first || start >= first);
}
