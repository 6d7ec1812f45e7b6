import type { Attendee, EventBody } from './fields.ts';
import type { Clock } from '../../core/runtime/clock.ts';

/** Tag and time of the latest change of a part of an event. */
export interface Stamp {
  /** Unique among the stamps of the event. */
  readonly tag: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly at: string;
}

/** Stamp of a part that was never changed individually. */
export const noStamp: Stamp = { tag: '', at: new Date(0).toISOString() };

/** Settings of one user on a copy (reminders), with their stamp. */
export interface ViewerPart {
  readonly stamp: Stamp;
  readonly own: EventBody;
}

/**
 * Part of an event that belongs to one calendar. Its state:
 * - present: shown. - removed: the calendar's owner removed the event and can restore it.
 * - uninvited: the organizer took the owner off the guest list; only the id is shown.
 */
export interface EventCopy {
  /** Id of the event on this calendar. */
  readonly id: string;
  readonly state: 'present' | 'removed' | 'uninvited';
  readonly stamp: Stamp;
  /** Guest who owns the copy, as `addressKey` writes it; absent on the event's home calendar. */
  readonly guest?: string;
  /** Fields that belong to this copy, in contrast to the shared core. */
  readonly own: EventBody;
  /** Settings of users on this copy, by identity. */
  readonly viewers?: Readonly<Record<string, ViewerPart>>;
  /** Tombstone of an uninvited copy: the event's times when its owner was taken off the list. */
  readonly remains?: Tombstone;
  /** Mark of a detached instance: its guest is off the series but was invited to the instance. */
  readonly apart?: true;
  /** The event was moved from this calendar to another, so the copy shows as cancelled. An invitation of its owner ends this. */
  readonly moved?: true;
  /** The event was imported on this calendar (importEvent, importCalendar). */
  readonly imported?: true;
}

/**
 * Whether readers from whom guests are hidden see their own entry on a calendar. On the organizer's they do,
 * even if it has the copy of a guest; other calendars show all readers what their guest sees. `organizer`:
 * the organizer's key.
 */
export const showsReadersEntry = ({ guest }: EventCopy, organizer: string | undefined): boolean =>
  guest === undefined || guest === organizer;

/** Whether a copy of an instance never showed: its guest was off the series and never saw a change of the instance. */
export const wasNeverVisible = ({ state, stamp }: EventCopy): boolean =>
  state === 'uninvited' && stamp.tag === noStamp.tag;

/** Event as a calendar has it: for a detached instance, the series lacks its copy for that calendar. */
export function asOnCalendar(calendarId: string, event: StoredEvent): StoredEvent {
  const { record, series } = event;
  if (!series || !isDetached(record, series, calendarId)) return event;
  const { [calendarId]: _seriesCopy, ...copies } = series.copies;
  return { record, series: { ...series, copies } };
}

/** Whether a calendar has an instance without its series: its owner is a guest of the instance alone. */
export const isDetached = ({ copies }: EventRecord, series: EventRecord, calendarId: string): boolean =>
  copies[calendarId]?.apart === true && series.copies[calendarId]?.state === 'uninvited';

/** State of an instance's copy on a calendar; undefined if the calendar does not have it. */
export function copyStateOn(
  calendarId: string,
  series: EventRecord,
  exception: EventRecord | undefined,
): EventCopy['state'] | undefined {
  const [seriesCopy, ownCopy] = [series.copies[calendarId], exception?.copies[calendarId]];
  if (!exception || !seriesCopy || isDetached(exception, series, calendarId))
    return ownCopy && wasNeverVisible(ownCopy) ? undefined : (ownCopy?.state ?? seriesCopy?.state);
  // Later guests of the series are not invited to an instance with its own guest list.
  if (exception.core.attendees !== undefined && (!ownCopy || wasNeverVisible(ownCopy))) return undefined;
  return ownCopy?.state === 'uninvited' || seriesCopy.state === 'present'
    ? (ownCopy?.state ?? 'present')
    : seriesCopy.state;
}

/** Fields of an event that its tombstone keeps. */
const tombstoneFields = [
  'start',
  'end',
  'recurrence',
  'originalStartTime',
  'recurringEventId',
  'guestsCanSeeOtherGuests',
] as const;
type Tombstone = Pick<EventBody, (typeof tombstoneFields)[number]>;

export const tombstoneOf = (core: EventBody): Tombstone =>
  Object.fromEntries(
    tombstoneFields.flatMap((name) => (core[name] === undefined ? [] : [[name, core[name]]])),
  );

/**
 * Marks the copy of a calendar that an event has left for good: it shows as cancelled and no longer counts as
 * imported. `core`: the event when it left.
 */
export function asMovedCopy({ imported: _mark, ...copy }: EventCopy, core: EventBody): EventCopy {
  return { ...copy, state: 'uninvited', moved: true, remains: tombstoneOf(core) };
}

/** Id of an event on one calendar. */
export interface EventReference {
  readonly calendarId: string;
  readonly eventId: string;
}

/** Fields of a guest's entry by which the guest responds to an invitation. */
export type GuestResponse = Pick<Attendee, 'responseStatus' | 'comment' | 'additionalGuests'>;

/**
 * Part that makes a record an exception: a changed occurrence of a series. The record's core and copies are JSON merge
 * patches (RFC 7396) over those of the series, in which null clears.
 */
export interface InstancePart {
  readonly series: EventReference;
  /** Original start: `yyyymmdd` or, in UTC, `yyyymmddThhmmssZ`. */
  readonly original: string;
  /** Set on composed instances only: the series is cancelled, and so the instance is. */
  readonly cancelledWithSeries?: true;
  /** The exception was reset, since its series lost the occurrence for a while. The next change of it clears this mark. */
  readonly emptied?: true;
  /** An import brought this change of the instance (importEvent, importCalendar). */
  readonly imported?: true;
  /**
   * Guests who do not see the guest list, and once saw that their own entry differs from that in the series:
   * for them the instance stays an exception.
   */
  readonly staysFor?: readonly string[];
  /**
   * Responses to this occurrence alone, by `addressKey`; responses to the series apply to all other guests.
   */
  readonly answers: Readonly<Record<string, GuestResponse>>;
}

/** Stored event: a core that all calendars share, and a copy for each calendar. Never changed in place. */
export interface EventRecord {
  /** Identity in the store, never shown and never changed. */
  readonly key: string;
  /** Number of stored changes: a write must carry the successor of the stored version. */
  readonly version: number;
  /** Calendar of the organizer; that of the only copy for an event of somebody elsewhere. */
  readonly homeId: string;
  readonly core: EventBody;
  readonly coreStamp: Stamp;
  /** Latest change of the core that is visible without the guest list. */
  readonly openStamp: Stamp;
  /** Copies by calendar id, which are added but never deleted or renamed. */
  readonly copies: Readonly<Record<string, EventCopy>>;
  readonly instance?: InstancePart;
  /** Removed instances of a series whose latest change is not after this time (RFC 3339) were deleted. */
  readonly droppedUntil?: string;
}

/** Whether an exception was not reset. */
export const hasOwnChanges = ({ instance }: EventRecord): boolean => instance?.emptied !== true;

/** Original start of an exception or a composed instance. */
export const originalStartOf = ({ instance }: EventRecord): string => (instance as InstancePart).original;

/** Record, with its series if it is an exception. */
export interface StoredEvent {
  readonly record: EventRecord;
  readonly series?: EventRecord | undefined;
}

export const storedEventOf = (record: EventRecord, series: EventRecord | undefined): StoredEvent =>
  series ? { record, series } : { record };

/** Parts of a record that together make the event of one caller on one calendar. */
export interface EventParts {
  readonly core: EventBody;
  readonly copy: EventBody;
  readonly viewer: EventBody;
}

export const emptyParts: EventParts = { core: {}, copy: {}, viewer: {} };

/** Whether an event shows as cancelled on the copy's calendar. */
export const isCancelled = ({ core }: EventRecord, copy: EventCopy): boolean =>
  core.status === 'cancelled' || copy.state !== 'present';

/** Stamps of all parts of a record, the core's first. */
export function stampsOf({ coreStamp, copies }: EventRecord): Stamp[] {
  const stamps = [coreStamp];
  for (const id in copies) {
    const { stamp, viewers } = copies[id] as EventCopy;
    stamps.push(stamp);
    for (const viewer in viewers) stamps.push((viewers[viewer] as ViewerPart).stamp);
  }
  return stamps;
}

/** Whether an imported event belongs to somebody elsewhere: its calendar has a guest's copy, and there is no organizer's. */
export const isForeign = ({ homeId, copies }: Pick<EventRecord, 'homeId' | 'copies'>): boolean =>
  copies[homeId]?.guest !== undefined;

const isImportedOn = (calendarId: string, record: EventRecord): boolean =>
  record.homeId === calendarId &&
  !record.instance &&
  isForeign(record) &&
  record.copies[calendarId]?.imported === true;

/**
 * Finds the events that were imported on a calendar, belong to organizers elsewhere and are still there: an
 * event or series, and instances. `exceptionsOf`: the exceptions of a series.
 */
export function findImportedEvents(
  calendarId: string,
  records: readonly EventRecord[],
  exceptionsOf: (series: EventRecord) => readonly EventRecord[],
): { readonly imported: EventRecord | undefined; readonly importedInstances: readonly EventRecord[] } {
  const importedRecords = records.filter((record) => isImportedOn(calendarId, record));
  const imported = importedRecords.find(({ core }) => core.recurringEventId === undefined);
  const instancesWithoutSeries = importedRecords.filter(({ core }) => core.recurringEventId !== undefined);
  return {
    imported,
    importedInstances: [...(imported ? exceptionsOf(imported) : []), ...instancesWithoutSeries],
  };
}

/**
 * Whether an event left its home calendar because another one replaced it: it shows as cancelled and is not
 * found by its iCalUID.
 */
export const isRetired = ({ homeId, copies }: EventRecord): boolean => copies[homeId]?.moved === true;

/** Reference to an event on its home calendar. */
export const homeReference = ({ homeId, copies }: EventRecord): EventReference => ({
  calendarId: homeId,
  eventId: copies[homeId]?.id ?? '',
});

/** Time of the latest change that a calendar shows; `hidesGuestList`: to readers who do not see the guest list. */
export function updatedAt(
  { coreStamp, openStamp }: EventRecord,
  copy: EventCopy,
  hidesGuestList: boolean,
  viewer?: string,
): string {
  const viewerTime = viewer === undefined ? undefined : copy.viewers?.[viewer]?.stamp.at;
  const copyTime = viewerTime !== undefined && viewerTime > copy.stamp.at ? viewerTime : copy.stamp.at;
  const coreTime = (hidesGuestList ? openStamp : coreStamp).at;
  return coreTime > copyTime && copy.state !== 'uninvited' ? coreTime : copyTime;
}

/** Ids of an event by calendar. An exception without its own guest list is on all calendars invited to its series. */
export function idsByCalendar(record: EventRecord, series?: EventRecord): ReadonlyMap<string, string> {
  const { copies, core, instance } = record;
  const ids = new Map(Object.entries(copies).map(([calendarId, { id }]) => [calendarId, id]));
  if (!instance || !series || core.attendees !== undefined) return ids;
  for (const [calendarId, { id, state }] of Object.entries(series.copies)) {
    if (!ids.has(calendarId) && state !== 'uninvited') ids.set(calendarId, `${id}_${instance.original}`);
  }
  return ids;
}

/** Record as a calendar shows it: an uninvited copy shows its tombstone. */
export function recordAsOnCalendar(record: EventRecord, calendarId: string): EventRecord {
  const copy = record.copies[calendarId];
  return copy?.state === 'uninvited' && copy.remains ? { ...record, core: copy.remains } : record;
}

/** Whether a record has recurrence lines. */
export const isSeries = ({ core }: EventRecord): boolean => (core.recurrence ?? []).length > 0;

const instanceIdPattern = /^(.+)_(\d{8}(?:T\d{6}Z)?)$/;

/** Parses the id of an instance: the series' id and the original start. */
export function parseInstanceId(
  eventId: string,
): { readonly seriesId: string; readonly original: string } | undefined {
  const [, seriesId, original] = instanceIdPattern.exec(eventId) ?? [];
  return seriesId === undefined || original === undefined ? undefined : { seriesId, original };
}

/** Whether guests do not see each other. An exception holds null if it shows the guests that its series hides. */
export const hidesGuests = ({ record: { core }, series }: StoredEvent): boolean =>
  (core.guestsCanSeeOtherGuests === undefined
    ? series?.core.guestsCanSeeOtherGuests
    : core.guestsCanSeeOtherGuests) === false;

/** Creates a stamp later than all of a record, even imported future ones. Its tag must not reveal the number of changes. */
export function nextStamp(clock: Clock, record?: EventRecord): Stamp {
  let stampMs = clock();
  if (record) {
    let latestAt = noStamp.at;
    for (const { tag, at } of stampsOf(record)) {
      if (at > latestAt) latestAt = at;
      stampMs = Math.max(stampMs, msAfterTag(tag));
    }
    stampMs = Math.max(stampMs, Date.parse(latestAt) + 1);
  }
  return { tag: stampMs.toString(36), at: new Date(stampMs).toISOString() };
}

/**
 * First epoch milliseconds whose tag is later than all parts of a combined tag; 0 for the empty tag of
 * `noStamp`.
 */
const msAfterTag = (tag: string): number =>
  tag.includes('_') ? Math.max(...tag.split('_').map(msAfterTag)) : parseInt(tag, 36) + 1 || 0;
