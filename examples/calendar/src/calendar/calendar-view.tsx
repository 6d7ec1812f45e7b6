import { useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { Temporal } from 'temporal-polyfill';
import { messageOf } from '../api/failure.ts';
import { calendarQuery, nextEvent } from '../api/operations.ts';
import { mondayOf } from './week.ts';
import { WeekPage } from './week-page.tsx';

/** The caller's own calendar, open at the week of the address, else at the next event. */
export function CalendarView() {
  const [now] = useState(() => new Date().toISOString());
  const [asked] = useState(() => new URLSearchParams(location.search).get('week'));
  const calendar = useQuery(calendarQuery);
  const next = useQuery(nextEvent, { variables: { now }, skip: asked !== null });
  const error = calendar.error ?? next.error;
  const zone = calendar.data?.calendar?.timeZone;
  if (error) return <p className="remark" role="alert">The calendar cannot be read: {messageOf(error)}</p>;
  if (!zone || (asked === null && !next.data)) return <p className="remark" role="status">One moment …</p>;
  const first = next.data?.events?.nodes[0]?.start;
  const opened = asked ?? first?.date ?? first?.dateTime;
  return <WeekPage zone={zone} monday={mondayOf(dateOf(opened, zone))} />;
}

function dateOf(text: string | null | undefined, zone: string): Temporal.PlainDate {
  try {
    if (text?.includes('T')) return Temporal.Instant.from(text).toZonedDateTimeISO(zone).toPlainDate();
    if (text) return Temporal.PlainDate.from(text);
  } catch {
    // An address that somebody typed: today will do.
  }
  return Temporal.Now.plainDateISO(zone);
}
