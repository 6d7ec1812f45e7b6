import { issuesOfBody } from '../core/fields/body-change.ts';
import type { ResourceModule } from '../operations/module.ts';
import type { OperationContext } from '../operations/context.ts';
import { query, write, type Operation, type Operations } from '../operations/operation.ts';
import { otherSpelling, roleOf } from './calendar.access.ts';
import { calendarFields } from './calendar.fields.ts';
import type { ReadCalendar } from './calendar.loaders.ts';
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

interface NamedCalendars {
  readonly calendarId?: unknown;
  readonly calendarIds?: unknown;
}

/**
 * The same operations. Before one runs, the caller's primary calendar is there where it names that, and a calendar that is
 * named in another letter case has its own name. freeBusy and streams tell of calendars as they are named, and look for
 * other spellings themselves. Without `readCalendar`, names stay as they are.
 */
export function withNamedCalendars<Own extends Operations>(
  operations: Own,
  ensurePrimary: EnsurePrimary,
  readCalendar?: ReadCalendar,
): Own {
  async function spelled<Args extends NamedCalendars>(
    args: Args,
    other: string,
    context: OperationContext,
  ): Promise<Args> {
    const ref = { id: args.calendarId as string };
    const found = await readCalendar?.(context, ref);
    return !readCalendar || roleOf(found, ref, context.caller()) !== 'none'
      ? args
      : { ...args, calendarId: other };
  }
  function prepare<Args extends NamedCalendars>(
    kind: Operation['kind'],
    args: Args,
    context: OperationContext,
  ): Promise<Args> | undefined {
    if (namesPrimary(args)) return ensurePrimary(context.caller())?.then(() => args);
    const { calendarId } = args;
    const other =
      readCalendar && kind !== 'stream' && typeof calendarId === 'string'
        ? otherSpelling(calendarId)
        : undefined;
    return other === undefined ? undefined : spelled(args, other, context);
  }
  const prepared = (operation: Operation): Operation =>
    ({
      ...operation,
      run(args: never, ...more: [OperationContext, ...never[]]) {
        const ready = prepare(operation.kind, args, more[0]);
        return ready
          ? ready.then((named): unknown => operation.run(named, ...more))
          : operation.run(args, ...more);
      },
    }) as Operation;
  return Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [name, prepared(operation)]),
  ) as Own;
}

const namesPrimary = ({ calendarId, calendarIds }: NamedCalendars): boolean =>
  calendarId === 'primary' || (Array.isArray(calendarIds) && calendarIds.includes('primary'));
