import { connectionInTurns } from '../core/page-in-turns.ts';
import type { MutationResolvers, QueryResolvers } from '../generated/resolvers-types.ts';

export const eventQueries: Required<Pick<QueryResolvers, 'event' | 'events'>> = {
  event: (_root, args, context) => context.services.events.getEvent(context.caller(), args, context.loaders.events),
  events: async (_root, args, context) => {
    const { nextSyncToken, ...list } = await context.inTurn(() => context.services.events.listEvents(context.caller(), args));
    return Object.assign(connectionInTurns(list), { nextSyncToken });
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
