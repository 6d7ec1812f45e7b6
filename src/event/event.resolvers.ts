import { connectionOf } from '../core/page.ts';
import type { MutationResolvers, QueryResolvers } from '../generated/resolvers-types.ts';
import type { EventResult } from './event.service.ts';
import type { EventView } from './view/event-view.ts';

interface Notes {
  readonly notes: { readonly warnings: unknown[]; guestsNotified?: number };
}

export const eventQueries: Required<Pick<QueryResolvers, 'event' | 'events'>> = {
  event: (_root, args, context) => context.services.events.getEvent(context.caller(), args, context.loaders.events),
  events: async (_root, args, context) => {
    const list = await context.services.events.listEvents(context.caller(), args);
    return { ...connectionOf(list), nextSyncToken: list.nextSyncToken };
  },
};

export const eventMutations: Required<Pick<MutationResolvers, 'patchEvent' | 'insertEvent'>> = {
  patchEvent: async (_root, args, context) => noted(context, await context.services.events.patchEvent(context.caller(), args)),
  insertEvent: async (_root, args, context) => noted(context, await context.services.events.insertEvent(context.caller(), args)),
};

/** Keeps what the response's extensions tell beside the event. */
function noted({ notes }: Notes, { event, warnings, guestsNotified }: EventResult): EventView {
  notes.warnings.push(...warnings);
  notes.guestsNotified = (notes.guestsNotified ?? 0) + guestsNotified;
  return event;
}
