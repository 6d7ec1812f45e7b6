import type { Attendee, EventBody } from './fields.ts';

/** When a part of an event was last changed. */
export interface Stamp {
  /** Unique among the stamps of the event. */
  readonly tag: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly at: string;
}

/** Of what was never changed by itself. */
export const noStamp: Stamp = { tag: '', at: new Date(0).toISOString() };

/** One signed-in user's own settings on one copy. */
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
  /** The guest whose copy it is, as `addressKey` writes it; absent for the calendar on which the event was made. */
  readonly guest?: string;
  readonly own: EventBody;
  /** By identity of the user. */
  readonly viewers?: Readonly<Record<string, ViewerPart>>;
  /** Of an uninvited copy: the event's time, and whether it hid its guests, when its owner was taken off the list. */
  readonly remains?: Tombstone;
  /** Of an instance: its guest, who is off the series, was invited to it. As long as the guest is off the series, it stands on the calendar by itself. */
  readonly apart?: true;
}

/** Whether readers from whom the guests are hidden see their own entry: a guest's calendar shows what this guest sees, whoever reads it. */
export const showsReadersEntry = ({ guest }: EventCopy): boolean => guest === undefined;

/** Of an instance: its guest was off the series when it got a guest list of its own, and never saw a change of it: nothing of it shows there. */
export const wasNeverVisible = ({ state, stamp }: EventCopy): boolean =>
  state === 'uninvited' && stamp.tag === noStamp.tag;

/** An event as a calendar has it: an instance by itself, without its series, where the guest is off the series and was invited to the instance. */
export function asOnCalendar(calendarId: string, event: StoredEvent): StoredEvent {
  const { record, series } = event;
  if (!series || !isDetached(record, series, calendarId)) return event;
  const { [calendarId]: _left, ...copies } = series.copies;
  return { record, series: { ...series, copies } };
}

/** Whether an instance stands on a calendar by itself, whose series was taken away there. */
export const isDetached = ({ copies }: EventRecord, series: EventRecord, calendarId: string): boolean =>
  copies[calendarId]?.apart === true && series.copies[calendarId]?.state === 'uninvited';

/** How an instance stands on a calendar; undefined where it does not. */
export function stateOn(
  calendarId: string,
  series: EventRecord,
  exception: EventRecord | undefined,
): EventCopy['state'] | undefined {
  const [ofSeries, own] = [series.copies[calendarId], exception?.copies[calendarId]];
  if (!exception || !ofSeries || isDetached(exception, series, calendarId))
    return own && wasNeverVisible(own) ? undefined : (own?.state ?? ofSeries?.state);
  // Later guests of the series do not come to an instance with a guest list of its own.
  if (exception.core.attendees !== undefined && (!own || wasNeverVisible(own))) return undefined;
  return own?.state === 'uninvited' || ofSeries.state === 'present'
    ? (own?.state ?? 'present')
    : ofSeries.state;
}

const remaining = [
  'start',
  'end',
  'recurrence',
  'originalStartTime',
  'recurringEventId',
  'guestsCanSeeOtherGuests',
] as const;
type Tombstone = Pick<EventBody, (typeof remaining)[number]>;

export const tombstoneOf = (core: EventBody): Tombstone =>
  Object.fromEntries(remaining.flatMap((name) => (core[name] === undefined ? [] : [[name, core[name]]])));

/** An event by its identifier on one calendar. */
export interface EventReference {
  readonly calendarId: string;
  readonly eventId: string;
}

/** What a guest says to an invitation. */
export type Answer = Pick<Attendee, 'responseStatus' | 'comment' | 'additionalGuests'>;

/**
 * What makes a record an exception: one occurrence of a series that was changed. It lies over its series as a copy lies
 * over its event: its core and its copies hold only what it changes, as a JSON merge patch (RFC 7396) over the series', so
 * that a null there clears.
 */
export interface InstancePart {
  /** The series on its home calendar. */
  readonly series: EventReference;
  /** When the occurrence starts by the rules: `yyyymmdd` or, in UTC, `yyyymmddThhmmssZ`. */
  readonly original: string;
  /** Only of one that is put together: its series is cancelled, and so it is. */
  readonly cancelledWithSeries?: true;
  /** Its series had no such occurrence for a while, and so all that it changed is gone; until it is changed again. */
  readonly emptied?: true;
  /** Guests from whom the others are hidden, and whom it once showed another entry of their own than the series: for them it stays an exception. */
  readonly staysFor?: readonly string[];
  /** Guests' answers to this occurrence by itself, by `addressKey`; all others have answered as they did to the series. */
  readonly answers: Readonly<Record<string, Answer>>;
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
  /** Of an exception only. */
  readonly instance?: InstancePart;
  /** Records of a series' removed instances are dropped up to this change of them (RFC 3339). */
  readonly droppedUntil?: string;
}

/** True for an exception that has not lost all that it changed. */
export const changesAnything = ({ instance }: EventRecord): boolean => instance?.emptied !== true;

/** The original start of an exception. */
export const originalStartOf = ({ instance }: EventRecord): string => (instance as InstancePart).original;

/** A record, and of an exception the series it lies over. */
export interface StoredEvent {
  readonly record: EventRecord;
  readonly series?: EventRecord;
}

export const storedOf = (record: EventRecord, series: EventRecord | undefined): StoredEvent =>
  series ? { record, series } : { record };

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

/** The stamps of all parts of a record; that of the core comes first. */
export function stampsOf({ coreStamp, copies }: EventRecord): Stamp[] {
  const stamps = [coreStamp];
  for (const id in copies) {
    const { stamp, viewers } = copies[id] as EventCopy;
    stamps.push(stamp);
    for (const viewer in viewers) stamps.push((viewers[viewer] as ViewerPart).stamp);
  }
  return stamps;
}

/** The event by its id on its home. */
export const homeReference = ({ homeId, copies }: EventRecord): EventReference => ({
  calendarId: homeId,
  eventId: copies[homeId]?.id ?? '',
});

/** When an event was last changed as one calendar shows it; `open` for those who do not see its guests. */
export function updatedAt(
  { coreStamp, openStamp }: EventRecord,
  copy: EventCopy,
  open: boolean,
  viewer?: string,
): string {
  const own = viewer === undefined ? undefined : copy.viewers?.[viewer]?.stamp.at;
  const ofCopy = own !== undefined && own > copy.stamp.at ? own : copy.stamp.at;
  const ofCore = (open ? openStamp : coreStamp).at;
  return ofCore > ofCopy && copy.state !== 'uninvited' ? ofCore : ofCopy;
}

/**
 * The event's id on each calendar on which it stands. An exception stands wherever its series does, under the id of the
 * series there and the original start, unless it has a guest list of its own; those who were taken off the series do
 * not see later exceptions, save those that they are invited to.
 */
export function idsByCalendar(record: EventRecord, series?: EventRecord): ReadonlyMap<string, string> {
  const { copies, core, instance } = record;
  const ids = new Map(Object.entries(copies).map(([calendarId, { id }]) => [calendarId, id]));
  if (!instance || !series || core.attendees !== undefined) return ids;
  for (const [calendarId, { id, state }] of Object.entries(series.copies)) {
    if (!ids.has(calendarId) && state !== 'uninvited') ids.set(calendarId, `${id}_${instance.original}`);
  }
  return ids;
}

/** A record as a calendar shows it; where its owner was taken off the guest list, as it was left at that moment. */
export function recordAsOnCalendar(record: EventRecord, calendarId: string): EventRecord {
  const copy = record.copies[calendarId];
  return copy?.state === 'uninvited' && copy.remains ? { ...record, core: copy.remains } : record;
}

export const isSeries = ({ core }: EventRecord): boolean => (core.recurrence ?? []).length > 0;

const instanceForm = /^(.+)_(\d{8}(?:T\d{6}Z)?)$/;

/** The id of a series and the original start that an id speaks of, if it is that of an instance. */
export function instanceOf(
  eventId: string,
): { readonly seriesId: string; readonly original: string } | undefined {
  const [, seriesId, original] = instanceForm.exec(eventId) ?? [];
  return seriesId === undefined || original === undefined ? undefined : { seriesId, original };
}

/** Whether guests do not see each other. An exception that shows the guests its series hides holds null there. */
export const hidesGuests = ({ record: { core }, series }: StoredEvent): boolean =>
  (core.guestsCanSeeOtherGuests === undefined
    ? series?.core.guestsCanSeeOtherGuests
    : core.guestsCanSeeOtherGuests) === false;
