import { eventLoop } from '../../core/runtime/event-loop.ts';
import type { EventPage, EventQuery, ListCandidate, ListedEvent } from '../../event/event.store.ts';
import { type CalendarIndex, copyEvent, type IndexEntry } from './calendar-index.ts';
import { sortLazily } from './lazily-sorted.ts';
import { compareStarts, type StartCandidate, toStartCandidate } from './time-index.ts';

/** An entry with its sort key when the page was begun: concurrent changes do not move it in the list. */
type Candidate = StartCandidate<IndexEntry>;

/** A query while its page is read. */
interface PageContext {
  readonly index: CalendarIndex;
  readonly query: EventQuery;
  /** Number of the change after which the page begins; undefined for a page that is no sync. */
  readonly sinceChange: number | undefined;
  /** Series outside the query's range with an exception inside the range. */
  readonly parents: ReadonlySet<IndexEntry>;
}

/**
 * Reads a page, yielding to other requests. Concurrent changes are in the page or newer than the query's
 * revision. Undefined if a revision of the query is of another process.
 */
export async function readPage(index: CalendarIndex, query: EventQuery): Promise<EventPage | undefined> {
  const { changeLog } = index;
  const sinceChange = query.since === undefined ? undefined : changeLog.changeNumberOf(query.since);
  if (
    (query.since !== undefined && sinceChange === undefined) ||
    (query.revision !== undefined && changeLog.changeNumberOf(query.revision) === undefined)
  )
    return undefined;
  const page: PageContext = { index, query, sinceChange, parents: parentsOf(index, query) };
  const { entries: candidates, series: seriesCandidates } = findCandidates(page);
  const entries = await readListed(page, candidates, query.limit + 1);
  const series = (await readListed(page, seriesCandidates, Infinity)).sort((a, b) => a.position - b.position);
  return {
    entries: entries.slice(0, query.limit),
    hasMore: entries.length > query.limit,
    series,
    revision: query.revision,
  };
}

async function readListed(
  pageContext: PageContext,
  candidates: Iterable<Candidate>,
  maxEntries: number,
): Promise<ListedEvent[]> {
  const listedEvents = new Map<IndexEntry, ListedEvent>(); // lists an entry once, though it may move meanwhile
  for (const { entry, at } of candidates) {
    if (listedEvents.size === maxEntries) break;
    const turn = eventLoop.enter();
    if (turn) await turn;
    if (isListed(entry, pageContext)) listedEvents.set(entry, toListedEvent(entry, at, pageContext));
  }
  return [...listedEvents.values()];
}

function isListed(entry: IndexEntry, { query, parents }: PageContext): boolean {
  const { includesCancelled, expandsSeries, order, accepts } = query;
  if (expandsSeries && order !== 'updated' && entry.followsSeries) return false;
  if (!includesCancelled && entry.isCancelled) return false;
  if (!isInQueryRange(entry, query) && !parents.has(entry)) return false;
  return accepts(toListCandidate(entry, query));
}

const isInQueryRange = (entry: IndexEntry, query: EventQuery): boolean =>
  (!query.between || isWithin(entry, query.between)) &&
  (query.updatedMin === undefined || visibleUpdatedMs(entry, query) >= query.updatedMin);

/** Passes the entry without a copy where possible: `accepts` does not keep it. */
const toListCandidate = (entry: IndexEntry, query: EventQuery): ListCandidate =>
  lastVisibleChange(entry, query) === 0 ? { ...copyEvent(entry), neverSeen: true } : entry;

function toListedEvent(
  { record, series, position, seriesChange }: IndexEntry,
  at: number,
  { sinceChange }: PageContext,
): ListedEvent {
  const listedEvent = series ? { record, series, position, at } : { record, position, at };
  return sinceChange !== undefined && seriesChange > sinceChange
    ? { ...listedEvent, wasSeries: true }
    : listedEvent;
}

const isHidden = (entry: IndexEntry, { identity, seesHidden }: EventQuery): boolean =>
  !seesHidden && entry.hiddenFrom.has(identity);

/** Number of the last change of an entry that the reader sees; 0 for none. */
const lastVisibleChange = (entry: IndexEntry, query: EventQuery): number =>
  Math.max(
    isHidden(entry, query) ? entry.publicChange : entry.sharedChange,
    entry.changesFor?.get(query.identity) ?? 0,
  );

/** Time of the last change that the reader sees (epoch ms). */
const visibleUpdatedMs = (entry: IndexEntry, query: EventQuery): number =>
  Math.max(
    isHidden(entry, query) ? entry.publicUpdatedMs : entry.updatedMs,
    entry.viewers[query.identity] ?? 0,
  );

const isWithin = ({ span }: IndexEntry, { from, to }: NonNullable<EventQuery['between']>): boolean =>
  span.from < to && span.to > from;

/**
 * Finds series outside the query's range whose exceptions are inside: lists show the series in place of them.
 */
function parentsOf(
  { byId, exceptionsByTime, changeLog, calendarId }: CalendarIndex,
  query: EventQuery,
): ReadonlySet<IndexEntry> {
  const { between, updatedMin, expandsSeries, order, identity } = query;
  if (!expandsSeries || order === 'updated' || (!between && updatedMin === undefined)) return new Set();
  const matchingEntries = between
    ? exceptionsByTime.entriesOverlapping(between)
    : changeLog.listSince(0, identity, updatedMin);
  const series = [...matchingEntries].flatMap((entry) =>
    entry.followsSeries && entry.series && isInQueryRange(entry, query)
      ? (byId.get(entry.series.copies[calendarId]?.id ?? '') ?? [])
      : [],
  );
  return new Set(series.filter((entry) => !isInQueryRange(entry, query)));
}

/** Finds the entries that a query searches, in its order; the order `start` returns series separately. */
function findCandidates(page: PageContext): {
  readonly entries: Iterable<Candidate>;
  readonly series: Iterable<Candidate>;
} {
  const { index, query, parents } = page;
  const { allSeries, seriesByTime, byPosition } = index;
  const { order, after, between, iCalUID, onCollect } = query;
  if (order === 'start') {
    const seriesAndEventsWithUid = iCalUID === undefined ? undefined : index.entriesWithUid(iCalUID);
    const series =
      seriesAndEventsWithUid?.filter(({ isSeries }) => isSeries) ??
      (between ? [...seriesByTime.entriesOverlapping(between), ...parents] : [...allSeries]);
    return {
      entries: iterateByStart(
        page,
        seriesAndEventsWithUid?.filter(({ isSeries }) => !isSeries),
      ),
      series: series.map(toStartCandidate),
    };
  }
  const selectedEntries = selectEntries(page);
  if (order === 'position' && !selectedEntries)
    return { entries: iterateByPosition(index.entriesAfter(after?.position ?? 0)), series: [] };
  const entries = selectedEntries ?? byPosition;
  onCollect?.(entries.length);
  const candidates = entries
    .map((entry): Candidate => ({
      entry,
      at: order === 'position' ? 0 : visibleUpdatedMs(entry, query),
      position: entry.position,
    }))
    .filter((candidate) => isAfterCursor(candidate, query));
  return { entries: sortLazily(candidates, compareStarts), series: [] };
}

/** Selects entries by an index; undefined if the query needs the whole calendar. */
function selectEntries({
  index,
  query,
  sinceChange,
  parents,
}: PageContext): readonly IndexEntry[] | undefined {
  const { byTime, seriesByTime, changeLog } = index;
  const { identity, between, iCalUID, updatedMin } = query;
  if (sinceChange !== undefined)
    return changeLog
      .listSince(sinceChange, identity, updatedMin)
      .filter((entry) => lastVisibleChange(entry, query) > sinceChange);
  if (iCalUID !== undefined) return index.entriesWithUid(iCalUID);
  if (updatedMin !== undefined)
    return [...new Set([...changeLog.listSince(0, identity, updatedMin), ...parents])];
  return (
    between && [
      ...byTime.entriesOverlapping(between),
      ...seriesByTime.entriesOverlapping(between),
      ...parents,
    ]
  );
}

/** Candidates that run at the start of the query's range, then those that start within it. */
function* iterateByStart(
  { index: { byTime }, query }: PageContext,
  eventsWithUid: readonly IndexEntry[] | undefined,
): Generator<Candidate> {
  const { between, after, onCollect } = query;
  const [from, to] = [between?.from ?? -Infinity, between?.to ?? Infinity];
  // Entries that overlap the first millisecond of the range and started earlier.
  const runningEntries =
    eventsWithUid || from === -Infinity
      ? []
      : [...byTime.entriesOverlapping({ from, to: from + 1 })].filter(({ span }) => span.start < from);
  onCollect?.(runningEntries.length);
  const runningCandidates = sortLazily(runningEntries.map(toStartCandidate), compareStarts);
  const startingCandidates = eventsWithUid
    ? eventsWithUid.map(toStartCandidate).sort(compareStarts)
    : byTime.entriesStartingFrom(Math.max(from, after?.at ?? -Infinity));
  for (const candidates of [runningCandidates, startingCandidates])
    for (const candidate of candidates) {
      if (candidate.at >= to && to !== Infinity) return;
      if (!candidate.entry.isSeries && isAfterCursor(candidate, query)) yield candidate;
    }
}

function* iterateByPosition(entries: Iterable<IndexEntry>): Generator<Candidate> {
  for (const entry of entries) yield { entry, at: 0, position: entry.position };
}

const isAfterCursor = (candidate: Candidate, { after }: EventQuery): boolean =>
  !after || compareStarts(candidate, after) > 0;
