import { Temporal } from 'temporal-polyfill';
import type { FieldErrors } from '../api/failure.ts';
import type { Draft } from './draft.ts';

/** Finds required values that are missing, by field path. The gateway checks everything else. */
export function missingIn(
  { allDay, startDate, startTime, endDate, endTime, guests }: Draft,
  zone: string,
): FieldErrors {
  const found: readonly (readonly [path: string, words: string | undefined])[] = [
    ['start.date', wordsOnDate(startDate)],
    ['start.time', allDay ? undefined : wordsOnTime(startDate, startTime, zone)],
    ['end.date', wordsOnDate(endDate)],
    ['end.time', allDay ? undefined : wordsOnTime(endDate, endTime, zone)],
    ...guests.map(
      ({ known, email }, index) =>
        [
          `attendees.${index}`,
          !known && email.trim() === '' ? 'This needs an e-mail address.' : undefined,
        ] as const,
    ),
  ];
  return Object.fromEntries(found.flatMap(([path, words]) => (words === undefined ? [] : [[path, words]])));
}

/** Fields take years of six digits, too. */
const isDate = (date: string): boolean => /^\d{4}-\d\d-\d\d$/.test(date);
const wordsOnDate = (date: string): string | undefined => (isDate(date) ? undefined : 'This needs a date.');

function wordsOnTime(date: string, time: string, zone: string): string | undefined {
  if (time === '') return 'This needs a time.';
  if (!isDate(date)) return undefined;
  const local = Temporal.PlainDateTime.from(`${date}T${time}`);
  return local.toZonedDateTime(zone).toPlainDateTime().equals(local)
    ? undefined
    : 'There is no such time on that day: the clocks go forward.';
}
