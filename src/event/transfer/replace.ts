import type { Issue, Warning } from '../../core/errors.ts';
import { sameJson } from '../../core/patch.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { type GuestReferences, replicasFor } from '../attendees/replicas.ts';
import { composeInstance } from '../instances/compose.ts';
import { withStaysFor } from '../instances/exception.ts';
import {
  type EventCopy,
  type EventRecord,
  isDetached,
  noStamp,
  originalStartOf,
  type Stamp,
  type ViewerPart,
} from '../model/record.ts';
import { nextStamp } from '../write/stamp.ts';
import { mapValues } from './form.ts';

/**
 * Replaces a stored record by an imported one of the same event. Unchanged parts keep their stamps, so that no change shows;
 * changed parts get a new tag, with the imported time. Copies that are not imported stay. Returns `current` itself if nothing
 * changed. `composed`: the composed instance of an exception.
 */
export function replaceRecord(
  current: EventRecord,
  imported: EventRecord,
  clock: Clock,
  composed = current,
): EventRecord {
  const newStamp = nextStamp(clock, composed);
  const stampFor = (old: Stamp | undefined, stamp: Stamp, isSame: boolean): Stamp => {
    if (old && isSame && (stamp.tag === noStamp.tag || (stamp.at === old.at && old.tag !== noStamp.tag)))
      return old;
    // A part that had a stamp needs a new one to show the change.
    if (stamp.tag === noStamp.tag) return !old || old.tag === noStamp.tag ? noStamp : newStamp;
    return { tag: newStamp.tag, at: stamp.at };
  };
  const stampViewers = (
    old: EventCopy | undefined,
    viewers: Readonly<Record<string, ViewerPart>>,
  ): Record<string, ViewerPart> =>
    mapValues(viewers, ({ own, stamp }, identity) => {
      const stored = old?.viewers?.[identity];
      return { own, stamp: stampFor(stored?.stamp, stamp, sameJson(stored?.own, own)) };
    });
  const stampCopy = (old: EventCopy | undefined, copy: EventCopy): EventCopy => ({
    ...copy,
    stamp: stampFor(old?.stamp, copy.stamp, old !== undefined && sameJson(contentOf(old), contentOf(copy))),
    ...(copy.viewers && { viewers: stampViewers(old, copy.viewers) }),
  });
  const staysFor = [
    ...new Set([...(current.instance?.staysFor ?? []), ...(imported.instance?.staysFor ?? [])]),
  ];
  const instance = imported.instance && { ...imported.instance, ...(staysFor.length > 0 && { staysFor }) };
  const isSame = sameJson(current.core, imported.core) && sameJson(current.instance, instance);
  const next: EventRecord = {
    ...imported,
    ...(instance && { instance }),
    ...(current.droppedUntil !== undefined && { droppedUntil: current.droppedUntil }),
    key: current.key,
    version: current.version,
    coreStamp: stampFor(current.coreStamp, imported.coreStamp, isSame),
    openStamp: stampFor(current.openStamp, imported.openStamp, isSame),
    copies: {
      ...current.copies,
      ...mapValues(imported.copies, (copy, id) => stampCopy(current.copies[id], copy)),
    },
  };
  return sameJson(next, current) ? current : { ...next, version: current.version + 1 };
}

const contentOf = ({ stamp: _stamp, viewers: _viewers, ...content }: EventCopy): object => content;

/** Prepares an imported record to replace `current`: its guest list updates the copies that are not imported. */
export function withGuests(
  current: EventRecord,
  imported: EventRecord,
  references: GuestReferences,
  stamp: Stamp,
): EventRecord {
  const others = Object.fromEntries(
    Object.entries(current.copies).filter(([id]) => !imported.copies[id] && id !== imported.homeId),
  );
  const updated = replicasFor({ ...imported, copies: others }, current.core, references, stamp);
  return { ...imported, copies: { ...updated, ...imported.copies } };
}

/** Replaces a stored exception by an imported one. Copies of guests who have the instance alone follow its guest list. */
export function replaceInstanceRecord(
  series: EventRecord,
  current: EventRecord,
  imported: EventRecord,
  clock: Clock,
): EventRecord {
  const isAlone = (calendarId: string): boolean =>
    !series.copies[calendarId] || isDetached(current, series, calendarId);
  const detached = Object.fromEntries(
    Object.entries(current.copies).filter(([id]) => !imported.copies[id] && isAlone(id)),
  );
  const compose = (exception: EventRecord): EventRecord =>
    composeInstance(series, originalStartOf(exception), exception);
  const before = compose(current);
  const after = compose({ ...imported, copies: { ...detached, ...imported.copies } });
  const updated = replicasFor(
    { ...after, copies: detached },
    before.core,
    new Map(),
    nextStamp(clock, before),
  );
  const given = { ...imported, copies: { ...updated, ...imported.copies } };
  const replaced = replaceRecord(current, given, clock, before);
  return withStaysFor({ record: current, series }, { record: replaced, series });
}

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

export const refused = (issues: readonly Issue[]): ImportOutcome => ({ state: 'refused', issues });

export const duplicate: Issue = {
  path: ['id'],
  reason: 'duplicate',
  message: 'The calendar has an event with this id.',
};
