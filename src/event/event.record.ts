import type { Stamp, StoredEvent } from './event.store.ts';
import type { EventBody } from './event.ts';

/** What is worked out for whoever asks, and therefore never stored. */
type Computed = 'kind' | 'id' | 'etag' | 'updated' | 'htmlLink' | 'locked' | 'attendeesOmitted';
/** What belongs to one calendar's copy. */
type CopyField = 'reminders' | 'colorId' | 'transparency' | 'visibility';

/** The part of an event that all its copies show. */
export type EventCore = Omit<EventBody, Computed | CopyField | 'extendedProperties'> & {
  readonly sharedProperties?: Readonly<Record<string, string>>;
};

/**
 * One calendar's own part of an event.
 * - present: shown. - removed: its owner took it off the calendar; it can be restored.
 * - uninvited: the organizer took its owner off the guest list; only the id is shown.
 */
export type EventCopy = Pick<EventBody, CopyField> & {
  readonly id: string;
  readonly state: 'present' | 'removed' | 'uninvited';
  readonly stamp: Stamp;
  readonly locked?: boolean;
  /** The guest whose copy it is, as `attendeeKey` writes it; absent for the calendar on which the event was made. */
  readonly guest?: string;
  readonly privateProperties?: Readonly<Record<string, string>>;
};

/** A stored event: one shared core, one copy for each calendar on which it appears. */
export interface EventRecord extends StoredEvent {
  /** Counts the stored changes; a stamp carries the version it came with. */
  readonly version: number;
  /** The calendar on which the event was made. */
  readonly homeId: string;
  readonly core: EventCore;
  readonly coreStamp: Stamp;
  readonly copies: Readonly<Record<string, EventCopy>>;
}
