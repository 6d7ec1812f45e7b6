import { Temporal } from 'temporal-polyfill';
import type { FieldErrors } from '../api/failure.ts';
import { isDate, type Draft } from './draft.ts';
import { earlyEndError, endsTooEarly } from './form-errors.ts';
import { lacksDays } from './repeats.ts';

/**
 * Checks the inputs that the page itself reads, and frequent mistakes, so that they are reported together.
 * Returns messages by field. The gateway checks everything else.
 */
export function findInputErrors(draft: Draft): FieldErrors {
  const { allDay, startDate, startTime, endDate, endTime, guests, repeats, rule, reminders } = draft;
  const hasRule = repeats !== '' && repeats !== 'unchanged';
  const checks: readonly (readonly [path: string, message: string | undefined])[] = [
    ['start.date', checkDate(startDate)],
    ['start.time', allDay ? undefined : checkTime(startDate, startTime, draft.startZone)],
    ['end.date', checkDate(endDate)],
    ['end.time', allDay ? undefined : checkTime(endDate, endTime, draft.endZone)],
    // The gateway decides about an hour that comes twice.
    ...(endsTooEarly(draft, 'longest') ? [earlyEndError(draft)] : []),
    ['recurrence.days', lacksDays(draft) ? 'Choose at least one day.' : undefined],
    ['recurrence.interval', hasRule ? checkCount(rule.interval) : undefined],
    ['recurrence.count', hasRule && rule.ends === 'count' ? checkCount(rule.count) : undefined],
    [
      'recurrence.until',
      hasRule && rule.ends === 'until'
        ? (checkDate(rule.until) ?? (rule.until < startDate ? 'This is before the event starts.' : undefined))
        : undefined,
    ],
    ...guests.map(
      ({ attendee, email }, index) =>
        [`attendees.${index}.email`, attendee ? undefined : checkAddress(email.trim())] as const,
    ),
    ...(draft.useDefault ? [] : reminders).map(
      ({ minutes }, index) => [`reminders.overrides.${index}.minutes`, checkReminder(minutes)] as const,
    ),
  ];
  return Object.fromEntries(
    checks.flatMap(([path, message]) => (message === undefined ? [] : [[path, message]])),
  );
}

const checkDate = (date: string): string | undefined => (isDate(date) ? undefined : 'This needs a date.');

const checkCount = (text: string): string | undefined =>
  /^[1-9]\d{0,3}$/.test(text) ? undefined : 'This must be a whole number, at least 1.';

/** Finds what no address is; the gateway knows the whole syntax. */
function checkAddress(email: string): string | undefined {
  if (email === '') return 'This needs an e-mail address.';
  return /^.+@\S+$/.test(email) ? undefined : `“${email}” is not an e-mail address.`;
}

/** Checks for digits; the gateway checks the range. */
const checkReminder = (minutes: string): string | undefined =>
  /^\d+$/.test(minutes) ? undefined : 'This must be a whole number, at least 0.';

/** Checks a time of day, which must exist on its date. */
function checkTime(date: string, time: string, zone: string): string | undefined {
  if (time === '') return 'This needs a time.';
  if (!isDate(date)) return undefined;
  const localTime = Temporal.PlainDateTime.from(`${date}T${time}`);
  return localTime.toZonedDateTime(zone).toPlainDateTime().equals(localTime)
    ? undefined
    : 'There is no such time on that day: the clocks go forward.';
}
