import { errorAt, type AppError } from '../../core/errors.ts';

/** Events per unit that are read and not listed. */
const eventsInUnit = 100;
/** Events per unit that are collected and sorted. */
const collectedInUnit = 500;
/** Changed instances per unit that are put together with their series. */
const instancesInUnit = 10;
/** Events and occurrences per unit of which the times are merged. */
const mergedInUnit = 50;
/** Merged times per unit that are written and sent. */
const writtenInUnit = 40;
/** Units that are granted for each calendar whose times are merged. */
export const calendarWork = 400;
/** Characters per unit that are searched, in scripts that are expensive to compare. */
const charactersInUnit = 10_000;

export const eventWork = 1 / eventsInUnit;
export const collectWork = 1 / collectedInUnit;
export const instanceWork = 1 / instancesInUnit;
export const mergeWork = 1 / mergedInUnit;
export const writtenWork = 1 / writtenInUnit;
export const searchWork = (characters: number): number => characters / charactersInUnit;

const share = 'All lists of a request share what it may take.';

export const tooManySeries = (): AppError =>
  errorAt(
    'BAD_USER_INPUT',
    ['timeMax'],
    'tooMany',
    `The series of this calendar are too many, or their rules too expensive, to be looked through at once. ` +
      `Ask for less time between timeMin and timeMax, for a smaller "first", for one series by instances, or for fewer lists in one request. ${share}`,
  );

export const tooManyEvents = (): AppError =>
  errorAt(
    'BAD_USER_INPUT',
    ['timeMax'],
    'tooMany',
    `Too many events would have to be looked through to find these. ` +
      `Ask for less time between timeMin and timeMax, or for fewer lists in one request. ${share}`,
  );

export const tooManyToMerge = (): AppError =>
  errorAt(
    'BAD_USER_INPUT',
    ['calendarIds'],
    'tooMany',
    `This calendar holds too much, or series whose rules are too expensive, to be looked through with the others. ` +
      `Ask for less time between timeMin and timeMax, or for fewer calendars in one request. ${share}`,
  );

export const tooMuchText = (): AppError =>
  errorAt(
    'BAD_USER_INPUT',
    ['q'],
    'tooMany',
    `The events of this calendar hold too much text to be searched at once. ` +
      `Ask for less time between timeMin and timeMax, or for fewer searches in one request. ${share}`,
  );
