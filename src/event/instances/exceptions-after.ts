import { randomUUID } from 'node:crypto';
import { kindOf, orderOf } from '../../core/time/time.ts';
import { movedOriginals } from '../../recurrence/move.ts';
import { occurrencesOf } from '../../recurrence/occurrences.ts';
import { formatOriginal, parseOriginal, eventTimeAt } from '../../recurrence/original-start.ts';
import {
  hasOwnChanges,
  type EventCopy,
  type EventRecord,
  type InstancePart,
  isDetached,
  originalStartOf,
  type Stamp,
} from '../model/record.ts';
import { composeInstance } from './compose.ts';
import { mergePatchBetween } from './exception.ts';
import { followSeries } from './follow-series.ts';

/** Drops an exception's own values of fields, so that it inherits them. Returns the exception itself if it has none. */
export function dropOwnFields(exception: EventRecord, names: readonly string[], stamp: Stamp): EventRecord {
  const rest = Object.entries(exception.core).filter(([name]) => !names.includes(name));
  if (rest.length === Object.keys(exception.core).length) return exception;
  return {
    ...exception,
    version: exception.version + 1,
    core: Object.fromEntries(rest),
    coreStamp: stamp,
    openStamp: stamp,
  };
}

/** Exception after a change of its series, at its new original start. */
export interface ChangedException {
  /** Record stored at this original start; absent for a new one. */
  readonly before: EventRecord | undefined;
  readonly next: EventRecord;
  /** Exception before the change, at this or another original start; absent if none is left. */
  readonly from?: EventRecord;
}

/** Exceptions after a change of their series, by original start. A moved series moves them (contract, section 15). */
export function exceptionsAfter(
  exceptions: readonly EventRecord[],
  series: EventRecord,
  before: EventRecord | undefined,
): readonly ChangedException[] {
  const isCached =
    cached?.series === series &&
    cached.before === before &&
    cached.exceptions.length === exceptions.length &&
    cached.exceptions.every((exception, index) => exception === exceptions[index]);
  if (isCached && cached) return cached.after;
  const after = moveExceptions(exceptions, series, before);
  if (after.length > 0) cached = { series, before, exceptions, after };
  return after;
}

/** Latest result: the service and then the store ask for the same change. */
let cached:
  | {
      readonly series: EventRecord;
      readonly before: EventRecord | undefined;
      readonly exceptions: readonly EventRecord[];
      readonly after: readonly ChangedException[];
    }
  | undefined;

/** Sorts exceptions by original start, which is their order on a calendar; stores return them in any order. */
export const sortByOriginal = (exceptions: readonly EventRecord[]): EventRecord[] =>
  [...exceptions].sort((a, b) => (originalStartOf(a) < originalStartOf(b) ? -1 : 1));

function moveExceptions(
  exceptions: readonly EventRecord[],
  series: EventRecord,
  before: EventRecord | undefined,
): ChangedException[] {
  const all = sortByOriginal(exceptions);
  if (!before || before.core.start === series.core.start) {
    const hasOccurrence = occurrenceCheck(all, series, before);
    return all.map((old): ChangedException => {
      const next = followSeries(old, series, before, hasOccurrence);
      return { before: old, next, ...(hasOwnChanges(next) && { from: old }) };
    });
  }
  const active = all.filter(hasOwnChanges);
  const places = movedOriginals(active.map(originalStartOf), before.core.start, series.core);
  const sourceByPlace = new Map(
    active.flatMap((old) => {
      const place = places.get(originalStartOf(old));
      return place === undefined ? [] : [[place, old] as const];
    }),
  );
  const stored = new Map(all.map((old) => [originalStartOf(old), old]));
  const changed = all.map((old): ChangedException => {
    const original = originalStartOf(old);
    const from = sourceByPlace.get(original);
    if (!from) return { before: old, next: withoutOccurrence(old, series, before) };
    return { before: old, next: moveException(original, from, series, before, old), from };
  });
  const added = [...sourceByPlace].flatMap(([original, from]): ChangedException[] =>
    stored.has(original)
      ? []
      : [{ before: undefined, next: moveException(original, from, series, before), from }],
  );
  return [...changed, ...added].sort((a, b) => (originalStartOf(a.next) < originalStartOf(b.next) ? -1 : 1));
}

/** Tells whether a series still has an occurrence of its exceptions, which are looked up together. */
function occurrenceCheck(
  exceptions: readonly EventRecord[],
  series: EventRecord,
  before: EventRecord | undefined,
): (original: string) => boolean {
  if (hasSameStarts(series, before)) return () => true;
  const { start, recurrence = [] } = series.core;
  const isDay = start?.date !== undefined;
  const originals = exceptions.map(originalStartOf).filter((original) => original.includes('T') !== isDay);
  const starts =
    recurrence.length === 0
      ? new Set<number>()
      : occurrencesOf(series.core).filterStarts(originals.map(parseOriginal));
  const remaining = new Set([...starts].map((start) => formatOriginal(start, isDay)));
  return (original) => remaining.has(original);
}

export function removedExceptions(
  exceptions: readonly EventRecord[],
  after: readonly ChangedException[],
): EventRecord[] {
  const kept = new Set(after.map(({ from }) => from));
  return exceptions.filter((old) => hasOwnChanges(old) && !kept.has(old));
}

/** Moves an exception to its new original start with all that it changes; `old`: the record stored there. */
function moveException(
  original: string,
  from: EventRecord,
  series: EventRecord,
  before: EventRecord,
  old?: EventRecord,
): EventRecord {
  const moved = followSeries(moveTimes(from, original, series, before), series, before, () => true);
  if (old === from) return moved === from ? from : { ...moved, version: from.version + 1 };
  const instance = moved.instance as InstancePart;
  const suffix = `_${originalStartOf(from)}`;
  // Uninvited guests do not get the instance at its new original start.
  const copies = Object.entries(moved.copies).flatMap(([calendarId, copy]): [string, EventCopy][] => {
    const isOff = series.copies[calendarId]?.state === 'uninvited' && !isDetached(moved, series, calendarId);
    if (copy.state === 'uninvited' || isOff) return [];
    const id = copy.id.endsWith(suffix) ? `${copy.id.slice(0, -suffix.length)}_${original}` : copy.id;
    return [[calendarId, { ...copy, id }]];
  });
  // Guests who were uninvited from the earlier record here keep seeing its cancellation.
  const left = Object.entries(old ? withoutOccurrence(old, series, before).copies : {}).filter(
    ([, { state }]) => state === 'uninvited',
  );
  return {
    ...moved,
    key: old?.key ?? randomUUID(),
    version: (old?.version ?? 0) + 1,
    copies: { ...Object.fromEntries(left), ...Object.fromEntries(copies) },
    instance: { ...instance, original },
  };
}

const withoutOccurrence = (old: EventRecord, series: EventRecord, before: EventRecord): EventRecord =>
  followSeries(old, series, before, () => false);

/** Moves an exception's own times: its own start and end stay as shown, an own end alone keeps the duration. */
function moveTimes(
  old: EventRecord,
  original: string,
  series: EventRecord,
  before: EventRecord,
): EventRecord {
  const { start, end, ...core } = old.core;
  if (start === undefined && end === undefined) return old;
  const oldOriginal = originalStartOf(old);
  const shown = composeInstance(before, oldOriginal, old).core;
  const plain = composeInstance(series, original).core;
  const [startMs, endMs] = [shown.start && orderOf(shown.start), shown.end && orderOf(shown.end)];
  if (!shown.start || !shown.end || typeof startMs !== 'number' || typeof endMs !== 'number') return old;
  const isOwn = startMs !== parseOriginal(oldOriginal) || kindOf(shown.start) !== kindOf(plain.start);
  const times = isOwn
    ? { start: shown.start, end: shown.end }
    : {
        start: eventTimeAt(parseOriginal(original), shown.start),
        end: eventTimeAt(parseOriginal(original) + endMs - startMs, shown.end),
      };
  const own = mergePatchBetween({ start: plain.start, end: plain.end }, times);
  return { ...old, core: { ...core, ...own } };
}

/** Whether a series has the same occurrences as before. This saves looking up thousands of exceptions. */
const hasSameStarts = ({ core }: EventRecord, before: EventRecord | undefined): boolean =>
  before !== undefined && before.core.recurrence === core.recurrence && before.core.start === core.start;
