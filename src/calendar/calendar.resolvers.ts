import type { QueryResolvers } from '../generated/resolvers-types.ts';

export const calendarQueries: Required<Pick<QueryResolvers, 'calendars' | 'calendar'>> = {
  calendars: async (_root, _args, context) => [...(await context.services.calendars.listCalendars(context.caller()))],
  calendar: (_root, args, context) => context.services.calendars.getCalendar(context.caller(), args, context),
};
