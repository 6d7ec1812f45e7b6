import { eventLoop } from '../../core/runtime/event-loop.ts';
import type { EventPage, EventQuery, ListCandidate, ListedEvent } from '../../event/event.store.ts';
import { type CalendarIndex, type IndexEntry, storedIn } from './calendar-index.ts';
import { lazilySorted } from './lazily-sorted.ts';
import { compareStarts, type Started, startOf } from './time-index.ts';

/** An entry, and where it stood when the page was begun: it is listed there, whatever becomes of it meanwhile. */
type Candidate = Started<IndexEntry>;

/** What one page is read for. */
interface Reading {
  readonly index: CalendarIndex;
  readonly query: EventQuery;
  /** The number of the change behind which to begin. */
  readonly since: number | undefined;
  /** Series of which the query asks for a changed instance, though not for them. */
  readonly brought: ReadonlySet<IndexEntry>;
}

/** Long pages yield to other requests. A concurrent change is either in the page or newer than the query's revision. */
export async function pageOf(index: CalendarIndex, query: EventQuery): Promise<EventPage | undefined> {
  const { changes } = index;
  const since = query.since === undefined ? undefined : changes.at(query.since);
  if (
    (query.since !== undefined && since === undefined) ||
    (query.revision !== undefined && changes.at(query.revision) === undefined)
  )
    return undefined;
  const reading: Reading = { index, query, since, brought: broughtBy(index, query) };
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
  { byId, exceptionsByTime, changes, calendarId }: CalendarIndex,
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
  const { index, query, brought } = reading;
  const { seriesHere, seriesByTime, inOrder } = index;
  const { order, after, between, iCalUID, onCollect } = query;
  if (order === 'start') {
    const own = iCalUID === undefined ? undefined : index.withUid(iCalUID);
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
  if (order === 'position' && !found)
    return { entries: standing(index.behind(after?.position ?? 0)), series: [] };
  const all = found ?? inOrder;
  onCollect?.(all.length);
  const collected = all
    .map((entry): Candidate => ({
      entry,
      at: order === 'position' ? 0 : timeOf(entry, query),
      position: entry.position,
    }))
    .filter((candidate) => isBehind(candidate, query));
  return { entries: lazilySorted(collected, compareStarts), series: [] };
}

/** The entries to search where a query asks for less than the whole calendar. */
function narrowed({ index, query, since, brought }: Reading): readonly IndexEntry[] | undefined {
  const { byTime, seriesByTime, changes } = index;
  const { identity, between, iCalUID, updatedMin } = query;
  if (since !== undefined)
    return changes.since(since, identity, updatedMin).filter((entry) => changeOf(entry, query) > since);
  if (iCalUID !== undefined) return index.withUid(iCalUID);
  if (updatedMin !== undefined) return [...new Set([...changes.since(0, identity, updatedMin), ...brought])];
  return between && [...byTime.overlapping(between), ...seriesByTime.overlapping(between), ...brought];
}

/** Single events in the order of their starts, within the query's time and behind its last entry. */
function* startingFrom(
  { index: { byTime }, query }: Reading,
  own: readonly IndexEntry[] | undefined,
): Generator<Candidate> {
  const { between, after, onCollect } = query;
  const [from, to] = [between?.from ?? -Infinity, between?.to ?? Infinity];
  const running =
    own || from === -Infinity
      ? []
      : [...byTime.overlapping({ from, to: from + 1 })].filter(({ span }) => span.start < from);
  onCollect?.(running.length);
  const begun = lazilySorted(running.map(startOf), compareStarts);
  const starting = own
    ? own.map(startOf).sort(compareStarts)
    : byTime.startingFrom(Math.max(from, after?.at ?? -Infinity));
  for (const candidates of [begun, starting])
    for (const candidate of candidates) {
      if (candidate.at >= to && to !== Infinity) return;
      if (!candidate.entry.recurs && isBehind(candidate, query)) yield candidate;
    }
}

function* standing(entries: Iterable<IndexEntry>): Generator<Candidate> {
  for (const entry of entries) yield { entry, at: 0, position: entry.position };
}

const isBehind = (candidate: Candidate, { after }: EventQuery): boolean =>
  !after || compareStarts(candidate, after) > 0;
