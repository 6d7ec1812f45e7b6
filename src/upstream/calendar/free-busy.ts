import { calendarNotFound } from '../../calendar/calendar.access.ts';
import { requireValid } from '../../core/errors.ts';
import { isFields } from '../../core/json.ts';
import { parseDateTime } from '../../core/time/local-time.ts';
import { toIanaZone } from '../../core/time/time-zone.ts';
import type { FreeBusyArgs } from '../../event/event.requests.ts';
import { freeBusyIssues } from '../../event/list/free-busy.ts';
import type { BusyPeriod, CalendarBusyView } from '../../event/visibility/event-view.ts';
import type { CallContext, UpstreamClient } from '../client/http-exchange.ts';
import { toCanonicalId } from './calendars.ts';
import { rethrowReadError } from './refusal-errors.ts';

/** Queries the free/busy times of calendars, in the order of `calendarIds`. */
export async function queryFreeBusy(
  client: UpstreamClient,
  context: CallContext,
  args: FreeBusyArgs,
): Promise<CalendarBusyView[]> {
  requireValid(freeBusyIssues(args));
  const { timeMin, timeMax, timeZone, calendarIds } = args;
  const { calendars: parts } = await client
    .call(
      {
        apiMethod: 'freebusy.query',
        path: ['freeBusy'],
        query: { fields: 'calendars' },
        body: {
          timeMin,
          timeMax,
          ...(timeZone && { timeZone: toIanaZone(timeZone) }),
          items: [...new Set(calendarIds)].map((id) => ({ id })),
        },
      },
      context,
    )
    .catch(rethrowReadError({ argument: 'timeMax' }));
  const calendars = isFields(parts) ? parts : {};
  const findCalendar = (id: string): unknown =>
    Object.hasOwn(calendars, id) ? calendars[id] : calendars[toCanonicalId(id, context.viewer)];
  return calendarIds.map((calendarId) => toBusyView(calendarId, findCalendar(calendarId)));
}

/** Converts the part of a response about one calendar. */
function toBusyView(calendarId: string, calendar: unknown): CalendarBusyView {
  if (!isFields(calendar)) return { calendarId, busy: [], error: unavailableError };
  const [firstError] = Array.isArray(calendar.errors) ? (calendar.errors as readonly unknown[]) : [];
  if (firstError !== undefined)
    return {
      calendarId,
      busy: [],
      error: errorForReason(isFields(firstError) ? firstError.reason : undefined),
    };
  return {
    calendarId,
    busy: (Array.isArray(calendar.busy) ? calendar.busy : [])
      .filter(isPeriod)
      .map(({ start, end }) => ({ start, end })),
    error: null,
  };
}

const isPeriod = (value: unknown): value is BusyPeriod =>
  isFields(value) && isDateTime(value.start) && isDateTime(value.end);
const isDateTime = (value: unknown): boolean => typeof value === 'string' && parseDateTime(value) !== null;

type BusyError = NonNullable<CalendarBusyView['error']>;

const { code, reason, message } = calendarNotFound([['calendarId']]);
const calendarNotFoundError: BusyError = { code, reason, message };
const unavailableError: BusyError = {
  code: 'UNAVAILABLE',
  reason: 'backendError',
  message: 'The calendar service does not return when the owner of this calendar is busy.',
};
const tooManyError: BusyError = {
  code: 'BAD_USER_INPUT',
  reason: 'tooMany',
  message:
    'This calendar has too many events for the calendar service. Ask for less time, or for fewer calendars.',
};

/** Errors of a calendar by Google's reason. */
const errorsByReason: Readonly<Record<string, BusyError>> = {
  notFound: calendarNotFoundError,
  tooMany: tooManyError,
  groupTooBig: tooManyError,
  tooManyCalendarsRequested: tooManyError,
};

const errorForReason = (busyReason: unknown): BusyError =>
  errorsByReason[String(busyReason)] ?? unavailableError;
