import { noCalendar } from '../../calendar/calendar.access.ts';
import {
  AppError,
  errorOf,
  invalidInput,
  type Issue,
  type Path,
  type Reason,
} from '../../core/kernel/errors.ts';
import { noEvent } from '../../event/event.access.ts';
import { expiredCursor, expiredSyncToken } from '../../event/list/list-request.ts';
import { ServiceRefusal } from '../client/call.ts';
import { insufficientScope, lacksScope, saidIn } from '../refusals.ts';

/** A read, for the words of what the service refuses of it. */
export interface Reading {
  /** Whether it is about one event. */
  readonly ofEvent?: boolean;
  /** Whether it goes on from a sync token. */
  readonly syncs?: boolean;
  /** Where the request names the calendar; absent: in `calendarId`. */
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
  if (status === 403 && lacksScope(error)) return insufficientScope();
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

/** What is to blame where the service names nothing. */
const placeOf = ({ argument, ofEvent, calendarAt: [calendar = []] = [['calendarId']] }: Reading): Path =>
  argument === undefined ? (ofEvent ? ['eventId'] : calendar) : [argument];

function issueOf(refusal: ServiceRefusal, reading: Reading): Issue {
  const { reason, location } = refusal;
  if (location === 'pageToken') return expiredCursor;
  const message = saidIn(refusal) || 'The calendar service does not take this.';
  return {
    path: location ? [argumentNames[location] ?? location] : placeOf(reading),
    reason: readReasons.has(reason) ? (reason as Reason) : 'invalid',
    message,
  };
}
