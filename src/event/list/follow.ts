import { setTimeout as pause } from 'node:timers/promises';
import type { Viewer } from '../../access/permissions.ts';
import type { Seal } from '../../core/kernel/seal.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { longestRestMs, type Streamed, type StreamRequest } from '../../core/runtime/stream.ts';
import { createWakeSignal } from '../../core/runtime/wake-signal.ts';
import type { Watch } from '../../core/runtime/watch-hub.ts';
import type { CalendarChange, SubscriptionCalendarChangedArgs } from '../../generated/resolvers-types.ts';
import { asking, calendarRef, openCalendar } from '../event.access.ts';
import type { EventPage, EventStore } from '../event.store.ts';
import { readMarker, writeMarker } from './page-token.ts';

export interface FollowTools {
  readonly store: EventStore;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly watch: Watch;
}

/** Changes that come faster are told together. */
const leastPauseMs = 200;

/**
 * Tells that a calendar has changed, and nothing of what. An event's id is the calendar's mark, sealed as a sync token is:
 * whoever goes on with one, or with a sync token, is told at once when something changed since, or when that cannot be
 * known any more. Throws, also later, when the viewer may not read the calendar.
 */
export async function followCalendar(
  viewer: Viewer,
  { calendarId }: SubscriptionCalendarChangedArgs,
  { lastEventId, ended }: StreamRequest,
  { store, seal, clock, watch }: FollowTools,
): Promise<AsyncIterable<Streamed<CalendarChange>>> {
  const ref = calendarRef(calendarId, viewer);
  const [found] = await store.calendars([ref]);
  const { calendar: { id } } = openCalendar(found, ref, viewer, 'freeBusyReader');
  const signal = createWakeSignal();
  watch(id, ended, signal.wake); // before the first look, so that no change falls between them
  ended.addEventListener('abort', signal.wake, { once: true });

  const pageSince = (since: string | undefined): Promise<EventPage | undefined> =>
    store.listEvents(ref, (calendar) => ({
      ...asking(openCalendar(calendar, ref, viewer, 'freeBusyReader'), viewer),
      ...(since !== undefined && { since }), cancelled: true, expand: false, order: 'position', limit: 1, accepts: () => true,
    }));
  /** How far the calendar's changes have come, and whether that is further than the mark. */
  const look = async (mark: string | undefined): Promise<{ mark: string; changed: boolean }> => {
    const known = mark === undefined ? undefined : await pageSince(mark);
    const page = known ?? (await pageSince(undefined));
    return { mark: page?.mark ?? '', changed: !known || known.entries.length > 0 };
  };

  const first = lastEventId === undefined ? await look(undefined) : undefined;
  let mark = first?.mark ?? readMarker(lastEventId, 'sync', id, seal)?.mark;

  return (async function* () {
    for (let rest = first ? longestRestMs : 0; ; rest = longestRestMs) {
      if (rest > 0) await signal.wait(rest);
      if (ended.aborted) return;
      const now = await look(mark);
      mark = now.mark;
      if (!now.changed) continue;
      yield {
        id: writeMarker({ kind: 'sync', calendarId: id, mark, chosen: 'stream' }, seal),
        value: { calendarId: id, changedAt: new Date(clock()).toISOString() },
      };
      await pause(leastPauseMs, undefined, { signal: ended }).catch(() => undefined);
    }
  })();
}
