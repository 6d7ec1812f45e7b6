import { randomUUID } from 'node:crypto';
import { kindOf, orderOf } from '../../core/time/time.ts';
import { placesOf } from '../../recurrence/move.ts';
import { occurrencesOf } from '../../recurrence/occurrences.ts';
import { originalAt, startOf, timeAt } from '../../recurrence/original-start.ts';
import {
  changesAnything,
  type EventCopy,
  type EventRecord,
  type InstancePart,
  isDetached,
  originalStartOf,
  type Stamp,
} from '../model/record.ts';
import { composeInstance } from './compose.ts';
import { difference } from './exception.ts';
import { followSeries } from './follow-series.ts';

/** An exception that has these fields as its series has them; the very same where it had none of them by itself. */
export function asSeries(exception: EventRecord, names: readonly string[], stamp: Stamp): EventRecord {
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

/** An exception after a change of its series, at its place. */
export interface ChangedException {
  /** Record that was stored there; absent for a place that is new. */
  readonly before: EventRecord | undefined;
  readonly next: EventRecord;
  /** The exception that it was, there or at another place; absent where none is left. */
  readonly from?: EventRecord;
}

/** Exceptions after a change of their series, by original start; a moved series moves them (contract, section 15). */
export function exceptionsAfter(
  exceptions: readonly EventRecord[],
  series: EventRecord,
  before: EventRecord | undefined,
): readonly ChangedException[] {
  const isLast =
    last?.series === series &&
    last.before === before &&
    last.exceptions.length === exceptions.length &&
    last.exceptions.every((one, index) => one === exceptions[index]);
  if (isLast && last) return last.after;
  const after = moveExceptions(exceptions, series, before);
  if (after.length > 0) last = { series, before, exceptions, after };
  return after;
}

/** Cached result: the service and then the store compute it for the same change. */
let last:
  | {
      readonly series: EventRecord;
      readonly before: EventRecord | undefined;
      readonly exceptions: readonly EventRecord[];
      readonly after: readonly ChangedException[];
    }
  | undefined;

/** Exceptions by their original starts: stores keep them in any order, and on a calendar they stand in this one. */
export const inOriginalOrder = (exceptions: readonly EventRecord[]): EventRecord[] =>
  [...exceptions].sort((one, other) => (originalStartOf(one) < originalStartOf(other) ? -1 : 1));

function moveExceptions(
  exceptions: readonly EventRecord[],
  series: EventRecord,
  before: EventRecord | undefined,
): ChangedException[] {
  const all = inOriginalOrder(exceptions);
  if (!before || before.core.start === series.core.start) {
    const isThere = occurrencesLeft(all, series, before);
    return all.map((old): ChangedException => {
      const next = followSeries(old, series, before, isThere);
      return { before: old, next, ...(changesAnything(next) && { from: old }) };
    });
  }
  const full = all.filter(changesAnything);
  const places = placesOf(full.map(originalStartOf), before.core.start, series.core);
  const comingTo = new Map(
    full.flatMap((old) => {
      const place = places.get(originalStartOf(old));
      return place === undefined ? [] : [[place, old] as const];
    }),
  );
  const here = new Map(all.map((old) => [originalStartOf(old), old]));
  const changed = all.map((old): ChangedException => {
    const original = originalStartOf(old);
    const from = comingTo.get(original);
    if (!from) return { before: old, next: emptyException(old, series, before) };
    return { before: old, next: movedTo(original, from, series, before, old), from };
  });
  const added = [...comingTo].flatMap(([original, from]): ChangedException[] =>
    here.has(original) ? [] : [{ before: undefined, next: movedTo(original, from, series, before), from }],
  );
  return [...changed, ...added].sort((one, other) =>
    originalStartOf(one.next) < originalStartOf(other.next) ? -1 : 1,
  );
}

/** Whether a series still has the occurrences of its exceptions: those are looked up at once. */
function occurrencesLeft(
  exceptions: readonly EventRecord[],
  series: EventRecord,
  before: EventRecord | undefined,
): (original: string) => boolean {
  if (hasSameStarts(series, before)) return () => true;
  const { start, recurrence = [] } = series.core;
  const isDay = start?.date !== undefined;
  const own = exceptions.map(originalStartOf).filter((original) => original.includes('T') !== isDay);
  const found =
    recurrence.length === 0 ? new Set<number>() : occurrencesOf(series.core).among(own.map(startOf));
  const there = new Set([...found].map((moment) => originalAt(moment, isDay)));
  return (original) => there.has(original);
}

/** Exceptions that a change of their series removes. */
export function removedBy(
  exceptions: readonly EventRecord[],
  after: readonly ChangedException[],
): EventRecord[] {
  const kept = new Set(after.map(({ from }) => from));
  return exceptions.filter((old) => changesAnything(old) && !kept.has(old));
}

/** An exception at its place after a move of its series, with what it changes by itself; `old`: what was stored at that place. */
function movedTo(
  original: string,
  from: EventRecord,
  series: EventRecord,
  before: EventRecord,
  old?: EventRecord,
): EventRecord {
  const there = followSeries(moveTimes(from, original, series, before), series, before, () => true);
  if (old === from) return there === from ? from : { ...there, version: from.version + 1 };
  const instance = there.instance as InstancePart;
  const suffix = `_${originalStartOf(from)}`;
  // Uninvited guests do not get the instance at its new original start.
  const copies = Object.entries(there.copies).flatMap(([calendarId, copy]): [string, EventCopy][] => {
    const isOff = series.copies[calendarId]?.state === 'uninvited' && !isDetached(there, series, calendarId);
    if (copy.state === 'uninvited' || isOff) return [];
    const id = copy.id.endsWith(suffix) ? `${copy.id.slice(0, -suffix.length)}_${original}` : copy.id;
    return [[calendarId, { ...copy, id }]];
  });
  // Guests uninvited from the earlier record at this place keep seeing its cancellation.
  const left = Object.entries(old ? emptyException(old, series, before).copies : {}).filter(
    ([, { state }]) => state === 'uninvited',
  );
  return {
    ...there,
    key: old?.key ?? randomUUID(),
    version: (old?.version ?? 0) + 1,
    copies: { ...Object.fromEntries(left), ...Object.fromEntries(copies) },
    instance: { ...instance, original },
  };
}

const emptyException = (old: EventRecord, series: EventRecord, before: EventRecord): EventRecord =>
  followSeries(old, series, before, () => false);

/** Times of an exception at another place: a start of its own stays as it was shown, with its end; an end alone keeps the length. */
function moveTimes(
  old: EventRecord,
  original: string,
  series: EventRecord,
  before: EventRecord,
): EventRecord {
  const { start, end, ...core } = old.core;
  if (start === undefined && end === undefined) return old;
  const then = originalStartOf(old);
  const shown = composeInstance(before, then, old).core;
  const plain = composeInstance(series, original).core;
  const [begins, ends] = [shown.start && orderOf(shown.start), shown.end && orderOf(shown.end)];
  if (!shown.start || !shown.end || typeof begins !== 'number' || typeof ends !== 'number') return old;
  const isOwn = begins !== startOf(then) || kindOf(shown.start) !== kindOf(plain.start);
  const times = isOwn
    ? { start: shown.start, end: shown.end }
    : {
        start: timeAt(startOf(original), shown.start),
        end: timeAt(startOf(original) + ends - begins, shown.end),
      };
  const own = difference({ start: plain.start, end: plain.end }, times);
  return { ...old, core: { ...core, ...own } };
}

/** Whether a series has the same occurrences as before, which saves looking up thousands of exceptions. */
const hasSameStarts = ({ core }: EventRecord, before: EventRecord | undefined): boolean =>
  before !== undefined && before.core.recurrence === core.recurrence && before.core.start === core.start;
