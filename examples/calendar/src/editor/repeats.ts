import { Temporal } from 'temporal-polyfill';
import { locale } from '../ui/locale.ts';
import type { Draft } from './draft.ts';
import {
  isWorkdays,
  recurrenceWords,
  weekdayOf,
  weekdayPlace,
  weekdays,
  type EditableRule,
} from './recurrence-words.ts';

/** The kind of repetition. `asNow`: an instance, which keeps the rule of its series. */
export type Repeats =
  '' | 'asNow' | 'DAILY' | 'WEEKDAYS' | 'WEEKLY' | 'MONTHLY' | 'MONTHLY_WEEKDAY' | 'YEARLY';

/** The rest of a rule, as it was typed. */
export interface RuleInput {
  readonly interval: string;
  /** Days of a weekly rule; none: that of the start, whichever it is. */
  readonly days: readonly string[];
  readonly ends: 'never' | 'until' | 'count';
  readonly until: string;
  readonly count: string;
  /** Lines of the series that stay beside another rule: its excluded dates. */
  readonly otherLines: readonly string[];
}

export const plainRule: RuleInput = {
  interval: '1',
  days: [],
  ends: 'never',
  until: '',
  count: '10',
  otherLines: [],
};

/** A rule of a series in the fields of the form. */
export function ruleInForm(
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
      days,
      ends: until !== undefined ? 'until' : count !== undefined ? 'count' : 'never',
      until: until ?? '',
      count: `${count ?? plainRule.count}`,
      otherLines,
    },
  };
}

type RepeatingDraft = Pick<Draft, 'repeats' | 'rule' | 'allDay' | 'startDate'>;

/** The lines to send. With a zone, the end of a timed event's rule is a moment in UTC, as RFC 5545 demands. */
export function linesOf(
  { repeats, rule, allDay, startDate }: RepeatingDraft,
  zone?: string,
): string[] | null {
  if (repeats === '' || repeats === 'asNow') return null;
  const own = weekdayOf(startDate);
  const parts = {
    DAILY: 'FREQ=DAILY',
    WEEKDAYS: 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR',
    WEEKLY: `FREQ=WEEKLY;BYDAY=${weekdays.filter((day) => daysOf(rule, own).includes(day)).join(',')}`,
    MONTHLY: `FREQ=MONTHLY;BYMONTHDAY=${Number(startDate.slice(8))}`,
    MONTHLY_WEEKDAY: `FREQ=MONTHLY;BYDAY=${weekdayPlace(startDate)}${own}`,
    YEARLY: 'FREQ=YEARLY',
  }[repeats];
  const interval = Number(rule.interval) === 1 ? '' : `;INTERVAL=${rule.interval}`;
  const until =
    allDay || zone === undefined || rule.until === ''
      ? rule.until
      : Temporal.PlainDateTime.from(`${rule.until}T23:59:59`).toZonedDateTime(zone).toInstant().toString();
  const ends = {
    never: '',
    until: `;UNTIL=${until.replaceAll(/[-:]/g, '')}`,
    count: `;COUNT=${rule.count}`,
  }[rule.ends];
  return [`RRULE:${parts}${interval}${ends}`, ...rule.otherLines];
}

export const daysOf = ({ days }: RuleInput, own: string): readonly string[] =>
  days.length > 0 ? days : [own];

/** A choice of the form in words; empty for the rule that an instance keeps. */
export const repeatsWords = (draft: RepeatingDraft): string =>
  draft.repeats === 'asNow'
    ? ''
    : recurrenceWords(linesOf(draft) ?? [], { start: draft.startDate, timeZone: 'UTC', locale });
