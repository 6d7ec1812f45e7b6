import type { FieldErrors } from '../api/failure.ts';
import type { Draft } from './draft.ts';

/** Puts the gateway's errors at the controls of the form, in its terms: an inclusive last day, a date and a time, an address. */
export function errorsInForm(errors: FieldErrors, draft: Draft): FieldErrors {
  return Object.fromEntries(
    Object.entries(errors).map(([path, message]) => {
      if (path === 'end' && endsTooEarly(draft)) return tooEarly(draft);
      const email = /^attendees\.(\d+)\.email$/.exec(path)?.[1];
      const address = email === undefined ? undefined : draft.guests[Number(email)]?.email.trim();
      // Messages about duplicates and limits are plain; the one about the form of an address names a standard.
      return [path, address && /RFC 5322/.test(message) ? `“${address}” is not an e-mail address.` : message];
    }),
  );
}

const startOf = ({ allDay, startDate, startTime }: Draft): string => startDate + (allDay ? '' : startTime);
const endOf = ({ allDay, endDate, endTime }: Draft): string => endDate + (allDay ? '' : endTime);

/** An all-day event may end on its first day. */
const endsTooEarly = (draft: Draft): boolean =>
  draft.allDay ? endOf(draft) < startOf(draft) : endOf(draft) <= startOf(draft);

function tooEarly({ allDay, startDate, endDate }: Draft): readonly [path: string, message: string] {
  if (allDay) return ['end.date', 'The last day must not be before the first.'];
  return endDate < startDate
    ? ['end.date', 'The end must not be before the start.']
    : ['end.time', 'The end must be after the start.'];
}
