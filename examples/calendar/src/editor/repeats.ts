import { Temporal } from 'temporal-polyfill';
import { formatDayName } from '../calendar/event-times.ts';
import { locale } from '../ui/locale.ts';
import type { Draft } from './draft.ts';
import {
  isWorkday,
  isWorkdays,
  describeRecurrence,
  readWeekday,
  weekdayOrdinal,
  weekdays,
  type EditableRule,
} from './recurrence-words.ts';

/** An option of the field "Repeats". `unchanged`: the instance keeps the rule of its series. */
export type Repeats =
  '' | 'unchanged' | 'DAILY' | 'WEEKDAYS' | 'WEEKLY' | 'MONTHLY' | 'MONTHLY_WEEKDAY' | 'YEARLY';

/** Details of a rule, as typed. */
export interface RuleInput {
  readonly interval: string;
  /** Chosen days of a weekly rule; if undefined, the rule follows the weekday of the start. */
  readonly days: readonly string[] | undefined;
  readonly ends: 'never' | 'until' | 'count';
  readonly until: string;
  readonly count: string;
  /** Lines of the series beside its rule, such as excluded dates: they stay when the rule changes. */
  readonly otherLines: readonly string[];
}

/** Details of a rule that the user has not changed yet. */
export const defaultRule: RuleInput = {
  interval: '1',
  days: undefined,
  ends: 'never',
  until: '',
  count: '10',
  otherLines: [],
};

/** Fills the fields of the form with a rule. */
export function toRuleInput(
  { frequency, interval, days, isByWeekday, until, count }: EditableRule,
  otherLines: readonly string[],
): Pick<Draft, 'repeats' | 'rule'> {
  const repeats = isByWeekday
    ? 'MONTHLY_WEEKDAY'
    : frequency === 'WEEKLY' && isWorkdays(days)
      ? 'WEEKDAYS'
      : frequency;
  return {
    repeats,
    rule: {
      interval: `${interval}`,
      days: days.length > 0 ? days : undefined,
      ends: until !== undefined ? 'until' : count !== undefined ? 'count' : 'never',
      until: until ?? '',
      count: `${count ?? defaultRule.count}`,
      otherLines,
    },
  };
}

/** Fields of the form that decide the recurrence lines. */
type RepeatingDraft = Pick<Draft, 'repeats' | 'rule' | 'allDay' | 'startDate'>;

/** Creates recurrence lines. With a zone, UNTIL of a timed event is an instant in UTC, as RFC 5545 requires. */
export function toRecurrenceLines(
  { repeats, rule, allDay, startDate }: RepeatingDraft,
  zone?: string,
): string[] | null {
  if (repeats === '' || repeats === 'unchanged') return null;
  const startWeekday = readWeekday(startDate);
  const pattern = {
    DAILY: 'FREQ=DAILY',
    WEEKDAYS: 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR',
    WEEKLY: `FREQ=WEEKLY;BYDAY=${weekdays.filter((day) => weekdaysOfRule(rule, startWeekday).includes(day)).join(',')}`,
    MONTHLY: `FREQ=MONTHLY;BYMONTHDAY=${Number(startDate.slice(8))}`,
    MONTHLY_WEEKDAY: `FREQ=MONTHLY;BYDAY=${weekdayOrdinal(startDate)}${startWeekday}`,
    YEARLY: 'FREQ=YEARLY',
  }[repeats];
  const interval = Number(rule.interval) === 1 ? '' : `;INTERVAL=${rule.interval}`;
  const until =
    allDay || zone === undefined || rule.until === ''
      ? rule.until
      : Temporal.PlainDateTime.from(`${rule.until}T23:59:59`).toZonedDateTime(zone).toInstant().toString();
  const ending = {
    never: '',
    until: `;UNTIL=${until.replaceAll(/[-:]/g, '')}`,
    count: `;COUNT=${rule.count}`,
  }[rule.ends];
  return [`RRULE:${pattern}${interval}${ending}`, ...rule.otherLines];
}

/** Days of a weekly rule. */
export const weekdaysOfRule = ({ days }: RuleInput, startWeekday: string): readonly string[] =>
  days ?? [startWeekday];

/** Whether every day of a weekly rule was unchecked. */
export const lacksDays = ({ repeats, rule }: Pick<Draft, 'repeats' | 'rule'>): boolean =>
  repeats === 'WEEKLY' && rule.days?.length === 0;

/**
 * Says that a series also takes place on its start, although its rule names other days, as RFC 5545 requires;
 * empty if the rule includes the start.
 */
export function describeExtraStart({ repeats, rule, startDate }: RepeatingDraft): string {
  const startWeekday = readWeekday(startDate);
  const includesStart =
    repeats === 'WEEKDAYS'
      ? isWorkday(startWeekday)
      : repeats !== 'WEEKLY' ||
        lacksDays({ repeats, rule }) ||
        weekdaysOfRule(rule, startWeekday).includes(startWeekday);
  return includesStart
    ? ''
    : `Also takes place on its start, ${formatDayName(Temporal.PlainDate.from(startDate))}.`;
}

/** Describes the rule of the form in words; empty if it has no days yet, or is that of the series. */
export const describeRepeats = (draft: RepeatingDraft): string =>
  draft.repeats === 'unchanged' || lacksDays(draft)
    ? ''
    : describeRecurrence(toRecurrenceLines(draft) ?? [], { start: draft.startDate, timeZone: 'UTC', locale });
