import { dayMs } from '../../recurrence/calendar-days.ts';
import { type EventRecord, isDetached, stampsOf } from '../model/record.ts';
import type { ChangedException } from './exceptions-after.ts';

/** Time for which a removed instance is shown as cancelled. */
const removedRetentionMs = 30 * dayMs;

/** Limit of the removed instances that a series keeps. */
const maxRemovedInstances = 10_000;

/** Time (RFC 3339) 30 days before `now` (epoch ms). Removed instances last changed by then are not shown any more. */
export const retentionCutoff = (now: number): string => new Date(now - removedRetentionMs).toISOString();

/** Whether an exception is a removed instance that is not shown any more. */
export const isExpired = (exception: EventRecord, cutoff: string): boolean =>
  exception.instance?.emptied === true && lastChangedAt(exception) <= cutoff;

/** Drops removed instances that are not shown any more. */
export const withoutExpired = (exceptions: readonly EventRecord[], cutoff: string): EventRecord[] =>
  exceptions.filter((exception) => !isExpired(exception, cutoff));

/** Time (RFC 3339) of the latest change of any part of an exception. */
const lastChangedAt = (exception: EventRecord): string =>
  stampsOf(exception).reduce((latest, { at }) => (at > latest ? at : latest), '');

/** Sets `droppedUntil`: this write deletes removed instances older than 30 days or beyond the newest 10,000. */
export function withDroppedUntil(
  series: EventRecord,
  changedExceptions: readonly ChangedException[],
  now: number,
): EventRecord {
  const changeTimes = removalTimes(changedExceptions);
  const expiredUntil = changeTimes.findLast((at) => at <= retentionCutoff(now)) ?? '';
  const surplusUntil = latestTimeBeyondLimit(changeTimes);
  const newDroppedUntil = expiredUntil > surplusUntil ? expiredUntil : surplusUntil;
  return newDroppedUntil > (series.droppedUntil ?? '')
    ? { ...series, droppedUntil: newDroppedUntil }
    : series;
}

/**
 * Removed instances whose records a change of their series deletes. A calendar with a detached instance does not see
 * `droppedUntil`: its old sync tokens expire by the record itself, which is kept among the newest 10,000.
 */
export function findDroppedExceptions(
  changedExceptions: readonly ChangedException[],
  series: EventRecord,
  before: EventRecord | undefined,
): ReadonlySet<ChangedException> {
  const { droppedUntil } = series;
  if (droppedUntil === undefined || droppedUntil === before?.droppedUntil) return new Set();
  const surplusLimit = latestTimeBeyondLimit(removalTimes(changedExceptions));
  return new Set(
    changedExceptions.filter(
      ({ next }) =>
        next.instance?.emptied &&
        lastChangedAt(next) <= (isSeenWithoutSeries(next, series) ? surplusLimit : droppedUntil),
    ),
  );
}

/** Times of the latest changes of removed instances, oldest first. */
const removalTimes = (changedExceptions: readonly ChangedException[]): string[] =>
  changedExceptions.flatMap(({ next }) => (next.instance?.emptied ? [lastChangedAt(next)] : [])).sort();

/** Time of the newest removal beyond the limit of removed instances; empty within the limit. */
const latestTimeBeyondLimit = (changeTimes: readonly string[]): string =>
  changeTimes[changeTimes.length - maxRemovedInstances - 1] ?? '';

/** Whether some calendar shows an exception without its series. */
const isSeenWithoutSeries = (exception: EventRecord, series: EventRecord): boolean =>
  Object.keys(exception.copies).some((id) => !series.copies[id] || isDetached(exception, series, id));
