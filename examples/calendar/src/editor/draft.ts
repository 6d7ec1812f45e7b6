import { Temporal } from 'temporal-polyfill';
import { timesOf, type CalendarEvent, type Times } from '../calendar/week.ts';
import type { EventInput, ReminderMethod } from '../gql/graphql.ts';
import { rebasedGuests, type Guest } from './guests.ts';

export interface Reminder {
  readonly key: string;
  readonly method: ReminderMethod;
  /** Text as typed; the gateway reports errors in it. */
  readonly minutes: string;
}

export type Repeats = '' | 'asNow' | 'DAILY' | 'WEEKLY';

/** An event as the form holds it: texts, dates and times of day. */
export interface Draft {
  readonly summary: string;
  readonly location: string;
  readonly description: string;
  readonly allDay: boolean;
  readonly startDate: string;
  readonly startTime: string;
  /** The last day itself, also of an all-day event. */
  readonly endDate: string;
  readonly endTime: string;
  /** `asNow`: one of a series, whose rule stays. */
  readonly repeats: Repeats;
  /** Whether the event has a zone of its own, which stays. */
  readonly zoned: boolean;
  readonly guests: readonly Guest[];
  readonly useDefault: boolean;
  readonly reminders: readonly Reminder[];
}

export function draftAt(times: Times): Draft {
  const last = times.allDay ? times.end.subtract({ days: 1 }) : times.end;
  const time = (local: Times['start']): string =>
    times.allDay ? '09:00' : local.toPlainTime().toString({ smallestUnit: 'minute' });
  return {
    summary: '',
    location: '',
    description: '',
    allDay: times.allDay,
    repeats: '',
    zoned: false,
    guests: [],
    useDefault: true,
    reminders: [],
    startDate: times.start.toPlainDate().toString(),
    startTime: time(times.start),
    endDate: last.toPlainDate().toString(),
    endTime: times.allDay ? '10:00' : time(last),
  };
}

export function draftOf(event: CalendarEvent, zone: string): Draft {
  const now = Temporal.Now.plainDateTimeISO(zone);
  return {
    ...draftAt(timesOf(event, zone) ?? { allDay: false, start: now, end: now }),
    summary: event.summary ?? '',
    location: event.location ?? '',
    description: event.description ?? '',
    repeats: event.recurringEventId ? 'asNow' : '',
    zoned: Boolean(event.start?.timeZone),
    guests: (event.attendees ?? []).map((guest, index) => ({
      key: guest.email ?? `${index}`,
      email: guest.email ?? '',
      known: guest,
    })),
    useDefault: event.reminders?.useDefault ?? true,
    reminders: (event.reminders?.overrides ?? []).map(({ method, minutes }, index) => ({
      key: `${index}`,
      method: method ?? 'popup',
      minutes: `${minutes ?? ''}`,
    })),
  };
}

/** The parts of a form that are changed, and in conflict, as one. Guests are no such part: changes of a list stand beside each other. */
export const parts = ['title', 'times', 'location', 'description', 'reminders', 'repeats'] as const;
export type Part = (typeof parts)[number];

const fieldsOf: Readonly<Record<Part, readonly (keyof Draft)[]>> = {
  title: ['summary'],
  times: ['allDay', 'startDate', 'startTime', 'endDate', 'endTime'],
  location: ['location'],
  description: ['description'],
  reminders: ['useDefault', 'reminders'],
  repeats: ['repeats'],
};

/** Describes a part in words. Two drafts differ in the part if the words differ. */
export function wordsOf(draft: Draft, part: Part): string {
  switch (part) {
    case 'title':
      return draft.summary;
    case 'times':
      return timesWords(draft);
    case 'reminders':
      return draft.useDefault
        ? 'the calendar’s'
        : draft.reminders.map(({ method, minutes }) => `${method}, ${minutes} min before`).join('; ') ||
            'none';
    case 'repeats':
      return repeatsWords[draft.repeats];
    case 'location':
    case 'description':
      return draft[part];
  }
}

export const repeatsWords: Readonly<Record<Repeats, string>> = {
  '': 'Does not repeat',
  asNow: 'Repeats as before',
  DAILY: 'Every day',
  WEEKLY: 'Every week',
};

function timesWords({ allDay, startDate, startTime, endDate, endTime }: Draft): string {
  const sameDay = startDate === endDate;
  if (allDay) return sameDay ? `${startDate}, all day` : `${startDate} to ${endDate}, all day`;
  return sameDay
    ? `${startDate}, ${startTime} to ${endTime}`
    : `${startDate} ${startTime} to ${endDate} ${endTime}`;
}

export const differs = (one: Draft, other: Draft, part: Part): boolean =>
  wordsOf(one, part) !== wordsOf(other, part);

/** Theirs, with what was changed here. */
export function rebased(before: Draft, mine: Draft, theirs: Draft): Draft {
  const changed = parts.filter((part) => differs(before, mine, part)).flatMap((part) => fieldsOf[part]);
  return {
    ...theirs,
    ...Object.fromEntries(changed.map((field) => [field, mine[field]])),
    guests: rebasedGuests(before.guests, mine.guests, theirs.guests),
  };
}

/** Creates the input without times and guests: changed parts only, or all parts of a new event. */
export function inputOf(draft: Draft, before: Draft | undefined): EventInput {
  const changed = (part: Part): boolean => !before || differs(before, draft, part);
  return {
    ...(changed('title') && { summary: draft.summary }),
    ...(changed('location') && { location: draft.location || null }),
    ...(changed('description') && { description: draft.description || null }),
    ...(changed('reminders') && {
      reminders: {
        useDefault: draft.useDefault,
        overrides: draft.useDefault
          ? null
          : draft.reminders.map(({ method, minutes }) => ({
              method,
              minutes: minutes === '' ? null : Number(minutes),
            })),
      },
    }),
    ...(changed('repeats') && { recurrence: draft.repeats === '' ? null : [`RRULE:FREQ=${draft.repeats}`] }),
  };
}
