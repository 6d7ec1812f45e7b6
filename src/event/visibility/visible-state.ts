import { attendeeKey } from '../model/fields.ts';
import { guestsWithException, guestsWithOthers, hasException } from '../instances/exception.ts';
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
  storedOf,
  type ViewerPart,
  wasNeverVisible,
} from '../model/record.ts';

/** To whom a change shows of those who read one calendar. */
export interface VisibleChange {
  /** To all who see the guests that the calendar shows. */
  readonly shared: boolean;
  /** Also to those from whom the other guests are hidden. */
  readonly open: boolean;
  /** To these users alone: what they keep on the copy themselves, and their entries on a guest list that is hidden from them. */
  readonly viewers: readonly string[];
}

/** To whom a calendar shows that an event changed. `before` is absent for an event that was not there. */
export function visibleChange(
  calendarId: string,
  before: StoredEvent | undefined,
  next: StoredEvent,
): VisibleChange {
  const hides = hidesGuestsOn(calendarId, next);
  const differs = hasOtherTags(calendarId, before, next, hides);
  const shared = differs && !isUnchanged(calendarId, next, hides);
  const differsOpen = hides ? differs : hasOtherTags(calendarId, before, next, true);
  const open = hides ? shared : differsOpen && !isUnchanged(calendarId, next, true);
  const own = viewersOfChange(calendarId, before, next, (differs && !shared) || (differsOpen && !open));
  return {
    shared,
    open,
    viewers: hides || open ? own : [...own, ...readersOfChange(calendarId, before, next, differsOpen)],
  };
}

/** The users who see a change of what they keep themselves; `alone`: for nobody else an exception is one. */
function viewersOfChange(
  calendarId: string,
  before: StoredEvent | undefined,
  next: StoredEvent,
  isAlone: boolean,
): readonly string[] {
  if (viewersOf(calendarId, next).length === 0 && (!before || viewersOf(calendarId, before).length === 0))
    return nobody;
  const [then, now] = [before ? viewerTags(calendarId, before) : {}, viewerTags(calendarId, next)];
  // Those for whom alone an exception is one follow its series there.
  const alone = isAlone ? Object.keys(next.record.copies[calendarId]?.viewers ?? {}) : [];
  return [...new Set([...alone, ...Object.keys(now).filter((identity) => now[identity] !== then[identity])])];
}

/** The guests from whom the others are hidden, and to whom a change shows by their own entry; `isAlone`: for nobody else from whom they are, an exception is one. */
function readersOfChange(
  calendarId: string,
  before: StoredEvent | undefined,
  next: StoredEvent,
  isAlone: boolean,
): readonly string[] {
  const copy = copyOn(calendarId, next);
  // An exception that is new was an occurrence like the others.
  const old = before ?? (next.series && { record: next.series });
  if (!copy || !old || !showsReadersEntry(copy) || !(hidesGuests(old) || hidesGuests(next))) return nobody;
  const changed = guestsWithOthers(old, next);
  return isAlone ? [...changed, ...guestsWithException(next)] : changed;
}

/**
 * Whether an exception shows nothing on a calendar but what its series says of the occurrence: all that was changed stands
 * on other calendars, or is about guests who are hidden (`open`), or belongs to users other than `identity`.
 */
export function isUnchanged(
  calendarId: string,
  { record, series }: StoredEvent,
  open: boolean,
  identity?: string,
): boolean {
  const own = record.copies[calendarId];
  const ofSeries = series?.copies[calendarId];
  if (
    !ofSeries ||
    (open ? record.openStamp : record.coreStamp).tag !== noStamp.tag ||
    isDetached(record, series, calendarId)
  )
    return false;
  if (
    open &&
    identity !== undefined &&
    showsReadersEntry(own ?? ofSeries) &&
    hasException({ record, series }, identity)
  )
    return false;
  return (
    own === undefined ||
    (own.stamp.tag === noStamp.tag && (identity === undefined || own.viewers?.[identity] === undefined))
  );
}

/** When an event was last changed as a calendar shows it, in epoch milliseconds, without what users keep for themselves. */
export function updatedOn(calendarId: string, event: StoredEvent, open: boolean): number {
  let latest = noStamp.at;
  for (const { at } of stampsOn(calendarId, event, open)) if (at > latest) latest = at;
  return Date.parse(latest);
}

/** The users who keep something on the copy, and when they changed it last: epoch milliseconds. */
export function viewerTimes(calendarId: string, event: StoredEvent): Readonly<Record<string, number>> {
  const viewers = viewersOf(calendarId, event);
  if (viewers.length === 0) return noTimes;
  const times: Record<string, number> = {};
  for (const [identity, { stamp }] of viewers)
    times[identity] = Math.max(times[identity] ?? 0, Date.parse(stamp.at));
  return times;
}

/** Whether a calendar is a guest's who does not see the others: changes of their entries do not show there. An organizer sees them on each own calendar. */
export function hidesGuestsOn(calendarId: string, event: StoredEvent): boolean {
  const { guest } = copyOn(calendarId, event) ?? {};
  if (guest === undefined) return false;
  const [record, series] = [
    recordAsOnCalendar(event.record, calendarId),
    event.series && recordAsOnCalendar(event.series, calendarId),
  ];
  const organizer = record.core.organizer ?? series?.core.organizer;
  return (
    hidesGuests(storedOf(record, series)) && (organizer === undefined || attendeeKey(organizer) !== guest)
  );
}

const copyOn = (calendarId: string, { record, series }: StoredEvent): EventCopy | undefined =>
  record.copies[calendarId] ?? series?.copies[calendarId];

/** The guests from whom the others are hidden, on a calendar that shows them to whoever else may read it. */
export function hiddenFrom(calendarId: string, event: StoredEvent): readonly string[] {
  if (!hidesGuests(event) || hidesGuestsOn(calendarId, event)) return [];
  return [...shownGuests(event).keys()];
}

/** The stamps of all that a calendar shows of an event; none where it shows nothing. */
function stampsOn(calendarId: string, { record, series }: StoredEvent, open: boolean): readonly Stamp[] {
  const own = record.copies[calendarId];
  const ofSeries = series?.copies[calendarId];
  if (ofSeries?.state === 'uninvited') return [ofSeries.stamp];
  if (own && wasNeverVisible(own)) return nobody;
  const ofCopies =
    own && ofSeries ? [own.stamp, ofSeries.stamp] : own ? [own.stamp] : ofSeries ? [ofSeries.stamp] : nobody;
  if (ofCopies.length === 0 || own?.state === 'uninvited') return ofCopies;
  const content = open ? record.openStamp : record.coreStamp;
  return series ? [...ofCopies, content, open ? series.openStamp : series.coreStamp] : [...ofCopies, content];
}

/** Other tags, another visible state. */
function hasOtherTags(
  calendarId: string,
  before: StoredEvent | undefined,
  next: StoredEvent,
  open: boolean,
): boolean {
  const [then, now] = [
    before ? stampsOn(calendarId, before, open) : nobody,
    stampsOn(calendarId, next, open),
  ];
  for (let [i, j] = [0, 0]; ; i += 1, j += 1) {
    while (then[i]?.tag === noStamp.tag) i += 1;
    while (now[j]?.tag === noStamp.tag) j += 1;
    if (then[i]?.tag !== now[j]?.tag) return true;
    if (!then[i]) return false;
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
  const [own, ofSeries] = [record.copies[calendarId]?.viewers, series?.copies[calendarId]?.viewers];
  if (!own || !ofSeries) return own || ofSeries ? Object.entries(own ?? ofSeries ?? {}) : nobody;
  // A user's settings on an instance replace those on its series, unless the instance was emptied.
  return record.instance?.emptied
    ? [...Object.entries(own), ...Object.entries(ofSeries)]
    : Object.entries({ ...ofSeries, ...own });
}

const nobody: readonly never[] = [];
/** One for all, since most events of a calendar have none. */
const noTimes: Readonly<Record<string, number>> = {};
