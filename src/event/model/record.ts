import type { EventBody } from './fields.ts';

/** When a part of an event was last changed. */
export interface Stamp {
  /** Unique among the stamps of the event. */
  readonly tag: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly at: string;
}

/** What one signed-in user keeps on one copy. */
export interface ViewerPart {
  readonly stamp: Stamp;
  readonly own: EventBody;
}

/**
 * One calendar's own part of an event.
 * - present: shown. - removed: its owner took it off the calendar; it can be restored.
 * - uninvited: the organizer took its owner off the guest list; only the id is shown.
 */
export interface EventCopy {
  /** The event's id on this calendar. */
  readonly id: string;
  readonly state: 'present' | 'removed' | 'uninvited';
  readonly stamp: Stamp;
  /** The guest whose copy it is, as `emailKey` writes it; absent for the calendar on which the event was made. */
  readonly guest?: string;
  readonly own: EventBody;
  /** By identity of the user. */
  readonly viewers?: Readonly<Record<string, ViewerPart>>;
}

/** A stored event: one core that all copies share, one copy for each calendar on which it appears. Never changed in place. */
export interface EventRecord {
  /** Identity in the store: never shown, never changed. */
  readonly key: string;
  /** Counts the stored changes: a write is refused when it is not the successor of what is stored. */
  readonly version: number;
  /** The calendar on which the event was made. */
  readonly homeId: string;
  readonly core: EventBody;
  readonly coreStamp: Stamp;
  /** Of the last change of the core that is seen without seeing the guest list. */
  readonly openStamp: Stamp;
  /** By calendar. Copies are added, never taken away or renamed. */
  readonly copies: Readonly<Record<string, EventCopy>>;
}

/** The parts of a record that one caller on one calendar sees together. */
export interface EventParts {
  readonly core: EventBody;
  readonly copy: EventBody;
  readonly viewer: EventBody;
}

export const noParts: EventParts = { core: {}, copy: {}, viewer: {} };

/** True for a copy that shows as cancelled on its calendar. */
export const isCancelled = ({ core }: EventRecord, copy: EventCopy): boolean =>
  core.status === 'cancelled' || copy.state !== 'present';

/** A guest's copy of an event whose guests do not see each other: changes of the rest of the list do not show on it. */
export const hidesGuests = ({ core }: EventRecord, copy: EventCopy): boolean =>
  core.guestsCanSeeOtherGuests === false && copy.guest !== undefined;

/** When an event was last changed as one calendar shows it; `open` for those who do not see its guests. */
export function updatedAt({ coreStamp, openStamp }: EventRecord, copy: EventCopy, open: boolean, viewer?: string): string {
  const own = viewer === undefined ? undefined : copy.viewers?.[viewer]?.stamp.at;
  const ofCopy = own !== undefined && own > copy.stamp.at ? own : copy.stamp.at;
  const ofCore = (open ? openStamp : coreStamp).at;
  return ofCore > ofCopy && copy.state !== 'uninvited' ? ofCore : ofCopy;
}
