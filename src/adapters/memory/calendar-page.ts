import { eventLoop } from '../../core/runtime/event-loop.ts';
import type { EventPage, EventQuery, ListCandidate, ListedEvent } from '../../event/event.store.ts';
import { firstIndex, type ChangeLog } from './change-log.ts';
import {
  compareStarts,
  type IndexEntry,
  lazilySorted,
  type Started,
  type StartIndex,
  startOf,
  storedIn,
  type TimeIndex,
} from './order-indexes.ts';

/** The indexes of one calendar, as pages are read from them. */
export interface IndexParts {
  readonly calendarId: string;
  readonly byId: ReadonlyMap<string, IndexEntry>;
  readonly inOrder: readonly IndexEntry[];
  /** All but series. */
  readonly byTime: TimeIndex<IndexEntry>;
  readonly seriesByTime: TimeIndex<IndexEntry>;
  readonly exceptionsByTime: TimeIndex<IndexEntry>;
  /** All but series. */
  readonly starts: StartIndex<IndexEntry>;
  readonly seriesHere: ReadonlySet<IndexEntry>;
  readonly changes: ChangeLog<IndexEntry>;
  readonly withUid: (iCalUID: string) => Iterable<IndexEntry>;
}

/** An entry, and where it stood when the page was begun: it is listed there, whatever becomes of it meanwhile. */
type Candidate = Started<IndexEntry>;

/** What one page is read for. */
interface Reading {
  readonly parts: IndexParts;
  readonly query: EventQuery;
  /** The number of the change behind which to begin. */
  readonly since: number | undefined;
  /** Series of which the query asks for a changed instance, though not for them. */
  readonly brought: ReadonlySet<IndexEntry>;
}

/** Long pages yield to other requests. A concurrent change is either in the page or newer than the page's revision. */
export async function pageOf(parts: IndexParts, query: EventQuery): Promise<EventPage | undefined> {
  const { changes } = parts;
  const since = query.since === undefined ? undefined : changes.at(query.since);
  if (
    (query.since !== undefined && since === undefined) ||
    (query.revision !== undefined && changes.at(query.revision) === undefined)
  )
    return undefined;
  const reading: Reading = { parts, query, since, brought: broughtBy(parts, query) };
  const { entries: all, series: allSeries } = candidates(reading);
  const entries = await wanted(reading, all, query.limit + 1);
  const series = (await wanted(reading, allSeries, Infinity)).sort((a, b) => a.position - b.position);
  return {
    entries: entries.slice(0, query.limit),
    more: entries.length > query.limit,
    series,
    revision: query.revision,
  };
}

async function wanted(reading: Reading, all: Iterable<Candidate>, most: number): Promise<ListedEvent[]> {
  const chosen = new Map<IndexEntry, ListedEvent>(); // an entry that moves meanwhile comes once
  for (const { entry, at } of all) {
    if (chosen.size === most) break;
    const turn = eventLoop.enter();
    if (turn) await turn;
    if (isWanted(entry, reading)) chosen.set(entry, listed(entry, at, reading));
  }
  return [...chosen.values()];
}

function isWanted(entry: IndexEntry, { query, brought }: Reading): boolean {
  const { cancelled, expand, order, accepts } = query;
  if (expand && order !== 'updated' && entry.along) return false;
  // What an exception shows is for `accepts` to say, which knows what it takes from its series.
  if (!cancelled && entry.cancelled) return false;
  if (!isAskedFor(entry, query) && !brought.has(entry)) return false;
  return accepts(foundIn(entry, query));
}

/** Whether an entry is within the query's time, and was changed late enough. */
const isAskedFor = (entry: IndexEntry, query: EventQuery): boolean =>
  (!query.between || isWithin(entry, query.between)) &&
  (query.updatedMin === undefined || timeOf(entry, query) >= query.updatedMin);

/** The entry itself, without a copy: `accepts` reads it at once. */
const foundIn = (entry: IndexEntry, query: EventQuery): ListCandidate =>
  changeOf(entry, query) === 0 ? { ...storedIn(entry), neverSeen: true } : entry;

function listed(
  { record, series, position, seriesChange }: IndexEntry,
  at: number,
  { since }: Reading,
): ListedEvent {
  const found = series ? { record, series, position, at } : { record, position, at };
  return since !== undefined && seriesChange > since ? { ...found, wasSeries: true } : found;
}

const isHidden = (entry: IndexEntry, { identity, seesHidden }: EventQuery): boolean =>
  !seesHidden && entry.hiddenFrom.has(identity);

/** The number of the last change of an entry that the caller sees. */
const changeOf = (entry: IndexEntry, query: EventQuery): number =>
  Math.max(
    isHidden(entry, query) ? entry.openChange : entry.change,
    entry.changesFor?.get(query.identity) ?? 0,
  );

const timeOf = (entry: IndexEntry, query: EventQuery): number =>
  Math.max(isHidden(entry, query) ? entry.openUpdated : entry.updated, entry.viewers[query.identity] ?? 0);

const isWithin = ({ span }: IndexEntry, { from, to }: NonNullable<EventQuery['between']>): boolean =>
  span.from < to && span.to > from;

function broughtBy(
  { byId, exceptionsByTime, changes, calendarId }: IndexParts,
  query: EventQuery,
): ReadonlySet<IndexEntry> {
  const { between, updatedMin, expand, order, identity } = query;
  if (!expand || order === 'updated' || (!between && updatedMin === undefined)) return new Set();
  const found = between ? exceptionsByTime.overlapping(between) : changes.since(0, identity, updatedMin);
  const series = [...found].flatMap((entry) =>
    entry.along && entry.series && isAskedFor(entry, query)
      ? (byId.get(entry.series.copies[calendarId]?.id ?? '') ?? [])
      : [],
  );
  return new Set(series.filter((entry) => !isAskedFor(entry, query)));
}

/** The entries that a query searches, in its order; with the order `start` its series apart. */
function candidates(reading: Reading): {
  readonly entries: Iterable<Candidate>;
  readonly series: Iterable<Candidate>;
} {
  const {
    parts: { seriesHere, seriesByTime, inOrder, withUid },
    query,
    brought,
  } = reading;
  const { order, after, between, iCalUID, onCollect } = query;
  if (order === 'start') {
    const own = iCalUID === undefined ? undefined : [...withUid(iCalUID)];
    const series =
      own?.filter(({ recurs }) => recurs) ??
      (between ? [...seriesByTime.overlapping(between), ...brought] : [...seriesHere]);
    return {
      entries: startingFrom(
        reading,
        own?.filter(({ recurs }) => !recurs),
      ),
      series: series.map(startOf),
    };
  }
  const found = narrowed(reading);
  if (order === 'position' && !found) return { entries: behind(inOrder, after?.position ?? 0), series: [] };
  const all = found ?? inOrder;
  onCollect?.(all.length);
  const collected: Candidate[] = [];
  for (const entry of all) {
    const candidate = {
      entry,
      at: order === 'position' ? 0 : timeOf(entry, query),
      position: entry.position,
    };
    if (!after || compareStarts(candidate, after) > 0) collected.push(candidate);
  }
  return { entries: lazilySorted(collected, compareStarts), series: [] };
}

/** The entries to search where a query asks for less than the whole calendar. */
function narrowed({
  parts: { byTime, seriesByTime, changes, withUid },
  query,
  since,
  brought,
}: Reading): readonly IndexEntry[] | undefined {
  const { identity, between, iCalUID, updatedMin } = query;
  if (since !== undefined)
    return changes.since(since, identity, updatedMin).filter((entry) => changeOf(entry, query) > since);
  if (iCalUID !== undefined) return [...withUid(iCalUID)];
  if (updatedMin !== undefined) return [...new Set([...changes.since(0, identity, updatedMin), ...brought])];
  return between && [...byTime.overlapping(between), ...seriesByTime.overlapping(between), ...brought];
}

/** Single events in the order of their starts, within the query's time and behind its last entry. */
function* startingFrom(
  { parts: { byTime, starts }, query: { between, after, onCollect } }: Reading,
  own: readonly IndexEntry[] | undefined,
): Generator<Candidate> {
  const [from, to] = [between?.from ?? -Infinity, between?.to ?? Infinity];
  const running =
    own || from === -Infinity
      ? []
      : [...byTime.overlapping({ from, to: from + 1 })].filter(({ span }) => span.start < from);
  onCollect?.(running.length);
  const begun = lazilySorted(running.map(startOf), compareStarts);
  const starting = own
    ? own.map(startOf).sort(compareStarts)
    : starts.from(Math.max(from, after?.at ?? -Infinity));
  for (const candidate of then(begun, starting)) {
    if (candidate.at >= to && to !== Infinity) return;
    if (!candidate.entry.recurs && (!after || compareStarts(candidate, after) > 0)) yield candidate;
  }
}

function* then(first: Iterable<Candidate>, second: Iterable<Candidate>): Generator<Candidate> {
  yield* first;
  yield* second;
}

/** The entries behind a position, also while entries are added and moved: a page costs what it shows. */
function* behind(entries: readonly IndexEntry[], position: number): Generator<Candidate> {
  let last = position;
  for (
    let index = firstIndex(entries, (entry) => entry.position > last);
    index < entries.length;
    index += 1
  ) {
    const entry = entries[index] as IndexEntry;
    last = entry.position;
    yield { entry, at: 0, position: last };
    if (entries[index]?.position !== last) index = firstIndex(entries, (one) => one.position > last) - 1;
  }
}
