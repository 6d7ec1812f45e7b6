import type { Viewer } from '../access/permissions.ts';
import type { RequestKey } from '../core/runtime/per-request.ts';
import { calendarRef, openCalendar } from './calendar.access.ts';
import type { ReadCalendar } from './calendar.loaders.ts';
import type { GetCalendarArgs } from './calendar.requests.ts';
import type { CalendarStore } from './calendar.store.ts';
import { calendarViewOf, calendarViewsOf, type CalendarView } from './calendar.view.ts';

export interface CalendarService {
  /** The calendars that the viewer may see: the primary one first, then the viewer's own, then the others. */
  listCalendars(viewer: Viewer): Promise<readonly CalendarView[]>;
  getCalendar(viewer: Viewer, args: GetCalendarArgs, request: RequestKey): Promise<CalendarView>;
}

export interface CalendarServiceParts {
  readonly store: CalendarStore;
  readonly readCalendar: ReadCalendar;
}

/** Reads calendars on behalf of a viewer. Throws AppError with everything that is wrong. */
export function createCalendarService({ store, readCalendar }: CalendarServiceParts): CalendarService {
  return {
    listCalendars: async (viewer) => calendarViewsOf(await store.calendarsOf(viewer.identity), viewer),
    async getCalendar(viewer, args, request) {
      const ref = calendarRef(args.calendarId, viewer);
      const { calendar } = openCalendar(await readCalendar(request, ref), ref, viewer, 'freeBusyReader');
      const own = await readCalendar(request, { primaryOf: viewer.identity });
      return calendarViewOf(calendar, viewer, own?.id) as CalendarView;
    },
  };
}
