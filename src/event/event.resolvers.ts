import { connectionOf } from '../core/page.ts';
import type { MutationResolvers, QueryResolvers } from '../generated/resolvers-types.ts';

export const eventQueries: Required<Pick<QueryResolvers, 'event' | 'events'>> = {
  event: (_root, args, context) => context.services.events.getEvent(context.caller(), args, context.loaders.events),
  events: async (_root, args, context) => {
    const list = await context.services.events.listEvents(context.caller(), args);
    return { ...connectionOf(list), nextSyncToken: list.nextSyncToken };
  },
};

export const eventMutations: Required<Pick<MutationResolvers, 'patchEvent' | 'insertEvent'>> = {
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
};
