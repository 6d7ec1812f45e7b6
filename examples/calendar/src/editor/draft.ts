import { Temporal } from 'temporal-polyfill';
import { toZonedTime, timesOf, type CalendarEvent, type Times } from '../calendar/event-times.ts';
import type { EventInput, ReminderMethod } from '../gql/graphql.ts';
import { rebaseGuests, type Guest } from './guests.ts';
import { toRecurrenceLines, defaultRule, type Repeats, type RuleInput } from './repeats.ts';

/** A row of the reminders. */
export interface Reminder {
  /** Identifies the row while its fields change. */
  readonly key: string;
  readonly method: ReminderMethod;
  /** Text as typed; the gateway reports errors in it. */
  readonly minutes: string;
}

/** Contents of the form, as typed: dates are `yyyy-mm-dd`, times `hh:mm`, either may be empty. */
export interface Draft {
  readonly summary: string;
  readonly location: string;
  readonly description: string;
  /** Number in the event palette; empty for the calendar’s colour. */
  readonly colorId: string;
  readonly allDay: boolean;
  readonly startDate: string;
  readonly startTime: string;
  /** The last day, inclusive also for an all-day event. */
  readonly endDate: string;
  readonly endTime: string;
  /** Time zones in which start and end are typed and stored, unless they are all-day. */
  readonly startZone: string;
  readonly endZone: string;
  readonly repeats: Repeats;
  readonly rule: RuleInput;
  /** Whether the stored event has a time zone. Not renamed: drafts are kept in the storage of the tab. */
  readonly zoned: boolean;
  readonly guests: readonly Guest[];
  /** Whether the calendar's default reminders apply, instead of `reminders`. */
  readonly useDefault: boolean;
  readonly reminders: readonly Reminder[];
}

/** Creates the contents of a form for a new event. `zone` is that of times without their own. */
export function createDraft(times: Times, zone: string, startZone = zone, endZone = startZone): Draft {
  const toLocal = (time: Times['start'], timeZone: string): Temporal.PlainDateTime =>
    toZonedTime(time, zone).withTimeZone(timeZone).toPlainDateTime();
  const start = times.allDay ? times.start : toLocal(times.start, startZone);
  const end = times.allDay ? times.end.subtract({ days: 1 }) : toLocal(times.end, endZone);
  const formatTimeOfDay = (local: Times['start']): string =>
    times.allDay ? '09:00' : local.toPlainTime().toString({ smallestUnit: 'minute' });
  return {
    summary: '',
    location: '',
    description: '',
    colorId: '',
    startZone,
    endZone,
    allDay: times.allDay,
    repeats: '',
    rule: defaultRule,
    zoned: false,
    guests: [],
    useDefault: true,
    reminders: [],
    startDate: start.toPlainDate().toString(),
    startTime: formatTimeOfDay(start),
    endDate: end.toPlainDate().toString(),
    endTime: times.allDay ? '10:00' : formatTimeOfDay(end),
  };
}

/** Fills the form with an event, with its times or others, in the event's own time zones. */
export function draftOf(event: CalendarEvent, zone: string, times = timesOf(event, zone)): Draft {
  const now = Temporal.Now.plainDateTimeISO(zone);
  const startZone = event.start?.timeZone ?? zone;
  return {
    ...createDraft(
      times ?? { allDay: false, start: now, end: now },
      zone,
      startZone,
      event.end?.timeZone ?? startZone,
    ),
    summary: event.summary ?? '',
    location: event.location ?? '',
    description: event.description ?? '',
    colorId: event.colorId ?? '',
    repeats: event.recurringEventId ? 'unchanged' : '',
    zoned: Boolean(event.start?.timeZone),
    guests: (event.attendees ?? []).map((guest, index) => ({
      key: `${index}`,
      email: guest.email ?? '',
      attendee: guest,
    })),
    useDefault: event.reminders?.useDefault ?? true,
    reminders: (event.reminders?.overrides ?? []).map(({ method, minutes }, index) => ({
      key: `${index}`,
      method: method ?? 'popup',
      minutes: `${minutes ?? ''}`,
    })),
  };
}

/** Groups of fields that change, and conflict, as a unit. Guests are in none: changes of their list are merged. */
export const fieldGroups = [
  'title',
  'times',
  'location',
  'description',
  'color',
  'reminders',
  'repeats',
] as const;
export type FieldGroup = (typeof fieldGroups)[number];

const fieldsByGroup: Readonly<Record<FieldGroup, readonly (keyof Draft)[]>> = {
  title: ['summary'],
  times: ['allDay', 'startDate', 'startTime', 'endDate', 'endTime', 'startZone', 'endZone'],
  location: ['location'],
  description: ['description'],
  color: ['colorId'],
  reminders: ['useDefault', 'reminders'],
  repeats: ['repeats', 'rule'],
};

/** Checks for a date of four-digit years; fields take six digits, too. */
export const isDate = (date: string): boolean => /^\d{4}-\d\d-\d\d$/.test(date);

/** Returns a text for comparison: two drafts differ in a group if their texts differ. */
function createComparisonKey(draft: Draft, group: FieldGroup): string {
  if (group === 'times' && draft.allDay) return `${draft.startDate} ${draft.endDate}`;
  if (group === 'repeats' && draft.repeats === 'unchanged') return draft.repeats;
  if (group === 'reminders' && draft.useDefault) return 'default';
  const values = fieldsByGroup[group].map((field) => draft[field]);
  return JSON.stringify(values, (name, value: unknown) => (name === 'key' ? undefined : value));
}

/** Whether two drafts differ in a group of fields. */
export const isGroupChanged = (before: Draft, after: Draft, group: FieldGroup): boolean =>
  createComparisonKey(before, group) !== createComparisonKey(after, group);

/** Applies the changes from `before` to `mine` to the other person’s version. */
export function rebaseDraft(before: Draft, mine: Draft, theirs: Draft): Draft {
  const changedFields = fieldGroups
    .filter((group) => isGroupChanged(before, mine, group))
    .flatMap((group) => fieldsByGroup[group]);
  return {
    ...theirs,
    ...Object.fromEntries(changedFields.map((field) => [field, mine[field]])),
    guests: rebaseGuests(before.guests, mine.guests, theirs.guests),
  };
}

/** Creates the input without times and guests: changed groups only, or all of a new event. */
export function toEventInput(draft: Draft, before?: Draft): EventInput {
  const isChanged = (group: FieldGroup): boolean => !before || isGroupChanged(before, draft, group);
  return {
    ...(isChanged('title') && { summary: draft.summary }),
    ...(isChanged('location') && { location: draft.location || null }),
    ...(isChanged('description') && { description: draft.description || null }),
    ...(isChanged('color') && { colorId: draft.colorId || null }),
    ...(isChanged('reminders') && {
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
    ...(isChanged('repeats') && { recurrence: toRecurrenceLines(draft, draft.startZone) }),
  };
}
