import type { Issue, Warning } from '../../core/errors.ts';
import { sameJson } from '../../core/patch.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { type GuestReferences, replicasFor } from '../attendees/replicas.ts';
import { composeInstance } from '../instances/compose.ts';
import { stayingFor } from '../instances/exception.ts';
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
 * A stored record as another one of the same event has it. What says the same keeps its stamp, so that nobody sees a change
 * of it; whatever else there is gets a new one, with the time that the other record tells. Copies that the other record does
 * not have stay. The very same record where nothing changes. `composed`: of an exception, it put together with its series.
 */
export function replaceRecord(
  current: EventRecord,
  given: EventRecord,
  clock: Clock,
  composed = current,
): EventRecord {
  const fresh = nextStamp(clock, composed);
  const stamped = (old: Stamp | undefined, stamp: Stamp, isSame: boolean): Stamp => {
    if (old && isSame && (stamp.tag === noStamp.tag || (stamp.at === old.at && old.tag !== noStamp.tag)))
      return old;
    // What was seen before is seen to change.
    if (stamp.tag === noStamp.tag) return !old || old.tag === noStamp.tag ? noStamp : fresh;
    return { tag: fresh.tag, at: stamp.at };
  };
  const viewersOf = (
    old: EventCopy | undefined,
    viewers: Readonly<Record<string, ViewerPart>>,
  ): Record<string, ViewerPart> =>
    mapValues(viewers, ({ own, stamp }, identity) => {
      const known = old?.viewers?.[identity];
      return { own, stamp: stamped(known?.stamp, stamp, sameJson(known?.own, own)) };
    });
  const copyOf = (old: EventCopy | undefined, copy: EventCopy): EventCopy => ({
    ...copy,
    stamp: stamped(old?.stamp, copy.stamp, old !== undefined && sameJson(contentOf(old), contentOf(copy))),
    ...(copy.viewers && { viewers: viewersOf(old, copy.viewers) }),
  });
  // For whom an instance was an exception it stays one.
  const staysFor = [...new Set([...(current.instance?.staysFor ?? []), ...(given.instance?.staysFor ?? [])])];
  const instance = given.instance && { ...given.instance, ...(staysFor.length > 0 && { staysFor }) };
  const isSame = sameJson(current.core, given.core) && sameJson(current.instance, instance);
  const next: EventRecord = {
    ...given,
    ...(instance && { instance }),
    ...(current.droppedUntil !== undefined && { droppedUntil: current.droppedUntil }),
    key: current.key,
    version: current.version,
    coreStamp: stamped(current.coreStamp, given.coreStamp, isSame),
    openStamp: stamped(current.openStamp, given.openStamp, isSame),
    copies: {
      ...current.copies,
      ...mapValues(given.copies, (copy, id) => copyOf(current.copies[id], copy)),
    },
  };
  return sameJson(next, current) ? current : { ...next, version: current.version + 1 };
}

const contentOf = ({ stamp: _stamp, viewers: _viewers, ...content }: EventCopy): object => content;

/** A record in place of another one, with what its guest list makes of copies that it does not have itself. */
export function withGuests(
  current: EventRecord,
  given: EventRecord,
  references: GuestReferences,
  stamp: Stamp,
): EventRecord {
  const others = Object.fromEntries(
    Object.entries(current.copies).filter(([id]) => !given.copies[id] && id !== given.homeId),
  );
  const followed = replicasFor({ ...given, copies: others }, current.core, references, stamp);
  return { ...given, copies: { ...followed, ...given.copies } };
}

/** The same for an instance; the copies of guests who are on it alone follow its guest list. */
export function replaceInstanceRecord(
  series: EventRecord,
  current: EventRecord,
  given: EventRecord,
  clock: Clock,
): EventRecord {
  const isAlone = (calendarId: string): boolean =>
    !series.copies[calendarId] || isDetached(current, series, calendarId);
  const alone = Object.fromEntries(
    Object.entries(current.copies).filter(([id]) => !given.copies[id] && isAlone(id)),
  );
  const [before, after] = [current, { ...given, copies: { ...alone, ...given.copies } }].map((one) =>
    composeInstance(series, originalStartOf(one), one),
  ) as [EventRecord, EventRecord];
  const followed = replicasFor({ ...after, copies: alone }, before.core, new Map(), nextStamp(clock, before));
  const replaced = replaceRecord(
    current,
    { ...given, copies: { ...followed, ...given.copies } },
    clock,
    before,
  );
  return stayingFor({ record: current, series }, { record: replaced, series });
}

/** The outcome of one entry of a file. */
export interface ImportOutcome {
  readonly state: 'added' | 'changed' | 'unchanged' | 'refused';
  /** Why it was refused: with paths from the entry on. */
  readonly issues: readonly Issue[];
  /** Warnings of values that were taken, but not as they stand in the file. */
  readonly warnings?: readonly Warning[];
}

export interface ImportOptions {
  /** An event that is there already is replaced; else the entry is refused. */
  readonly replaces?: boolean;
  /** The calendars that the file has: what exported events do not say of these is not so. */
  readonly calendars?: ReadonlySet<string>;
}

export const refused = (issues: readonly Issue[]): ImportOutcome => ({ state: 'refused', issues });

export const duplicate: Issue = {
  path: ['id'],
  reason: 'duplicate',
  message: 'The calendar has an event with this id.',
};
