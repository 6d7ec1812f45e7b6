import type { Viewer } from '../../access/permissions.ts';
import { noCalendar } from '../../calendar/calendar.access.ts';
import { invalidInput } from '../../core/errors.ts';
import { isFields } from '../../core/patch.ts';
import type { RequestKey } from '../../core/runtime/limits.ts';
import { parseDateTime } from '../../core/time/local-time.ts';
import { ianaZone } from '../../core/time/time-zone.ts';
import type { FreeBusyArgs } from '../../event/event.requests.ts';
import { freeBusyIssues } from '../../event/list/free-busy.ts';
import type { BusyPeriod, CalendarBusyView } from '../../event/visibility/event-view.ts';
import type { UpstreamClient } from '../client/exchange.ts';
import { bearerOf } from '../identity/verifier.ts';
import { calendarNamed } from './calendars.ts';
import { inOwnWords } from './faults.ts';

/** When the owners of calendars are busy, as the service tells it. */
export async function freeBusy(
  viewer: Viewer,
  args: FreeBusyArgs,
  client: UpstreamClient,
  request: RequestKey,
): Promise<CalendarBusyView[]> {
  const issues = freeBusyIssues(args);
  if (issues.length > 0) throw invalidInput(issues);
  const { timeMin, timeMax, timeZone, calendarIds } = args;
  const { body } = await client
    .call(
      {
        // It asks, though it is a POST.
        method: 'freebusy.query',
        verb: 'POST',
        path: ['freeBusy'],
        repeatable: true,
        readsOnly: true,
        query: { fields: 'calendars' },
        body: {
          timeMin,
          timeMax,
          ...(timeZone && { timeZone: ianaZone(timeZone) }),
          items: [...new Set(calendarIds)].map((id) => ({ id })),
        },
      },
      { token: bearerOf(viewer), request },
    )
    .catch(inOwnWords({ argument: 'timeMax' }));
  const told = isFields(body) && isFields(body.calendars) ? body.calendars : {};
  const ofCalendar = (id: string): unknown =>
    Object.hasOwn(told, id) ? told[id] : told[calendarNamed(id, viewer)];
  return calendarIds.map((calendarId) => busyView(calendarId, ofCalendar(calendarId)));
}

function busyView(calendarId: string, told: unknown): CalendarBusyView {
  if (!isFields(told)) return { calendarId, busy: [], error: untold };
  const [refused] = Array.isArray(told.errors) ? (told.errors as readonly unknown[]) : [];
  if (refused !== undefined)
    return { calendarId, busy: [], error: errorFor(isFields(refused) ? refused.reason : undefined) };
  return {
    calendarId,
    busy: (Array.isArray(told.busy) ? told.busy : [])
      .filter(isPeriod)
      .map(({ start, end }) => ({ start, end })),
    error: null,
  };
}

const isPeriod = (value: unknown): value is BusyPeriod =>
  isFields(value) && isMoment(value.start) && isMoment(value.end);
const isMoment = (value: unknown): boolean => typeof value === 'string' && parseDateTime(value) !== null;

type BusyError = NonNullable<CalendarBusyView['error']>;

const { code, reason, message } = noCalendar([['calendarId']]);
const missing: BusyError = { code, reason, message };
const untold: BusyError = {
  code: 'UNAVAILABLE',
  reason: 'backendError',
  message: 'The calendar service does not tell when the owner of this calendar is busy.',
};
const tooMany: BusyError = {
  code: 'BAD_USER_INPUT',
  reason: 'tooMany',
  message:
    'The calendar service finds too much to look through for this calendar. Ask for less time, or for fewer calendars.',
};

/** By the reasons of the service. */
const errors: Readonly<Record<string, BusyError>> = {
  notFound: missing,
  tooMany,
  groupTooBig: tooMany,
  tooManyCalendarsRequested: tooMany,
};

const errorFor = (told: unknown): BusyError => errors[String(told)] ?? untold;
