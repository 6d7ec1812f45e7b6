import type { FieldErrors } from '../api/failure.ts';
import type { Draft } from './draft.ts';

/**
 * Moves the gateway's errors to the fields of the form, and rewords them: in the form, the last day is
 * inclusive, and date and time are two fields.
 */
export function moveErrorsToFields(errors: FieldErrors, draft: Draft): FieldErrors {
  return Object.fromEntries(
    Object.entries(errors).map(([path, message]) => {
      if (path === 'end' && endsTooEarly(draft)) return earlyEndError(draft);
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

/** Sortable texts of start and end. */
const formatSortableStart = ({ allDay, startDate, startTime }: Draft): string =>
  startDate + (allDay ? '' : startTime);
const formatSortableEnd = ({ allDay, endDate, endTime }: Draft): string => endDate + (allDay ? '' : endTime);

/** Checks the order of the times. An all-day event may end on its first day. */
const endsTooEarly = (draft: Draft): boolean =>
  draft.allDay
    ? formatSortableEnd(draft) < formatSortableStart(draft)
    : formatSortableEnd(draft) <= formatSortableStart(draft);

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
