import type { ResourceModule } from '../faces/graphql/module.ts';
import { calendarQueries } from './calendar.resolvers.ts';
import type { CalendarService } from './calendar.service.ts';

declare module '../faces/graphql/context.ts' {
  interface Services {
    readonly calendars: CalendarService;
  }
}

/** Calendars, as a resource of the gateway. */
export const createCalendarModule = (service: CalendarService): ResourceModule => ({
  resolvers: { Query: calendarQueries },
  services: { calendars: service },
  createLoaders: () => ({}),
  inputChecks: {},
});
