import type { Viewer } from '../../access/permissions.ts';
import {
  calendarRef,
  openCalendar,
  type OpenCalendar,
  otherSpelling,
} from '../../calendar/calendar.access.ts';
import { AppError, errorAt, invalidInput, type Issue } from '../../core/errors.ts';
import { eventLoop } from '../../core/runtime/event-loop.ts';
import type { WorkBudget } from '../../core/runtime/limits.ts';
import { startOfDay } from '../../core/time/local-time.ts';
import { ianaZone, isTimeZone } from '../../core/time/time-zone.ts';
import { instantOf } from '../../core/time/time.ts';
import { originalAt, timeAt } from '../../recurrence/original-start.ts';
import { readerFilter, type FreeBusyArgs } from '../event.requests.ts';
import type { EventQuery, SeriesState } from '../event.store.ts';
import { lengthOf } from '../instances/compose.ts';
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
import { countIssues, type ListTools } from './list.ts';
import { occurrencesWithin } from './matching.ts';
import { changedOf, listedRecord } from './nodes.ts';
import { pageIssues, rangeOf, selectionOf } from './selection.ts';
import {
  calendarWork,
  collectWork,
  instanceWork,
  mergeWork,
  tooManyToMerge,
  writtenWork,
} from './work-units.ts';

/** Epoch milliseconds; `to` is not included. */
interface Period {
  readonly from: number;
  readonly to: number;
}

const minCollected = 4096;

/** Times that are collected in any order and merged; so that they stay few, also while they are collected. */
export class BusyTimes {
  readonly #range: Period;
  #periods: Period[] = [];
  /** How many may be collected until they are merged. */
  #mergeAt = minCollected;

  /** Periods are cut to `range`. */
  constructor(range: Period) {
    this.#range = range;
  }

  add(from: number, to: number): void {
    const period = { from: Math.max(from, this.#range.from), to: Math.min(to, this.#range.to) };
    if (period.from >= period.to) return;
    this.#periods.push(period);
    if (this.#periods.length < this.#mergeAt) return;
    this.#periods = merged(this.#periods);
    this.#mergeAt = Math.max(minCollected, 2 * this.#periods.length);
  }

  /** In order, none touching another. */
  merged(): readonly Period[] {
    return merged(this.#periods);
  }
}

function merged(periods: readonly Period[]): Period[] {
  const found: Period[] = [];
  for (const period of periods.toSorted((a, b) => a.from - b.from)) {
    const last = found.at(-1);
    if (!last || last.to < period.from) found.push(period);
    else if (last.to < period.to) found[found.length - 1] = { from: last.from, to: period.to };
  }
  return found;
}

type BusyDependencies = Pick<ListTools, 'store' | 'eventContext'>;

/** With the one that says whether there are more, as many as a store reads at once. */
const pageSize = 999;
/** Occurrences of a series that are looked up at once. */
const startsAtOnce = 1000;

/** A calendar while its events are looked through. */
interface Walk extends OpenCalendar {
  readonly viewer: Viewer;
  readonly range: Period;
  readonly query: EventQuery;
  readonly times: BusyTimes;
  readonly eventContext: (record: EventRecord) => EventContext;
  readonly budget: WorkBudget;
}

/** Merged busy times of a calendar. Throws AppError if the caller may not see it, and if the work budget is exhausted. */
async function busyTimesOf(
  viewer: Viewer,
  calendarId: string,
  range: Period,
  { store, eventContext }: BusyDependencies,
  budget: WorkBudget,
): Promise<readonly Period[]> {
  const ref = calendarRef(calendarId, viewer);
  let walk: Walk | undefined;
  let page = await store.listCalendar(ref, (state) => {
    const open = openCalendar(state?.calendar, ref, viewer, 'freeBusyReader');
    budget.take(0, tooManyToMerge);
    walk = {
      ...open,
      viewer,
      range,
      budget,
      // Series come once in the order of positions; by start they would come with every page.
      query: {
        ...readerFilter(open.role, viewer),
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
      eventContext: (record) => eventContext(record, open, viewer),
    };
    return walk.query;
  });
  while (page && walk) {
    const { id } = walk.calendar;
    const series: EventRecord[] = [];
    for (const entry of page.entries) {
      const turn = eventLoop.enter();
      if (turn) await turn;
      budget.take(entry.series ? instanceWork : mergeWork, tooManyToMerge);
      if (isSeries(recordAsOnCalendar(entry.record, id))) series.push(entry.record);
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

/** Cancelled events, transparent ones and those that the calendar's owner declined are no reason to be busy. */
const isBusy = ({ record, copy, owner }: EventContext): boolean =>
  !isCancelled(record, copy) &&
  copy.own.transparency !== 'transparent' &&
  record.core.attendees?.some(
    (entry) => entry.responseStatus === 'declined' && attendeeKey(entry) === owner,
  ) !== true;

function addEvent(record: EventRecord, { calendar, eventContext, times }: Walk): void {
  if (!record.copies[calendar.id] || !isBusy(eventContext(record))) return;
  const { start, end } = record.core;
  const [from, to] = [start && instantOf(start, calendar.timeZone), end && instantOf(end, calendar.timeZone)];
  if (typeof from === 'number' && typeof to === 'number') times.add(from, to);
}

/** All exceptions count, whatever the caller sees of them: the answer tells nothing but times. */
async function addSeries({ record: series, exceptions }: SeriesState, walk: Walk): Promise<void> {
  const { calendar, range, viewer, eventContext, times, budget } = walk;
  const { id: calendarId, timeZone: zone } = calendar;
  const copy = series.copies[calendarId];
  // With the series each of its instances is gone. One that does not recur any more is newer than the page.
  if (!copy || isCancelled(series, copy) || !isSeries(series)) return;
  const changed = await changedOf(
    { record: series, exceptions, position: 0, at: 0 },
    {
      selection: { ...selectionOf({ calendarId }), ...range },
      zone,
      calendarId,
      eventContext,
      identity: viewer.identity,
      order: 'position',
      limit: Infinity,
      after: undefined,
      budget,
    },
  );
  budget.take(changed.length * instanceWork, tooManyToMerge);
  for (const { context } of changed) addEvent(context.record, walk);
  // Unchanged instances differ from their series in their time alone.
  if (!isBusy(eventContext(series))) return;
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
      if (isDay) times.add(startOfDay(start, zone), startOfDay(start + length, zone));
      else times.add(start, start + length);
    }
    after = starts.length < startsAtOnce ? undefined : starts.at(-1);
  }
}

const maxDays = 184;
const dayMs = 86_400_000;
const maxPeriods = 2500;

/**
 * When the owners of calendars are busy, one calendar after the other. It is the same for every caller who may see a calendar:
 * times that are merged, of whatever they are made. A calendar that cannot be answered does not keep others from it, as
 * long as the work budget of the request lasts.
 */
export async function freeBusy(
  viewer: Viewer,
  args: FreeBusyArgs,
  tools: BusyDependencies,
  budget: WorkBudget,
): Promise<CalendarBusyView[]> {
  const issues = freeBusyIssues(args);
  if (issues.length > 0) throw invalidInput(issues);
  const range: Period = rangeOf(args);
  budget.extend(args.calendarIds.length * calendarWork);
  const write = (moment: number): string =>
    timeAt(moment, { timeZone: args.timeZone ? ianaZone(args.timeZone) : undefined }).dateTime as string;
  const known = new Map<string, readonly Period[] | AppError>();
  const find = async (calendarId: string): Promise<readonly Period[] | AppError> => {
    const found =
      known.get(calendarId) ?? (await orRefusal(() => busyTimesOf(viewer, calendarId, range, tools, budget)));
    known.set(calendarId, found);
    const other = otherSpelling(calendarId);
    return found instanceof AppError && found.code === 'NOT_FOUND' && other !== undefined
      ? find(other)
      : found;
  };
  const answer: CalendarBusyView[] = [];
  for (const calendarId of args.calendarIds) {
    await eventLoop.enter();
    const found = await find(calendarId);
    // One that is named again is written again.
    const shown = found instanceof AppError ? found : await orRefusal(() => withinLimits(found, budget));
    if (shown instanceof AppError) {
      const { code, reason, message } = shown;
      answer.push({ calendarId, busy: [], error: { code, reason, message } });
    } else answer.push({ calendarId, busy: await written(shown, write), error: null });
  }
  return answer;
}

/** Periods as texts; yields to other requests. */
async function written(
  periods: readonly Period[],
  write: (moment: number) => string,
): Promise<CalendarBusyView['busy']> {
  const texts: { start: string; end: string }[] = [];
  for (const { from, to } of periods) {
    const turn = eventLoop.enter();
    if (turn) await turn;
    texts.push({ start: write(from), end: write(to) });
  }
  return texts;
}

/** What is wrong with the arguments by themselves. */
export function freeBusyIssues(args: Partial<FreeBusyArgs>): Issue[] {
  const { timeMin, timeMax, calendarIds, timeZone } = args;
  const issues = [
    ...pageIssues({ timeMin, timeMax }),
    ...(calendarIds ? countIssues(calendarIds.length) : []),
  ];
  const { from, to } = rangeOf({ timeMin, timeMax });
  if (Number.isFinite(to - from) && to - from > maxDays * dayMs) {
    issues.push({
      path: ['timeMax'],
      reason: 'invalid',
      message: `timeMax must be at most ${maxDays} days after timeMin. Ask for less at a time.`,
      params: { max: maxDays },
    });
  }
  if (typeof timeZone === 'string' && !isTimeZone(ianaZone(timeZone))) {
    issues.push({
      path: ['timeZone'],
      reason: 'invalid',
      message:
        'timeZone must be a name of the IANA Time Zone Database, such as Europe/Berlin. Leave it out for UTC.',
    });
  }
  return issues;
}

/** What is refused for one calendar alone: it may not be seen, or holds too much. */
async function orRefusal<T>(find: () => T | Promise<T>): Promise<T | AppError> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return error;
    // Lists are told other cures.
    if (error instanceof AppError && error.code === 'BAD_USER_INPUT')
      return error.issues[0]?.path[0] === 'calendarIds' ? error : tooManyToMerge();
    throw error;
  }
}

/** Periods as they are, and paid for. Throws for more than are answered. */
function withinLimits(periods: readonly Period[], budget: WorkBudget): readonly Period[] {
  if (periods.length > maxPeriods) throw tooManyPeriods();
  budget.take(periods.length * writtenWork, tooManyToMerge);
  return periods;
}

const tooManyPeriods = (): AppError =>
  errorAt(
    'BAD_USER_INPUT',
    ['calendarIds'],
    'tooMany',
    `This calendar is busy more than ${maxPeriods} times between timeMin and timeMax, the most that is told. Ask for less time.`,
  );
