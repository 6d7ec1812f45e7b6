import type { Viewer } from '../../access/permissions.ts';
import { otherSpelling } from '../../calendar/calendar.access.ts';
import { AppError, errorAt, invalidInput, type Issue } from '../../core/kernel/errors.ts';
import { eventLoop } from '../../core/runtime/event-loop.ts';
import type { WorkBudget } from '../../core/runtime/limits.ts';
import { ianaZone, isTimeZone } from '../../core/time/time-zone.ts';
import type { FreeBusyArgs } from '../event.requests.ts';
import { timeAt } from '../recurrence/instance-id.ts';
import type { CalendarBusyView } from '../view/busy-view.ts';
import { busyTimesOf, type BusyTools } from './busy-calendar.ts';
import type { Period } from './busy-times.ts';
import { countIssues } from './calendar-count.ts';
import { pageIssues, rangeOf } from './selection.ts';
import { calendarWork, writtenWork, tooManyToMerge } from './work-units.ts';

const mostDays = 184;
const dayMs = 86_400_000;
const mostPeriods = 2500;

/**
 * When the owners of calendars are busy, one calendar after the other. It is the same for every caller who may see a calendar:
 * times that are merged, of whatever they are made. A calendar that cannot be answered does not keep others from it, as
 * long as the work budget of the request lasts.
 */
export async function freeBusy(
  viewer: Viewer,
  args: FreeBusyArgs,
  tools: BusyTools,
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
    const told = found instanceof AppError ? found : await orRefusal(() => toldOf(found, budget));
    if (told instanceof AppError)
      answer.push({
        calendarId,
        busy: [],
        error: { code: told.code, reason: told.reason, message: told.message },
      });
    else answer.push({ calendarId, busy: await written(told, write), error: null });
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
  if (Number.isFinite(to - from) && to - from > mostDays * dayMs) {
    issues.push({
      path: ['timeMax'],
      reason: 'invalid',
      message: `timeMax must be at most ${mostDays} days after timeMin. Ask for less at a time.`,
      params: { max: mostDays },
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

function toldOf(periods: readonly Period[], budget: WorkBudget): readonly Period[] {
  if (periods.length > mostPeriods) throw tooManyPeriods();
  budget.take(periods.length * writtenWork, tooManyToMerge);
  return periods;
}

const tooManyPeriods = (): AppError =>
  errorAt(
    'BAD_USER_INPUT',
    ['calendarIds'],
    'tooMany',
    `This calendar is busy more than ${mostPeriods} times between timeMin and timeMax, the most that is told. Ask for less time.`,
  );
