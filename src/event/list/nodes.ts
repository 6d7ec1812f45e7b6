import type { Effort } from '../../core/runtime/effort.ts';
import { eventLoop } from '../../core/runtime/event-loop.ts';
import type { EventRecord } from '../model/record.ts';
import type { EventQuery, ListedEvent, StoredEvent } from '../event.store.ts';
import { composeInstance, occurs, startOf } from '../recurrence/compose.ts';
import { originalAt } from '../recurrence/instance-id.ts';
import { instantOf } from '../time/time.ts';
import type { Viewpoint } from '../view/viewpoint.ts';
import { isSelected, occurrencesWithin } from './matching.ts';
import type { Selection } from './selection.ts';

/** Where an entry of a list stands: by the time its order goes by, then by position, then by original start. */
export interface NodeKey {
  readonly at: number;
  readonly position: number;
  readonly original?: string;
}

export interface ListNode {
  readonly key: NodeKey;
  readonly point: Viewpoint;
}

export const isBehind = (a: NodeKey, b: NodeKey): boolean => compareKeys(a, b) > 0;

export const compareKeys = (a: NodeKey, b: NodeKey): number =>
  a.at - b.at || a.position - b.position || compareOriginals(a.original, b.original);

const compareOriginals = (a = '', b = ''): number => (a === b ? 0 : a < b ? -1 : 1);

/**
 * A stored event as a list shows it: an exception put together with its series, and as cancelled where the series has no
 * such occurrence any more.
 */
export function listedRecord({ record, series }: StoredEvent): EventRecord {
  if (!record.instance || !series) return record;
  const whole = composeInstance(series, record.instance.original, record);
  return occurs(series, record.instance.original) ? whole : { ...whole, core: { ...whole.core, status: 'cancelled' } };
}

export interface Expanding {
  readonly selection: Selection;
  readonly zone: string;
  readonly calendarId: string;
  readonly pointOf: (record: EventRecord) => Viewpoint;
  /** start: by when each instance starts. Otherwise unchanged instances stand where their series does; updated: changed ones apart. */
  readonly order: EventQuery['order'];
  readonly limit: number;
  readonly after: NodeKey | undefined;
  readonly effort: Effort;
}

/** The instances of a listed series within the selection: unchanged ones worked out, changed ones as they are. */
export async function instancesOf({ record: series, position, at, exceptions = [] }: ListedEvent, expanding: Expanding): Promise<ListNode[]> {
  const { selection, zone, calendarId, pointOf, order, limit, after, effort } = expanding;
  const byStart = order === 'start';
  const isDay = series.core.start?.date !== undefined;
  const changed = new Set(exceptions.map(({ instance }) => instance?.original));
  const nodes: ListNode[] = [];
  const add = (record: EventRecord, original: string): void => {
    const point = record.copies[calendarId] && pointOf(record);
    if (!point || !isSelected(point, selection, effort)) return;
    const key = { at: byStart ? (instantOf(record.core.start ?? {}, zone) ?? 0) : at, position, original };
    if (!after || isBehind(key, after)) nodes.push({ key, point });
  };
  for (const exception of order === 'updated' ? [] : exceptions) {
    const original = exception.instance?.original ?? '';
    if (occurs(series, original) || selection.showDeleted) add(listedRecord({ record: exception, series }), original);
  }
  // Unchanged instances differ in their time alone: the first speaks for all, and each is put together when it is shown.
  let isListed: boolean | undefined;
  const addUnchanged = (start: number, original: string): void => {
    const compose = once(() => pointOf(composeInstance(series, original)));
    isListed ??= series.copies[calendarId] !== undefined && isSelected(compose(), selection, effort);
    if (!isListed) return;
    const moment = isDay ? (instantOf({ date: new Date(start).toISOString().slice(0, 10) }, zone) ?? start) : start;
    const key = { at: byStart ? moment : at, position, original };
    if (!after || isBehind(key, after)) nodes.push({ key, get point() { return compose(); } });
  };
  const behind = resumeAt(after, { position, at }, byStart, isDay);
  if (series.core.status !== 'cancelled' || selection.showDeleted || selection.incremental) {
    // Those that were changed take up places of their own, and so do those that were shown already.
    const looking = { from: selection.from, to: selection.to, zone, limit: limit + changed.size + mostShown, after: behind };
    for (const start of await occurrencesWithin(series, looking, effort)) {
      const turn = eventLoop.enter();
      if (turn) await turn;
      const original = originalAt(start, isDay);
      if (!changed.has(original)) addUnchanged(start, original);
    }
  }
  return nodes.sort((a, b) => compareKeys(a.key, b.key)).slice(0, limit);
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

const dayMs = 86_400_000;
/** So many occurrences behind the moment of `resumeAt` may stand on an earlier page: days, which begin at another moment in each zone. */
const mostShown = 3;

/** Behind which occurrence a page goes on: those before it were shown on an earlier page. */
function resumeAt(after: NodeKey | undefined, here: NodeKey, byStart: boolean, isDay: boolean): number {
  if (!after) return -Infinity;
  if (byStart) return after.at - 1 - (isDay ? dayMs : 0);
  return after.position === here.position && after.at === here.at && after.original !== undefined ? startOf(after.original) : -Infinity;
}
