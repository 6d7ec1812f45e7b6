import { eventLoop } from '../../core/runtime/event-loop.ts';
import type { EventsSize } from '../../event/event.store.ts';
import type { CalendarIndex, IndexEntry } from './calendar-index.ts';

/**
 * Implements `EventStore.measureEvents`: counts events and the bytes of their JSON. Yields to other requests.
 */
export async function measureEvents(
  index: CalendarIndex,
  fromMs: number,
  limits: { readonly count: number; readonly bytes: number },
): Promise<EventsSize> {
  const currentSeriesKeys = new Set<string>();
  for await (const entry of iterateInTurns(index)) {
    const key = seriesKeyOf(entry);
    if (key !== undefined && entry.span.to > fromMs) currentSeriesKeys.add(key);
  }
  let [count, bytes, earliest, latest] = [0, 0, Infinity, -Infinity];
  for await (const entry of iterateInTurns(index)) {
    const { span, isCancelled, record } = entry;
    const key = seriesKeyOf(entry);
    // A series counts with all its exceptions if any of them ends after `fromMs`; other events count by
    // themselves.
    if (key === undefined ? isCancelled || span.to <= fromMs : !currentSeriesKeys.has(key)) continue;
    count += 1;
    bytes += Buffer.byteLength(JSON.stringify(record));
    earliest = Math.min(earliest, span.from);
    latest = Math.max(latest, span.to === Infinity ? span.from : span.to);
    if (count > limits.count) return { count, bytes: 0, earliest, latest };
    if (bytes > limits.bytes) break;
  }
  return { count, bytes, earliest, latest };
}

/** Key of the series that an entry is or follows; undefined for an event of its own. */
const seriesKeyOf = ({ isSeries, followsSeries, record, series }: IndexEntry): string | undefined =>
  isSeries ? record.key : followsSeries ? series?.key : undefined;

/** Iterates over the entries of a calendar; other requests run in between. */
async function* iterateInTurns(index: CalendarIndex): AsyncGenerator<IndexEntry> {
  for (const entry of index.entriesAfter(0)) {
    const turn = eventLoop.enter();
    if (turn) await turn;
    yield entry;
  }
}
