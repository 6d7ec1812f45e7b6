import type { ReactNode } from 'react';
import type { CalendarEvent } from '../calendar/week.ts';

export type Scope = 'this' | 'following' | 'all';

/** Which events of a series are meant. */
export function useScope(): { ask: (event: CalendarEvent, what: 'change' | 'delete') => Promise<Scope | undefined>; dialog: ReactNode } {
  return { ask: () => Promise.resolve('this'), dialog: null };
}
