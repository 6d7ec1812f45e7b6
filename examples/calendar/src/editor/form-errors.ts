import { Temporal } from 'temporal-polyfill';
import type { FieldErrors } from '../api/failure.ts';
import { hasCompleteTimes } from './draft-times.ts';
import type { Draft } from './draft.ts';

/**
 * Moves the gateway's errors to the fields of the form, and rewords them: in the form, the last day is
 * inclusive, and date and time are two fields.
 */
export function moveErrorsToFields(errors: FieldErrors, draft: Draft): FieldErrors {
  return Object.fromEntries(
    Object.entries(errors).map(([path, message]) => {
      if (path === 'end' && endsTooEarly(draft, 'earlier')) return earlyEndError(draft);
      const guestIndex = /^attendees\.(\d+)\.email$/.exec(path)?.[1];
      const address = guestIndex === undefined ? undefined : draft.guests[Number(guestIndex)]?.email.trim();
      return [
        path,
        address && message === 'This is not an e-mail address.'
          ? `“${address}” is not an e-mail address.`
          : message,
      ];
    }),
  );
}

/**
 * Whether an event ends too early; false while its times are incomplete. An all-day event may end on its first
 * day. `repeatedTime`: how a time that comes twice on its day, because clocks go back, is taken: as the earlier
 * one, or as the one that makes the event longer.
 */
export function endsTooEarly(draft: Draft, repeatedTime: 'earlier' | 'longest'): boolean {
  const { allDay, startDate, startTime, startZone, endDate, endTime, endZone } = draft;
  if (!hasCompleteTimes(draft)) return false;
  if (allDay) return endDate < startDate;
  const toInstantMs = (local: string, zone: string, disambiguation: 'earlier' | 'later'): number =>
    Temporal.PlainDateTime.from(local).toZonedDateTime(zone, { disambiguation }).epochMilliseconds;
  return (
    toInstantMs(`${endDate}T${endTime}`, endZone, repeatedTime === 'longest' ? 'later' : 'earlier') <=
    toInstantMs(`${startDate}T${startTime}`, startZone, 'earlier')
  );
}

/** The error of an end before the start, at the field to change. */
export function earlyEndError({
  allDay,
  startDate,
  endDate,
}: Draft): readonly [path: string, message: string] {
  if (allDay) return ['end.date', 'The last day must not be before the first.'];
  return endDate < startDate
    ? ['end.date', 'The end must not be before the start.']
    : ['end.time', 'The end must be after the start.'];
}
