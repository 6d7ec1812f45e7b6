import type { Reason } from '../../core/errors.ts';
import { isDate, parseDateTime } from '../../core/time/local-time.ts';
import { isTimeZone } from '../../core/time/time-zone.ts';
import { type EventTime, kindOf, comparableTimeOf } from '../../core/time/time.ts';
import type { EventRule, RuleContext } from './rule.ts';

type TimeField = 'start' | 'end' | 'originalStartTime';

export const timesRule: EventRule = {
  title:
    'start and end are both there, both days or both times in the form of RFC 3339, and the end is after the ' +
    'start. A time without offset needs a timeZone, and a recurring event one in both.',
  triggers: ['start', 'end', 'recurrence'],
  check(event, before, context) {
    const { start, end, status, recurringEventId } = event;
    const isCancelledInstance = status === 'cancelled' && recurringEventId !== undefined;
    // The recurrence rule refuses a recurring instance; an issue about its time zone would mislead.
    const isRecurring = recurringEventId === undefined && (event.recurrence?.length ?? 0) > 0;
    for (const field of ['start', 'end'] as const) {
      const time = event[field];
      const isChanged = time !== before[field] || event.recurrence !== before.recurrence;
      if (time) {
        if (isChanged) checkTime(field, time, isRecurring, context);
      } else if (context.mode !== 'part' && !isCancelledInstance)
        context.reportIssue([field], 'required', requiredMessage(field));
    }
    if (start === before.start && end === before.end) return;
    checkSingleKind(start, end, context);
    if (start && end) checkRange(start, end, context);
  },
};

const requiredMessage = (field: string): string =>
  `The ${field} is required: { date } for an all-day event, { dateTime, timeZone } for a timed one.`;

/** Checks one time by itself: its form and its zone. */
export function checkTime(
  field: TimeField,
  time: EventTime,
  isRecurringEvent: boolean,
  context: RuleContext,
): void {
  const { date, dateTime } = time;
  const reportInvalid = (part: 'date' | 'dateTime', expectedForm: string): void =>
    context.reportIssue([field, part], 'invalid', `The ${part} of ${field} must be ${expectedForm}.`);
  if (date === undefined && dateTime === undefined && context.mode !== 'part')
    context.reportIssue([field], 'required', `The ${field} needs either date or dateTime.`);
  if (date !== undefined && !isDate(date)) reportInvalid('date', 'a day of the calendar, written yyyy-mm-dd');
  if (dateTime !== undefined && !parseDateTime(dateTime))
    reportInvalid('dateTime', 'an RFC 3339 date-time such as 2026-07-01T09:30:00+02:00');
  checkZone(field, time, isRecurringEvent, context);
}

const hasDateAndDateTime = (time: EventTime | undefined): boolean =>
  time?.date !== undefined && time.dateTime !== undefined;

/** Reports a time with both date and dateTime: at the end, or at the start if only that has both. */
function checkSingleKind(
  start: EventTime | undefined,
  end: EventTime | undefined,
  context: RuleContext,
): void {
  const field = hasDateAndDateTime(end) ? 'end' : hasDateAndDateTime(start) ? 'start' : undefined;
  if (field === undefined) return;
  const subject =
    field === 'end' && hasDateAndDateTime(start) ? 'The start and the end have' : `The ${field} has`;
  const message = `${subject} both date and dateTime, and only one is allowed${switchHint(context)}.`;
  context.reportIssue([field], 'invalid', message);
}

/** Hint for patches, where a sent date or dateTime may meet a stored one of the other kind. */
const switchHint = ({ mode }: RuleContext): string =>
  mode === 'patch'
    ? ': when switching between all-day (date) and timed (dateTime), send null for the other field in start and in end'
    : '';

function checkZone(
  field: string,
  time: EventTime,
  isOfSeries: boolean,
  { zone, reportIssue, mode }: RuleContext,
): void {
  const example = zone === '' ? 'for example "Europe/Berlin"' : `for example "${zone}", the calendar's own`;
  const reportProblem = (reason: Reason, problem: string): void =>
    reportIssue([field, 'timeZone'], reason, `The ${problem}, ${example}.`);
  if (time.timeZone !== undefined) {
    if (!isTimeZone(time.timeZone))
      reportProblem(
        'invalid',
        `timeZone of ${field} must be a name of the IANA Time Zone Database (no offset)`,
      );
    return;
  }
  if (mode === 'part' || kindOf(time) !== 'dateTime') return;
  // Only series with times of day need a zone, to stay at the same local time when clocks change.
  if (isOfSeries)
    reportProblem('required', `timeZone of ${field} is required for a recurring event with a dateTime`);
  else if (parseDateTime(time.dateTime as string)?.offset === null)
    reportProblem('required', `dateTime of ${field} has no offset: add one (Z or +02:00), or set timeZone`);
}

/** Compares start and end, unless one of them is invalid. */
function checkRange(start: EventTime, end: EventTime, context: RuleContext): void {
  const [kind, endKind] = [kindOf(start), kindOf(end)];
  if (kind === null || endKind === null) return;
  if (kind !== endKind) {
    const message = `The start and the end must be of one kind, both date or both dateTime${switchHint(context)}.`;
    return context.reportIssue(['end'], 'invalid', message);
  }
  const [from, to] = [comparableTimeOf(start), comparableTimeOf(end)];
  if (from === null || to === null || from < to) return;
  const message =
    kind === 'date'
      ? 'The date of end must be after that of start: it is the day after the last one, so a one-day event ends the next day.'
      : 'The end must be after the start.';
  context.reportIssue(['end'], 'timeRangeEmpty', message);
}

export const originalStartRule: EventRule = {
  title: 'The originalStartTime of an instance is a day or a time, as a start is.',
  triggers: ['originalStartTime'],
  check({ originalStartTime: time }, _before, context) {
    if (!time) return;
    checkTime('originalStartTime', time, /* isRecurringEvent */ false, context);
    if (!hasDateAndDateTime(time)) return;
    const message = 'The originalStartTime has both date and dateTime, and only one is allowed.';
    context.reportIssue(['originalStartTime'], 'invalid', message);
  },
};
