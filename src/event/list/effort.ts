import { errorAt, type AppError } from '../../core/kernel/errors.ts';

/** So many events that are looked at, and not listed, are a unit of effort. */
const eventsInUnit = 100;
/** Events that are collected and sorted, before any of them is looked at. */
const collectedInUnit = 500;
/** Of changed instances those that are put together with their series for it. */
const instancesInUnit = 10;
/** As many characters as are searched in a tenth of a millisecond, where letters are dear to compare. */
const charactersInUnit = 10_000;

export const eventWork = 1 / eventsInUnit;
export const collectWork = 1 / collectedInUnit;
export const instanceWork = 1 / instancesInUnit;
export const searchWork = (characters: number): number => characters / charactersInUnit;

const share = 'All lists of a request share what it may take.';

export const tooManySeries = (): AppError =>
  errorAt('BAD_USER_INPUT', ['timeMax'], 'tooMany', `The series of this calendar are too many, or their rules too dear, to be looked through at once. ` +
    `Ask for less time between timeMin and timeMax, for a smaller "first", for one series by instances, or for fewer lists in one request. ${share}`);

export const tooManyEvents = (): AppError =>
  errorAt('BAD_USER_INPUT', ['timeMax'], 'tooMany', `Too many events would have to be looked through to find these. ` +
    `Ask for less time between timeMin and timeMax, or for fewer lists in one request. ${share}`);

export const tooMuchText = (): AppError =>
  errorAt('BAD_USER_INPUT', ['q'], 'tooMany', `The events of this calendar hold too much text to be searched at once. ` +
    `Ask for less time between timeMin and timeMax, or for fewer searches in one request. ${share}`);
