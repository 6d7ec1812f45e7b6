import { attendeeKey, guestsAheadOf } from '../model/fields.ts';
import { guestsWithException, findDifferingGuests } from '../instances/exception.ts';
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
  type ViewerPart,
  wasNeverVisible,
} from '../model/record.ts';

/** Readers of one calendar who see a change. */
export interface VisibleChange {
  /** The change is visible to readers who see the guest list. */
  readonly isShared: boolean;
  /** The change is also visible to readers who do not see the guest list. */
  readonly isPublic: boolean;
  /** Users who see a change that others do not: of their own settings, or of their entry on a hidden guest list. */
  readonly viewers: readonly string[];
}

/** Determines which readers of a calendar see that an event changed; `before` is absent for a new event. */
export function determineVisibleChange(
  calendarId: string,
  before: StoredEvent | undefined,
  next: StoredEvent,
): VisibleChange {
  const hidesGuestsHere = hidesGuestsOn(calendarId, next);
  const isChanged = hasDifferentStamps(calendarId, before, next, hidesGuestsHere);
  const isShared = isChanged && !looksLikeSeries(calendarId, next, hidesGuestsHere);
  const isPublicChanged = hidesGuestsHere ? isChanged : hasDifferentStamps(calendarId, before, next, true);
  const isPublic = hidesGuestsHere ? isShared : isPublicChanged && !looksLikeSeries(calendarId, next, true);
  const isForViewersOnly = (isChanged && !isShared) || (isPublicChanged && !isPublic);
  const viewersWithChange = viewersOfChange(calendarId, before, next, isForViewersOnly);
  return {
    isShared,
    isPublic,
    viewers:
      hidesGuestsHere || isPublic
        ? viewersWithChange
        : [...viewersWithChange, ...guestsOfChange(calendarId, before, next, isPublicChanged)],
  };
}

/** Users whose own settings changed, or all users with settings if `isForViewersOnly`: other readers see the series. */
function viewersOfChange(
  calendarId: string,
  before: StoredEvent | undefined,
  next: StoredEvent,
  isForViewersOnly: boolean,
): readonly string[] {
  const [tagsBefore, tags] = [before ? viewerTags(calendarId, before) : {}, viewerTags(calendarId, next)];
  const changedViewers = Object.keys(tags).filter((identity) => tags[identity] !== tagsBefore[identity]);
  const allViewers = isForViewersOnly ? Object.keys(next.record.copies[calendarId]?.viewers ?? {}) : [];
  return [...new Set([...allViewers, ...changedViewers])];
}

/**
 * Guests who do not see the guest list and whose own entry changed; with `includesExceptions` also those of
 * `guestsWithException`.
 */
function guestsOfChange(
  calendarId: string,
  before: StoredEvent | undefined,
  next: StoredEvent,
  includesExceptions: boolean,
): readonly string[] {
  const copy = copyOn(calendarId, next);
  // A new exception was an unchanged occurrence before.
  const eventBefore = before ?? (next.series && { record: next.series });
  if (
    !copy ||
    !eventBefore ||
    !showsReadersEntry(copy, organizerKeyOf(next)) ||
    !(hidesGuests(eventBefore) || hidesGuests(next))
  )
    return emptyList;
  const changedGuests = [...findDifferingGuests(eventBefore, next), ...reorderedGuests(eventBefore, next)];
  return includesExceptions ? [...changedGuests, ...guestsWithException(next)] : changedGuests;
}

/**
 * Guests who moved from before to after the organizer on the list, or back: they see the order of these two
 * entries.
 */
function reorderedGuests(before: StoredEvent, after: StoredEvent): string[] {
  const guestsAhead = (event: StoredEvent): ReadonlySet<string | undefined> =>
    guestsAheadOf(organizerKeyOf(event), [...shownGuests(event).values()]);
  const [aheadBefore, aheadAfter] = [guestsAhead(before), guestsAhead(after)];
  return [...new Set([...aheadBefore, ...aheadAfter])].filter(
    (guest): guest is string => guest !== undefined && aheadBefore.has(guest) !== aheadAfter.has(guest),
  );
}

const organizerKeyOf = ({ record, series }: StoredEvent): string | undefined => {
  const organizer = record.core.organizer ?? series?.core.organizer;
  return organizer && attendeeKey(organizer);
};

/**
 * Whether an exception looks like its series: its changes are on other calendars, of hidden guests, or of
 * other users. `hidesGuestList`: to readers who do not see the guest list.
 */
export function looksLikeSeries(
  calendarId: string,
  { record, series }: StoredEvent,
  hidesGuestList: boolean,
  identity?: string,
): boolean {
  const ownCopy = record.copies[calendarId];
  const seriesCopy = series?.copies[calendarId];
  if (
    !seriesCopy ||
    (hidesGuestList ? record.openStamp : record.coreStamp).tag !== noStamp.tag ||
    isDetached(record, series, calendarId)
  )
    return false;
  if (
    hidesGuestList &&
    identity !== undefined &&
    showsReadersEntry(ownCopy ?? seriesCopy, organizerKeyOf({ record, series })) &&
    guestsWithException({ record, series }, identity).has(identity)
  )
    return false;
  return (
    ownCopy === undefined ||
    (ownCopy.stamp.tag === noStamp.tag &&
      (identity === undefined || ownCopy.viewers?.[identity] === undefined))
  );
}

/** Epoch milliseconds of the latest change of an event that a calendar shows, apart from users' own settings. */
export function lastChangedMsOn(calendarId: string, event: StoredEvent, hidesGuestList: boolean): number {
  let latest = noStamp.at;
  for (const { at } of stampsOn(calendarId, event, hidesGuestList)) if (at > latest) latest = at;
  return Date.parse(latest);
}

/** Epoch milliseconds of each user's latest change of own settings on an event, by identity. */
export function viewerTimesOf(calendarId: string, event: StoredEvent): Readonly<Record<string, number>> {
  const viewers = viewersOf(calendarId, event);
  if (viewers.length === 0) return emptyTimes;
  const times: Record<string, number> = {};
  for (const [identity, { stamp }] of viewers)
    times[identity] = Math.max(times[identity] ?? 0, Date.parse(stamp.at));
  return times;
}

/** Whether a calendar belongs to a guest who does not see the other guests. The organizer's calendars show them. */
export function hidesGuestsOn(calendarId: string, event: StoredEvent): boolean {
  const { guest } = copyOn(calendarId, event) ?? {};
  if (guest === undefined) return false;
  const shownEvent = {
    record: recordAsOnCalendar(event.record, calendarId),
    series: event.series && recordAsOnCalendar(event.series, calendarId),
  };
  return hidesGuests(shownEvent) && organizerKeyOf(shownEvent) !== guest;
}

const copyOn = (calendarId: string, { record, series }: StoredEvent): EventCopy | undefined =>
  record.copies[calendarId] ?? series?.copies[calendarId];

/** Guests who do not see the guest list, on a calendar that shows it to its other readers. */
export function restrictedGuestsOn(calendarId: string, event: StoredEvent): readonly string[] {
  if (!hidesGuests(event) || hidesGuestsOn(calendarId, event)) return [];
  return [...shownGuests(event).keys()];
}

/** Stamps of all parts of an event that a calendar shows. */
function stampsOn(
  calendarId: string,
  { record, series }: StoredEvent,
  hidesGuestList: boolean,
): readonly Stamp[] {
  const ownCopy = record.copies[calendarId];
  const seriesCopy = series?.copies[calendarId];
  if (seriesCopy?.state === 'uninvited') return [seriesCopy.stamp];
  if (ownCopy && wasNeverVisible(ownCopy)) return emptyList;
  const stamps = ownCopy ? [ownCopy.stamp] : emptyList;
  const copyStamps = seriesCopy ? [...stamps, seriesCopy.stamp] : stamps;
  if (copyStamps.length === 0 || ownCopy?.state === 'uninvited') return copyStamps;
  const coreStamp = hidesGuestList ? record.openStamp : record.coreStamp;
  return series
    ? [...copyStamps, coreStamp, hidesGuestList ? series.openStamp : series.coreStamp]
    : [...copyStamps, coreStamp];
}

/** Whether the visible stamps differ before and after a change, apart from `noStamp`. */
function hasDifferentStamps(
  calendarId: string,
  before: StoredEvent | undefined,
  next: StoredEvent,
  hidesGuestList: boolean,
): boolean {
  const tagsOf = (event: StoredEvent): string =>
    stampsOn(calendarId, event, hidesGuestList)
      .map(({ tag }) => tag)
      .filter((tag) => tag !== noStamp.tag)
      .join();
  return (before ? tagsOf(before) : '') !== tagsOf(next);
}

/** Tags of each user's own settings on an event, by identity. */
function viewerTags(calendarId: string, event: StoredEvent): Readonly<Record<string, string>> {
  const tags: Record<string, string> = {};
  for (const [identity, { stamp }] of viewersOf(calendarId, event))
    tags[identity] = `${tags[identity] ?? ''} ${stamp.tag}`;
  return tags;
}

/** Settings of users on an event, by identity. A user may be listed twice. */
function viewersOf(
  calendarId: string,
  { record, series }: StoredEvent,
): readonly (readonly [string, ViewerPart])[] {
  const [ownViewers, seriesViewers] = [
    record.copies[calendarId]?.viewers,
    series?.copies[calendarId]?.viewers,
  ];
  if (!ownViewers || !seriesViewers)
    return ownViewers || seriesViewers ? Object.entries(ownViewers ?? seriesViewers ?? {}) : emptyList;
  // A user's settings on an instance replace those on its series, unless the instance was reset.
  return record.instance?.emptied
    ? [...Object.entries(ownViewers), ...Object.entries(seriesViewers)]
    : Object.entries({ ...seriesViewers, ...ownViewers });
}

/** Shared constants, since most events of a calendar have no user settings. */
const emptyList: readonly never[] = [];
const emptyTimes: Readonly<Record<string, number>> = {};
