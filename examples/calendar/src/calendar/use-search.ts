import { useApolloClient } from '@apollo/client/react';
import { useEffect, useState } from 'react';
import type { Temporal } from 'temporal-polyfill';
import { messageOf } from '../api/failure.ts';
import { eventsQuery } from '../api/operations.ts';
import type { Calendar } from '../calendars/calendar.ts';
import { readAllPages } from './event-sync.ts';
import { withoutCopies } from './grid-events.ts';
import {
  toZonedTime,
  formatWithOffset,
  sortByStart,
  type CalendarEvent,
  type DatedEvent,
} from './event-times.ts';

export interface SearchOutcome {
  /** Events that have not ended, earliest first. */
  readonly upcoming: readonly DatedEvent[];
  /** Events that have ended, latest first. */
  readonly past: readonly DatedEvent[];
  readonly problem?: string;
}

/** Delay after the last key press before a request is sent. */
const searchDelayMs = 300;
/** Years searched before and after the visible date. */
export const searchedYears = 1;

/** Searches events of calendars around a date. The outcome is undefined while the search is pending. */
export function useSearch(
  searchText: string,
  calendars: readonly Calendar[],
  date: Temporal.PlainDate,
  zone: string,
): { outcome: SearchOutcome | undefined; retry: () => void } {
  const client = useApolloClient();
  const [attempt, setAttempt] = useState(0);
  const calendarIds = calendars.map(({ id }) => id);
  const searchKey = JSON.stringify([searchText, calendarIds, date, zone, attempt]);
  const [latestSearch, setLatestSearch] = useState<{
    readonly searchKey: string;
    readonly outcome: SearchOutcome;
  }>();
  useEffect(() => {
    if (searchText === '') return;
    let isOutdated = false;
    const startOfDay = (day: Temporal.PlainDate): string => formatWithOffset(day.toPlainDateTime(), zone);
    const variables = {
      q: searchText,
      timeMin: startOfDay(date.subtract({ years: searchedYears })),
      timeMax: startOfDay(date.add({ years: searchedYears })),
    };
    const searchCalendar = async (calendarId: string): Promise<readonly CalendarEvent[]> => {
      const { nodes } = await readAllPages((after) =>
        client.query({
          query: eventsQuery,
          variables: { ...variables, calendarId, after },
          fetchPolicy: 'no-cache',
        }),
      );
      return nodes.map((event) => ({ ...event, calendarId }));
    };
    const runSearch = async (): Promise<void> => {
      let outcome: SearchOutcome;
      try {
        const eventLists = await Promise.all(calendarIds.map(searchCalendar));
        outcome = groupResults(withoutCopies(eventLists.flat(), calendars), zone, Date.now());
      } catch (error) {
        outcome = { upcoming: [], past: [], problem: messageOf(error) };
      }
      if (!isOutdated) setLatestSearch({ searchKey, outcome });
    };
    const searchTimer = setTimeout(() => void runSearch(), searchDelayMs);
    return () => {
      isOutdated = true;
      clearTimeout(searchTimer);
    };
  }, [client, searchKey]);
  return {
    outcome: latestSearch?.searchKey === searchKey ? latestSearch.outcome : undefined,
    retry: () => setAttempt(attempt + 1),
  };
}

/** Divides events into upcoming and past ones. A series is listed once: by its next instance, else by its last one. */
function groupResults(events: readonly CalendarEvent[], zone: string, nowMs: number): SearchOutcome {
  const results = sortByStart(events, zone);
  const isUpcoming = ({ times }: DatedEvent): boolean =>
    toZonedTime(times.end, zone).epochMilliseconds > nowMs;
  const listedSeries = new Set<string>();
  const isFirstOfSeries = ({ event }: DatedEvent): boolean => {
    // The title is part of the key: an instance with a title of its own is listed too.
    const seriesKey = `${event.calendarId} ${event.recurringEventId ?? event.id} ${event.summary ?? ''}`;
    if (listedSeries.has(seriesKey)) return false;
    listedSeries.add(seriesKey);
    return true;
  };
  return {
    upcoming: results.filter(isUpcoming).filter(isFirstOfSeries),
    past: results
      .filter((result) => !isUpcoming(result))
      .reverse()
      .filter(isFirstOfSeries),
  };
}
