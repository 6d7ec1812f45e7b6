import type { EventPage, EventQuery, ListedEvent, StoredEvent } from '../../event/event.store.ts';
import { hidesGuests, isCancelled, updatedAt, type EventRecord } from '../../event/model/record.ts';
import type { Span } from '../../event/model/span.ts';
import { createTimeIndex } from './time-index.ts';

export interface Entry extends StoredEvent {
  readonly position: number;
  record: EventRecord;
  series?: EventRecord;
  span: Span;
  /** When it was last changed as this calendar shows it, but for what users keep on it: epoch milliseconds. */
  updated: number;
  /** The number of the last change of this event on this calendar. */
  change: number;
}

interface LogLine {
  readonly change: number;
  readonly entry: Entry;
  /** The latest time at which an entry up to here was changed: it grows with the log. */
  readonly latest: number;
}

/** The events of one calendar: by id, by iCalUID, by time, in the order in which they came, and in that in which they changed. */
export interface CalendarIndex {
  get(id: string): Entry | undefined;
  withUid(iCalUID: string): EventRecord[];
  /** Puts an event in its place; `isChange` when it looks different on this calendar. */
  put(id: string, event: StoredEvent & { readonly span: Span }, isChange: boolean): void;
  page(query: EventQuery): EventPage | undefined;
}

/** `epoch` sets apart the marks of this process from those of one before it; `exceptionsOf` knows those of all calendars. */
export function createCalendarIndex(calendarId: string, epoch: string, exceptionsOf: (series: EventRecord) => readonly EventRecord[]): CalendarIndex {
  const byId = new Map<string, Entry>();
  const byUid = new Map<string, Entry | Set<Entry>>();
  const inOrder: Entry[] = [];
  const byTime = createTimeIndex<Entry>();
  let log: LogLine[] = [];
  let lastChange = 0;

  function note(entry: Entry): void {
    entry.change = lastChange += 1;
    addLine(log, entry);
    // Only an entry's last change counts; the rest is dropped before it outgrows the entries.
    if (log.length <= 2 * inOrder.length + 16) return;
    const kept = log.filter(({ change, entry: { change: last } }) => change === last);
    log = [];
    for (const line of kept) addLine(log, line.entry);
  }

  function addLine(lines: LogLine[], entry: Entry): void {
    const viewers = Object.values(entry.record.copies[calendarId]?.viewers ?? {}).map(({ stamp }) => Date.parse(stamp.at));
    lines.push({ change: entry.change, entry, latest: Math.max(lines.at(-1)?.latest ?? -Infinity, entry.updated, ...viewers) });
  }

  /** Those that changed behind a mark, or at a time or later; of the latter it may be more. */
  function changedSince(change: number, time = -Infinity): Entry[] {
    const first = firstIndex(log, (line) => line.change > change && line.latest >= time);
    const changed = log.slice(first).filter((line) => line.entry.change === line.change);
    return changed.map(({ entry }) => entry).sort((a, b) => a.position - b.position);
  }

  function addUid(iCalUID: string | undefined, entry: Entry): void {
    if (iCalUID === undefined) return;
    const known = byUid.get(iCalUID);
    if (known instanceof Set) known.add(entry);
    else byUid.set(iCalUID, known ? new Set([known, entry]) : entry);
  }

  const uidOf = ({ record, series }: StoredEvent): string | undefined => (series ?? record).core.iCalUID;
  const isSeries = ({ record }: Entry): boolean => (record.core.recurrence ?? []).length > 0;
  /** An exception comes with its series where that is on this calendar too. */
  const comesAlong = ({ series }: Entry): boolean => series?.copies[calendarId] !== undefined;

  function isWanted(entry: Entry, { cancelled, updatedMin, identity, between, expand, accepts }: EventQuery): boolean {
    const { record, series, span } = entry;
    if (expand && series && comesAlong(entry)) return false;
    const copy = record.copies[calendarId];
    // What an exception shows is for `accepts` to say, which knows what it takes from its series.
    if (!cancelled && !series && copy && isCancelled(record, copy)) return false;
    if (between && (span.from >= between.to || span.to <= between.from)) return false;
    if (updatedMin !== undefined && timeOf(entry, identity) < updatedMin) return false;
    return accepts(entry);
  }

  /** When an event was last changed here; an exception without a copy of its own is shown through that of its series. */
  const updatedOf = ({ record, series }: StoredEvent, identity?: string): number =>
    Math.max(...[record, ...(series ? [series] : [])].map((one) => {
      const copy = one.copies[calendarId] ?? series?.copies[calendarId];
      return copy ? Date.parse(updatedAt(one, copy, hidesGuests(one.copies[calendarId] ? one : series ?? one, copy), identity)) : 0;
    }));

  function timeOf(entry: Entry, identity: string): number {
    const { record, series, updated } = entry;
    const isOwn = record.copies[calendarId]?.viewers?.[identity] ?? series?.copies[calendarId]?.viewers?.[identity];
    return isOwn ? updatedOf(entry, identity) : updated;
  }

  const listed = (entry: Entry, at: number, expand: boolean): ListedEvent => {
    const { position, record, series } = entry;
    return { position, at, record, ...(series && { series }), ...(expand && isSeries(entry) && { exceptions: exceptionsOf(record) }) };
  };

  /** The entries a query looks through, in its order, each with the time that the order goes by. */
  function candidates(query: EventQuery): { entries: Iterable<Entry>; at: (entry: Entry) => number } | undefined {
    const { since, knows, order, identity, between, iCalUID, updatedMin, after } = query;
    const start = since === undefined ? 0 : changeOf(since, epoch, lastChange);
    if (start === undefined || (knows !== undefined && changeOf(knows, epoch, lastChange) === undefined)) return undefined;
    const uid = iCalUID === undefined ? undefined : byUid.get(iCalUID);
    const own = iCalUID === undefined ? undefined : uid instanceof Set ? [...uid] : uid ? [uid] : [];
    if (order === 'position') {
      const all = own ?? (since !== undefined || updatedMin !== undefined ? changedSince(start, updatedMin) : between ? byTime.touching(between) : inOrder);
      return { entries: behind([...sorted(all, inOrder, (a, b) => a.position - b.position)], after?.position ?? -1), at: () => 0 };
    }
    const at = order === 'updated' ? (entry: Entry): number => timeOf(entry, identity) : (entry: Entry): number => entry.span.start;
    const found = [...(own ?? (updatedMin !== undefined ? changedSince(0, updatedMin) : between ? byTime.touching(between) : inOrder))].map((entry) => ({ entry, at: at(entry) }));
    found.sort((a, b) => a.at - b.at || a.entry.position - b.entry.position);
    // A series that begins before the page may have instances behind.
    const rest = after ? found.filter((one) => (order === 'start' && isSeries(one.entry)) || one.at > after.at || (one.at === after.at && one.entry.position > after.position)) : found;
    return { entries: rest.map(({ entry }) => entry), at };
  }

  return {
    get: (id) => byId.get(id),

    withUid(iCalUID) {
      const found = byUid.get(iCalUID);
      return (found instanceof Set ? [...found] : found ? [found] : []).map(({ record }) => record);
    },

    put(id, { record, series, span }, isChange) {
      let entry = byId.get(id);
      const updated = updatedOf({ record, series });
      if (!entry) {
        entry = { position: inOrder.length, record, series, span, updated, change: 0 };
        byId.set(id, entry);
        inOrder.push(entry);
        addUid(uidOf(entry), entry);
        byTime.add(entry);
      } else {
        if (span.from !== entry.span.from || span.to !== entry.span.to || span.start !== entry.span.start) {
          byTime.remove(entry);
          entry.span = span;
          byTime.add(entry);
        }
        Object.assign(entry, { record, updated, ...(series && { series }) });
      }
      if (isChange) note(entry);
    },

    page(query) {
      const found = candidates(query);
      if (!found) return undefined;
      const { order, limit, expand } = query;
      const entries: ListedEvent[] = [];
      const series: ListedEvent[] = [];
      for (const entry of found.entries) {
        if (entries.length > limit && order !== 'start') break;
        const apart = order === 'start' && isSeries(entry);
        if (!apart && entries.length > limit) continue;
        if (!isWanted(entry, query)) continue;
        (apart ? series : entries).push(listed(entry, found.at(entry), expand));
      }
      return { entries: entries.slice(0, limit), more: entries.length > limit, series, mark: `${epoch}.${lastChange}` };
    },
  };
}

/** What is in order already is not sorted again. */
function sorted<T>(entries: Iterable<T>, inOrder: readonly T[], compare: (a: T, b: T) => number): Iterable<T> {
  return entries === inOrder ? entries : [...entries].sort(compare);
}

const behind = (entries: readonly Entry[], position: number): readonly Entry[] =>
  position < 0 ? entries : entries.slice(firstIndex(entries, (entry) => entry.position > position));

function changeOf(mark: string, epoch: string, last: number): number | undefined {
  const [of, text = ''] = mark.split('.');
  const change = Number(text);
  return of === epoch && /^\d+$/.test(text) && change <= last ? change : undefined;
}

/** The index of the first entry that a rising condition holds for, by bisection; the length when there is none. */
function firstIndex<T>(list: readonly T[], holds: (entry: T) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(list[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}
