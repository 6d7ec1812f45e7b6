import { useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { messageOf } from '../api/failure.ts';
import { calendarsQuery } from '../api/operations.ts';
import type { Calendar } from './calendar.ts';

export interface Calendars {
  readonly calendars: readonly Calendar[];
  readonly shown: readonly Calendar[];
  readonly toggle: (id: string) => void;
  readonly colorOf: (calendar: Calendar) => string;
  readonly problem: string | undefined;
  readonly loading: boolean;
  readonly refetch: () => Promise<unknown>;
}

const palette = ['#4f46e5', '#0f8a5f', '#c2410c', '#0369a1', '#be185d', '#7c3aed'] as const;

/** The calendars that the caller may read, and which of them are shown. */
export function useCalendars(): Calendars {
  const { data, error, loading, refetch } = useQuery(calendarsQuery);
  const [hidden, hide] = useState<ReadonlySet<string>>(new Set());
  const calendars = data?.calendars ?? [];
  return {
    calendars,
    shown: calendars.filter(({ id }) => !hidden.has(id)),
    toggle: (id) => hide((ids) => new Set(ids.has(id) ? [...ids].filter((one) => one !== id) : [...ids, id])),
    colorOf: ({ id, backgroundColor }) => backgroundColor ?? palette[[...id].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % palette.length] ?? palette[0],
    problem: error && messageOf(error),
    loading,
    refetch,
  };
}
