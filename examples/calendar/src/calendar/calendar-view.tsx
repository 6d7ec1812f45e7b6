import { useCalendars } from '../calendars/use-calendars.ts';
import { CalendarPage } from './calendar-page.tsx';

/** The caller's calendars, once it is known which these are. */
export function CalendarView() {
  const calendars = useCalendars();
  const primary = calendars.calendars.find((calendar) => calendar.primary);
  if (primary) return <CalendarPage calendars={calendars} primary={primary} />;
  if (calendars.problem !== undefined)
    return (
      <p className="remark" role="alert">
        The calendar cannot be read: {calendars.problem}
      </p>
    );
  return (
    <p className="remark" role="status">
      One moment …
    </p>
  );
}
