import { Temporal } from 'temporal-polyfill';
import { momentOf, timesOf, type CalendarEvent, type Times } from '../calendar/week.ts';
import type { EventInput, ReminderMethod } from '../gql/graphql.ts';

export interface Guest {
  readonly key: string;
  readonly email: string;
  /** What an e-mail stands beside, of a guest who was there before. */
  readonly name?: string;
  readonly answer?: string;
}

export interface Reminder {
  readonly key: string;
  readonly method: ReminderMethod;
  /** As it was typed: the gateway says what is wrong with it. */
  readonly minutes: string;
}

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
  readonly repeats: '' | 'DAILY' | 'WEEKLY';
  readonly guests: readonly Guest[];
  readonly useDefault: boolean;
  readonly reminders: readonly Reminder[];
}

export function draftAt(times: Times): Draft {
  const last = times.allDay ? times.end.subtract({ days: 1 }) : times.end;
  const time = (local: Times['start']): string => (times.allDay ? '09:00' : local.toPlainTime().toString({ smallestUnit: 'minute' }));
  return {
    summary: '', location: '', description: '', allDay: times.allDay, repeats: '', guests: [], useDefault: true, reminders: [],
    startDate: times.start.toPlainDate().toString(), startTime: time(times.start),
    endDate: last.toPlainDate().toString(), endTime: times.allDay ? '10:00' : time(last),
  };
}

export function draftOf(event: CalendarEvent, zone: string): Draft {
  const now = Temporal.Now.plainDateTimeISO(zone);
  return {
    ...draftAt(timesOf(event, zone) ?? { allDay: false, start: now, end: now }),
    summary: event.summary ?? '',
    location: event.location ?? '',
    description: event.description ?? '',
    guests: (event.attendees ?? []).map(({ email, displayName, responseStatus }) => ({
      key: email ?? '', email: email ?? '', name: displayName ?? undefined, answer: responseStatus ?? undefined,
    })),
    useDefault: event.reminders?.useDefault ?? true,
    reminders: (event.reminders?.overrides ?? []).map(({ method, minutes }, index) => ({ key: `${index}`, method: method ?? 'popup', minutes: `${minutes ?? ''}` })),
  };
}

/** The parts of a form that are changed, and in conflict, as one. */
export const parts = ['title', 'times', 'location', 'description', 'guests', 'reminders', 'repeats'] as const;
export type Part = (typeof parts)[number];

const fieldsOf: Readonly<Record<Part, readonly (keyof Draft)[]>> = {
  title: ['summary'],
  times: ['allDay', 'startDate', 'startTime', 'endDate', 'endTime'],
  location: ['location'],
  description: ['description'],
  guests: ['guests'],
  reminders: ['useDefault', 'reminders'],
  repeats: ['repeats'],
};

/** What a part says, for people; two drafts differ in it where this differs. */
export function wordsOf(draft: Draft, part: Part): string {
  switch (part) {
    case 'title':
      return draft.summary;
    case 'times':
      return timesWords(draft);
    case 'guests':
      return draft.guests.map(({ email }) => email).join(', ') || 'nobody';
    case 'reminders':
      return draft.useDefault ? 'the calendar’s' : draft.reminders.map(({ method, minutes }) => `${method}, ${minutes} min before`).join('; ') || 'none';
    case 'location':
    case 'description':
    case 'repeats':
      return draft[part];
  }
}

function timesWords({ allDay, startDate, startTime, endDate, endTime }: Draft): string {
  const sameDay = startDate === endDate;
  if (allDay) return sameDay ? `${startDate}, all day` : `${startDate} to ${endDate}, all day`;
  return sameDay ? `${startDate}, ${startTime} to ${endTime}` : `${startDate} ${startTime} to ${endDate} ${endTime}`;
}

export const differs = (one: Draft, other: Draft, part: Part): boolean => wordsOf(one, part) !== wordsOf(other, part);

/** Theirs, with the parts that were changed here. */
export function rebased(before: Draft, mine: Draft, theirs: Draft): Draft {
  const changed = parts.filter((part) => differs(before, mine, part)).flatMap((part) => fieldsOf[part]);
  return { ...theirs, ...Object.fromEntries(changed.map((field) => [field, mine[field]])) };
}

/** What to send: only the parts that differ from what was read, everything of a new event. */
export function inputOf(draft: Draft, before: Draft | undefined, zone: string): EventInput {
  const changed = (part: Part): boolean => !before || differs(before, draft, part);
  return {
    ...(changed('title') && { summary: draft.summary }),
    ...(changed('location') && { location: draft.location || null }),
    ...(changed('description') && { description: draft.description || null }),
    ...(changed('times') && timesInput(draft, before, zone)),
    ...(changed('guests') && { attendees: draft.guests.map(({ email }) => ({ email })) }),
    ...(changed('reminders') && {
      reminders: {
        useDefault: draft.useDefault,
        overrides: draft.useDefault ? null : draft.reminders.map(({ method, minutes }) => ({ method, minutes: minutes === '' ? null : Number(minutes) })),
      },
    }),
    ...(draft.repeats !== '' && { recurrence: [`RRULE:FREQ=${draft.repeats}`] }),
  };
}

function timesInput(draft: Draft, before: Draft | undefined, zone: string): Pick<EventInput, 'start' | 'end'> {
  const switched = before && before.allDay !== draft.allDay;
  if (draft.allDay) {
    const clear = switched && { dateTime: null };
    return { start: { date: draft.startDate, ...clear }, end: { date: dayAfter(draft.endDate), ...clear } };
  }
  const clear = switched && { date: null };
  // A series needs the zone; an event that is there keeps its own.
  const inZone = (!before || switched) && { timeZone: zone };
  const at = (date: string, time: string) => ({ dateTime: momentAt(date, time, zone), ...inZone, ...clear });
  return { start: at(draft.startDate, draft.startTime), end: at(draft.endDate, draft.endTime) };
}

/** What is no date or time goes as it was typed: the gateway says at which field it is missing. */
function momentAt(date: string, time: string, zone: string): string {
  const local = `${date}T${time}`;
  try {
    return momentOf(Temporal.PlainDateTime.from(local), zone);
  } catch {
    return local;
  }
}

function dayAfter(date: string): string {
  try {
    return Temporal.PlainDate.from(date).add({ days: 1 }).toString();
  } catch {
    return date;
  }
}
