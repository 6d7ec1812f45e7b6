import { Temporal } from 'temporal-polyfill';
import type { FieldErrors } from '../api/failure.ts';
import { isDate, type Draft } from './draft.ts';

/** Finds required values that are missing, by field path. The gateway checks everything else. */
export function missingIn(
  { allDay, startDate, startTime, endDate, endTime, guests, repeats, rule }: Draft,
  zone: string,
): FieldErrors {
  const isRule = repeats !== '' && repeats !== 'asNow';
  const found: readonly (readonly [path: string, words: string | undefined])[] = [
    ['start.date', wordsOnDate(startDate)],
    ['start.time', allDay ? undefined : wordsOnTime(startDate, startTime, zone)],
    ['end.date', wordsOnDate(endDate)],
    ['end.time', allDay ? undefined : wordsOnTime(endDate, endTime, zone)],
    ['recurrence.interval', isRule ? wordsOnCount(rule.interval) : undefined],
    ['recurrence.count', isRule && rule.ends === 'count' ? wordsOnCount(rule.count) : undefined],
    [
      'recurrence.until',
      isRule && rule.ends === 'until'
        ? (wordsOnDate(rule.until) ??
          (rule.until < startDate ? 'This is before the event starts.' : undefined))
        : undefined,
    ],
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

const wordsOnDate = (date: string): string | undefined => (isDate(date) ? undefined : 'This needs a date.');

const wordsOnCount = (text: string): string | undefined =>
  /^[1-9]\d{0,3}$/.test(text) ? undefined : 'This must be a whole number, at least 1.';

function wordsOnTime(date: string, time: string, zone: string): string | undefined {
  if (time === '') return 'This needs a time.';
  if (!isDate(date)) return undefined;
  const local = Temporal.PlainDateTime.from(`${date}T${time}`);
  return local.toZonedDateTime(zone).toPlainDateTime().equals(local)
    ? undefined
    : 'There is no such time on that day: the clocks go forward.';
}
