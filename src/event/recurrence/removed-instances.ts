import type { EventRecord, Stamp } from '../model/record.ts';
import type { ChangedException } from './exceptions-after.ts';

const removedRetentionMs = 30 * 86_400_000;
const maxRemovedRecords = 10_000;

/** Removed instances last changed at or before this time may be dropped (RFC 3339); `now` in epoch milliseconds. */
export const keptSince = (now: number): string => new Date(now - removedRetentionMs).toISOString();

/** When anything of an exception was last changed. */
export function lastChange({ coreStamp, copies }: EventRecord): string {
  const stamps: Stamp[] = [coreStamp];
  for (const { stamp, viewers = {} } of Object.values(copies))
    stamps.push(stamp, ...Object.values(viewers).map((viewer) => viewer.stamp));
  return stamps.reduce((latest, { at }) => (at > latest ? at : latest), '');
}

/** Sets `droppedUntil`: records of removed instances older than 30 days, and beyond the newest 10,000, go with this write. */
export function droppingOld(
  series: EventRecord,
  after: readonly ChangedException[],
  now: number,
): EventRecord {
  const changes = after.flatMap(({ next }) => (next.instance?.emptied ? [lastChange(next)] : [])).sort();
  const beyond = changes[changes.length - maxRemovedRecords - 1] ?? '';
  const old = changes.findLast((at) => at <= keptSince(now)) ?? '';
  const until = old > beyond ? old : beyond;
  return until > (series.droppedUntil ?? '') ? { ...series, droppedUntil: until } : series;
}

/** Whether a change of a series drops what is left of a removed instance. */
export const isDropped = (
  exception: EventRecord,
  series: EventRecord,
  before: EventRecord | undefined,
): boolean =>
  exception.instance?.emptied === true &&
  series.droppedUntil !== undefined &&
  series.droppedUntil !== before?.droppedUntil &&
  lastChange(exception) <= series.droppedUntil;
