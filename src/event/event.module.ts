import type {
  MutationDeleteEventArgs,
  MutationInsertEventArgs,
  MutationPatchEventArgs,
  QueryEventArgs,
  QueryEventsArgs,
  QueryInstancesArgs,
  SubscriptionCalendarChangedArgs,
  SubscriptionCalendarsChangedArgs,
} from '../generated/resolvers-types.ts';
import type { ResourceModule } from '../operations/module.ts';
import { pageQuery, query, stream, write } from '../operations/operation.ts';
import { bodyIssues } from './event.input.ts';
import type { EventService } from './event.service.ts';
import type { EventModel } from './model/model.ts';
import { viewsOf } from './view/event-view.ts';
import { requireHandlers } from './write/normalize.ts';

/** Events of calendars, as a resource of the gateway. Throws for a table of fields that asks for what nothing here does. */
export function createEventModule(service: EventService, model: EventModel) {
  requireHandlers(model);
  viewsOf(model);
  const { canRehearse } = service;
  return {
    operations: {
      event: query((args: QueryEventArgs, context) => service.getEvent(context.caller(), args, context)),
      events: pageQuery((args: QueryEventsArgs, context) => service.listEvents(context.caller(), args, context.budget)),
      instances: pageQuery((args: QueryInstancesArgs, context) => service.listInstances(context.caller(), args, context, context.budget)),
      patchEvent: write((args: MutationPatchEventArgs, context) => service.patchEvent(context.caller(), args), ({ event }) => event, { canRehearse }),
      insertEvent: write((args: MutationInsertEventArgs, context) => service.insertEvent(context.caller(), args), ({ event }) => event, { canRehearse }),
      deleteEvent: write((args: MutationDeleteEventArgs, context) => service.deleteEvent(context.caller(), args), () => true),
      calendarChanged: stream((args: SubscriptionCalendarChangedArgs, context) => service.followCalendar(context.caller(), args, context.stream())),
      calendarsChanged: stream((args: SubscriptionCalendarsChangedArgs, context) => service.followCalendars(context.caller(), args, context.stream())),
    },
    inputChecks: { EventInput: (value: unknown) => bodyIssues(model, value) },
  } satisfies ResourceModule;
}
