import { AppError } from '../core/kernel/errors.ts';
import { chunkedConnection } from '../core/runtime/chunked-page.ts';
import type { Streamed } from '../core/runtime/stream.ts';
import type { CalendarChange, MutationResolvers, QueryResolvers, SubscriptionResolvers } from '../generated/resolvers-types.ts';

export const eventQueries: Required<Pick<QueryResolvers, 'event' | 'events' | 'instances'>> = {
  event: (_root, args, context) => context.services.events.getEvent(context.caller(), args, context),
  events: async (_root, args, context) => {
    const { nextSyncToken, ...list } = await context.readQueue(() => context.services.events.listEvents(context.caller(), args, context.budget));
    return Object.assign(chunkedConnection(list), { nextSyncToken });
  },
  instances: async (_root, args, context) => {
    const { nextSyncToken, ...list } = await context.readQueue(() =>
      context.services.events.listInstances(context.caller(), args, context, context.budget),
    );
    return Object.assign(chunkedConnection(list), { nextSyncToken });
  },
};

export const eventMutations: Required<Pick<MutationResolvers, 'patchEvent' | 'insertEvent' | 'deleteEvent'>> = {
  patchEvent: async (_root, args, context, { path }) => {
    const result = await context.services.events.patchEvent(context.caller(), args);
    context.notes.add(path.key, result);
    return result.event;
  },
  insertEvent: async (_root, args, context, { path }) => {
    const result = await context.services.events.insertEvent(context.caller(), args);
    context.notes.add(path.key, result);
    return result.event;
  },
  deleteEvent: async (_root, args, context, { path }) => {
    context.notes.add(path.key, await context.services.events.deleteEvent(context.caller(), args));
    return true;
  },
};

export const eventSubscriptions: Required<Pick<SubscriptionResolvers, 'calendarChanged' | 'calendarsChanged'>> = {
  calendarChanged: {
    subscribe: (_root, args, context) => context.services.events.followCalendar(context.caller(), args, context.stream()),
    resolve: ({ value }: Streamed<CalendarChange>) => value,
  },
  calendarsChanged: {
    subscribe: (_root, args, context) => context.services.events.followCalendars(context.caller(), args, context.stream()),
    resolve: ({ value }: Streamed<CalendarChange | AppError>) => {
      if (value instanceof AppError) throw value;
      return value;
    },
  },
};
