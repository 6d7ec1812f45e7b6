import { attendeeKey } from '../model/fields.ts';
import { guestsWithException, differingGuests, hasExceptionFor } from '../instances/exception.ts';
import { shownGuests } from '../instances/instance-guests.ts';
import {
  type EventCopy,
  hidesGuests,
  isDetached,
  noStamp,
  recordAsOnCalendar,
  showsReadersEntry,
  type Stamp,
  type StoredEvent,
  storedEventOf,
  type ViewerPart,
  wasNeverVisible,
} from '../model/record.ts';

/** Readers of one calendar who see a change. */
export interface VisibleChange {
  /** Readers who see the calendar's guest list see the change. */
  readonly isShared: boolean;
  /** Readers from whom other guests are hidden see the change too. */
  readonly isPublic: boolean;
  /** Users who alone see the change: of their own settings, or of their entry on a guest list hidden from them. */
  readonly viewers: readonly string[];
}

/** Determines which readers of a calendar see that an event changed; `before` is absent for a new event. */
export function visibleChange(
  calendarId: string,
  before: StoredEvent | undefined,
  next: StoredEvent,
): VisibleChange {
  const isHiding = hidesGuestsOn(calendarId, next);
  const isChanged = hasOtherTags(calendarId, before, next, isHiding);
  const shared = isChanged && !isUnchanged(calendarId, next, isHiding);
  const isPublicChanged = isHiding ? isChanged : hasOtherTags(calendarId, before, next, true);
  const open = isHiding ? shared : isPublicChanged && !isUnchanged(calendarId, next, true);
  const isForViewersOnly = (isChanged && !shared) || (isPublicChanged && !open);
  const own = viewersOfChange(calendarId, before, next, isForViewersOnly);
  return {
    isShared: shared,
    isPublic: open,
    viewers: isHiding || open ? own : [...own, ...guestsOfChange(calendarId, before, next, isPublicChanged)],
  };
}

/** Users whose own settings changed, or all users with settings if `isForViewersOnly`: other readers see the series. */
function viewersOfChange(
  calendarId: string,
  before: StoredEvent | undefined,
  next: StoredEvent,
  isForViewersOnly: boolean,
): readonly string[] {
  if (viewersOf(calendarId, next).length === 0 && (!before || viewersOf(calendarId, before).length === 0))
    return none;
  const [tagsBefore, tags] = [before ? viewerTags(calendarId, before) : {}, viewerTags(calendarId, next)];
  const changed = Object.keys(tags).filter((identity) => tags[identity] !== tagsBefore[identity]);
  const all = isForViewersOnly ? Object.keys(next.record.copies[calendarId]?.viewers ?? {}) : [];
  return [...new Set([...all, ...changed])];
}

/** Guests without sight of the guest list whose own entry changed; with `includesExceptions` also `guestsWithException`. */
function guestsOfChange(
  calendarId: string,
  before: StoredEvent | undefined,
  next: StoredEvent,
  includesExceptions: boolean,
): readonly string[] {
  const copy = copyOn(calendarId, next);
  // A new exception was an unchanged occurrence before.
  const old = before ?? (next.series && { record: next.series });
  if (!copy || !old || !showsReadersEntry(copy) || !(hidesGuests(old) || hidesGuests(next))) return none;
  const changed = differingGuests(old, next);
  return includesExceptions ? [...changed, ...guestsWithException(next)] : changed;
}

/** Whether an exception looks like its series: its changes are on other calendars, of hidden guests, or of other users. */
export function isUnchanged(
  calendarId: string,
  { record, series }: StoredEvent,
  isPublic: boolean,
  identity?: string,
): boolean {
  const own = record.copies[calendarId];
  const seriesCopy = series?.copies[calendarId];
  if (
    !seriesCopy ||
    (isPublic ? record.openStamp : record.coreStamp).tag !== noStamp.tag ||
    isDetached(record, series, calendarId)
  )
    return false;
  if (
    isPublic &&
    identity !== undefined &&
    showsReadersEntry(own ?? seriesCopy) &&
    hasExceptionFor({ record, series }, identity)
  )
    return false;
  return (
    own === undefined ||
    (own.stamp.tag === noStamp.tag && (identity === undefined || own.viewers?.[identity] === undefined))
  );
}

/** Epoch milliseconds of the latest change of an event that a calendar shows, apart from users' own settings. */
export function lastChangedMsOn(calendarId: string, event: StoredEvent, isPublic: boolean): number {
  let latest = noStamp.at;
  for (const { at } of stampsOn(calendarId, event, isPublic)) if (at > latest) latest = at;
  return Date.parse(latest);
}

/** Epoch milliseconds of each user's latest change of own settings on an event, by identity. */
export function viewerTimes(calendarId: string, event: StoredEvent): Readonly<Record<string, number>> {
  const viewers = viewersOf(calendarId, event);
  if (viewers.length === 0) return noTimes;
  const times: Record<string, number> = {};
  for (const [identity, { stamp }] of viewers)
    times[identity] = Math.max(times[identity] ?? 0, Date.parse(stamp.at));
  return times;
}

/** Whether a calendar belongs to a guest who does not see the other guests. The organizer's calendars show them. */
export function hidesGuestsOn(calendarId: string, event: StoredEvent): boolean {
  const { guest } = copyOn(calendarId, event) ?? {};
  if (guest === undefined) return false;
  const [record, series] = [
    recordAsOnCalendar(event.record, calendarId),
    event.series && recordAsOnCalendar(event.series, calendarId),
  ];
  const organizer = record.core.organizer ?? series?.core.organizer;
  return (
    hidesGuests(storedEventOf(record, series)) &&
    (organizer === undefined || attendeeKey(organizer) !== guest)
  );
}

const copyOn = (calendarId: string, { record, series }: StoredEvent): EventCopy | undefined =>
  record.copies[calendarId] ?? series?.copies[calendarId];

/** Guests who do not see the guest list, on a calendar that shows it to its other readers. */
export function restrictedGuestsOn(calendarId: string, event: StoredEvent): readonly string[] {
  if (!hidesGuests(event) || hidesGuestsOn(calendarId, event)) return [];
  return [...shownGuests(event).keys()];
}

/** Stamps of all parts of an event that a calendar shows. */
function stampsOn(calendarId: string, { record, series }: StoredEvent, isPublic: boolean): readonly Stamp[] {
  const own = record.copies[calendarId];
  const seriesCopy = series?.copies[calendarId];
  if (seriesCopy?.state === 'uninvited') return [seriesCopy.stamp];
  if (own && wasNeverVisible(own)) return none;
  const stamps = own ? [own.stamp] : none;
  const copyStamps = seriesCopy ? [...stamps, seriesCopy.stamp] : stamps;
  if (copyStamps.length === 0 || own?.state === 'uninvited') return copyStamps;
  const core = isPublic ? record.openStamp : record.coreStamp;
  return series
    ? [...copyStamps, core, isPublic ? series.openStamp : series.coreStamp]
    : [...copyStamps, core];
}

/** Whether the visible stamps differ before and after a change, apart from `noStamp`. */
function hasOtherTags(
  calendarId: string,
  before: StoredEvent | undefined,
  next: StoredEvent,
  isPublic: boolean,
): boolean {
  const [stampsBefore, stamps] = [
    before ? stampsOn(calendarId, before, isPublic) : none,
    stampsOn(calendarId, next, isPublic),
  ];
  for (let [i, j] = [0, 0]; ; i += 1, j += 1) {
    while (stampsBefore[i]?.tag === noStamp.tag) i += 1;
    while (stamps[j]?.tag === noStamp.tag) j += 1;
    if (stampsBefore[i]?.tag !== stamps[j]?.tag) return true;
    if (!stampsBefore[i]) return false;
  }
}

function viewerTags(calendarId: string, event: StoredEvent): Readonly<Record<string, string>> {
  const tags: Record<string, string> = {};
  for (const [identity, { stamp }] of viewersOf(calendarId, event))
    tags[identity] = `${tags[identity] ?? ''} ${stamp.tag}`;
  return tags;
}

function viewersOf(
  calendarId: string,
  { record, series }: StoredEvent,
): readonly (readonly [string, ViewerPart])[] {
  const [own, inherited] = [record.copies[calendarId]?.viewers, series?.copies[calendarId]?.viewers];
  if (!own || !inherited) return own || inherited ? Object.entries(own ?? inherited ?? {}) : none;
  // A user's settings on an instance replace those on its series, unless the instance was reset.
  return record.instance?.emptied
    ? [...Object.entries(own), ...Object.entries(inherited)]
    : Object.entries({ ...inherited, ...own });
}

/** Shared constants, since most events of a calendar have no user settings. */
const none: readonly never[] = [];
const noTimes: Readonly<Record<string, number>> = {};
