import { useApolloClient } from '@apollo/client/react';
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { useLive, type LiveState } from '../api/use-live.ts';
import { calendarsChangedSubscription } from '../api/operations.ts';
import { openFeed, type Feed, type FeedState } from './feed.ts';
import type { DateRange } from './view-state.ts';
import type { CalendarEvent } from './event-times.ts';

interface LoadedEvents {
  readonly events: readonly CalendarEvent[];
  readonly isLoading: boolean;
  /** Whether newer events may be missing: the last read of a calendar failed and is repeated. */
  readonly isStale: boolean;
  readonly live: LiveState;
  /** Reads the changes of a calendar since the last read. */
  readonly sync: (calendarId: string) => Promise<void>;
}

/** Maximum number of calendars in one stream (a limit of the gateway). */
const maxStreamCalendars = 50;

/**
 * Loads the events of calendars and keeps them up to date: one stream reports which calendar changed, and its
 * feed reads the changes. `onLost`: called when the caller can no longer read a calendar.
 */
export function useEvents(
  calendarIds: readonly string[],
  range: DateRange,
  onLost: (calendarId: string, message: string) => void,
): LoadedEvents {
  const client = useApolloClient();
  const feeds = useRef(new Map<string, Feed>());
  const [states, setStates] = useState<ReadonlyMap<string, FeedState>>(new Map());
  const rangeKey = `${range.start.toString()} ${range.end.toString()} ${range.zone}`;
  /** Key of the feed of a calendar in the visible range. */
  const keyOf = (id: string): string => `${rangeKey} ${id}`;
  const followedIds = calendarIds.slice(0, maxStreamCalendars);

  const receiveState = useEffectEvent((id: string, key: string, state: FeedState) => {
    if (state.lossReason !== undefined && states.get(key)?.lossReason === undefined)
      onLost(id, state.lossReason);
    setStates((current) => new Map(current).set(key, state));
  });
  const openAndCloseFeeds = useEffectEvent(() => {
    const wantedIdsByKey = new Map(followedIds.map((id) => [keyOf(id), id]));
    for (const [key, feed] of feeds.current) {
      if (wantedIdsByKey.has(key)) continue;
      feed.close();
      feeds.current.delete(key);
    }
    setStates((current) => new Map([...current].filter(([key]) => wantedIdsByKey.has(key))));
    for (const [key, id] of wantedIdsByKey) {
      if (!feeds.current.has(key))
        feeds.current.set(
          key,
          openFeed(client, id, range, (state) => receiveState(id, key, state)),
        );
    }
  });
  const wantedKeys = followedIds.map(keyOf).join('\n');
  useEffect(() => openAndCloseFeeds(), [client, wantedKeys]);
  useEffect(() => {
    const openFeeds = feeds.current;
    return () => {
      for (const feed of openFeeds.values()) feed.close();
      openFeeds.clear();
    };
  }, []);

  const sync = async (id: string): Promise<void> => {
    await Promise.all(
      [...feeds.current.values()].filter(({ calendarId }) => calendarId === id).map((feed) => feed.sync()),
    );
  };
  const readableIds = followedIds.filter((id) => states.get(keyOf(id))?.lossReason === undefined);
  // Each stream begins with one message per calendar, so that no change before it is missed.
  const live = useLive(
    calendarsChangedSubscription,
    readableIds.length > 0 ? { calendarIds: readableIds } : undefined,
    {
      onData: ({ calendarsChanged: change }, issues) => {
        // A calendar with an issue is read too, which reveals why it was lost.
        const ids = [change?.calendarId, ...issues.map(({ path }) => readableIds[Number(path[1])])];
        for (const id of ids) if (id !== undefined) void sync(id);
      },
    },
  );

  const visibleStates = useMemo(
    () => wantedKeys.split('\n').map((key) => states.get(key)),
    [states, wantedKeys],
  );
  const events = useMemo(() => visibleStates.flatMap((state) => state?.events ?? []), [visibleStates]);
  const isStale = visibleStates.some((state) => state?.isStale);
  return {
    events,
    isLoading: followedIds.length > 0 && visibleStates.includes(undefined),
    isStale,
    live: isStale && live === 'live' ? 'connecting' : live,
    sync,
  };
}
