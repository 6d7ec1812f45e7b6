import { errorAt, type AppError } from '../../core/errors.ts';

// Costs of lists, searches and free/busy requests in units of the work budget of a request
// (`core/runtime/limits.ts`).

/** Work of an event that is read and not listed. */
export const eventWork = 1 / 100;
/** Work of an event that is collected and sorted. */
export const collectWork = 1 / 500;
/** Work of composing a changed instance. */
export const instanceWork = 1 / 10;
/** Work of merging the times of an event or occurrence. */
export const mergeWork = 1 / 50;
/** Work of formatting and sending a merged period. */
export const formatWork = 1 / 40;
/** Work of searching a text, in scripts that are expensive to compare. */
export const searchWork = (characters: number): number => characters / 10_000;
/** Units added to the budget for each calendar of a free/busy request. */
export const workPerCalendar = 400;

/** Returns a function that creates the error of an exhausted work budget. */
const createErrorFactory = (argument: string, message: string) => (): AppError =>
  errorAt(
    'BAD_USER_INPUT',
    [argument],
    'tooMany',
    `${message} in one request. All lists of a request share the limit.`,
  );

export const tooManySeriesError = createErrorFactory(
  'timeMax',
  'The series of this calendar are too many, or their rules too expensive, to be searched at once. ' +
    'Ask for less time between timeMin and timeMax, for a smaller "first", for one series by instances, or for fewer lists',
);
export const tooManyEventsError = createErrorFactory(
  'timeMax',
  'Too many events would have to be searched to find these. ' +
    'Ask for less time between timeMin and timeMax, or for fewer lists',
);
export const tooManyToMergeError = createErrorFactory(
  'calendarIds',
  'This calendar has too many events, or series whose rules are too expensive, to be searched with the others. ' +
    'Ask for less time between timeMin and timeMax, or for fewer calendars',
);
export const tooMuchTextError = createErrorFactory(
  'q',
  'The events of this calendar have too much text to be searched at once. ' +
    'Ask for less time between timeMin and timeMax, or for fewer searches',
);
