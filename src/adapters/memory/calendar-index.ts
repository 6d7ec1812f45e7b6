import { eventLoop } from '../../core/runtime/event-loop.ts';
import type { StandingEvent } from '../../event/event.store.ts';
import { recordAsOnCalendar, storedOf, type StoredEvent } from '../../event/model/record.ts';
import {
  type CalendarEntry,
  type ChangedEntry,
  hasDays,
  type Span,
  spanOn,
} from '../../event/projection/projection.ts';
import { createChangeLog, firstIndex, type Logged } from './change-log.ts';
import { createTimeIndex } from './time-index.ts';

/** Fields of an entry that keep the values worked out last. */
type Shown = Pick<
  CalendarEntry,
  'record' | 'series' | 'cancelled' | 'recurs' | 'along' | 'updated' | 'openUpdated' | 'viewers'
>;

/** An event on the calendar; entries change in place. */
export interface IndexEntry extends Shown, Logged {
  position: number;
  span: Span;
  /** Readers from whom the other guests are hidden. */
  hiddenFrom: ReadonlySet<string>;
  /** The number of the last change that they see too. */
  openChange: number;
  /** The number of the last change while it was a series. */
  seriesChange: number;
}

/** The events of one calendar: by id, by iCalUID, by time, in the order in which they came, and in that in which they changed. */
export class CalendarIndex {
  readonly calendarId: string;
  readonly byId = new Map<string, IndexEntry>();
  readonly inOrder: IndexEntry[] = [];
  /** All but series. */
  readonly byTime = createTimeIndex<IndexEntry>();
  readonly seriesByTime = createTimeIndex<IndexEntry>();
  readonly exceptionsByTime = createTimeIndex<IndexEntry>();
  readonly seriesHere = new Set<IndexEntry>();
  readonly changes;
  readonly #byUid = new Map<string, IndexEntry[]>();
  #lastPosition = 0;

  /** `epoch` sets apart the revisions of this process from those of one before it. */
  constructor(calendarId: string, epoch: string) {
    this.calendarId = calendarId;
    this.changes = createChangeLog<IndexEntry>(epoch, latestOf);
  }

  withUid(iCalUID: string): readonly IndexEntry[] {
    return this.#byUid.get(iCalUID) ?? [];
  }

  /** The entries behind a position, in order, also while entries are added and moved: costs what is read. */
  *behind(position: number): Generator<IndexEntry> {
    const { inOrder } = this;
    let last = position;
    for (let index = this.#firstBehind(last); index < inOrder.length; index += 1) {
      const entry = inOrder[index] as IndexEntry;
      last = entry.position;
      yield entry;
      if (inOrder[index]?.position !== last) index = this.#firstBehind(last) - 1;
    }
  }

  /** Entries behind an id, in the order of ids, up to a limit. */
  standingBehind(id: string, limit: number): StandingEvent[] {
    return [...this.byId]
      .filter(([eventId]) => eventId > id)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, limit)
      .map(([eventId, entry]) => ({ eventId, ...storedIn(entry) }));
  }

  put(next: ChangedEntry): void {
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
    const hiddenFrom: ReadonlySet<string> = next.hiddenFrom.length === 0 ? nobody : new Set(next.hiddenFrom);
    let entry = this.byId.get(eventId);
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
      this.byId.set(eventId, entry);
      this.#addUid(next.iCalUID, entry);
      for (const index of this.#timesOf(entry)) index.add(entry);
      this.#moveLast(entry);
    } else {
      // An event comes now for readers who have not seen it so far: its position must not show when it was made.
      if ((entry.change === 0 && next.change.shared) || (entry.openChange === 0 && next.change.open))
        this.#moveLast(entry);
      const span = next.keepsSpan ? entry.span : spanOn(next, next);
      const moves =
        recurs !== entry.recurs ||
        span.from !== entry.span.from ||
        span.to !== entry.span.to ||
        span.start !== entry.span.start;
      if (moves) for (const index of this.#timesOf(entry)) index.remove(entry);
      Object.assign(entry, shown);
      entry.span = span;
      if (moves) for (const index of this.#timesOf(entry)) index.add(entry);
      entry.hiddenFrom = hiddenFrom;
    }
    if (recurs) this.seriesHere.add(entry);
    else this.seriesHere.delete(entry);
    this.#noteChange(entry, next);
  }

  /** Removes an event that was never visible on this calendar, or is not any more. */
  drop(id: string, key: string): void {
    const entry = this.byId.get(id);
    if (entry?.record.key !== key) return;
    this.byId.delete(id);
    this.inOrder.splice(this.inOrder.indexOf(entry), 1);
    for (const index of this.#timesOf(entry)) index.remove(entry);
    this.seriesHere.delete(entry);
    const iCalUID = (entry.series ?? entry.record).core.iCalUID ?? '';
    const others = this.withUid(iCalUID).filter((one) => one !== entry);
    if (others.length > 0) this.#byUid.set(iCalUID, others);
    else this.#byUid.delete(iCalUID);
    // Lines of the entry in the log count no more.
    Object.assign(entry, { change: -1, changesFor: undefined });
  }

  /** How many entries begin or end with a day, up to `max`. */
  countDaily(max: number): number {
    let count = 0;
    for (const entry of this.inOrder) if (count < max && this.#isDaily(entry)) count += 1;
    return count;
  }

  /** Works out the days by another zone, which are remembered; yields to other requests. */
  async prepareZone(zone: string): Promise<void> {
    for (const entry of [...this.inOrder]) {
      const turn = eventLoop.enter();
      if (turn) await turn;
      if (this.#isDaily(entry)) spanOn({ calendarId: this.calendarId, zone }, storedIn(entry));
    }
  }

  /** Days begin by another zone from now on. */
  moveDays(zone: string): void {
    for (const entry of this.inOrder) {
      if (!this.#isDaily(entry)) continue;
      for (const index of this.#timesOf(entry)) index.remove(entry);
      entry.span = spanOn({ calendarId: this.calendarId, zone }, storedIn(entry));
      for (const index of this.#timesOf(entry)) index.add(entry);
    }
  }

  #firstBehind(position: number): number {
    return firstIndex(this.inOrder, (entry) => entry.position > position);
  }

  #addUid(iCalUID: string | undefined, entry: IndexEntry): void {
    if (iCalUID === undefined) return;
    const others = this.#byUid.get(iCalUID);
    if (others) others.push(entry);
    else this.#byUid.set(iCalUID, [entry]);
  }

  #timesOf({ recurs, series }: IndexEntry) {
    if (recurs) return [this.seriesByTime];
    return series ? [this.byTime, this.exceptionsByTime] : [this.byTime];
  }

  /** Exceptions take place by their series too. */
  #isDaily({ record, series }: IndexEntry): boolean {
    return [record, series].some((one) => one && hasDays(recordAsOnCalendar(one, this.calendarId)));
  }

  /** Gives an entry the last position. */
  #moveLast(entry: IndexEntry): void {
    const index = this.#firstBehind(entry.position - 1);
    if (this.inOrder[index] === entry) this.inOrder.splice(index, 1);
    entry.position = this.#lastPosition += 1;
    this.inOrder.push(entry);
  }

  #noteChange(entry: IndexEntry, { change, concernsSeries }: ChangedEntry): void {
    const { changes, inOrder } = this;
    if (change.shared) changes.note(entry, inOrder.length);
    if (!change.shared || !change.open)
      for (const identity of change.viewers) changes.note(entry, inOrder.length, identity);
    if (change.open) entry.openChange = entry.change;
    if (change.shared && concernsSeries) entry.seriesChange = entry.change;
  }
}

/** The event of an entry, to hand out: the entry itself changes in place. */
export const storedIn = ({ record, series }: IndexEntry): StoredEvent => storedOf(record, series);

/** When an entry was last changed for anybody. */
const latestOf = ({ updated, viewers }: IndexEntry): number => Math.max(updated, ...Object.values(viewers));

const nobody: ReadonlySet<string> = new Set();
