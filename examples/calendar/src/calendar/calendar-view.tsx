import { useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { Temporal } from 'temporal-polyfill';
import { messageOf } from '../api/failure.ts';
import { calendarsQuery } from '../api/operations.ts';
import { mondayOf, todayIn } from './week.ts';
import { WeekPage } from './week-page.tsx';

/** The caller's own calendar, open at the week of the address, else at this one. */
export function CalendarView() {
  const [asked] = useState(() => new URLSearchParams(location.search).get('week'));
  const { data, error } = useQuery(calendarsQuery);
  const calendar = data?.calendars?.find(({ primary }) => primary);
  if (error) return <p className="remark" role="alert">The calendar cannot be read: {messageOf(error)}</p>;
  if (!calendar) return <p className="remark" role="status">One moment …</p>;
  return <WeekPage calendarId={calendar.id} zone={calendar.timeZone} monday={mondayOf(dateOf(asked) ?? todayIn(calendar.timeZone))} />;
}

/** Undefined where an address has none, or somebody mistyped it. */
function dateOf(text: string | null): Temporal.PlainDate | undefined {
  try {
    return text === null ? undefined : Temporal.PlainDate.from(text);
  } catch {
    return undefined;
  }
}
