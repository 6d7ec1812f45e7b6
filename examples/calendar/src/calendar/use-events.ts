import { useApolloClient } from '@apollo/client/react';
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { useLiveSubscription } from '../api/use-live.ts';
import { calendarsChangedSubscription } from '../api/operations.ts';
import { openEventSync, type EventSync, type EventSyncState } from './event-sync.ts';
import type { DateRange } from './view-state.ts';

/** Maximum number of calendars in one stream (a limit of the gateway). */
const maxStreamCalendars = 50;

/**
 * Loads the events of calendars and keeps them up to date: one stream reports which calendar changed, and its
 * `EventSync` reads the changes. `onLost`: called when the caller can no longer read a calendar.
 */
export function useEvents(
  calendarIds: readonly string[],
  range: DateRange,
  onLost: (calendarId: string, message: string) => void,
) {
  const client = useApolloClient();
  const eventSyncs = useRef(new Map<string, EventSync>());
  const [states, setStates] = useState<ReadonlyMap<string, EventSyncState>>(new Map());
  const rangeKey = `${range.start.toString()} ${range.end.toString()} ${range.zone}`;
  /** Key of the sync of a calendar in the visible range. */
  const keyOf = (id: string): string => `${rangeKey} ${id}`;
  const followedIds = calendarIds.slice(0, maxStreamCalendars);

  const receiveState = useEffectEvent((id: string, key: string, state: EventSyncState) => {
    if (state.lossReason !== undefined && states.get(key)?.lossReason === undefined)
      onLost(id, state.lossReason);
    setStates((current) => new Map(current).set(key, state));
  });
  const openAndCloseSyncs = useEffectEvent(() => {
    const wantedIdsByKey = new Map(followedIds.map((id) => [keyOf(id), id]));
    for (const [key, currentSync] of eventSyncs.current) {
      if (wantedIdsByKey.has(key)) continue;
      currentSync.close();
      eventSyncs.current.delete(key);
    }
    setStates((current) => new Map([...current].filter(([key]) => wantedIdsByKey.has(key))));
    for (const [key, id] of wantedIdsByKey) {
      if (!eventSyncs.current.has(key))
        eventSyncs.current.set(
          key,
          openEventSync(client, id, range, (state) => receiveState(id, key, state)),
        );
    }
  });
  const wantedKeys = followedIds.map(keyOf).join('\n');
  useEffect(() => openAndCloseSyncs(), [client, wantedKeys]);
  useEffect(() => {
    const openSyncs = eventSyncs.current;
    return () => {
      for (const openSync of openSyncs.values()) openSync.close();
      openSyncs.clear();
    };
  }, []);

  /** Reads the changes of a calendar since the last read. */
  const sync = async (id: string): Promise<void> => {
    await Promise.all(
      [...eventSyncs.current.values()]
        .filter(({ calendarId }) => calendarId === id)
        .map((calendarSync) => calendarSync.sync()),
    );
  };
  const readableIds = followedIds.filter((id) => states.get(keyOf(id))?.lossReason === undefined);
  // Each stream begins with one message per calendar, so that no change before it is missed.
  const live = useLiveSubscription(
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
  /** Whether newer events may be missing: the last read of a calendar failed and is repeated. */
  const isStale = visibleStates.some((state) => state?.isStale);
  return {
    events,
    isLoading: followedIds.length > 0 && visibleStates.includes(undefined),
    isStale,
    live: isStale && live === 'live' ? ('connecting' as const) : live,
    sync,
  };
}
