import { invalidInputError, type Path } from '../../core/errors.ts';
import type { Draft } from '../draft.ts';
import type { ChangeState } from '../event.store.ts';
import { type EventRecord, hasOwnChanges } from '../model/record.ts';
import { seesGuests } from '../visibility/event-context.ts';
import { looksLikeSeries } from '../visibility/visible-state.ts';

/** Warns of removed exceptions after a change of their series. Counts only those that the caller saw as exceptions. */
export function warnOfRemovedExceptions(
  { context, report, change, excludesCancelled }: Draft,
  removedExceptions: readonly EventRecord[],
  { series, changedSeries }: { readonly series: EventRecord; readonly changedSeries: EventRecord },
): void {
  if (removedExceptions.length === 0 || changedSeries.core.status === 'cancelled') return;
  const wasSeenAsException = (record: EventRecord): boolean =>
    !(excludesCancelled && record.core.status === 'cancelled') &&
    !looksLikeSeries(context.calendar.id, { record, series }, !seesGuests(context), context.identity);
  const count = removedExceptions.filter(wasSeenAsException).length;
  if (count === 0) return;
  report.warn(
    ['event', change.start === undefined ? 'recurrence' : 'start'],
    'instancesRemoved',
    `Individually changed or cancelled instances without a place in the series: ${count}. They were removed.`,
    { count },
  );
}

/** Limit of a series' exceptions, since a change of a series writes all of them at once. Imports may exceed it. */
const maxExceptions = 2_500;

/** Throws if a change would add an exception to a series that has as many as allowed. */
export function assertExceptionLimit({ event, exceptionCount: actual }: ChangeState, path: Path): void {
  if ((event && hasOwnChanges(event)) || actual < maxExceptions) return;
  const message = `At most ${maxExceptions} instances can be changed or cancelled individually. Change the recurring event, or end it and continue with another.`;
  throw invalidInputError([{ path, reason: 'tooMany', message, params: { max: maxExceptions, actual } }]);
}
