import type { ResourceModule } from '../faces/graphql/module.ts';
import { bodyIssues } from './write/body-issues.ts';
import { eventMutations, eventQueries, eventSubscriptions } from './event.resolvers.ts';
import { createEventService, type EventService, type EventServiceParts } from './event.service.ts';
import { viewsOf } from './view/event-view.ts';
import { requireHandlers } from './write/normalize.ts';

declare module '../faces/graphql/context.ts' {
  interface Services {
    readonly events: EventService;
  }
}

/** Events of calendars, as a resource of the gateway. Throws for a table of fields that asks for what nothing here does. */
export function createEventModule(parts: EventServiceParts): ResourceModule {
  requireHandlers(parts.tools.model);
  viewsOf(parts.tools.model);
  return {
    resolvers: { Query: eventQueries, Mutation: eventMutations, Subscription: eventSubscriptions },
    services: { events: createEventService(parts) },
    createLoaders: () => ({}),
    inputChecks: { EventInput: (value) => bodyIssues(parts.tools.model, value) },
  };
}
