import { eventLoop } from '../../core/runtime/event-loop.ts';
import { addressKey } from '../../core/text/email.ts';
import type { EventPage, EventQuery, StandingEvent, WorkItem } from '../../event/event.store.ts';
import {
  type EventRecord,
  type EventReference,
  recordAsOnCalendar,
  storedOf,
} from '../../event/model/record.ts';
import { type ChangedEntry, hasDays, spanOn } from '../../event/projection/projection.ts';
import { type IndexParts, pageOf } from './calendar-page.ts';
import { createChangeLog, firstIndex } from './change-log.ts';
import { createStartIndex, createTimeIndex, type IndexEntry, type Shown, storedIn } from './order-indexes.ts';

/** Events by the guests who have no calendar here yet: they come to it once there is one. */
interface InvitationIndex {
  put(before: EventRecord | undefined, next: EventRecord): void;
  drop(record: EventRecord): void;
  /** Gives a guest's invitations behind a cursor, up to `limit`; behind the last ones the guest is forgotten. */
  of(
    address: string,
    behind: string | undefined,
    limit: number,
    isMissing: (event: EventReference) => boolean,
  ): WorkItem[];
}

interface Invitation extends EventReference {
  /** In the order in which they came. */
  readonly number: number;
}

/** The events of a guest by key; series before their exceptions. */
type Invitations = readonly [events: Map<string, Invitation>, exceptions: Map<string, Invitation>];

export function createInvitationIndex(hasCalendar: (guest: string) => boolean): InvitationIndex {
  const byGuest = new Map<string, Invitations>();
  let last = 0;
  const listOf = (invitations: Invitations, { instance }: EventRecord): Map<string, Invitation> =>
    invitations[instance ? 1 : 0];

  function remove(guest: string, record: EventRecord): void {
    const invitations = byGuest.get(guest);
    if (
      invitations &&
      listOf(invitations, record).delete(record.key) &&
      invitations.every(({ size }) => size === 0)
    )
      byGuest.delete(guest);
  }

  function add(guest: string, record: EventRecord, invitation: Invitation): void {
    const invitations = byGuest.get(guest) ?? [new Map<string, Invitation>(), new Map<string, Invitation>()];
    byGuest.set(guest, invitations);
    const list = listOf(invitations, record);
    // Behind all others, also where it stood there before.
    list.delete(record.key);
    list.set(record.key, invitation);
  }

  return {
    put(before, next) {
      const [then, now] = [guestsOf(before), guestsOf(next)];
      if (then === now) return;
      // An entry that did not change is the very same.
      const [old, current] = [new Set(then), new Set(now)];
      for (const entry of then)
        if (entry.email !== undefined && !current.has(entry)) remove(addressKey(entry.email), next);
      const invitation = { ...referenceOf(next), number: (last += 1) };
      for (const entry of now) {
        const guest = entry.email === undefined || old.has(entry) ? undefined : addressKey(entry.email);
        if (guest !== undefined && !hasCalendar(guest)) add(guest, next, invitation);
      }
    },

    drop(record) {
      for (const { email } of guestsOf(record)) if (email !== undefined) remove(addressKey(email), record);
    },

    of(address, behind = '0 0', limit, isMissing) {
      const [list = 0, number = 0] = behind.split(' ').map(Number);
      const found: WorkItem[] = [];
      for (const [at, invitations] of (byGuest.get(address) ?? []).entries()) {
        if (at < list) continue;
        for (const { number: own, ...event } of invitations.values()) {
          if (found.length === limit) return found;
          if ((at > list || own > number) && isMissing(event))
            found.push({ cursor: `${at} ${own}`, ...event });
        }
      }
      if (hasCalendar(address)) byGuest.delete(address);
      return found;
    },
  };
}

const none: NonNullable<EventRecord['core']['attendees']> = [];
/** An exception that clears the list of its series holds null. */
const guestsOf = (record: EventRecord | undefined) => record?.core.attendees ?? none;

const referenceOf = ({ homeId, copies, instance }: EventRecord): EventReference =>
  instance
    ? { calendarId: homeId, eventId: `${instance.series.eventId}_${instance.original}` }
    : { calendarId: homeId, eventId: copies[homeId]?.id ?? '' };

/** The events of one calendar: by id, by iCalUID, by time, in the order in which they came, and in that in which they changed. */
export interface CalendarIndex {
  get(id: string): IndexEntry | undefined;
  withUid(iCalUID: string): EventRecord[];
  /** Up to so many behind an id, in the order of ids. */
  standingBehind(id: string, limit: number): StandingEvent[];
  put(entry: ChangedEntry): void;
  /** The entries behind a position, in order. */
  behind(position: number): Iterable<IndexEntry>;
  /** Takes an event away, of which nobody knows any more. */
  drop(id: string, key: string): void;
  /** How many entries begin or end with a day, up to `most`. */
  allDay(most: number): number;
  /** Works out the days by another zone, which are remembered; yields to other requests. */
  prepareZone(zone: string): Promise<void>;
  /** Days begin by another zone from now on. */
  moveDays(zone: string): void;
  /** Stands for how far the calendar's changes have come. */
  revision(): string;
  /** Long pages yield to other requests. A concurrent change is either in the page or newer than the query's revision. */
  page(query: EventQuery): Promise<EventPage | undefined>;
}

/** `epoch` sets apart the revisions of this process from those of one before it. */
export function createCalendarIndex(calendarId: string, epoch: string): CalendarIndex {
  const byId = new Map<string, IndexEntry>();
  const byUid = new Map<string, IndexEntry | Set<IndexEntry>>();
  const inOrder: IndexEntry[] = [];
  let lastPosition = 0;
  const byTime = createTimeIndex<IndexEntry>();
  const seriesByTime = createTimeIndex<IndexEntry>();
  const exceptionsByTime = createTimeIndex<IndexEntry>();
  const changes = createChangeLog<IndexEntry>(epoch, latestOf);
  const starts = createStartIndex<IndexEntry>();
  const seriesHere = new Set<IndexEntry>();
  const parts: IndexParts = {
    calendarId,
    byId,
    inOrder,
    byTime,
    seriesByTime,
    exceptionsByTime,
    starts,
    seriesHere,
    changes,
    withUid,
  };

  function addUid(iCalUID: string | undefined, entry: IndexEntry): void {
    if (iCalUID === undefined) return;
    const known = byUid.get(iCalUID);
    if (known instanceof Set) known.add(entry);
    else byUid.set(iCalUID, known ? new Set([known, entry]) : entry);
  }

  const timesOf = ({ recurs, series }: IndexEntry) =>
    recurs ? [seriesByTime] : series ? [byTime, exceptionsByTime, starts] : [byTime, starts];

  /** Gives an entry the last position. */
  function moveLast(entry: IndexEntry): void {
    const index = firstIndex(inOrder, ({ position }) => position >= entry.position);
    if (inOrder[index] === entry) inOrder.splice(index, 1);
    entry.position = lastPosition += 1;
    inOrder.push(entry);
  }

  function withUid(iCalUID: string): Iterable<IndexEntry> {
    const found = byUid.get(iCalUID);
    return found instanceof Set ? found : found ? [found] : [];
  }

  function noteChange(entry: IndexEntry, { change, concernsSeries }: ChangedEntry): void {
    if (change.shared) changes.note(entry, inOrder.length);
    if (!change.shared || !change.open)
      for (const identity of change.viewers) changes.note(entry, inOrder.length, identity);
    if (change.open) entry.openChange = entry.change;
    if (change.shared && concernsSeries) entry.seriesChange = entry.change;
  }

  /** Exceptions take place by their series too. */
  const isDaily = ({ record, series }: IndexEntry): boolean =>
    hasDays(recordAsOnCalendar(record, calendarId)) ||
    (series !== undefined && hasDays(recordAsOnCalendar(series, calendarId)));

  return {
    get: (id) => byId.get(id),

    *behind(position) {
      for (
        let index = firstIndex(inOrder, (entry) => entry.position > position);
        index < inOrder.length;
        index += 1
      )
        yield inOrder[index] as IndexEntry;
    },

    drop(id, key) {
      const entry = byId.get(id);
      if (entry?.record.key !== key) return;
      byId.delete(id);
      inOrder.splice(inOrder.indexOf(entry), 1);
      for (const index of timesOf(entry)) index.remove(entry);
      seriesHere.delete(entry);
      const iCalUID = (entry.series ?? entry.record).core.iCalUID ?? '';
      const known = byUid.get(iCalUID);
      if (known instanceof Set) known.delete(entry);
      else byUid.delete(iCalUID);
      // Its lines in the log count no more.
      Object.assign(entry, { change: -1, changesFor: undefined });
    },

    allDay(most) {
      let count = 0;
      for (const entry of inOrder) if (count < most && isDaily(entry)) count += 1;
      return count;
    },

    async prepareZone(zone) {
      for (const entry of [...inOrder]) {
        const turn = eventLoop.enter();
        if (turn) await turn;
        if (isDaily(entry)) spanOn({ calendarId, zone }, storedIn(entry));
      }
    },

    moveDays(zone) {
      for (const entry of inOrder) {
        if (!isDaily(entry)) continue;
        for (const index of timesOf(entry)) index.remove(entry);
        entry.span = spanOn({ calendarId, zone }, storedIn(entry));
        for (const index of timesOf(entry)) index.add(entry);
      }
    },

    withUid: (iCalUID) => [...withUid(iCalUID)].map(({ record }) => record),

    standingBehind: (id, limit) =>
      [...byId]
        .filter(([eventId]) => eventId > id)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .slice(0, limit)
        .map(([eventId, entry]) => ({ eventId, ...storedIn(entry) })),

    put(next) {
      const { eventId, record, series, cancelled, recurs, along, updated, openUpdated, viewers } = next;
      const shown: Shown = {
        ...storedOf(record, series),
        cancelled,
        recurs,
        along,
        updated,
        openUpdated,
        viewers,
      };
      const hiddenFrom: ReadonlySet<string> =
        next.hiddenFrom.length === 0 ? nobody : new Set(next.hiddenFrom);
      let entry = byId.get(eventId);
      if (!entry) {
        entry = {
          ...shown,
          hiddenFrom,
          span: spanOn(next, next),
          position: 0,
          change: 0,
          openChange: 0,
          seriesChange: 0,
        };
        byId.set(eventId, entry);
        addUid(next.iCalUID, entry);
        for (const index of timesOf(entry)) index.add(entry);
        moveLast(entry);
      } else {
        // For those who have not seen the event so far it comes now: its position must not show when it was made.
        if ((entry.change === 0 && next.change.shared) || (entry.openChange === 0 && next.change.open))
          moveLast(entry);
        const span = next.keepsSpan ? entry.span : spanOn(next, next);
        const moves =
          recurs !== entry.recurs ||
          span.from !== entry.span.from ||
          span.to !== entry.span.to ||
          span.start !== entry.span.start;
        if (moves) for (const index of timesOf(entry)) index.remove(entry);
        Object.assign(entry, shown);
        entry.span = span;
        if (moves) for (const index of timesOf(entry)) index.add(entry);
        entry.hiddenFrom = hiddenFrom;
      }
      if (recurs) seriesHere.add(entry);
      else seriesHere.delete(entry);
      noteChange(entry, next);
    },

    revision: () => changes.revision(),

    page: (query) => pageOf(parts, query),
  };
}

/** When an entry was last changed for anybody. */
function latestOf({ updated, viewers }: IndexEntry): number {
  let latest = updated;
  for (const identity in viewers) latest = Math.max(latest, viewers[identity] ?? latest);
  return latest;
}

const nobody: ReadonlySet<string> = new Set();
