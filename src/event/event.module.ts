import { pageQuery, query, type ResourceModule, stream, write } from '../operations/operation.ts';
import {
  argumentIssues,
  type FreeBusyArgs,
  type ImportCalendarArgs,
  type ListEventsArgs,
  type ListInstancesArgs,
  type PatchFollowingEventsArgs,
} from './event.requests.ts';
import { maxImportMs } from './event.calendar-import.ts';
import type { EventService } from './event.service.ts';
import { freeBusyIssues } from './list/free-busy.ts';
import { listIssues, pageIssues } from './list/selection.ts';
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
      event: query(service.getEvent, argumentIssues),
      events: pageQuery(
        (viewer, args: ListEventsArgs, context, selected) =>
          service.listEvents(viewer, args, context, context.budget, selected),
        listIssues,
        isSerial,
      ),
      instances: pageQuery(
        (viewer, args: ListInstancesArgs, context, selected) =>
          service.listInstances(viewer, args, context, context.budget, selected),
        pageIssues,
        isSerial,
      ),
      freeBusy: query(
        (viewer, args: FreeBusyArgs, context) => service.freeBusy(viewer, args, context, context.budget),
        freeBusyIssues,
      ),
      patchEvent: write(service.patchEvent, ({ event }) => event, issuesOfWrite),
      insertEvent: write(service.insertEvent, ({ event }) => event, issuesOfWrite),
      deleteEvent: write(service.deleteEvent, () => true),
      patchFollowingEvents: write(
        service.patchFollowingEvents,
        ({ before, following }) => ({ before, following }),
        issuesOfWrite,
      ),
      deleteFollowingEvents: write(service.deleteFollowingEvents, ({ event }) => event),
      importEvent: write(service.importEvent, ({ event }) => event, issuesOfWrite),
      importCalendar: write(
        async (viewer, args: ImportCalendarArgs, context) => {
          const result = await service.importCalendar(viewer, args, context, {
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
      moveEvent: write(service.moveEvent, ({ event }) => event),
      calendarChanged: stream(service.followCalendar),
      calendarsChanged: stream(service.followCalendars),
    },
  } satisfies ResourceModule;
}
