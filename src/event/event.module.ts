import { pageQuery, query, type ResourceModule, stream, write } from '../operations/operation.ts';
import {
  argumentIssues,
  type DeleteEventArgs,
  type DeleteFollowingEventsArgs,
  type FollowCalendarArgs,
  type FollowCalendarsArgs,
  type FreeBusyArgs,
  type GetEventArgs,
  type ImportCalendarArgs,
  type ImportEventArgs,
  type InsertEventArgs,
  type ListEventsArgs,
  type ListInstancesArgs,
  type MoveEventArgs,
  type PatchEventArgs,
  type PatchFollowingEventsArgs,
} from './event.requests.ts';
import { maxImportMs } from './event.calendar-import.ts';
import type { EventService } from './event.service.ts';
import { freeBusyIssues } from './list/free-busy.ts';
import { instancesIssues, listIssues } from './list/selection.ts';
import type { EventModel } from './model/model.ts';
import { calendarTextIssues } from './transfer/calendar-text.ts';
import { viewFactoryOf } from './visibility/event-view.ts';
import { bodyIssues, requireHandlers } from './write/normalize.ts';

/** Creates the operations on events. Throws for a table of fields that needs an unknown handler or reader. */
export function createEventModule(service: EventService, model: EventModel) {
  requireHandlers(model);
  viewFactoryOf(model);
  const { needsSerialLists: isSerial } = service;
  /** Issues of a write that are found without loading the event. */
  const issuesOfWrite = (args: Partial<Omit<PatchFollowingEventsArgs, 'calendarId' | 'eventId'>>) => [
    ...argumentIssues(args),
    ...bodyIssues(model, {}, args.attendeeChanges),
    ...bodyIssues(model, args.event),
  ];
  return {
    operations: {
      event: query(
        (args: GetEventArgs, context, selected) =>
          service.getEvent(context.caller(), args, context, selected),
        argumentIssues,
      ),
      events: pageQuery(
        (args: ListEventsArgs, context, selected) =>
          service.listEvents(context.caller(), args, context, context.budget, selected),
        listIssues,
        isSerial,
      ),
      instances: pageQuery(
        (args: ListInstancesArgs, context, selected) =>
          service.listInstances(context.caller(), args, context, context.budget, selected),
        instancesIssues,
        isSerial,
      ),
      freeBusy: query(
        (args: FreeBusyArgs, context) => service.freeBusy(context.caller(), args, context, context.budget),
        freeBusyIssues,
      ),
      patchEvent: write(
        (args: PatchEventArgs, context, selected) =>
          service.patchEvent(context.caller(), args, context, selected),
        ({ event }) => event,
        issuesOfWrite,
      ),
      insertEvent: write(
        (args: InsertEventArgs, context, selected) =>
          service.insertEvent(context.caller(), args, context, selected),
        ({ event }) => event,
        issuesOfWrite,
      ),
      deleteEvent: write(
        (args: DeleteEventArgs, context) => service.deleteEvent(context.caller(), args, context),
        () => true,
      ),
      patchFollowingEvents: write(
        (args: PatchFollowingEventsArgs, context) => service.patchFollowingEvents(context.caller(), args),
        ({ before, following }) => ({ before, following }),
        issuesOfWrite,
      ),
      deleteFollowingEvents: write(
        (args: DeleteFollowingEventsArgs, context) => service.deleteFollowingEvents(context.caller(), args),
        ({ event }) => event,
      ),
      importEvent: write(
        (args: ImportEventArgs, context, selected) =>
          service.importEvent(context.caller(), args, context, selected),
        ({ event }) => event,
        issuesOfWrite,
      ),
      importCalendar: write(
        async (args: ImportCalendarArgs, context) => {
          const result = await service.importCalendar(context.caller(), args, context, {
            charge: (components) => {
              context.chargeRootFields(components);
              context.allowMs(maxImportMs);
            },
            throwIfGone: () => context.budget.throwIfGone(),
          });
          return { ...result, result, unchanged: result.created + result.updated === 0 };
        },
        ({ result }) => result,
        calendarTextIssues,
      ),
      moveEvent: write(
        (args: MoveEventArgs, context, selected) =>
          service.moveEvent(context.caller(), args, context, selected),
        ({ event }) => event,
      ),
      calendarChanged: stream((args: FollowCalendarArgs, context) =>
        service.followCalendar(context.caller(), args, context.stream()),
      ),
      calendarsChanged: stream((args: FollowCalendarsArgs, context) =>
        service.followCalendars(context.caller(), args, context.stream()),
      ),
    },
  } satisfies ResourceModule;
}
