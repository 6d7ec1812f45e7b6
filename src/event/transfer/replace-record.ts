import type { Issue, Warning } from '../../core/errors.ts';
import { filterFields, mapValues, isSameJson } from '../../core/json.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { type GuestReferences, updateCopies } from '../attendees/copies.ts';
import { composeInstance } from '../instances/compose.ts';
import { withExceptionGuests } from '../instances/exception.ts';
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

/** Replaces a stored exception by an imported one. Its guest list updates the copies of guests who have the instance without its series. */
export function replaceInstanceRecord(
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

/** Outcome of the import of one entry of a file. */
export interface ImportOutcome {
  readonly state: 'added' | 'changed' | 'unchanged' | 'refused';
  /** Issues of a refused entry, with paths relative to the entry. */
  readonly issues: readonly Issue[];
  /** Warnings about values that were stored differently from the file. */
  readonly warnings?: readonly Warning[];
}

export interface ImportOptions {
  /** Replaces existing events; otherwise their entries are refused. */
  readonly replaces?: boolean;
  /** Calendars in the file, for which the exported events are complete. */
  readonly calendars?: ReadonlySet<string>;
}

/** Outcome of an entry that was not imported because of its issues. */
export const refusedOutcome = (issues: readonly Issue[]): ImportOutcome => ({ state: 'refused', issues });

export const duplicateIdIssue: Issue = {
  path: ['id'],
  reason: 'duplicate',
  message: 'The calendar has an event with this id.',
};
