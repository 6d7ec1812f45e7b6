import type { ApolloClient } from '@apollo/client';
import type { Temporal } from 'temporal-polyfill';
import { errorsOf } from '../../../clients/apollo.ts';
import { messageOf } from '../api/failure.ts';
import { changesQuery, eventsQuery } from '../api/operations.ts';
import { hasPendingMutation, readUntilUndisturbed } from '../api/own-changes.ts';
import { RefusalError } from '../api/refusal.ts';
import { hasSessionEnded } from '../api/session.ts';
import type { DemoEventsQuery, EventFieldsFragment } from '../gql/graphql.ts';
import type { DateRange } from './view-state.ts';
import { toZonedTime, formatWithOffset, timesOf, type CalendarEvent, type Times } from './event-times.ts';

/** State of the events of one calendar. */
export interface EventSyncState {
  /** Undefined until the first read has ended. */
  readonly events: readonly CalendarEvent[] | undefined;
  /** Whether the last read failed, so that newer events may be missing. Reads are repeated until one succeeds. */
  readonly isStale: boolean;
  /** Reason why the caller can no longer read the calendar. */
  readonly lossReason: string | undefined;
}

/** Keeps the events of one calendar in the cache up to date. */
export interface EventSync {
  readonly calendarId: string;
  /** Reads the changes since the last read. */
  sync(): Promise<void>;
  close(): void;
}

/** Delay before a failed read is repeated. It doubles from the minimum to the maximum. */
const [minRetryDelayMs, maxRetryDelayMs] = [2000, 60_000];

/** Page of events, or all pages joined by `readAllPages`. */
type EventPage = NonNullable<DemoEventsQuery['events']>;

/**
 * Reads the events of a calendar in a date range into the cache, and calls `onState` whenever the cached
 * events change.
 */
export function openEventSync(
  client: ApolloClient,
  calendarId: string,
  range: DateRange,
  onState: (state: EventSyncState) => void,
): EventSync {
  const startOfDay = (date: Temporal.PlainDate): string =>
    formatWithOffset(date.toPlainDateTime(), range.zone);
  const variables = { calendarId, timeMin: startOfDay(range.start), timeMax: startOfDay(range.end) };
  const cachedQuery = { query: eventsQuery, variables };
  const addCalendarId = ({ nodes }: EventPage): readonly CalendarEvent[] =>
    nodes.map((event) => ({ ...event, calendarId }));
  let isClosed = false;
  let isStale = false;
  let lossReason: string | undefined;
  let retryDelayMs = minRetryDelayMs;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;

  const readRange = (): Promise<void> =>
    readUntilUndisturbed(
      () =>
        readAllPages((after) =>
          client.query({ query: eventsQuery, variables: { ...variables, after }, fetchPolicy: 'no-cache' }),
        ),
      (events) =>
        void client.writeQuery({
          ...cachedQuery,
          data: { events: { ...events, nextSyncToken: chooseNextToken(undefined, events) } },
        }),
    );
  const readChanges = async (): Promise<void> => {
    const syncToken = client.readQuery(cachedQuery)?.events?.nextSyncToken;
    const readSince = (token: string) =>
      readAllPages((after) =>
        client.query({
          query: changesQuery,
          variables: { calendarId, syncToken: token, after },
          fetchPolicy: 'no-cache',
        }),
      );
    if (!syncToken) return readRange();
    let needsFullRead = false;
    await readUntilUndisturbed(
      () => readSince(syncToken).catch(rethrowRefusal),
      (changes) => {
        needsFullRead = !changes;
        if (!changes) return;
        const nextSyncToken = chooseNextToken(syncToken, changes);
        client.cache.updateQuery(
          cachedQuery,
          (cached) =>
            cached?.events && { events: { ...applyChanges(cached.events, changes, range), nextSyncToken } },
        );
      },
    );
    // The token has expired, or a series changed.
    if (needsFullRead) await readRange();
  };
  // `true` includes the results of pending mutations (optimistic responses).
  const isCached = (): boolean => Boolean(client.readQuery(cachedQuery, true)?.events);
  const publishState = (): void => {
    const events = client.readQuery(cachedQuery, true)?.events;
    if (!isClosed)
      onState({
        events: events && lossReason === undefined ? addCalendarId(events) : undefined,
        isStale,
        lossReason,
      });
  };
  const createRetryingRead = (read: () => Promise<void>) => async (): Promise<void> => {
    if (isClosed) return;
    clearTimeout(retryTimer);
    const hadFailed = isStale || lossReason !== undefined;
    try {
      await read();
      [isStale, lossReason, retryDelayMs] = [false, undefined, minRetryDelayMs];
      if (hadFailed) publishState();
    } catch (error) {
      isStale = !isAccessLost(error);
      if (!isStale) lossReason = messageOf(error);
      publishState();
      if (isClosed || !isStale || hasSessionEnded()) return;
      clearTimeout(retryTimer);
      retryTimer = setTimeout(() => void sync(), retryDelayMs);
      retryDelayMs = Math.min(2 * retryDelayMs, maxRetryDelayMs);
    }
  };

  const cacheSubscription = client.watchQuery({ ...cachedQuery, fetchPolicy: 'cache-only' }).subscribe(() => {
    if (isCached() && lossReason === undefined) publishState();
  });
  // Syncs run one after another, because each starts with the token of the previous one.
  let lastSync = createRetryingRead(client.readQuery(cachedQuery) ? readChanges : readRange)();
  const sync = (): Promise<void> => (lastSync = lastSync.then(createRetryingRead(readChanges)));
  return {
    calendarId,
    sync,
    close: () => {
      isClosed = true;
      clearTimeout(retryTimer);
      cacheSubscription.unsubscribe();
    },
  };
}

/**
 * Returns the sync token for the next read. While a mutation is pending, this is the previous token: the
 * response of the mutation may overwrite newer events in the cache, which are then read again.
 */
const chooseNextToken = (previousToken: string | undefined, { nextSyncToken }: EventPage): string | null =>
  (hasPendingMutation() ? previousToken : nextSyncToken) ?? null;

/** Whether the error means that the caller can no longer read the calendar. */
const isAccessLost = (error: unknown): boolean =>
  errorsOf(error).some(({ extensions }) => ['NOT_FOUND', 'FORBIDDEN'].includes(extensions?.code ?? ''));

/** Rethrows refusals of the whole request; a full read after them would be refused as well. */
function rethrowRefusal(error: unknown): undefined {
  if (error instanceof RefusalError) throw error;
}

/** Reads all pages into one. Only the last page has a sync token. */
export async function readAllPages(
  readPage: (after: string | undefined) => Promise<{ data?: DemoEventsQuery | undefined }>,
): Promise<EventPage> {
  const nodes: EventFieldsFragment[] = [];
  let after: string | undefined;
  for (;;) {
    const page = (await readPage(after)).data?.events;
    if (!page) throw new Error('The events cannot be read.');
    nodes.push(...page.nodes);
    after = (page.pageInfo.hasNextPage && page.pageInfo.endCursor) || undefined;
    if (after === undefined) return { ...page, nodes };
  }
}

/** Merges changes into the events of a range. Events that were cancelled or moved out of it are removed. */
function applyChanges(page: EventPage, { nodes }: EventPage, range: DateRange): EventPage {
  const changedIds = new Set(nodes.map(({ nodeId }) => nodeId));
  const unchangedEvents = page.nodes.filter(({ nodeId }) => !changedIds.has(nodeId));
  const changedEvents = nodes.filter((event) => event.status !== 'cancelled' && isOverlapping(event, range));
  return { ...page, nodes: [...unchangedEvents, ...changedEvents] };
}

function isOverlapping(event: EventFieldsFragment, { start, end, zone }: DateRange): boolean {
  const times = timesOf(event, zone);
  if (!times) return false;
  const epochMsOf = (time: Times['start']): number => toZonedTime(time, zone).epochMilliseconds;
  const [eventStart, eventEnd, rangeStart, rangeEnd] = [
    times.start,
    times.end,
    start.toPlainDateTime(),
    end.toPlainDateTime(),
  ].map(epochMsOf) as [number, number, number, number];
  // An event without a length overlaps at its start.
  return eventStart < rangeEnd && (eventEnd > rangeStart || eventStart >= rangeStart);
}
