import {
  type EventRecord,
  isDetached,
  hasOwnChanges,
  type InstancePart,
  originalStartOf,
  type Stamp,
} from '../model/record.ts';
import { filterFields, mapValues } from '../../core/json.ts';
import { kindOf, comparableTimeOf } from '../../core/time/time.ts';
import { newId } from '../../core/ids.ts';
import { moveOriginalStarts } from '../../recurrence/series-move.ts';
import { occurrencesOf } from '../../recurrence/occurrences.ts';
import { formatOriginalStart, parseOriginalStart, eventTimeAt } from '../../recurrence/original-start.ts';
import { composeInstance } from './compose.ts';
import { createMergePatch } from './exception.ts';
import { followSeries } from './follow-series.ts';

/** Drops an exception's own values of fields, so that it inherits them. Returns the exception itself if it has none. */
export function dropOwnFields(exception: EventRecord, names: readonly string[], stamp: Stamp): EventRecord {
  const remainingFields = Object.entries(exception.core).filter(([name]) => !names.includes(name));
  if (remainingFields.length === Object.keys(exception.core).length) return exception;
  return {
    ...exception,
    version: exception.version + 1,
    core: Object.fromEntries(remainingFields),
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
  readonly source?: EventRecord;
}

/** Exceptions after a change of their series, by original start. Where the series moves, they move with it. */
export function exceptionsAfterSeriesChange(
  exceptions: readonly EventRecord[],
  changedSeries: EventRecord,
  earlierSeries: EventRecord | undefined,
): readonly ChangedException[] {
  const inputs = [changedSeries, earlierSeries, ...exceptions];
  if (
    inputs.length === latestChange?.inputs.length &&
    inputs.every((input, index) => input === latestChange?.inputs[index])
  )
    return latestChange.exceptionsAfter;
  const exceptionsAfter = deriveExceptions(exceptions, changedSeries, earlierSeries);
  if (exceptionsAfter.length > 0) latestChange = { inputs, exceptionsAfter };
  return exceptionsAfter;
}

/** Cache of the latest result, since the service and then the store compute the same change. */
let latestChange:
  { readonly inputs: readonly unknown[]; readonly exceptionsAfter: readonly ChangedException[] } | undefined;

/** Sorts exceptions by original start, which is their order on a calendar; stores return them in any order. */
export const sortByOriginal = (exceptions: readonly EventRecord[]): EventRecord[] =>
  [...exceptions].sort((a, b) => (originalStartOf(a) < originalStartOf(b) ? -1 : 1));

function deriveExceptions(
  exceptions: readonly EventRecord[],
  changedSeries: EventRecord,
  earlierSeries: EventRecord | undefined,
): ChangedException[] {
  const sortedExceptions = sortByOriginal(exceptions);
  if (!earlierSeries || earlierSeries.core.start === changedSeries.core.start) {
    const hasOccurrence = createOccurrenceCheck(sortedExceptions, changedSeries, earlierSeries);
    return sortedExceptions.map((exception): ChangedException => {
      const next = followSeries(exception, changedSeries, earlierSeries, hasOccurrence);
      return { before: exception, next, ...(hasOwnChanges(next) && { source: exception }) };
    });
  }
  const exceptionsWithChanges = sortedExceptions.filter(hasOwnChanges);
  const newOriginals = moveOriginalStarts(
    exceptionsWithChanges.map(originalStartOf),
    earlierSeries.core.start,
    changedSeries.core,
  );
  const sourceByOriginal = new Map(
    exceptionsWithChanges.flatMap((exception) => {
      const newOriginal = newOriginals.get(originalStartOf(exception));
      return newOriginal === undefined ? [] : [[newOriginal, exception] as const];
    }),
  );
  const storedByOriginal = new Map(
    sortedExceptions.map((exception) => [originalStartOf(exception), exception]),
  );
  const originals = new Set([...storedByOriginal.keys(), ...sourceByOriginal.keys()]);
  return [...originals].sort().map((original): ChangedException => {
    const before = storedByOriginal.get(original);
    const source = sourceByOriginal.get(original);
    if (source)
      return { before, next: moveException(original, source, changedSeries, earlierSeries, before), source };
    return { before, next: resetWithoutOccurrence(before as EventRecord, changedSeries, earlierSeries) };
  });
}

/** Creates a function that tells whether a series still has an occurrence of its exceptions, which are looked up together. */
function createOccurrenceCheck(
  exceptions: readonly EventRecord[],
  changedSeries: EventRecord,
  earlierSeries: EventRecord | undefined,
): (original: string) => boolean {
  const { start, recurrence = [] } = changedSeries.core;
  // Unchanged occurrences need no look-up, which saves thousands of them.
  const coreBefore = earlierSeries?.core;
  if (coreBefore && coreBefore.start === start && coreBefore.recurrence === changedSeries.core.recurrence)
    return () => true;
  const isDay = start?.date !== undefined;
  // An original start of the other kind (day or time) is no occurrence any more.
  const originals = exceptions.map(originalStartOf).filter((original) => original.includes('T') !== isDay);
  const starts =
    recurrence.length === 0
      ? new Set<number>()
      : occurrencesOf(changedSeries.core).filterStarts(originals.map(parseOriginalStart));
  const remainingOriginals = new Set([...starts].map((start) => formatOriginalStart(start, isDay)));
  return (original) => remainingOriginals.has(original);
}

/** Moves an exception to its new original start with all that it changes. `storedException`: the record stored there. */
function moveException(
  original: string,
  source: EventRecord,
  changedSeries: EventRecord,
  earlierSeries: EventRecord,
  storedException?: EventRecord,
): EventRecord {
  const movedException = followSeries(
    moveOwnTimes(source, original, changedSeries, earlierSeries),
    changedSeries,
    earlierSeries,
    () => true,
  );
  if (storedException === source)
    return movedException === source ? source : { ...movedException, version: source.version + 1 };
  const instance = movedException.instance as InstancePart;
  const suffix = `_${originalStartOf(source)}`;
  // Uninvited guests do not get the instance at its new original start.
  const remainingCopies = filterFields(movedException.copies, ({ state }, calendarId) => {
    const isUninvited =
      changedSeries.copies[calendarId]?.state === 'uninvited' &&
      !isDetached(movedException, changedSeries, calendarId);
    return state !== 'uninvited' && !isUninvited;
  });
  const copies = mapValues(remainingCopies, (copy) => ({
    ...copy,
    id: copy.id.endsWith(suffix) ? `${copy.id.slice(0, -suffix.length)}_${original}` : copy.id,
  }));
  // Guests who were uninvited from the earlier record here keep seeing its cancellation.
  const uninvitedCopies = filterFields(
    storedException ? resetWithoutOccurrence(storedException, changedSeries, earlierSeries).copies : {},
    ({ state }) => state === 'uninvited',
  );
  return {
    ...movedException,
    key: storedException?.key ?? newId(),
    version: (storedException?.version ?? 0) + 1,
    copies: { ...uninvitedCopies, ...copies },
    instance: { ...instance, original },
  };
}

const resetWithoutOccurrence = (
  exception: EventRecord,
  changedSeries: EventRecord,
  earlierSeries: EventRecord,
): EventRecord => followSeries(exception, changedSeries, earlierSeries, () => false);

/** Moves an exception's own times: its own start and end stay as shown; if it has only an own end, the duration stays. */
function moveOwnTimes(
  exception: EventRecord,
  original: string,
  changedSeries: EventRecord,
  earlierSeries: EventRecord,
): EventRecord {
  const { start, end, ...core } = exception.core;
  if (start === undefined && end === undefined) return exception;
  const oldOriginal = originalStartOf(exception);
  const shownCore = composeInstance(earlierSeries, oldOriginal, exception).core;
  const inheritedCore = composeInstance(changedSeries, original).core;
  const startMs = shownCore.start && comparableTimeOf(shownCore.start);
  const endMs = shownCore.end && comparableTimeOf(shownCore.end);
  if (!shownCore.start || !shownCore.end || typeof startMs !== 'number' || typeof endMs !== 'number')
    return exception;
  const hasOwnStart =
    startMs !== parseOriginalStart(oldOriginal) || kindOf(shownCore.start) !== kindOf(inheritedCore.start);
  const times = hasOwnStart
    ? { start: shownCore.start, end: shownCore.end }
    : {
        start: eventTimeAt(parseOriginalStart(original), shownCore.start),
        end: eventTimeAt(parseOriginalStart(original) + endMs - startMs, shownCore.end),
      };
  const ownTimes = createMergePatch({ start: inheritedCore.start, end: inheritedCore.end }, times);
  return { ...exception, core: { ...core, ...ownTimes } };
}
