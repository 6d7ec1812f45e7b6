import { Temporal } from 'temporal-polyfill';
import type { FieldErrors } from '../api/failure.ts';
import { hasCompleteTimes } from './draft-times.ts';
import type { Draft } from './draft.ts';

/**
 * Moves errors to the fields to change. Date and time of the end are two fields. Rows of guests and reminders are named
 * by their key, because their index changes when a row above is removed.
 */
export const moveErrorsToFields = (errors: FieldErrors, draft: Draft): FieldErrors =>
  Object.fromEntries(
    Object.entries(errors).map(([path, message]) => {
      if (path === 'end' && endsTooEarly(draft, 'earlier')) return earlyEndError(draft);
      const [, list = '', index = '', member = ''] =
        /^(attendees|reminders\.overrides)\.(\d+)(.*)$/.exec(path) ?? [];
      const row = (list === 'attendees' ? draft.guests : draft.reminders)[Number(index)];
      return list && row ? [`${list}.${row.key}${member}`, message] : [path, message];
    }),
  );

/** Returns the input to which the error at a path belongs. */
export function inputAt(draft: Draft, path: string): unknown {
  const [field = '', member = '', key] = path.split('.');
  const { allDay, startDate, startTime, startZone, endDate, endTime, endZone } = draft;
  const { repeats, rule, guests, useDefault, reminders } = draft;
  switch (field) {
    case 'start':
      return startDate === '' && member === 'date' ? startDate : [allDay, startDate, startTime, startZone];
    case 'end':
      return endDate === '' && member === 'date'
        ? endDate
        : [allDay, startDate, startTime, startZone, endDate, endTime, endZone];
    case 'recurrence':
      return [startDate, repeats, member in rule ? rule[member as keyof typeof rule] : rule];
    case 'attendees':
      return member === '' ? guests : guests.find((guest) => guest.key === member);
    case 'reminders':
      return [useDefault, key === undefined ? reminders : reminders.find((reminder) => reminder.key === key)];
    default:
      return draft[field as keyof Draft];
  }
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
