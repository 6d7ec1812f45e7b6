import { filterFields, mapValues, isSameJson } from '../../core/json.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { type GuestReferences, updateCopies } from '../attendees/copies.ts';
import { composeInstance } from '../instances/compose.ts';
import { withExceptionGuests } from '../instances/exception.ts';
import { exceptionsAfterSeriesChange } from '../instances/exceptions-after.ts';
import { resetException } from '../instances/follow-series.ts';
import {
  type EventCopy,
  type EventRecord,
  isDetached,
  isForeign,
  noStamp,
  originalStartOf,
  type Stamp,
  type ViewerPart,
  nextStamp,
} from '../model/record.ts';

/**
 * Replaces a stored record by an imported one of the same event. Unchanged parts keep their stamps, so that no change shows;
 * changed parts get a new tag, with the imported time. Copies that are not imported stay. Returns `current` itself if nothing
 * changed. `composedInstance`: the instance of a replaced exception, composed with its series.
 */
export function replaceRecord(
  current: EventRecord,
  importedRecord: EventRecord,
  clock: Clock,
  composedInstance = current,
): EventRecord {
  const newStamp = nextStamp(clock, composedInstance);
  const stampFor = (storedStamp: Stamp | undefined, stamp: Stamp, isSame: boolean): Stamp => {
    if (
      storedStamp &&
      isSame &&
      (stamp.tag === noStamp.tag || (stamp.at === storedStamp.at && storedStamp.tag !== noStamp.tag))
    )
      return storedStamp;
    // A part that had a stamp needs a new one to show the change.
    if (stamp.tag === noStamp.tag)
      return !storedStamp || storedStamp.tag === noStamp.tag ? noStamp : newStamp;
    return { tag: newStamp.tag, at: stamp.at };
  };
  const stampViewers = (
    storedCopy: EventCopy | undefined,
    viewers: Readonly<Record<string, ViewerPart>>,
  ): Record<string, ViewerPart> =>
    mapValues(viewers, ({ own, stamp }, identity) => {
      const storedViewer = storedCopy?.viewers?.[identity];
      return { own, stamp: stampFor(storedViewer?.stamp, stamp, isSameJson(storedViewer?.own, own)) };
    });
  const stampCopy = (storedCopy: EventCopy | undefined, copy: EventCopy): EventCopy => ({
    ...copy,
    stamp: stampFor(
      storedCopy?.stamp,
      copy.stamp,
      storedCopy !== undefined && isSameJson(contentOf(storedCopy), contentOf(copy)),
    ),
    ...(copy.viewers && { viewers: stampViewers(storedCopy, copy.viewers) }),
  });
  const staysFor = [
    ...new Set([...(current.instance?.staysFor ?? []), ...(importedRecord.instance?.staysFor ?? [])]),
  ];
  const instance = importedRecord.instance && {
    ...importedRecord.instance,
    ...(staysFor.length > 0 && { staysFor }),
  };
  const isCoreUnchanged =
    isSameJson(current.core, importedRecord.core) && isSameJson(current.instance, instance);
  const next: EventRecord = {
    ...importedRecord,
    ...(instance && { instance }),
    ...(current.droppedUntil !== undefined && { droppedUntil: current.droppedUntil }),
    key: current.key,
    version: current.version,
    coreStamp: stampFor(current.coreStamp, importedRecord.coreStamp, isCoreUnchanged),
    openStamp: stampFor(current.openStamp, importedRecord.openStamp, isCoreUnchanged),
    copies: {
      ...current.copies,
      ...mapValues(importedRecord.copies, (copy, id) => stampCopy(current.copies[id], copy)),
    },
  };
  return isSameJson(next, current) ? current : { ...next, version: current.version + 1 };
}

/** Parts of a copy whose changes its stamp shows: all but the settings of users. */
const contentOf = ({ stamp: _stamp, viewers: _viewers, ...content }: EventCopy): object => content;

/**
 * Prepares an imported record to replace `current`: its guest list updates the copies that are not imported.
 * Foreign events have no such copies.
 */
export function withGuestCopies(
  current: EventRecord,
  imported: EventRecord,
  references: GuestReferences,
  stamp: Stamp,
): EventRecord {
  if (isForeign(imported)) return imported;
  const otherCopies = filterFields(
    current.copies,
    (_copy, id) => !imported.copies[id] && id !== imported.homeId,
  );
  const updatedCopies = updateCopies({ ...imported, copies: otherCopies }, current.core, references, stamp);
  return { ...imported, copies: { ...updatedCopies, ...imported.copies } };
}

/**
 * Exceptions of a replaced series that the file changes. Exceptions that the file lacks are reset. `exceptions`: those stored
 * before, which follow the series first.
 */
export function replaceExceptions(
  exceptions: readonly EventRecord[],
  series: EventRecord,
  seriesBefore: EventRecord,
  importedExceptions: readonly EventRecord[],
  clock: Clock,
): EventRecord[] {
  const followingExceptions = exceptionsAfterSeriesChange(exceptions, series, seriesBefore);
  const currentByOriginal = new Map(followingExceptions.map(({ next }) => [originalStartOf(next), next]));
  const importedByOriginal = new Map(
    importedExceptions.map((exception) => [originalStartOf(exception), exception]),
  );
  const originals = new Set([...importedByOriginal.keys(), ...currentByOriginal.keys()]);
  return [...originals].flatMap((original) => {
    const [current, imported] = [currentByOriginal.get(original), importedByOriginal.get(original)];
    if (!current) return imported ?? [];
    const next = imported
      ? replaceException(series, current, imported, clock)
      : resetException(current, series);
    return next === current ? [] : next;
  });
}

/** Replaces a stored exception by an imported one. Its guest list updates the copies of guests who have the instance without its series. */
function replaceException(
  series: EventRecord,
  current: EventRecord,
  imported: EventRecord,
  clock: Clock,
): EventRecord {
  const isWithoutSeries = (calendarId: string): boolean =>
    !series.copies[calendarId] || isDetached(current, series, calendarId);
  const detachedCopies = filterFields(
    current.copies,
    (_copy, id) => !imported.copies[id] && isWithoutSeries(id),
  );
  const compose = (exception: EventRecord): EventRecord =>
    composeInstance(series, originalStartOf(exception), exception);
  const before = compose(current);
  const after = compose({ ...imported, copies: { ...detachedCopies, ...imported.copies } });
  const updatedCopies = updateCopies(
    { ...after, copies: detachedCopies },
    before.core,
    new Map(),
    nextStamp(clock, before),
  );
  const importedException = { ...imported, copies: { ...updatedCopies, ...imported.copies } };
  const replacedRecord = replaceRecord(current, importedException, clock, before);
  return withExceptionGuests({ record: current, series }, { record: replacedRecord, series });
}
