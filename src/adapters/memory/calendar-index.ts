import type { EventPage, EventQuery, ListedEvent, StoredEvent } from '../../event/event.store.ts';
import { updatedOn, viewerTimes, type LookChange } from '../../event/model/look.ts';
import { isCancelled, type EventRecord } from '../../event/model/record.ts';
import type { Span } from '../../event/model/span.ts';
import { eventLoop } from '../../core/runtime/event-loop.ts';
import { createChangeLog, firstIndex, type Logged } from './change-log.ts';
import { byStart, createStartIndex } from './start-index.ts';
import { createTimeIndex } from './time-index.ts';

export interface Entry extends StoredEvent, Logged {
  readonly position: number;
  record: EventRecord;
  series?: EventRecord;
  span: Span;
  /** When it was last changed as this calendar shows it, but for what users keep on it: epoch milliseconds. */
  updated: number;
  /** When users last changed what they keep on it: epoch milliseconds by identity. */
  viewers: Readonly<Record<string, number>>;
}

/** The events of one calendar: by id, by iCalUID, by time, in the order in which they came, and in that in which they changed. */
export interface CalendarIndex {
  get(id: string): Entry | undefined;
  withUid(iCalUID: string): EventRecord[];
  /** Puts an event in its place; `change`: what that altered of its look on this calendar. */
  put(id: string, event: StoredEvent & { readonly span: Span }, change: LookChange): void;
  /** How far the calendar's changes have come. */
  mark(): string;
  /** A long one gives way to others: what changes meanwhile is in it, or behind its mark. */
  page(query: EventQuery): Promise<EventPage | undefined>;
}

/** `epoch` sets apart the marks of this process from those of one before it; `exceptionsOf` knows those of all calendars. */
export function createCalendarIndex(calendarId: string, epoch: string, exceptionsOf: (series: EventRecord) => readonly EventRecord[]): CalendarIndex {
  const byId = new Map<string, Entry>();
  const byUid = new Map<string, Entry | Set<Entry>>();
  const inOrder: Entry[] = [];
  const byTime = createTimeIndex<Entry>();
  const exceptionsByTime = createTimeIndex<Entry>();
  const changes = createChangeLog<Entry>(epoch, ({ updated, viewers }) => Math.max(updated, ...Object.values(viewers)));
  const starts = createStartIndex<Entry>();
  const seriesHere = new Set<Entry>();

  function addUid(iCalUID: string | undefined, entry: Entry): void {
    if (iCalUID === undefined) return;
    const known = byUid.get(iCalUID);
    if (known instanceof Set) known.add(entry);
    else byUid.set(iCalUID, known ? new Set([known, entry]) : entry);
  }

  function addTimes(entry: Entry): void {
    byTime.add(entry);
    if (entry.series) exceptionsByTime.add(entry);
    starts.add(entry);
  }

  const uidOf = ({ record, series }: StoredEvent): string | undefined => (series ?? record).core.iCalUID;
  const isSeries = ({ record }: Entry): boolean => (record.core.recurrence ?? []).length > 0;
  /** An exception comes with its series where that is on this calendar too. */
  const comesAlong = ({ series }: Entry): boolean => series?.copies[calendarId] !== undefined;

  const isWithin = ({ span }: Entry, { from, to }: NonNullable<EventQuery['between']>): boolean => span.from < to && span.to > from;

  /** Series of which a changed instance takes place in the query's time, though they do not themselves. */
  function movedWithin({ between, expand, order }: EventQuery): ReadonlySet<Entry> {
    if (!between || !expand || order === 'updated') return none;
    const all = [...exceptionsByTime.touching(between)].flatMap(({ series }) => byId.get(series?.copies[calendarId]?.id ?? '') ?? []);
    return new Set(all.filter((series) => !isWithin(series, between)));
  }

  function isWanted(entry: Entry, { cancelled, updatedMin, identity, between, expand, order, accepts }: EventQuery, moved: ReadonlySet<Entry>): boolean {
    const { record, series } = entry;
    if (expand && order !== 'updated' && series && comesAlong(entry)) return false;
    const copy = record.copies[calendarId];
    // What an exception shows is for `accepts` to say, which knows what it takes from its series.
    if (!cancelled && !series && copy && isCancelled(record, copy)) return false;
    if (between && !isWithin(entry, between) && !moved.has(entry)) return false;
    if (updatedMin !== undefined && timeOf(entry, identity) < updatedMin) return false;
    return accepts(entry);
  }

  const timeOf = (entry: Entry, identity: string): number =>
    entry.viewers[identity] === undefined ? entry.updated : Math.max(entry.updated, entry.viewers[identity]);

  const listed = (entry: Entry, at: number, expand: boolean): ListedEvent => {
    const { position, record, series } = entry;
    return { position, at, record, ...(series && { series }), ...(expand && isSeries(entry) && { exceptions: exceptionsOf(record) }) };
  };

  /** The entries a query looks through, in its order, each with the time that the order goes by. */
  function candidates(query: EventQuery, moved: ReadonlySet<Entry>): { entries: Iterable<Entry>; at: (entry: Entry) => number; series: Iterable<Entry> } | undefined {
    const { since, knows, order, identity, between, iCalUID, updatedMin, after } = query;
    const start = since === undefined ? 0 : changes.at(since);
    if (start === undefined || (knows !== undefined && changes.at(knows) === undefined)) return undefined;
    const uid = iCalUID === undefined ? undefined : byUid.get(iCalUID);
    const own = iCalUID === undefined ? undefined : uid instanceof Set ? [...uid] : uid ? [uid] : [];
    if (order === 'position') {
      const all = own ?? (since !== undefined || updatedMin !== undefined ? byPosition(changes.since(start, identity, updatedMin)) : between ? [...byTime.touching(between), ...moved] : inOrder);
      const list = all === inOrder ? inOrder : byPosition(all);
      return { entries: behind(list, after?.position ?? -1), at: () => 0, series: [] };
    }
    if (order === 'start') {
      const series = [...(own?.filter(isSeries) ?? seriesHere)].sort((a, b) => a.position - b.position);
      return { entries: own ? startingFrom(query, [...own].sort(byStart)) : startingFrom(query), at: ({ span }) => span.start, series };
    }
    const at = (entry: Entry): number => timeOf(entry, identity);
    const found = [...(own ?? (updatedMin !== undefined ? changes.since(0, identity, updatedMin) : between ? byTime.touching(between) : inOrder))].map((entry) => ({ entry, at: at(entry) }));
    found.sort((a, b) => a.at - b.at || a.entry.position - b.entry.position);
    const rest = after ? found.filter((one) => one.at > after.at || (one.at === after.at && one.entry.position > after.position)) : found;
    const times = new Map(rest.map((one) => [one.entry, one.at])); // an entry stays where it was found
    return { entries: times.keys(), at: (entry) => times.get(entry) ?? 0, series: [] };
  }

  /** Single events in the order of their starts, within the query's time and behind its last entry. */
  function* startingFrom({ between, after }: EventQuery, own?: readonly Entry[]): Generator<Entry> {
    const [from, to] = [between?.from ?? -Infinity, between?.to ?? Infinity];
    const isBehind = ({ span, position }: Entry): boolean => !after || span.start > after.at || (span.start === after.at && position > after.position);
    const running = own || from === -Infinity ? [] : [...byTime.touching({ from, to: from + 1 })].filter(({ span }) => span.start < from).sort(byStart);
    for (const entry of running) if (isBehind(entry)) yield entry;
    for (const entry of own ?? starts.from(Math.max(from, after?.at ?? -Infinity))) {
      if (entry.span.start >= to && to !== Infinity) return;
      if (isBehind(entry)) yield entry;
    }
  }

  return {
    get: (id) => byId.get(id),

    withUid(iCalUID) {
      const found = byUid.get(iCalUID);
      return (found instanceof Set ? [...found] : found ? [found] : []).map(({ record }) => record);
    },

    put(id, { record, series, span }, change) {
      let entry = byId.get(id);
      const updated = updatedOn(calendarId, { record, series });
      const viewers = viewerTimes(calendarId, { record, series });
      if (!entry) {
        entry = { position: inOrder.length, record, series, span, updated, viewers, change: 0 };
        byId.set(id, entry);
        inOrder.push(entry);
        addUid(uidOf(entry), entry);
        addTimes(entry);
      } else {
        if (span.from !== entry.span.from || span.to !== entry.span.to || span.start !== entry.span.start) {
          byTime.remove(entry);
          exceptionsByTime.remove(entry);
          starts.remove(entry);
          entry.span = span;
          addTimes(entry);
        }
        Object.assign(entry, { record, updated, viewers, ...(series && { series }) });
      }
      if (isSeries(entry)) seriesHere.add(entry);
      else seriesHere.delete(entry);
      if (change.shared) changes.note(entry, inOrder.length);
      else for (const identity of change.viewers) changes.note(entry, inOrder.length, identity);
    },

    mark: () => changes.mark(),

    async page(query) {
      const moved = movedWithin(query);
      const found = candidates(query, moved);
      if (!found) return undefined;
      const { order, limit, expand } = query;
      const mark = changes.mark();
      const wanted = async (all: Iterable<Entry>, most: number): Promise<ListedEvent[]> => {
        const chosen = new Map<Entry, ListedEvent>(); // one that moves meanwhile comes once
        for (const entry of all) {
          if (chosen.size === most) break;
          const turn = eventLoop.enter();
          if (turn) await turn;
          if (isWanted(entry, query, moved)) chosen.set(entry, listed(entry, found.at(entry), expand));
        }
        return [...chosen.values()];
      };
      const isApart = (entry: Entry): boolean => order === 'start' && isSeries(entry);
      const entries = await wanted(without(found.entries, isApart), limit + 1);
      const series = await wanted(found.series, Infinity);
      return { entries: entries.slice(0, limit), more: entries.length > limit, series, mark };
    },
  };
}

const none: ReadonlySet<Entry> = new Set();

function* without<T>(all: Iterable<T>, isOut: (one: T) => boolean): Generator<T> {
  for (const one of all) if (!isOut(one)) yield one;
}

/** Those behind a position, one by one: a page costs what it shows, however many follow. */
function* behind(entries: readonly Entry[], position: number): Generator<Entry> {
  for (let index = firstIndex(entries, (entry) => entry.position > position); index < entries.length; index += 1) yield entries[index] as Entry;
}

const byPosition = (entries: Iterable<Entry>): Entry[] => [...entries].sort((a, b) => a.position - b.position);
