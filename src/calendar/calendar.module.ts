import type { ResourceModule } from '../operations/module.ts';
import { query } from '../operations/operation.ts';
import type { GetCalendarArgs } from './calendar.requests.ts';
import type { CalendarService } from './calendar.service.ts';

/** Calendars, as a resource of the gateway. */
export function createCalendarModule(service: CalendarService) {
  return {
    operations: {
      calendars: query((_args: object, context) => service.listCalendars(context.caller())),
      calendar: query((args: GetCalendarArgs, context) => service.getCalendar(context.caller(), args, context)),
    },
  } satisfies ResourceModule;
}
