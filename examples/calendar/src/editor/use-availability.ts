import { useQuery } from '@apollo/client/react';
import { useEffect, useState } from 'react';
import { freeBusyQuery } from '../api/operations.ts';
import { inZone, timesOf, type CalendarEvent } from '../calendar/week.ts';
import { readTypedTimes } from './draft-times.ts';
import type { Draft } from './draft.ts';
import { findInputErrors } from './missing.ts';

export interface Availability {
  readonly email: string;
  readonly state: 'free' | 'busy' | 'unknown';
}

interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Limits of the query `freeBusy`. */
const [maxCalendars, maxRangeMs] = [50, 184 * 24 * 60 * 60 * 1000];
const typingPauseMs = 400;

/** Reads whether guests are free at the times of the form. `unknown`: no calendar that the caller may see. */
export function useAvailability(
  draft: Draft,
  event: CalendarEvent | undefined,
  zone: string,
): readonly Availability[] {
  const period = typedPeriod(draft);
  const emails = draft.guests
    .filter(({ attendee, email }) => !attendee?.self && /^\S+@\S+\.\S+$/.test(email.trim()))
    .map(({ email }) => email.trim());
  const settledRequest = useSettled(JSON.stringify({ emails, period }));
  const request = JSON.parse(settledRequest) as {
    readonly emails: readonly string[];
    readonly period?: Period;
  };
  const calendarIds = [...new Set(request.emails)].slice(0, maxCalendars);
  const isComplete = request.period !== undefined && calendarIds.length > 0;
  const { data, error } = useQuery(freeBusyQuery, {
    variables: {
      calendarIds,
      timeMin: new Date(request.period?.fromMs ?? 0).toISOString(),
      timeMax: new Date(request.period?.toMs ?? 0).toISOString(),
    },
    skip: !isComplete,
    fetchPolicy: 'no-cache',
  });
  const { period: requestedPeriod } = request;
  if (!isComplete || !requestedPeriod || (!data && !error)) return [];
  const eventTimes = event && timesOf(event, zone);
  const eventPeriod = eventTimes && {
    fromMs: inZone(eventTimes.start, zone).epochMilliseconds,
    toMs: inZone(eventTimes.end, zone).epochMilliseconds,
  };
  return calendarIds.flatMap((email): readonly Availability[] => {
    // A guest is busy with the event itself: only times outside of it count.
    const isGuest = event?.attendees?.some((guest) => guest.email === email);
    const periods = subtractPeriod(requestedPeriod, isGuest ? eventPeriod : undefined);
    if (periods.length === 0) return [];
    const calendar = data?.freeBusy?.find(({ calendarId }) => calendarId === email);
    if (!calendar || calendar.error) return [{ email, state: 'unknown' }];
    const isBusy = calendar.busy.some(({ start, end }) =>
      periods.some(({ fromMs, toMs }) => Date.parse(start) < toMs && fromMs < Date.parse(end)),
    );
    return [{ email, state: isBusy ? 'busy' : 'free' }];
  });
}

function typedPeriod(draft: Draft): Period | undefined {
  const invalidPaths = Object.keys(findInputErrors(draft));
  if (invalidPaths.some((path) => /^(start|end)\./.test(path))) return undefined;
  const times = readTypedTimes(draft);
  const [fromMs, toMs] = [times.start, times.end].map(
    (time) => inZone(time, draft.startZone).epochMilliseconds,
  ) as [number, number];
  return fromMs < toMs && toMs - fromMs <= maxRangeMs ? { fromMs, toMs } : undefined;
}

/** The parts of a period before and after another one. */
const subtractPeriod = ({ fromMs, toMs }: Period, other: Period | undefined): readonly Period[] =>
  other
    ? [
        { fromMs, toMs: Math.min(toMs, other.fromMs) },
        { fromMs: Math.max(fromMs, other.toMs), toMs },
      ].filter((rest) => rest.fromMs < rest.toMs)
    : [{ fromMs, toMs }];

/** Returns a text once it has not changed for a while, so that typing sends one request. */
function useSettled(text: string): string {
  const [settledText, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), typingPauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settledText;
}
