import { noCalendar } from '../../calendar/calendar.access.ts';
import {
  AppError,
  errorAt,
  errorOf,
  invalidInput,
  type Issue,
  type Path,
  type Reason,
} from '../../core/errors.ts';
import { noEvent } from '../../event/event.requests.ts';
import { expiredCursor, expiredSyncToken } from '../../event/list/list-request.ts';
import type { Property, Schemas } from '../../google/schemas.ts';
import { ServiceRefusal } from '../client/responses.ts';
import { insufficientScope } from '../form.ts';

/** What was asked of the service. */
interface Operation {
  readonly schemas: Schemas;
  /** The argument that names what is not found, where the service does not say. */
  readonly named: 'calendarId' | 'eventId';
}

export const isRefusal = (error: unknown, ...statuses: readonly number[]): error is ServiceRefusal =>
  error instanceof ServiceRefusal && statuses.includes(error.status);

/** Whether the etag may be another one by an attempt of the same write, whose answer was lost. */
export const mayBeOwn = (error: unknown): boolean => isRefusal(error, 412) && error.again;

/** For a write that was made twice, and of which nobody can say whether the first one was carried out. */
export const unknownOutcome = (): AppError =>
  new AppError(
    'UNAVAILABLE',
    'outcomeUnknown',
    'The calendar service does not say what became of this. It may have been carried out: look before you send it again.',
  );

/** Whether a service names a refusal as one that the body is to be blamed for. */
export const concernsBody = (error: unknown): boolean =>
  isRefusal(error, 400) ||
  (isRefusal(error, 403) &&
    !error.lacksScope &&
    error.location !== 'calendarId' &&
    error.reason !== 'requiredAccessLevel');

/** A refusal of the service in the gateway's words; any other error as it is. */
export function refusalAt(error: unknown, operation: Operation): unknown {
  if (!(error instanceof ServiceRefusal)) return error;
  return (byStatus[error.status] ?? unexpected)(error, operation);
}

const byStatus: Readonly<Record<number, (refusal: ServiceRefusal, operation: Operation) => AppError>> = {
  400: invalid,
  403: forbidden,
  404: notFound,
  409: ({ location }, { schemas }) =>
    duplicate(location !== undefined && fieldPath(schemas, location) ? location : 'id'),
  // Of an event that was deleted; lists say it of sync tokens.
  410: () => noEvent(),
  412: () => changedMeanwhile(),
  413: (refusal) => errorAt('BAD_USER_INPUT', ['event'], 'invalid', said(refusal)),
  414: tooLong,
  431: tooLong,
};

/** Where the official reasons of 400 lie that do not say it. */
const places: Readonly<Record<string, Path>> = {
  timeRangeEmpty: ['event', 'end'],
  eventRemindersCountExceedsLimit: ['event', 'reminders', 'overrides'],
  cannotUseDefaultRemindersAndSpecifyOverride: ['event', 'reminders', 'useDefault'],
};
const writeReasons: ReadonlySet<string> = new Set<Reason>([
  'required',
  'immutable',
  'tooLong',
  'tooMany',
  ...(Object.keys(places) as Reason[]),
]);

function invalid(refusal: ServiceRefusal, { schemas }: Operation): AppError {
  const { reason, words, location } = refusal;
  const named = (location !== undefined && fieldPath(schemas, location)) || places[reason];
  const path = named ?? (/\bsequence\b/i.test(words) ? ['event', 'sequence'] : ['event']);
  return errorAt(
    'BAD_USER_INPUT',
    path,
    writeReasons.has(reason) ? (reason as Reason) : 'invalid',
    said(refusal),
  );
}

function tooLong(refusal: ServiceRefusal, { named }: Operation): AppError {
  return errorAt('BAD_USER_INPUT', [named], 'tooLong', said(refusal));
}

function forbidden(refusal: ServiceRefusal, { schemas }: Operation): AppError {
  if (refusal.lacksScope) return insufficientScope();
  const { reason, location } = refusal;
  const field = location === undefined ? undefined : fieldPath(schemas, location);
  if (reason === 'forbiddenForNonOrganizer')
    return errorAt('FORBIDDEN', field ?? ['event'], reason, 'Only the organizer can change this.');
  const mayRead = location === 'calendarId' || reason === 'requiredAccessLevel';
  return errorAt(
    'FORBIDDEN',
    field ?? ['calendarId'],
    'forbidden',
    mayRead
      ? 'You may read this calendar, but not change its events.'
      : 'The calendar service does not let you do this.',
  );
}

function notFound({ location }: ServiceRefusal, { named, schemas }: Operation): AppError {
  const field = location === undefined ? undefined : fieldPath(schemas, location);
  if (field) return errorAt('NOT_FOUND', field, 'notFound', 'There is no such event on this calendar.');
  const argument = location === 'calendarId' || location === 'eventId' ? location : named;
  return argument === 'eventId' ? noEvent() : noCalendar([['calendarId']]);
}

/** Another event has this name. */
export const duplicate = (field: string): AppError =>
  errorAt(
    'CONFLICT',
    ['event', field],
    'duplicate',
    `The calendar has an event with this ${field}. Leave ${field} out to get a new one.`,
  );

/** The event is another one than the etag says. */
export const changedMeanwhile = (etag?: string): AppError =>
  errorOf(
    'PRECONDITION_FAILED',
    [
      {
        path: ['ifMatch'],
        reason: 'conditionNotMet',
        message: 'The event was changed since it was read. Read it again and repeat the change.',
      },
    ],
    etag === undefined ? {} : { etag },
  );

const unexpected = ({ status }: ServiceRefusal): AppError =>
  new AppError(
    'UNAVAILABLE',
    'backendError',
    `The calendar service refused this in a way that it should not (${status}).`,
  );

/** In the service's words. */
const said = (refusal: ServiceRefusal): string =>
  `The calendar service refused this${refusal.words && `: ${refusal.words}`}`;

/** A place in the body as the service names it, such as `reminders.overrides[0].minutes`; undefined for anything else. */
function fieldPath(schemas: Schemas, location: string): Path | undefined {
  let property: Property | undefined = { $ref: 'Event' };
  const path: (string | number)[] = ['event'];
  for (const step of location.match(/[^.[\]]+/g) ?? []) {
    const of: Property = { ...(property.$ref === undefined ? {} : schemas[property.$ref]), ...property };
    const isIndex: boolean = of.items !== undefined && /^\d+$/.test(step);
    property = isIndex ? of.items : (of.properties?.[step] ?? of.additionalProperties);
    if (!property) return undefined;
    path.push(isIndex ? Number(step) : (property.field ?? step));
  }
  return path.length > 1 ? path : undefined;
}

/** A read, for the words of what the service refuses of it. */
export interface Reading {
  /** Whether it is about one event. */
  readonly ofEvent?: boolean;
  /** Whether it goes on from a sync token. */
  readonly syncs?: boolean;
  /** Paths at which the request names the calendar; absent: `calendarId`. */
  readonly calendarAt?: readonly Path[];
  /** The argument that is to blame where the service names none. */
  readonly argument?: string;
}

/** The error of a read that failed: what the service refuses, in the gateway's words; others as they are. */
export function readFault(error: unknown, reading: Reading = {}): unknown {
  if (!(error instanceof ServiceRefusal)) return error;
  const { status, location } = error;
  const { calendarAt = [['calendarId']] } = reading;
  if (status === 410 && reading.syncs) return invalidInput([expiredSyncToken]);
  if (status === 404 || (status === 410 && reading.ofEvent))
    return reading.ofEvent && location !== 'calendarId' ? noEvent() : noCalendar(calendarAt);
  if (error.lacksScope) return insufficientScope();
  if (status === 403)
    return errorOf(
      'FORBIDDEN',
      calendarAt.map((path) => ({ path, reason: 'forbidden', message: 'You may not read this calendar.' })),
    );
  if (status === 414 || status === 431)
    return invalidInput([
      { path: placeOf(reading), reason: 'tooLong', message: 'This is too long for the calendar service.' },
    ]);
  if (status === 400 || status === 410) return invalidInput([issueOf(error, reading)]);
  return new AppError(
    'UNAVAILABLE',
    'backendError',
    'The calendar service could not answer this.',
    [],
    {},
    error,
  );
}

/** For calls that fail: throws in the gateway's words. */
export const inOwnWords =
  (reading?: Reading) =>
  (error: unknown): never => {
    throw readFault(error, reading);
  };

/** The names of arguments behind those of the official API, where they differ. */
const argumentNames: Readonly<Record<string, string>> = {
  maxResults: 'first',
  pageToken: 'after',
  items: 'calendarIds',
};

const readReasons: ReadonlySet<string> = new Set<Reason>(['required', 'invalid', 'tooLong', 'tooMany']);

/** The argument to blame if the service names none. */
const placeOf = ({ argument, ofEvent, calendarAt: [calendar = []] = [['calendarId']] }: Reading): Path =>
  argument === undefined ? (ofEvent ? ['eventId'] : calendar) : [argument];

function issueOf(refusal: ServiceRefusal, reading: Reading): Issue {
  const { reason, location } = refusal;
  if (location === 'pageToken') return expiredCursor;
  const message = refusal.words || 'The calendar service does not take this.';
  return {
    path: location ? [argumentNames[location] ?? location] : placeOf(reading),
    reason: readReasons.has(reason) ? (reason as Reason) : 'invalid',
    message,
  };
}
