import { useEffect, useMemo } from 'react';
import { dismissNotice, notices, showNotice } from '../api/notices.ts';
import { mayWrite } from '../calendars/calendar.ts';
import type { Calendars } from '../calendars/use-calendars.ts';
import { withoutCopies, withPendingMoves, type GridEvent } from './grid-events.ts';
import { colorOfEvent } from '../editor/event-colors.ts';
import { useEvents } from './use-events.ts';
import type { DateRange } from './view-state.ts';
import type { CalendarEvent } from './event-times.ts';

const staleMessage =
  'Events could not be refreshed, so some may be out of date. The page keeps trying to load them.';

/** Loads the events of the visible calendars, and reports calendars and reads that fail in notices. */
export function usePageEvents({ visibleCalendars, refetch }: Calendars, range: DateRange) {
  const calendarIds = visibleCalendars.map(({ id }) => id);
  const loadedEvents = useEvents(calendarIds, range, (lostId, reason) => {
    const name = visibleCalendars.find(({ id }) => id === lostId)?.summary ?? lostId;
    showNotice('warning', `“${name}” is not shown: ${reason}`, {
      label: 'Try again',
      run: () => void loadedEvents.sync(lostId),
    });
    void refetch();
  });
  useStaleNotice(loadedEvents.isStale);
  return loadedEvents;
}

/** Shows a notice while events may be out of date. */
function useStaleNotice(isStale: boolean): void {
  useEffect(() => {
    if (!isStale) return;
    showNotice('error', staleMessage);
    return () =>
      notices()
        .filter(({ text }) => text === staleMessage)
        .forEach(({ id }) => dismissNotice(id));
  }, [isStale]);
}

/**
 * Returns events as the grid shows them: each meeting once, with pending moves, its own or its calendar's colour,
 * and "Busy" for free/busy readers.
 */
export function useGridEvents(
  events: readonly CalendarEvent[],
  pendingMoves: ReadonlyMap<string, CalendarEvent>,
  { visibleCalendars, colorOf }: Calendars,
): readonly GridEvent[] {
  return useMemo(() => {
    const calendarsById = new Map(visibleCalendars.map((calendar) => [calendar.id, calendar]));
    return withPendingMoves(withoutCopies(events, visibleCalendars), pendingMoves).flatMap((event) => {
      const calendar = calendarsById.get(event.calendarId);
      if (!calendar) return [];
      const visibleEvent = calendar.accessRole === 'freeBusyReader' ? { ...event, summary: 'Busy' } : event;
      return [
        {
          event: visibleEvent,
          color: colorOfEvent(event, colorOf(calendar)),
          isEditable: mayWrite(calendar),
        },
      ];
    });
  }, [events, pendingMoves, visibleCalendars]);
}
