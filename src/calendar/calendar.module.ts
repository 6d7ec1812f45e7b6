import { issuesOfBody } from '../core/fields/reduce-change.ts';
import { mapValues } from '../core/json.ts';
import type { OperationContext } from '../operations/context.ts';
import {
  type Operation,
  type Operations,
  query,
  type ResourceModule,
  write,
  writeValue,
} from '../operations/operation.ts';
import { accessIssues, lowerCaseIdOf, roleForRef } from './calendar.access.ts';
import { calendarFields, type CalendarBody } from './calendar.fields.ts';
import type { ReadCalendar } from './calendar.store.ts';
import type { EnsurePrimary, CalendarService } from './calendar.service.ts';

export function createCalendarModule(service: CalendarService) {
  const checkBody = ({ calendar }: { readonly calendar?: CalendarBody }) =>
    issuesOfBody(calendarFields, calendar, ['calendar']);
  return {
    operations: {
      calendars: query((viewer, _args: object, context, selected) =>
        service.listCalendars(viewer, context, selected),
      ),
      calendar: query(service.getCalendar),
      calendarAccess: query(service.listAccess),
      insertCalendar: write(service.insertCalendar, ({ calendar }) => calendar, checkBody),
      patchCalendar: write(service.patchCalendar, ({ calendar }) => calendar, checkBody),
      resetCalendarFeed: write(service.resetFeed, ({ calendar }) => calendar),
      deleteCalendar: writeValue(service.deleteCalendar),
      setCalendarAccess: writeValue(service.setAccess, accessIssues),
    },
  } satisfies ResourceModule;
}

interface CalendarIdArgs {
  readonly calendarId?: unknown;
  readonly calendarIds?: unknown;
  readonly destination?: unknown;
}

/** Arguments that name one calendar. */
const calendarArguments = ['calendarId', 'destination'] as const;

/**
 * Wraps operations: creates the caller's primary calendar before an operation that names it, and replaces a calendar id
 * in a different letter case by the stored one (only with `readCalendar`). freeBusy and streams look ids up themselves,
 * because they repeat them as given.
 */
export function withNamedCalendars<NamedOperations extends Operations>(
  operations: NamedOperations,
  ensurePrimary: EnsurePrimary,
  readCalendar?: ReadCalendar,
): NamedOperations {
  const withPreparation = (operation: Operation): Operation =>
    ({
      ...operation,
      run(args: never, context: OperationContext, ...otherArgs: never[]) {
        const primaryCreation = includesPrimary(args) ? ensurePrimary(context.caller()) : undefined;
        const lookups = readCalendar && operation.kind !== 'stream' ? findIdsToLowerCase(args) : [];
        const runWith = (preparedArgs: never): unknown => operation.run(preparedArgs, context, ...otherArgs);
        if (!readCalendar || lookups.length === 0)
          return primaryCreation ? primaryCreation.then(() => runWith(args)) : runWith(args);
        return (async () => {
          await primaryCreation;
          const changedIds: Record<string, string> = {};
          for (const { name, id, lowerCaseId } of lookups) {
            const calendar = await readCalendar(context, { id });
            if (roleForRef(calendar, { id }, context.caller()) === 'none') changedIds[name] = lowerCaseId;
          }
          return runWith(Object.assign({}, args, changedIds));
        })();
      },
    }) as Operation;
  return mapValues(operations, withPreparation) as NamedOperations;
}

/** Finds the arguments whose calendar id has another spelling in lower case. */
const findIdsToLowerCase = (args: CalendarIdArgs) =>
  calendarArguments.flatMap((name) => {
    const id = args[name];
    const lowerCaseId = typeof id === 'string' ? lowerCaseIdOf(id) : undefined;
    return typeof id === 'string' && lowerCaseId !== undefined ? [{ name, id, lowerCaseId }] : [];
  });

const includesPrimary = ({ calendarId, calendarIds, destination }: CalendarIdArgs): boolean =>
  calendarId === 'primary' ||
  destination === 'primary' ||
  (Array.isArray(calendarIds) && calendarIds.includes('primary'));
