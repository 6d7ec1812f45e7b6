import { useQuery } from '@apollo/client/react';
import { useEffect, useState } from 'react';
import { freeBusyQuery } from '../api/operations.ts';
import { toZonedTime, timesOf, type CalendarEvent } from '../calendar/event-times.ts';
import { readTypedTimes } from './draft-times.ts';
import type { Draft } from './draft.ts';
import { findInputErrors } from './input-errors.ts';

/** Whether a guest is free at the times of the form. */
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
/** Pause in typing after which a request is sent. */
const typingPauseMs = 400;

/** Reads whether guests are free at the times of the form. `unknown`: no calendar that the caller may see. */
export function useAvailability(
  draft: Draft,
  event: CalendarEvent | undefined,
  zone: string,
): readonly Availability[] {
  const period = readTypedPeriod(draft);
  const emails = draft.guests
    .filter(({ attendee, email }) => !attendee?.self && /^\S+@\S+\.\S+$/.test(email.trim()))
    .map(({ email }) => email.trim());
  const settledRequest = useSettledText(JSON.stringify({ emails, period }));
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
    fromMs: toZonedTime(eventTimes.start, zone).epochMilliseconds,
    toMs: toZonedTime(eventTimes.end, zone).epochMilliseconds,
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

/** Reads the typed times as a period; undefined if they are incomplete or too long for the query. */
function readTypedPeriod(draft: Draft): Period | undefined {
  const invalidPaths = Object.keys(findInputErrors(draft));
  if (invalidPaths.some((path) => /^(start|end)\./.test(path))) return undefined;
  const times = readTypedTimes(draft);
  const [fromMs, toMs] = [times.start, times.end].map(
    (time) => toZonedTime(time, draft.startZone).epochMilliseconds,
  ) as [number, number];
  return fromMs < toMs && toMs - fromMs <= maxRangeMs ? { fromMs, toMs } : undefined;
}

/** Returns the parts of a period before and after another one. */
const subtractPeriod = ({ fromMs, toMs }: Period, otherPeriod: Period | undefined): readonly Period[] =>
  otherPeriod
    ? [
        { fromMs, toMs: Math.min(toMs, otherPeriod.fromMs) },
        { fromMs: Math.max(fromMs, otherPeriod.toMs), toMs },
      ].filter((remainingPeriod) => remainingPeriod.fromMs < remainingPeriod.toMs)
    : [{ fromMs, toMs }];

/** Returns a text once it has not changed for a while, so that typing sends one request. */
function useSettledText(text: string): string {
  const [settledText, setSettledText] = useState(text);
  useEffect(() => {
    const settleTimer = setTimeout(() => setSettledText(text), typingPauseMs);
    return () => clearTimeout(settleTimer);
  }, [text]);
  return settledText;
}
