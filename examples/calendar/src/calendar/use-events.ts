import { useApolloClient } from '@apollo/client/react';
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { useLive, type LiveState } from '../api/live.ts';
import { calendarsChanged } from '../api/operations.ts';
import { openFeed, type Feed, type FeedState } from './feed.ts';
import type { Span } from './shown.ts';
import type { CalendarEvent } from './week.ts';

export interface ShownEvents {
  readonly events: readonly CalendarEvent[];
  readonly loading: boolean;
  /** Whether they may be old: the last read of a calendar failed, and is tried again. */
  readonly stale: boolean;
  readonly live: LiveState;
  /** Asks for what changed on a calendar since the last time. */
  readonly sync: (calendarId: string) => Promise<void>;
}

/** Maximum number of calendars in one stream. */
const maxCalendars = 50;

/** The events of several calendars, kept up to date: one stream says which one changed, its sync token what. */
export function useEvents(
  calendarIds: readonly string[],
  span: Span,
  onLost: (calendarId: string, message: string) => void,
): ShownEvents {
  const client = useApolloClient();
  const feeds = useRef(new Map<string, Feed>());
  const [states, setStates] = useState<ReadonlyMap<string, FeedState>>(new Map());
  const bounds = `${span.from.toString()} ${span.to.toString()} ${span.zone}`;
  const keyOf = (id: string): string => `${bounds} ${id}`;
  const followed = calendarIds.slice(0, maxCalendars);

  const receive = useEffectEvent((id: string, key: string, state: FeedState) => {
    if (state.gone !== undefined && states.get(key)?.gone === undefined) onLost(id, state.gone);
    setStates((all) => new Map(all).set(key, state));
  });
  const reconcile = useEffectEvent(() => {
    const wanted = new Map(followed.map((id) => [keyOf(id), id]));
    for (const [key, feed] of feeds.current) {
      if (wanted.has(key)) continue;
      feed.close();
      feeds.current.delete(key);
    }
    setStates((all) => new Map([...all].filter(([key]) => wanted.has(key))));
    for (const [key, id] of wanted) {
      if (!feeds.current.has(key))
        feeds.current.set(
          key,
          openFeed(client, id, span, (state) => receive(id, key, state)),
        );
    }
  });
  const wantedKeys = followed.map(keyOf).join('\n');
  useEffect(() => reconcile(), [client, wantedKeys]);
  useEffect(() => {
    const open = feeds.current;
    return () => {
      for (const feed of open.values()) feed.close();
      open.clear();
    };
  }, []);

  const sync = async (id: string): Promise<void> => {
    await Promise.all(
      [...feeds.current.values()].filter(({ calendarId }) => calendarId === id).map((feed) => feed.sync()),
    );
  };
  const readable = followed.filter((id) => states.get(keyOf(id))?.gone === undefined);
  // The stream begins with an event for each calendar, so that nothing is missed however it was opened.
  const live = useLive(calendarsChanged, readable.length > 0 ? { calendarIds: readable } : undefined, {
    onData: ({ calendarsChanged: change }, lost) => {
      const ids = [change?.calendarId, ...lost.map(({ path }) => readable[Number(path[1])])];
      for (const id of ids) if (id !== undefined) void sync(id);
    },
  });

  const shown = useMemo(() => wantedKeys.split('\n').map((key) => states.get(key)), [states, wantedKeys]);
  const events = useMemo(() => shown.flatMap((state) => state?.events ?? []), [shown]);
  const stale = shown.some((state) => state?.stale);
  return {
    events,
    loading: followed.length > 0 && shown.includes(undefined),
    stale,
    live: stale && live === 'live' ? 'connecting' : live,
    sync,
  };
}
