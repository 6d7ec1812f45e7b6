import type { Viewer } from '../../access/permissions.ts';
import { calendarRef, openCalendar, type OpenCalendar } from '../../calendar/calendar.access.ts';
import { eventLoop } from '../../core/runtime/event-loop.ts';
import type { WorkBudget } from '../../core/runtime/limits.ts';
import { startOfDay } from '../../core/time/local-time.ts';
import { asking } from '../event.access.ts';
import type { CalendarState, EventQuery, SeriesState } from '../event.store.ts';
import { attendeeKey } from '../model/attendee-key.ts';
import { isCancelled, isSeries, originalStartOf, seenOn, type EventRecord } from '../model/record.ts';
import { lengthOf } from '../recurrence/compose.ts';
import { originalAt } from '../recurrence/instance-id.ts';
import { instantOf } from '../time/time.ts';
import type { Viewpoint } from '../view/viewpoint.ts';
import { BusyTimes, type Period } from './busy-times.ts';
import type { ListTools } from './list.ts';
import { occurrencesWithin } from './matching.ts';
import { changedOf, listedRecord } from './nodes.ts';
import { selectionOf } from './selection.ts';
import { collectWork, instanceWork, mergeWork, tooManyToMerge } from './work-units.ts';

export type BusyTools = Pick<ListTools, 'store' | 'pointOf'>;

/** With the one that says whether there are more, as many as a store reads at once. */
const pageSize = 999;
/** Occurrences of a series that are looked up at once. */
const startsAtOnce = 1000;

/** A calendar while its events are looked through. */
interface Walk {
  readonly open: OpenCalendar;
  readonly identity: string;
  readonly range: Period;
  readonly query: EventQuery;
  readonly times: BusyTimes;
  readonly pointOf: (record: EventRecord) => Viewpoint;
  /** When a day begins on the calendar; days are counted as in UTC. */
  readonly dayStart: (day: number) => number;
  readonly budget: WorkBudget;
}

/**
 * When a calendar's owner is busy within a range, merged. Throws AppError for a calendar that the caller may not see, and
 * when the work budget is exhausted.
 */
export async function busyTimesOf(
  viewer: Viewer,
  calendarId: string,
  range: Period,
  tools: BusyTools,
  budget: WorkBudget,
): Promise<readonly Period[]> {
  const { store } = tools;
  const ref = calendarRef(calendarId, viewer);
  let walk: Walk | undefined;
  let page = await store.listCalendar(ref, (state) => {
    const open = openCalendar(state?.calendar, ref, viewer, 'freeBusyReader');
    budget.take(0, tooManyToMerge);
    walk = walkOf(open, state, { viewer, range, tools, budget });
    return walk.query;
  });
  while (page && walk) {
    const { id } = walk.open.calendar;
    const series: EventRecord[] = [];
    for (const entry of page.entries) {
      const turn = eventLoop.enter();
      if (turn) await turn;
      budget.take(entry.series ? instanceWork : mergeWork, tooManyToMerge);
      if (isSeries(seenOn(entry.record, id))) series.push(entry.record);
      else addEvent(listedRecord(entry, id), walk);
    }
    for (const state of series.length === 0 ? [] : await store.exceptionsOf(series)) {
      const turn = eventLoop.enter();
      if (turn) await turn;
      await addSeries(state, walk);
    }
    const after = page.entries.at(-1);
    page = page.more && after ? await store.listEvents(id, { ...walk.query, after }) : undefined;
  }
  return walk?.times.merged() ?? [];
}

interface Asked {
  readonly viewer: Viewer;
  readonly range: Period;
  readonly tools: BusyTools;
  readonly budget: WorkBudget;
}

function walkOf(
  open: OpenCalendar,
  state: CalendarState | undefined,
  { viewer, range, tools, budget }: Asked,
): Walk {
  const { timeZone } = open.calendar;
  const days = new Map<number, number>();
  return {
    open,
    range,
    budget,
    identity: viewer.identity,
    // In the order in which they came each series comes once; by start they would come with every page.
    query: {
      ...asking(open.role, viewer),
      revision: state?.revision ?? '',
      between: range,
      cancelled: false,
      expand: true,
      order: 'position',
      limit: pageSize,
      accepts: () => true,
      onCollect: (events) => budget.take(events * collectWork, tooManyToMerge),
    },
    times: new BusyTimes(range),
    pointOf: (record) => tools.pointOf(record, open, viewer),
    dayStart(day) {
      let start = days.get(day);
      if (start === undefined) days.set(day, (start = startOfDay(day, timeZone)));
      return start;
    },
  };
}

/** Cancelled events, transparent ones and those that the calendar's owner declined are no reason to be busy. */
const isBusy = ({ record, copy, owner }: Viewpoint): boolean =>
  !isCancelled(record, copy) &&
  copy.own.transparency !== 'transparent' &&
  record.core.attendees?.some(
    (entry) => entry.responseStatus === 'declined' && attendeeKey(entry) === owner,
  ) !== true;

function addEvent(record: EventRecord, { open: { calendar }, pointOf, times }: Walk): void {
  if (!record.copies[calendar.id] || !isBusy(pointOf(record))) return;
  const { start, end } = record.core;
  const [from, to] = [start && instantOf(start, calendar.timeZone), end && instantOf(end, calendar.timeZone)];
  if (typeof from === 'number' && typeof to === 'number') times.add(from, to);
}

/** All exceptions count, whatever the caller sees of them: the answer tells nothing but times. */
async function addSeries({ record: series, exceptions }: SeriesState, walk: Walk): Promise<void> {
  const {
    open: {
      calendar: { id: calendarId, timeZone: zone },
    },
    range,
    identity,
    pointOf,
    times,
    dayStart,
    budget,
  } = walk;
  const copy = series.copies[calendarId];
  // With the series each of its instances is gone. One that does not recur any more is newer than the page.
  if (!copy || isCancelled(series, copy) || !isSeries(series)) return;
  const changed = await changedOf(
    { record: series, exceptions, position: 0, at: 0 },
    {
      selection: { ...selectionOf({ calendarId }), ...range },
      zone,
      calendarId,
      pointOf,
      identity,
      order: 'position',
      limit: Infinity,
      after: undefined,
      budget,
    },
  );
  budget.take(changed.length * instanceWork, tooManyToMerge);
  for (const { point } of changed) addEvent(point.record, walk);
  // Unchanged instances differ from their series in their time alone.
  if (!isBusy(pointOf(series))) return;
  const originals = new Set(exceptions.map(originalStartOf));
  const [length, isDay] = [lengthOf(series), series.core.start?.date !== undefined];
  for (let after: number | undefined = -Infinity; after !== undefined;) {
    const starts: readonly number[] = await occurrencesWithin(
      series,
      { ...range, zone, limit: startsAtOnce, after },
      budget,
    );
    budget.take(starts.length * mergeWork, tooManyToMerge);
    for (const start of starts) {
      if (originals.size > 0 && originals.has(originalAt(start, isDay))) continue;
      if (isDay) times.add(dayStart(start), dayStart(start + length));
      else times.add(start, start + length);
    }
    after = starts.length < startsAtOnce ? undefined : starts.at(-1);
  }
}
