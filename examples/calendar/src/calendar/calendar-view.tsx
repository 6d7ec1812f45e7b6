import { useCalendars } from '../calendars/use-calendars.ts';
import { CalendarPage } from './calendar-page.tsx';

/** The calendar page, or a status while the caller's calendars are loading or cannot be loaded. */
export function CalendarView() {
  const calendars = useCalendars();
  const primary = calendars.calendars.find((calendar) => calendar.primary);
  if (primary) return <CalendarPage calendars={calendars} primaryCalendar={primary} />;
  if (calendars.problem !== undefined)
    return (
      <p className="remark" role="alert">
        The calendars could not be loaded. {calendars.problem}
      </p>
    );
  return (
    <p className="remark" role="status">
      Loading…
    </p>
  );
}
