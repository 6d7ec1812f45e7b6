import type { GetCalendarArgs } from '../../calendar/calendar.requests.ts';
import type {
  DeleteEventArgs, FollowCalendarArgs, FollowCalendarsArgs, GetEventArgs, InsertEventArgs, ListEventsArgs, ListInstancesArgs, PatchEventArgs,
} from '../../event/event.requests.ts';
import type {
  MutationDeleteEventArgs, MutationInsertEventArgs, MutationPatchEventArgs, QueryCalendarArgs, QueryEventArgs, QueryEventsArgs, QueryInstancesArgs,
  SubscriptionCalendarChangedArgs, SubscriptionCalendarsChangedArgs,
} from '../../generated/resolvers-types.ts';

/** True where an operation knows each argument that the schema has for it, with all its values. */
type Knows<Operation, Schema> = [Exclude<keyof Schema, keyof Operation>, Schema] extends [never, Operation] ? true : false;
type Each<Checks extends Readonly<Record<string, true>>> = Checks;

/** An argument in the schema that the service of its field does not know does not compile. */
export type KnownArguments = Each<{
  calendar: Knows<GetCalendarArgs, QueryCalendarArgs>;
  event: Knows<GetEventArgs, QueryEventArgs>;
  events: Knows<ListEventsArgs, QueryEventsArgs>;
  instances: Knows<ListInstancesArgs, QueryInstancesArgs>;
  insertEvent: Knows<InsertEventArgs, MutationInsertEventArgs>;
  patchEvent: Knows<PatchEventArgs, MutationPatchEventArgs>;
  deleteEvent: Knows<DeleteEventArgs, MutationDeleteEventArgs>;
  calendarChanged: Knows<FollowCalendarArgs, SubscriptionCalendarChangedArgs>;
  calendarsChanged: Knows<FollowCalendarsArgs, SubscriptionCalendarsChangedArgs>;
}>;
