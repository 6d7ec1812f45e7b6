import { useQuery } from '@apollo/client/react';
import { useMemo } from 'react';
import { messageOf } from '../api/failure.ts';
import { calendarsQuery } from '../api/operations.ts';
import { createStore } from '../api/store.ts';
import { useStore } from '../api/use-store.ts';
import type { Calendar } from './calendar.ts';
import { colorFor } from './colors.ts';

export interface Calendars {
  readonly calendars: readonly Calendar[];
  /** Calendars whose events are visible. */
  readonly shown: readonly Calendar[];
  readonly toggle: (id: string) => void;
  readonly colorOf: (calendar: Calendar) => string;
  readonly problem: string | undefined;
  readonly loading: boolean;
  readonly refetch: () => Promise<unknown>;
}

const none: readonly Calendar[] = [];

/** The calendars that the caller may see, and which of them are shown: that is this browser's to remember. */
export function useCalendars(): Calendars {
  const { data, error, refetch } = useQuery(calendarsQuery);
  const calendars = data?.calendars ?? none;
  const hiddenIds = useStore(hidden);
  const shown = useMemo(() => calendars.filter(({ id }) => !hiddenIds.includes(id)), [calendars, hiddenIds]);
  return {
    calendars,
    shown,
    toggle,
    colorOf: colorFor,
    problem: error && messageOf(error),
    loading: !data && !error,
    refetch,
  };
}

export const nameOf = ({ summary, id }: Pick<Calendar, 'summary' | 'id'>): string => summary || id;

const place = 'hidden-calendars';
const hidden = createStore<readonly string[]>(remembered());

function toggle(id: string): void {
  const now = hidden.get();
  hidden.set(now.includes(id) ? now.filter((one) => one !== id) : [...now, id]);
  try {
    localStorage.setItem(place, JSON.stringify(hidden.get()));
  } catch {
    // A browser that keeps nothing shows all of them next time.
  }
}

function remembered(): readonly string[] {
  try {
    const ids: unknown = JSON.parse(localStorage.getItem(place) ?? '[]');
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}
