import { issuesOfBody } from '../core/fields/body-change.ts';
import type { ResourceModule } from '../operations/module.ts';
import { query, write, type Operation, type Operations } from '../operations/operation.ts';
import { calendarFields } from './calendar.fields.ts';
import type { EnsurePrimary } from './calendar.primary.ts';
import type {
  DeleteCalendarArgs,
  GetCalendarArgs,
  InsertCalendarArgs,
  PatchCalendarArgs,
  SetCalendarAccessArgs,
} from './calendar.requests.ts';
import { accessIssues } from './calendar.sharing.ts';
import type { CalendarService } from './calendar.service.ts';

/** Calendars, as a resource of the gateway. */
export function createCalendarModule(service: CalendarService) {
  const { canRehearse } = service;
  return {
    operations: {
      calendars: query((_args: object, context, selected) =>
        service.listCalendars(context.caller(), context, selected),
      ),
      calendar: query((args: GetCalendarArgs, context, selected) =>
        service.getCalendar(context.caller(), args, context, selected),
      ),
      calendarAccess: query((args: GetCalendarArgs, context) =>
        service.listAccess(context.caller(), args, context),
      ),
      insertCalendar: write(
        (args: InsertCalendarArgs, context) => service.insertCalendar(context.caller(), args),
        ({ calendar }) => calendar,
        { canRehearse },
      ),
      patchCalendar: write(
        (args: PatchCalendarArgs, context) => service.patchCalendar(context.caller(), args),
        ({ calendar }) => calendar,
        { canRehearse },
      ),
      deleteCalendar: write(
        async (args: DeleteCalendarArgs, context) => ({
          deleted: await service.deleteCalendar(context.caller(), args),
          warnings: [],
        }),
        ({ deleted }) => deleted,
      ),
      setCalendarAccess: write(
        async (args: SetCalendarAccessArgs, context) => ({
          entries: await service.setAccess(context.caller(), args),
          warnings: [],
        }),
        ({ entries }) => entries,
        { issuesOf: accessIssues },
      ),
    },
    inputChecks: {
      CalendarInput: { issuesOf: (value) => issuesOfBody(calendarFields, value) },
    },
  } satisfies ResourceModule;
}

/** The same operations; where one names the caller's primary calendar, that is there before it runs. */
export function withPrimary<Own extends Operations>(operations: Own, ensurePrimary: EnsurePrimary): Own {
  const prepared = (operation: Operation): Operation =>
    ({
      ...operation,
      run(args: never, ...more: [Parameters<Operation['run']>[1], ...never[]]) {
        const [context] = more;
        const made = namesPrimary(args) ? ensurePrimary(context.caller()) : undefined;
        return made ? made.then((): unknown => operation.run(args, ...more)) : operation.run(args, ...more);
      },
    }) as Operation;
  return Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [name, prepared(operation)]),
  ) as Own;
}

const namesPrimary = ({
  calendarId,
  calendarIds,
}: {
  readonly calendarId?: unknown;
  readonly calendarIds?: unknown;
}): boolean => calendarId === 'primary' || (Array.isArray(calendarIds) && calendarIds.includes('primary'));
