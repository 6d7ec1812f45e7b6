import { patch } from '../../core/patch.ts';
import type { WorkBudget } from '../../core/runtime/limits.ts';
import { eventLoop } from '../../core/runtime/event-loop.ts';
import {
  wasNeverVisible,
  isDetached,
  originalStartOf,
  recordAsOnCalendar,
  asOnCalendar,
  type EventRecord,
  type StoredEvent,
} from '../model/record.ts';
import { isUnchanged } from '../visibility/visible-state.ts';
import type { EventQuery, SeriesState } from '../event.store.ts';
import { composeInstance, composeOn, lengthOf, occurs } from '../instances/compose.ts';
import { originalAt, startOf, timeAt } from '../../recurrence/original-start.ts';
import { instantOf } from '../../core/time/time.ts';
import { seesGuests, type EventContext } from '../visibility/event-context.ts';
import { eventWork, instanceWork, tooManyEvents } from './work-units.ts';
import { isSelected, occurrencesWithin } from './matching.ts';
import type { Selection } from './selection.ts';

/** Sort key of a list entry: order time (epoch ms), then insertion position, then original start. */
export interface NodeKey {
  readonly at: number;
  readonly position: number;
  readonly original?: string;
}

export interface ListNode {
  readonly key: NodeKey;
  readonly context: EventContext;
}

const isBehind = (a: NodeKey, b: NodeKey): boolean => compareKeys(a, b) > 0;

export const compareKeys = (a: NodeKey, b: NodeKey): number =>
  a.at - b.at || a.position - b.position || compareOriginals(a.original, b.original);

const compareOriginals = (a = '', b = ''): number => (a === b ? 0 : a < b ? -1 : 1);

/** A stored event as a list shows it: an exception is composed, and cancelled where its series lost the occurrence. */
export function listedRecord(event: StoredEvent, calendarId: string): EventRecord {
  const { record, series } = asOnCalendar(calendarId, event);
  if (!record.instance || !series) return recordAsOnCalendar(record, calendarId);
  const { original } = record.instance;
  const whole = composeOn(series, original, record, calendarId);
  return occurs(recordAsOnCalendar(series, calendarId), original)
    ? whole
    : { ...whole, core: { ...whole.core, status: 'cancelled' } };
}

/** A series with its exceptions, and where it stands in a list. */
interface ListedSeries extends SeriesState, NodeKey {}

interface Expanding {
  readonly selection: Selection;
  readonly zone: string;
  readonly calendarId: string;
  readonly eventContext: (record: EventRecord) => EventContext;
  /** Who asks: users keep settings of their own on instances. */
  readonly identity: string;
  /** start: by when each instance starts. Otherwise unchanged instances stand where their series does; updated: changed ones apart. */
  readonly order: EventQuery['order'];
  /** Of a series that was taken away also the instances to which the calendar's owner was invited since; else they come by themselves. */
  readonly withApart?: boolean;
  readonly limit: number;
  readonly after: NodeKey | undefined;
  readonly budget: WorkBudget;
}

/** The instances of a listed series within the selection: unchanged ones worked out, changed ones as they are. */
export async function instancesOf(entry: ListedSeries, expanding: Expanding): Promise<ListNode[]> {
  const { selection, order, limit, calendarId, withApart } = expanding;
  const record = recordAsOnCalendar(entry.record, calendarId);
  const isTaken = record !== entry.record;
  // What the caller sees no change of is an occurrence like others; of a series that was taken away others are left only where they stand apart.
  const exceptions = isTaken
    ? entry.exceptions.filter((one) => isDetached(one, entry.record, calendarId))
    : changedFor(record, entry.exceptions, expanding);
  const listed: ListedSeries = { ...entry, record, exceptions };
  const { status } = record.core;
  const nodes =
    order === 'updated' || (isTaken && !withApart)
      ? []
      : await changedOf({ ...entry, exceptions }, expanding);
  if (status !== 'cancelled' || selection.showDeleted || selection.incremental)
    nodes.push(...(await unchangedOf(listed, expanding, nodes[limit - 1]?.key)));
  return nodes.sort((a, b) => compareKeys(a.key, b.key)).slice(0, limit);
}

/** The exceptions of which the caller sees more than that they are occurrences. */
function changedFor(
  series: EventRecord,
  exceptions: readonly EventRecord[],
  { calendarId, identity, eventContext }: Expanding,
): EventRecord[] {
  const context = eventContext(series);
  // Whether guests are hidden from a reader of the organizer's calendar is another question for each guest list.
  const differs = series.core.guestsCanSeeOtherGuests === false && context.asOrganizer;
  const isOpen = (record: EventRecord): boolean =>
    !seesGuests(
      differs ? eventContext(composeOn(series, originalStartOf(record), record, calendarId)) : context,
    );
  const isElsewhere = ({ core, copies: { [calendarId]: copy } }: EventRecord): boolean =>
    core.attendees !== undefined && (!copy || wasNeverVisible(copy));
  return exceptions.filter(
    (record) => isElsewhere(record) || !isUnchanged(calendarId, { record, series }, isOpen(record), identity),
  );
}

/** The first changed instances, in order: their sort keys are known before they are composed. */
export async function changedOf(
  { record: series, position, at, exceptions }: ListedSeries,
  expanding: Expanding,
): Promise<ListNode[]> {
  const { selection, zone, calendarId, eventContext, order, limit, after, budget } = expanding;
  const [length, isDay] = [lengthOf(series), series.core.start?.date !== undefined];
  const standing: { readonly key: Required<NodeKey>; readonly record: EventRecord }[] = [];
  for (const record of exceptions) {
    const turn = eventLoop.enter();
    if (turn) await turn;
    const original = originalStartOf(record);
    const seen = recordAsOnCalendar(record, calendarId);
    if (
      !mayBeWithin(seen, original, { length, slack: isDay || !original.includes('T') ? dayMs : 0 }, selection)
    )
      continue;
    const key = { at: order === 'start' ? momentOf(series, seen, original, zone) : at, position, original };
    if (!after || isBehind(key, after)) standing.push({ key, record });
  }
  const nodes: ListNode[] = [];
  for (const { key, record } of standing.sort((a, b) => compareKeys(a.key, b.key))) {
    if (nodes.length === limit) break;
    const turn = eventLoop.enter();
    if (turn) await turn;
    const stored = { record, series };
    const isThere =
      (selection.search?.mayFind(stored, budget) ?? true) &&
      (selection.showDeleted || occurs(series, key.original));
    const whole = isThere ? listedRecord(stored, calendarId) : undefined;
    const context = whole?.copies[calendarId] && eventContext(whole);
    if (context && isSelected(context, selection, budget)) nodes.push({ key, context });
    else budget.take(whole ? instanceWork : eventWork, tooManyEvents);
  }
  return nodes;
}

/** False for an instance with its original time that lies outside of the selection in every zone. */
function mayBeWithin(
  { core }: EventRecord,
  original: string,
  { length, slack }: { readonly length: number; readonly slack: number },
  { from, to }: Selection,
): boolean {
  if (core.start !== undefined || core.end !== undefined || (from === -Infinity && to === Infinity))
    return true;
  const start = startOf(original);
  return start - slack < to && start + length + slack >= from;
}

/** When a changed instance starts. */
function momentOf(
  { core: { start } }: EventRecord,
  { core }: EventRecord,
  original: string,
  zone: string,
): number {
  // What remains of an instance that was taken away has no null over the other kind of time.
  const own =
    core.start?.date || core.start?.dateTime ? { date: null, dateTime: null, ...core.start } : core.start;
  const time = patch(start && timeAt(startOf(original), start), own);
  return instantOf(time ?? {}, zone) ?? 0;
}

/** The first unmodified instances, in order, that sort before `last`. */
async function unchangedOf(
  { record: series, position, at, exceptions }: ListedSeries,
  expanding: Expanding,
  last: NodeKey | undefined,
): Promise<ListNode[]> {
  const { selection, zone, calendarId, eventContext, order, limit, after, budget } = expanding;
  const byStart = order === 'start';
  const isDay = series.core.start?.date !== undefined;
  const changed = new Set(exceptions.map(originalStartOf));
  const to = Math.min(
    selection.to,
    last ? (byStart ? last.at : startOf(last.original ?? '')) + 1 + (isDay ? dayMs : 0) : Infinity,
  );
  const nodes: ListNode[] = [];
  // Unmodified instances differ in their time alone: the first decides for all, and each is composed when it is shown.
  let isListed = series.copies[calendarId] !== undefined ? undefined : false;
  let behind = resumeAt(after, { position, at }, byStart, isDay);
  // Changed instances and those of earlier pages are among the occurrences and are left out: more are looked up.
  for (
    let wanted = limit + mostShown;
    isListed !== false && nodes.length < limit;
    wanted = Math.max(wanted, Math.min(2 * wanted, mostAtOnce))
  ) {
    const starts = await occurrencesWithin(
      series,
      { from: selection.from, to, zone, limit: wanted, after: behind },
      budget,
    );
    for (const start of starts) {
      const turn = eventLoop.enter();
      if (turn) await turn;
      const original = originalAt(start, isDay);
      if (changed.has(original)) continue;
      const compose = once(() => eventContext(composeInstance(series, original)));
      isListed ??= isSelected(compose(), selection, budget);
      if (!isListed) break;
      const moment = isDay
        ? (instantOf({ date: new Date(start).toISOString().slice(0, 10) }, zone) ?? start)
        : start;
      const key = { at: byStart ? moment : at, position, original };
      if (!after || isBehind(key, after))
        nodes.push({
          key,
          get context() {
            return compose();
          },
        });
    }
    behind = starts.at(-1) ?? behind;
    if (starts.length < wanted) break;
  }
  return nodes;
}

/** Instances that are composed before the list yields to other requests. */
const composedAtOnce = 25;

/** The nodes that a page shows, composed; yields to other requests. */
export async function visibleNodes(nodes: readonly ListNode[], first: number): Promise<ListNode[]> {
  const shown: ListNode[] = [];
  for (const [index, node] of nodes.slice(0, first).entries()) {
    const turn = index > 0 && index % composedAtOnce === 0 ? eventLoop.enter() : undefined;
    if (turn) await turn;
    shown.push({ key: node.key, context: node.context });
  }
  return shown;
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

const dayMs = 86_400_000;
/** Occurrences that are looked up at once, beyond what a page shows. */
const mostAtOnce = 1000;
/** Occurrences behind the moment of `resumeAt` that an earlier page may have shown: days begin at another moment in each zone. */
const mostShown = 3;

/** The moment behind which a page continues: earlier occurrences were shown on earlier pages. */
function resumeAt(after: NodeKey | undefined, here: NodeKey, byStart: boolean, isDay: boolean): number {
  if (!after) return -Infinity;
  if (byStart) return after.at - 1 - (isDay ? dayMs : 0);
  return after.position === here.position && after.at === here.at && after.original !== undefined
    ? startOf(after.original)
    : -Infinity;
}
