import { makeVar } from '@apollo/client';
import { useQuery, useReactiveVar } from '@apollo/client/react';
import { useMemo } from 'react';
import { messageOf } from '../api/failure.ts';
import { calendarsQuery } from '../api/operations.ts';
import { readStoredValue, writeStoredValue } from '../ui/browser-storage.ts';
import type { Calendar } from './calendar.ts';
import { chooseCalendarColor } from './colors.ts';

/** The caller's calendars, and how this browser shows them. */
export type Calendars = ReturnType<typeof useCalendars>;

/** A constant, so that memos keep their values while the list is loading. */
const noCalendars: readonly Calendar[] = [];

/** The calendars of the caller, and which of them are visible in this browser. */
export function useCalendars() {
  const { data, error, refetch } = useQuery(calendarsQuery);
  const calendars = data?.calendars ?? noCalendars;
  const hiddenIds = useReactiveVar(hiddenCalendarIds);
  const visibleCalendars = useMemo(
    () => calendars.filter(({ id }) => !hiddenIds.includes(id)),
    [calendars, hiddenIds],
  );
  return {
    calendars,
    /** Calendars whose check box in the sidebar is on. */
    visibleCalendars,
    toggleVisibility: toggleCalendarVisibility,
    colorOf: chooseCalendarColor,
    /** Reason why the list could not be loaded. */
    problem: error && messageOf(error),
    refetch,
  };
}

/** Title of a calendar; its id if it has none. */
export const nameOf = ({ summary, id }: Pick<Calendar, 'summary' | 'id'>): string => summary || id;

const storageKey = 'hidden-calendars';
const hiddenCalendarIds = makeVar<readonly string[]>(readHiddenIds());

function toggleCalendarVisibility(calendarId: string): void {
  const ids = hiddenCalendarIds();
  hiddenCalendarIds(ids.includes(calendarId) ? ids.filter((id) => id !== calendarId) : [...ids, calendarId]);
  writeStoredValue('localStorage', storageKey, hiddenCalendarIds());
}

function readHiddenIds(): readonly string[] {
  const ids = readStoredValue('localStorage', storageKey);
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}
