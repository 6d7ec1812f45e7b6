import { eventLoop } from '../../core/runtime/event-loop.ts';
import type { EventOnCalendar } from '../../event/event.store.ts';
import { recordAsOnCalendar, storedEventOf, type StoredEvent } from '../../event/model/record.ts';
import {
  type CalendarEntry,
  type ChangedEntry,
  dependsOnZone,
  type Span,
  spanOnCalendar,
} from '../../event/projection/projection.ts';
import { createChangeLog, findFirstIndex, type LoggedEntry } from './change-log.ts';
import { MultiMap } from './multi-map.ts';
import { createTimeIndex } from './time-index.ts';

/**
 * An event on one calendar. `update` sets the fields that each change computes; position and change numbers
 * stay.
 */
export class IndexEntry implements LoggedEntry {
  record!: CalendarEntry['record'];
  series: CalendarEntry['series'];
  iCalUID: CalendarEntry['iCalUID'];
  isCancelled!: boolean;
  isSeries!: boolean;
  followsSeries!: boolean;
  updatedMs!: number;
  publicUpdatedMs!: number;
  viewers!: CalendarEntry['viewers'];
  /** Readers from whom the other guests are hidden. */
  hiddenFrom!: ReadonlySet<string>;
  span: Span;
  /** Rank in the order in which events became visible on this calendar; 0 until `#moveToEnd` assigns one. */
  position = 0;
  /** See `LoggedEntry`, also for `changesFor`. */
  sharedChange = 0;
  changesFor?: Map<string, number>;
  /** Number of the last change that readers in `hiddenFrom` see too. */
  publicChange = 0;
  /** Number of the last change while the event was a series. */
  seriesChange = 0;

  constructor(event: CalendarEntry, span: Span) {
    this.span = span;
    this.update(event);
  }

  update(event: CalendarEntry): void {
    this.record = event.record;
    this.series = event.series;
    this.iCalUID = event.iCalUID;
    this.isCancelled = event.isCancelled;
    this.isSeries = event.isSeries;
    this.followsSeries = event.followsSeries;
    this.updatedMs = event.updatedMs;
    this.publicUpdatedMs = event.publicUpdatedMs;
    this.viewers = event.viewers;
    this.hiddenFrom = event.hiddenFrom.length === 0 ? noIdentities : new Set(event.hiddenFrom);
  }
}

/** The events of one calendar: by id, by iCalUID, by time, by position, and by their last change. */
export class CalendarIndex {
  readonly calendarId: string;
  readonly byId = new Map<string, IndexEntry>();
  readonly byPosition: IndexEntry[] = [];
  /** All events but series. */
  readonly byTime = createTimeIndex<IndexEntry>();
  readonly seriesByTime = createTimeIndex<IndexEntry>();
  readonly exceptionsByTime = createTimeIndex<IndexEntry>();
  readonly allSeries = new Set<IndexEntry>();
  readonly changeLog;
  readonly #byUid = new MultiMap<string, IndexEntry>();
  #lastPosition = 0;

  /** `revisionPrefix`: differs for each process. */
  constructor(calendarId: string, revisionPrefix: string) {
    this.calendarId = calendarId;
    this.changeLog = createChangeLog<IndexEntry>(revisionPrefix, lastChangeTimeMs);
  }

  entriesWithUid(iCalUID: string): readonly IndexEntry[] {
    return [...this.#byUid.valuesOf(iCalUID)];
  }

  /** Entries after a position, in order. Entries may be added and moved meanwhile; the cost grows with the entries read. */
  *entriesAfter(position: number): Generator<IndexEntry> {
    const { byPosition } = this;
    let lastPosition = position;
    for (let index = this.#firstIndexAfter(lastPosition); index < byPosition.length; index += 1) {
      const entry = byPosition[index] as IndexEntry;
      lastPosition = entry.position;
      yield entry;
      if (byPosition[index]?.position !== lastPosition) index = this.#firstIndexAfter(lastPosition) - 1;
    }
  }

  /** Finds the events after an id, sorted by id. */
  entriesAfterId(id: string, limit: number): EventOnCalendar[] {
    return [...this.byId]
      .filter(([eventId]) => eventId > id)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, limit)
      .map(([eventId, entry]) => ({ eventId, ...copyEvent(entry) }));
  }

  /** Adds or updates the entry of an event, and logs the change. */
  putEntry(next: ChangedEntry): void {
    const { eventId, iCalUID, isSeries: isNowSeries } = next;
    let entry = this.byId.get(eventId);
    if (!entry) {
      entry = new IndexEntry(next, spanOnCalendar(next, next));
      this.byId.set(eventId, entry);
      this.#addUid(entry);
      for (const index of this.#timeIndexesOf(entry)) index.add(entry);
      this.#moveToEnd(entry);
    } else {
      // An event that becomes visible to new readers gets a new position: the old one would reveal when it was created.
      if (
        (entry.sharedChange === 0 && next.change.isShared) ||
        (entry.publicChange === 0 && next.change.isPublic)
      )
        this.#moveToEnd(entry);
      const span = next.keepsSpan ? entry.span : spanOnCalendar(next, next);
      const hasMoved =
        isNowSeries !== entry.isSeries ||
        span.from !== entry.span.from ||
        span.to !== entry.span.to ||
        span.start !== entry.span.start;
      if (hasMoved) for (const index of this.#timeIndexesOf(entry)) index.remove(entry);
      const keepsUid = iCalUID === entry.iCalUID;
      if (!keepsUid) this.#removeUid(entry);
      entry.update(next);
      if (!keepsUid) this.#addUid(entry);
      entry.span = span;
      if (hasMoved) for (const index of this.#timeIndexesOf(entry)) index.add(entry);
    }
    if (isNowSeries) this.allSeries.add(entry);
    else this.allSeries.delete(entry);
    this.#logChange(entry, next);
  }

  /** Removes an event that was never visible on this calendar, or no longer is. */
  removeEntry(id: string, key: string): void {
    const entry = this.byId.get(id);
    if (entry?.record.key !== key) return;
    this.byId.delete(id);
    this.byPosition.splice(this.byPosition.indexOf(entry), 1);
    for (const index of this.#timeIndexesOf(entry)) index.remove(entry);
    this.allSeries.delete(entry);
    this.#removeUid(entry);
    // No line of the change log has the number -1, so the log drops all lines of this entry.
    entry.sharedChange = -1;
    entry.changesFor = undefined;
  }

  /** Counts the entries that begin or end with a day of the calendar's zone, up to `max`. */
  countAllDay(max: number): number {
    let count = 0;
    for (const entry of this.byPosition) if (count < max && this.#isAllDay(entry)) count += 1;
    return count;
  }

  /** Computes spans for another zone ahead of `moveToZone`: `spanOnCalendar` caches them. Yields to other requests. */
  async prepareZone(zone: string): Promise<void> {
    for (const entry of [...this.byPosition]) {
      const turn = eventLoop.enter();
      if (turn) await turn;
      if (this.#isAllDay(entry)) spanOnCalendar({ calendarId: this.calendarId, zone }, copyEvent(entry));
    }
  }

  /** Moves all-day entries to another zone, without yielding. */
  moveToZone(zone: string): void {
    for (const entry of this.byPosition) {
      if (!this.#isAllDay(entry)) continue;
      for (const index of this.#timeIndexesOf(entry)) index.remove(entry);
      entry.span = spanOnCalendar({ calendarId: this.calendarId, zone }, copyEvent(entry));
      for (const index of this.#timeIndexesOf(entry)) index.add(entry);
    }
  }

  #firstIndexAfter(position: number): number {
    return findFirstIndex(this.byPosition, (entry) => entry.position > position);
  }

  #addUid(entry: IndexEntry): void {
    if (entry.iCalUID !== undefined) this.#byUid.add(entry.iCalUID, entry);
  }

  #removeUid(entry: IndexEntry): void {
    if (entry.iCalUID !== undefined) this.#byUid.delete(entry.iCalUID, entry);
  }

  #timeIndexesOf({ isSeries, series }: IndexEntry) {
    if (isSeries) return [this.seriesByTime];
    return series ? [this.byTime, this.exceptionsByTime] : [this.byTime];
  }

  /**
   * Whether a day of the calendar's zone bounds the event: an exception may take its times from its series.
   */
  #isAllDay({ record, series }: IndexEntry): boolean {
    return [record, series].some(
      (event) => event && dependsOnZone(recordAsOnCalendar(event, this.calendarId)),
    );
  }

  #moveToEnd(entry: IndexEntry): void {
    // A new entry has position 0.
    if (entry.position > 0) this.byPosition.splice(this.#firstIndexAfter(entry.position - 1), 1);
    entry.position = this.#lastPosition += 1;
    this.byPosition.push(entry);
  }

  #logChange(entry: IndexEntry, { change, concernsSeries }: ChangedEntry): void {
    const { changeLog, byPosition } = this;
    if (change.isShared) changeLog.logChange(entry, byPosition.length);
    if (!change.isShared || !change.isPublic)
      for (const identity of change.viewers) changeLog.logChange(entry, byPosition.length, identity);
    if (change.isPublic) entry.publicChange = entry.sharedChange;
    if (change.isShared && concernsSeries) entry.seriesChange = entry.sharedChange;
  }
}

/** Copies the event of an entry for callers: the entry itself changes in place. */
export const copyEvent = ({ record, series }: IndexEntry): StoredEvent => storedEventOf(record, series);

const lastChangeTimeMs = ({ updatedMs, viewers }: IndexEntry): number =>
  Math.max(updatedMs, ...Object.values(viewers));

const noIdentities: ReadonlySet<string> = new Set();
