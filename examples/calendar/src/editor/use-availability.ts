import { useQuery } from '@apollo/client/react';
import { useEffect, useState } from 'react';
import { freeBusyQuery } from '../api/operations.ts';
import { inZone, timesOf, type CalendarEvent } from '../calendar/week.ts';
import { timesIn } from './draft-times.ts';
import type { Draft } from './draft.ts';
import { missingIn } from './missing.ts';

export interface Availability {
  readonly email: string;
  readonly state: 'free' | 'busy' | 'unknown';
}

interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Limits of a query: calendars, and the length of its range. */
const [maxCalendars, maxRangeMs] = [50, 184 * 24 * 60 * 60 * 1000];
const typingPauseMs = 400;

/** Asks who of the guests has time then. `unknown`: no calendar here, or none that the caller may see. */
export function useAvailability(
  draft: Draft,
  event: CalendarEvent | undefined,
  zone: string,
): readonly Availability[] {
  const period = periodIn(draft, zone);
  const emails = draft.guests
    .filter(({ known, email }) => !known?.self && /^\S+@\S+\.\S+$/.test(email.trim()))
    .map(({ email }) => email.trim());
  const wanted = usePaused(JSON.stringify({ emails, period }));
  const asked = JSON.parse(wanted) as { readonly emails: readonly string[]; readonly period?: Period };
  const calendarIds = [...new Set(asked.emails)].slice(0, maxCalendars);
  const isAsked = asked.period !== undefined && calendarIds.length > 0;
  const { data, error } = useQuery(freeBusyQuery, {
    variables: {
      calendarIds,
      timeMin: new Date(asked.period?.fromMs ?? 0).toISOString(),
      timeMax: new Date(asked.period?.toMs ?? 0).toISOString(),
    },
    skip: !isAsked,
    fetchPolicy: 'no-cache',
  });
  const { period: askedPeriod } = asked;
  if (!isAsked || !askedPeriod || (!data && !error)) return [];
  const own = event && timesOf(event, zone);
  const ownPeriod = own && {
    fromMs: inZone(own.start, zone).epochMilliseconds,
    toMs: inZone(own.end, zone).epochMilliseconds,
  };
  return calendarIds.flatMap((email): readonly Availability[] => {
    // A guest of the event is busy with it: only times outside of it count.
    const isGuest = event?.attendees?.some((guest) => guest.email === email);
    const periods = without(askedPeriod, isGuest ? ownPeriod : undefined);
    if (periods.length === 0) return [];
    const calendar = data?.freeBusy?.find(({ calendarId }) => calendarId === email);
    if (!calendar || calendar.error) return [{ email, state: 'unknown' }];
    const isBusy = calendar.busy.some(({ start, end }) =>
      periods.some(({ fromMs, toMs }) => Date.parse(start) < toMs && fromMs < Date.parse(end)),
    );
    return [{ email, state: isBusy ? 'busy' : 'free' }];
  });
}

function periodIn(draft: Draft, zone: string): Period | undefined {
  const missing = Object.keys(missingIn(draft, zone));
  if (missing.some((path) => /^(start|end)\./.test(path))) return undefined;
  const { start, end } = timesIn(draft, undefined, undefined);
  const [fromMs, toMs] = [inZone(start, zone).epochMilliseconds, inZone(end, zone).epochMilliseconds];
  return fromMs < toMs && toMs - fromMs <= maxRangeMs ? { fromMs, toMs } : undefined;
}

/** The rest of a period around another one. */
const without = ({ fromMs, toMs }: Period, other: Period | undefined): readonly Period[] =>
  other
    ? [
        { fromMs, toMs: Math.min(toMs, other.fromMs) },
        { fromMs: Math.max(fromMs, other.toMs), toMs },
      ].filter((part) => part.fromMs < part.toMs)
    : [{ fromMs, toMs }];

/** A text once it has not changed for a moment. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), typingPauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}
