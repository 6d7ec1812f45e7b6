import { errorAt, type AppError } from '../../core/errors.ts';

// Units of work: so many of each kind are one.

/** An event that is read and not listed. */
export const eventWork = 1 / 100;
/** An event that is collected and sorted. */
export const collectWork = 1 / 500;
/** A changed instance that is put together with its series. */
export const instanceWork = 1 / 10;
/** An event or an occurrence of which the times are merged. */
export const mergeWork = 1 / 50;
/** Merged times that are written and sent. */
export const writtenWork = 1 / 40;
/** Characters that are searched, in scripts that are expensive to compare. */
export const searchWork = (characters: number): number => characters / 10_000;
/** Units that are granted for each calendar whose times are merged. */
export const calendarWork = 400;

const tooMuch = (argument: string, message: string) => (): AppError =>
  errorAt(
    'BAD_USER_INPUT',
    [argument],
    'tooMany',
    `${message} in one request. All lists of a request share what it may take.`,
  );

export const tooManySeries = tooMuch(
  'timeMax',
  'The series of this calendar are too many, or their rules too expensive, to be looked through at once. ' +
    'Ask for less time between timeMin and timeMax, for a smaller "first", for one series by instances, or for fewer lists',
);
export const tooManyEvents = tooMuch(
  'timeMax',
  'Too many events would have to be looked through to find these. ' +
    'Ask for less time between timeMin and timeMax, or for fewer lists',
);
export const tooManyToMerge = tooMuch(
  'calendarIds',
  'This calendar holds too much, or series whose rules are too expensive, to be looked through with the others. ' +
    'Ask for less time between timeMin and timeMax, or for fewer calendars',
);
export const tooMuchText = tooMuch(
  'q',
  'The events of this calendar hold too much text to be searched at once. ' +
    'Ask for less time between timeMin and timeMax, or for fewer searches',
);
