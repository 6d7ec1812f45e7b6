import { type EventRecord, isDetached, stampsOf } from '../model/record.ts';
import type { ChangedException } from './exceptions-after.ts';

const removedRetentionMs = 30 * 86_400_000;
const maxRemovedRecords = 10_000;

/** Removed instances last changed at or before this time are not shown any more (RFC 3339); `now` in epoch milliseconds. */
export const keptSince = (now: number): string => new Date(now - removedRetentionMs).toISOString();

/** Whether an exception is a removed instance that is not shown any more; `kept`: of `keptSince`. */
export const isExpired = (exception: EventRecord, kept: string): boolean =>
  exception.instance?.emptied === true && lastChange(exception) <= kept;

/** The exceptions of a series that are still shown; `kept`: of `keptSince`. */
export const withoutExpired = (exceptions: readonly EventRecord[], kept: string): EventRecord[] =>
  exceptions.filter((one) => !isExpired(one, kept));

/** When anything of an exception was last changed. */
const lastChange = (exception: EventRecord): string =>
  stampsOf(exception).reduce((latest, { at }) => (at > latest ? at : latest), '');

/** Sets `droppedUntil`: records of removed instances older than 30 days, and beyond the newest 10,000, go with this write. */
export function droppingOld(
  series: EventRecord,
  after: readonly ChangedException[],
  now: number,
): EventRecord {
  const changes = changesOfRemoved(after);
  const old = changes.findLast((at) => at <= keptSince(now)) ?? '';
  const beyond = newestBeyondLimit(changes);
  const until = old > beyond ? old : beyond;
  return until > (series.droppedUntil ?? '') ? { ...series, droppedUntil: until } : series;
}

/**
 * Removed instances of which a change of their series drops the records. Calendars that show an instance without its series
 * do not meet `droppedUntil`: their old sync tokens expire by the record itself, which is kept among the newest 10,000.
 */
export function droppedBy(
  after: readonly ChangedException[],
  series: EventRecord,
  before: EventRecord | undefined,
): ReadonlySet<ChangedException> {
  const { droppedUntil } = series;
  if (droppedUntil === undefined || droppedUntil === before?.droppedUntil) return new Set();
  const beyond = newestBeyondLimit(changesOfRemoved(after));
  return new Set(
    after.filter(
      ({ next }) =>
        next.instance?.emptied &&
        lastChange(next) <= (isSeenWithoutSeries(next, series) ? beyond : droppedUntil),
    ),
  );
}

/** When removed instances were last changed, oldest first. */
const changesOfRemoved = (after: readonly ChangedException[]): string[] =>
  after.flatMap(({ next }) => (next.instance?.emptied ? [lastChange(next)] : [])).sort();

const newestBeyondLimit = (changes: readonly string[]): string =>
  changes[changes.length - maxRemovedRecords - 1] ?? '';

const isSeenWithoutSeries = (exception: EventRecord, series: EventRecord): boolean =>
  Object.keys(exception.copies).some((id) => !series.copies[id] || isDetached(exception, series, id));
