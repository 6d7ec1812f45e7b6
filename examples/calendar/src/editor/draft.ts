import { Temporal } from 'temporal-polyfill';
import { timesOf, type CalendarEvent, type Times } from '../calendar/week.ts';
import type { EventInput, ReminderMethod } from '../gql/graphql.ts';
import { clock, dayName } from '../calendar/week.ts';
import { rebasedGuests, type Guest } from './guests.ts';
import { linesOf, plainRule, repeatsWords, type Repeats, type RuleInput } from './repeats.ts';

export interface Reminder {
  readonly key: string;
  readonly method: ReminderMethod;
  /** Text as typed; the gateway reports errors in it. */
  readonly minutes: string;
}

/** The input of the form: texts, dates and times of day. */
export interface Draft {
  readonly summary: string;
  readonly location: string;
  readonly description: string;
  readonly allDay: boolean;
  readonly startDate: string;
  readonly startTime: string;
  /** The last day, inclusive also for an all-day event. */
  readonly endDate: string;
  readonly endTime: string;
  readonly repeats: Repeats;
  readonly rule: RuleInput;
  /** Whether the event has its own zone, which is kept. */
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
    rule: plainRule,
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

/** Parts of a form that change, and conflict, as a unit. Guests are not among them: changes of their list are merged. */
export const parts = ['title', 'times', 'location', 'description', 'reminders', 'repeats'] as const;
export type Part = (typeof parts)[number];

const fieldsOf: Readonly<Record<Part, readonly (keyof Draft)[]>> = {
  title: ['summary'],
  times: ['allDay', 'startDate', 'startTime', 'endDate', 'endTime'],
  location: ['location'],
  description: ['description'],
  reminders: ['useDefault', 'reminders'],
  repeats: ['repeats', 'rule'],
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
        ? 'calendar default'
        : draft.reminders.map(({ method, minutes }) => `${method}, ${minutes} min before`).join('; ') ||
            'none';
    case 'repeats':
      return repeatsWords(draft);
    case 'location':
    case 'description':
      return draft[part];
  }
}

function timesWords({ allDay, startDate, startTime, endDate, endTime }: Draft): string {
  const day = (date: string): string =>
    isDate(date) ? `${dayName(Temporal.PlainDate.from(date))} ${date.slice(0, 4)}` : '(no date)';
  const hour = (time: string): string => (time === '' ? '(no time)' : clock(Temporal.PlainTime.from(time)));
  const sameDay = startDate === endDate;
  if (allDay) return sameDay ? `${day(startDate)}, all day` : `${day(startDate)} – ${day(endDate)}, all day`;
  return `${day(startDate)}, ${hour(startTime)} – ${sameDay ? '' : `${day(endDate)}, `}${hour(endTime)}`;
}

/** Checks for a date of four-digit years; fields take six digits, too. */
export const isDate = (date: string): boolean => /^\d{4}-\d\d-\d\d$/.test(date);

/** A text by which a part of two drafts is compared; its words are abbreviated. */
const keyOf = (draft: Draft, part: Part): string =>
  part === 'reminders' || part === 'title' || part === 'location' || part === 'description'
    ? wordsOf(draft, part)
    : part === 'times' && draft.allDay
      ? `${draft.startDate} ${draft.endDate}`
      : part === 'repeats' && draft.repeats === 'asNow'
        ? draft.repeats
        : JSON.stringify(fieldsOf[part].map((field) => draft[field]));

export const differs = (one: Draft, other: Draft, part: Part): boolean =>
  keyOf(one, part) !== keyOf(other, part);

/** The other version with the changes made here. */
export function rebased(before: Draft, mine: Draft, theirs: Draft): Draft {
  const changed = parts.filter((part) => differs(before, mine, part)).flatMap((part) => fieldsOf[part]);
  return {
    ...theirs,
    ...Object.fromEntries(changed.map((field) => [field, mine[field]])),
    guests: rebasedGuests(before.guests, mine.guests, theirs.guests),
  };
}

/** Creates the input without times and guests: changed parts only, or all parts of a new event. */
export function inputOf(draft: Draft, before: Draft | undefined, zone: string): EventInput {
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
    ...(changed('repeats') && { recurrence: linesOf(draft, zone) }),
  };
}
