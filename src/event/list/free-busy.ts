import type { Viewer } from '../../access/permissions.ts';
import {
  resolveCalendarRef,
  openCalendar,
  type OpenCalendar,
  lowerCaseIdOf,
} from '../../calendar/calendar.access.ts';
import { AppError, errorAt, requireValid, type Issue } from '../../core/errors.ts';
import { eventLoop, mapInTurns } from '../../core/runtime/event-loop.ts';
import type { WorkBudget } from '../../core/runtime/limits.ts';
import { startOfDay } from '../../core/time/local-time.ts';
import { toIanaZone, isTimeZone } from '../../core/time/time-zone.ts';
import { instantOf } from '../../core/time/time.ts';
import { dayMs } from '../../recurrence/calendar-days.ts';
import { formatOriginalStart, eventTimeAt } from '../../recurrence/original-start.ts';
import { readerFilter, type FreeBusyArgs } from '../event.requests.ts';
import type { EventQuery, SeriesState } from '../event.store.ts';
import { durationMsOf } from '../instances/compose.ts';
import { attendeeKey } from '../model/fields.ts';
import {
  type EventRecord,
  isCancelled,
  isSeries,
  originalStartOf,
  recordAsOnCalendar,
} from '../model/record.ts';
import type { EventContext } from '../visibility/event-context.ts';
import type { CalendarBusyView } from '../visibility/event-view.ts';
import { calendarCountIssues, type ListDependencies } from './list.ts';
import { findOccurrences } from './matching.ts';
import { collectChangedNodes, composeListedRecord } from './instance-nodes.ts';
import { pageIssues, timeRangeOf, selectionOf } from './selection.ts';
import {
  workPerCalendar,
  collectWork,
  instanceWork,
  mergeWork,
  tooManyToMergeError,
  formatWork,
} from './work-units.ts';

/** Period in epoch milliseconds; `to` is exclusive. */
interface Period {
  readonly from: number;
  readonly to: number;
}

/** Number of collected periods from which on they are merged. */
const minMergeCount = 4096;

/** Collects busy times in any order. Merges them whenever there are many, which bounds memory. */
export class BusyTimes {
  readonly #range: Period;
  #periods: Period[] = [];
  #mergeThreshold = minMergeCount;

  constructor(range: Period) {
    this.#range = range;
  }

  add(from: number, to: number): void {
    const period = { from: Math.max(from, this.#range.from), to: Math.min(to, this.#range.to) };
    if (period.from >= period.to) return;
    this.#periods.push(period);
    if (this.#periods.length < this.#mergeThreshold) return;
    this.#periods = mergePeriods(this.#periods);
    this.#mergeThreshold = Math.max(minMergeCount, 2 * this.#periods.length);
  }

  /** Merged periods in order, with gaps between them. */
  mergeAll(): readonly Period[] {
    return mergePeriods(this.#periods);
  }
}

function mergePeriods(periods: readonly Period[]): Period[] {
  const mergedPeriods: Period[] = [];
  for (const period of periods.toSorted((a, b) => a.from - b.from)) {
    const lastPeriod = mergedPeriods.at(-1);
    if (!lastPeriod || lastPeriod.to < period.from) mergedPeriods.push(period);
    else if (lastPeriod.to < period.to)
      mergedPeriods[mergedPeriods.length - 1] = { from: lastPeriod.from, to: period.to };
  }
  return mergedPeriods;
}

type BusyDependencies = Pick<ListDependencies, 'store' | 'eventContext'>;

/**
 * Page size: with the additional entry that shows whether there are more, as much as a store reads at once.
 */
const pageSize = 999;
const maxStartsPerLookup = 1000;

/** Calendar whose events are read for their busy times. */
interface CalendarScan extends OpenCalendar {
  readonly range: Period;
  readonly query: EventQuery;
  readonly times: BusyTimes;
  readonly eventContext: (record: EventRecord) => EventContext;
  readonly budget: WorkBudget;
}

/**
 * Loads the merged busy times of a calendar. Throws AppError if the caller may not see it or the work budget
 * is exhausted.
 */
async function loadBusyTimes(
  viewer: Viewer,
  calendarId: string,
  range: Period,
  { store, eventContext }: BusyDependencies,
  budget: WorkBudget,
): Promise<readonly Period[]> {
  const ref = resolveCalendarRef(calendarId, viewer);
  let scan: CalendarScan | undefined;
  let page = await store.listCalendar(ref, (state) => {
    const openedCalendar = openCalendar(state?.calendar, ref, viewer, 'freeBusyReader');
    budget.spend(0, tooManyToMergeError);
    scan = {
      ...openedCalendar,
      range,
      budget,
      // The order `position` returns each series once; the order `start` would return it with every page.
      query: {
        ...readerFilter(openedCalendar.role, viewer),
        revision: state?.revision ?? '',
        between: range,
        includesCancelled: false,
        expandsSeries: true,
        order: 'position',
        limit: pageSize,
        accepts: () => true,
        onCollect: (eventCount) => budget.spend(eventCount * collectWork, tooManyToMergeError),
      },
      times: new BusyTimes(range),
      eventContext: (record) => eventContext(record, openedCalendar, viewer),
    };
    return scan.query;
  });
  while (page && scan) {
    const { id } = scan.calendar;
    const series: EventRecord[] = [];
    for (const entry of page.entries) {
      await eventLoop.enter();
      budget.spend(entry.series ? instanceWork : mergeWork, tooManyToMergeError);
      if (isSeries(recordAsOnCalendar(entry.record, id))) series.push(entry.record);
      else addEvent(composeListedRecord(entry, id), scan);
    }
    for (const state of series.length === 0 ? [] : await store.exceptionsOf(series)) {
      await eventLoop.enter();
      await addSeries(state, scan);
    }
    const after = page.entries.at(-1);
    page = page.hasMore && after ? await store.listEvents(id, { ...scan.query, after }) : undefined;
  }
  return scan?.times.mergeAll() ?? [];
}

/** Whether an event makes the calendar's owner busy: not cancelled, transparent or declined. */
const isBusy = ({ record, copy, owner }: EventContext): boolean =>
  !isCancelled(record, copy) &&
  copy.own.transparency !== 'transparent' &&
  record.core.attendees?.some(
    (entry) => entry.responseStatus === 'declined' && attendeeKey(entry) === owner,
  ) !== true;

function addEvent(record: EventRecord, { calendar, eventContext, times }: CalendarScan): void {
  if (!record.copies[calendar.id] || !isBusy(eventContext(record))) return;
  const { start, end } = record.core;
  const [from, to] = [start && instantOf(start, calendar.timeZone), end && instantOf(end, calendar.timeZone)];
  if (typeof from === 'number' && typeof to === 'number') times.add(from, to);
}

/** Adds the times of a series. All exceptions count, even invisible ones, since the response has times only. */
async function addSeries({ record: series, exceptions }: SeriesState, scan: CalendarScan): Promise<void> {
  const { calendar, range, eventContext, times, budget } = scan;
  const { id: calendarId, timeZone: zone } = calendar;
  const copy = series.copies[calendarId];
  // All instances of a cancelled series are gone. A series that no longer recurs is newer than the page.
  if (!copy || isCancelled(series, copy) || !isSeries(series)) return;
  const changedInstances = await collectChangedNodes(
    { record: series, exceptions, position: 0, at: 0 },
    {
      selection: { ...selectionOf({ calendarId }), ...range },
      zone,
      calendarId,
      eventContext,
      order: 'position',
      budget,
    },
  );
  budget.spend(changedInstances.length * instanceWork, tooManyToMergeError);
  for (const { context } of changedInstances) addEvent(context.record, scan);
  // Unchanged instances differ from their series in time only.
  if (!isBusy(eventContext(series))) return;
  const exceptionOriginals = new Set(exceptions.map(originalStartOf));
  const [durationMs, isDay] = [durationMsOf(series), series.core.start?.date !== undefined];
  for (let after: number | undefined = -Infinity; after !== undefined;) {
    const starts: readonly number[] = await findOccurrences(
      series,
      { ...range, zone, limit: maxStartsPerLookup, after },
      budget,
    );
    budget.spend(starts.length * mergeWork, tooManyToMergeError);
    for (const start of starts) {
      if (exceptionOriginals.size > 0 && exceptionOriginals.has(formatOriginalStart(start, isDay))) continue;
      if (isDay) times.add(startOfDay(start, zone), startOfDay(start + durationMs, zone));
      else times.add(start, start + durationMs);
    }
    after = starts.length < maxStartsPerLookup ? undefined : starts.at(-1);
  }
}

/** Limit of the range of one request. */
const maxRangeDays = 184;
/** Limit of the merged periods of one calendar in a response. */
const maxPeriods = 2500;

/**
 * Reads the busy times of the calendars' owners. Merged times are the same for every caller who may see a
 * calendar. An error of one calendar does not affect the others, as long as the work budget of the request
 * lasts.
 */
export async function readFreeBusy(
  viewer: Viewer,
  args: FreeBusyArgs,
  dependencies: BusyDependencies,
  budget: WorkBudget,
): Promise<CalendarBusyView[]> {
  requireValid(freeBusyIssues(args));
  const range: Period = timeRangeOf(args);
  budget.extend(args.calendarIds.length * workPerCalendar);
  const formatTime = (instantMs: number): string =>
    eventTimeAt(instantMs, { timeZone: args.timeZone ? toIanaZone(args.timeZone) : undefined })
      .dateTime as string;
  const readCalendar = async (calendarId: string): Promise<Omit<CalendarBusyView, 'calendarId'>> => {
    try {
      const periods = await loadBusyTimes(viewer, calendarId, range, dependencies, budget);
      if (periods.length > maxPeriods) throw tooManyPeriodsError();
      budget.spend(periods.length * formatWork, tooManyToMergeError);
      const busy = await mapInTurns(periods, ({ from, to }) => ({
        start: formatTime(from),
        end: formatTime(to),
      }));
      return { busy, error: null };
    } catch (error) {
      const lowerCaseId = lowerCaseIdOf(calendarId);
      const { code, reason, message } = toCalendarError(error);
      return code === 'NOT_FOUND' && lowerCaseId !== undefined
        ? readCalendar(lowerCaseId)
        : { busy: [], error: { code, reason, message } };
    }
  };
  const viewsById = new Map<string, CalendarBusyView>();
  for (const calendarId of args.calendarIds) {
    await eventLoop.enter();
    if (!viewsById.has(calendarId))
      viewsById.set(calendarId, { calendarId, ...(await readCalendar(calendarId)) });
  }
  return args.calendarIds.flatMap((calendarId) => viewsById.get(calendarId) ?? []);
}

export function freeBusyIssues(args: Partial<FreeBusyArgs>): Issue[] {
  const { timeMin, timeMax, calendarIds, timeZone } = args;
  const issues = [
    ...pageIssues({ timeMin, timeMax }),
    ...(calendarIds ? calendarCountIssues(calendarIds.length) : []),
  ];
  const { from, to } = timeRangeOf({ timeMin, timeMax });
  if (Number.isFinite(to - from) && to - from > maxRangeDays * dayMs) {
    issues.push({
      path: ['timeMax'],
      reason: 'invalid',
      message: `timeMax must be at most ${maxRangeDays} days after timeMin. Ask for less at a time.`,
      params: { max: maxRangeDays },
    });
  }
  if (typeof timeZone === 'string' && !isTimeZone(toIanaZone(timeZone))) {
    issues.push({
      path: ['timeZone'],
      reason: 'invalid',
      message:
        'timeZone must be a name of the IANA Time Zone Database, such as Europe/Berlin. Leave it out for UTC.',
    });
  }
  return issues;
}

/** Returns errors that concern one calendar only: it is not readable or has too many events. Throws others. */
function toCalendarError(error: unknown): AppError {
  if (error instanceof AppError && error.code === 'NOT_FOUND') return error;
  // Errors of lists suggest remedies that free/busy requests do not have.
  if (error instanceof AppError && error.code === 'BAD_USER_INPUT')
    return error.issues[0]?.path[0] === 'calendarIds' ? error : tooManyToMergeError();
  throw error;
}

const tooManyPeriodsError = (): AppError =>
  errorAt(
    'BAD_USER_INPUT',
    ['calendarIds'],
    'tooMany',
    `This calendar is busy more than ${maxPeriods} times between timeMin and timeMax, the maximum. Ask for less time.`,
  );
