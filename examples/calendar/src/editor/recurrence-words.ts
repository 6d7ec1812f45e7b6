import { Temporal } from 'temporal-polyfill';

/** A rule in the terms of the editor. */
export interface EditableRule {
  readonly frequency: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY';
  readonly interval: number;
  /** Days of a weekly rule, such as `MO`; if empty, that of the start. */
  readonly days: readonly string[];
  /** Whether a monthly rule names a weekday ("the first Monday") instead of a day of the month. */
  readonly isByWeekday: boolean;
  /** The last day, `yyyy-mm-dd`, in the zone of the event. */
  readonly until: string | undefined;
  readonly count: number | undefined;
}

/** Facts about a series by which its rule is read and described. */
export interface RecurrenceContext {
  /** The day on which the series starts, `yyyy-mm-dd`. */
  readonly start: string;
  /** The zone of the event, in which UNTIL is a day. */
  readonly timeZone: string;
  /** The time at which the events start, `hh:mm:ss` in this zone; absent for days. */
  readonly startTime?: string;
  /** Decides the order of day and month; the words are English. */
  readonly locale?: string;
}

export const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
type Weekday = (typeof weekdays)[number];
const workdays = 'MO,TU,WE,TH,FR';
const ordinals: Readonly<Record<string, string>> = {
  1: 'first',
  2: 'second',
  3: 'third',
  4: 'fourth',
  5: 'fifth',
  '-1': 'last',
  '-2': 'second to last',
};
const frequencyWords: Readonly<Record<string, readonly [adverb: string, unit: string]>> = {
  SECONDLY: ['Every second', 'second'],
  MINUTELY: ['Every minute', 'minute'],
  HOURLY: ['Hourly', 'hour'],
  DAILY: ['Daily', 'day'],
  WEEKLY: ['Weekly', 'week'],
  MONTHLY: ['Monthly', 'month'],
  YEARLY: ['Yearly', 'year'],
};

/** Weekday of a date (`yyyy-mm-dd`), such as `MO`. */
export const readWeekday = (date: string): Weekday =>
  weekdays[Temporal.PlainDate.from(date).dayOfWeek - 1] ?? 'MO';

/** Formats a weekday as "Monday" or "Mon"; the first of May 2000 was a Monday. */
export const formatWeekday = (day: Weekday, style: 'long' | 'short' = 'long', locale = 'en'): string =>
  new Intl.DateTimeFormat(locale, { weekday: style, timeZone: 'UTC' }).format(
    Date.UTC(2000, 4, 1 + weekdays.indexOf(day)),
  );

const isWeekday = (text: string): text is Weekday => weekdays.some((day) => day === text);

export const isWorkday = (day: string): boolean => workdays.includes(day);

/** Whether the days are Monday to Friday. */
export const isWorkdays = (days: readonly string[]): boolean =>
  weekdays.filter((day) => days.includes(day)).join() === workdays;

/** The ordinal of a date's weekday in its month: 1 to 4, or -1 for the fifth, which is the last. */
export function weekdayOrdinal(date: string): number {
  const ordinal = Math.ceil(Number(date.slice(8)) / 7);
  return ordinal > 4 ? -1 : ordinal;
}

/** Describes a date by its weekday in the month: "the first Monday". */
export const describeMonthlyWeekday = (date: string): string =>
  `the ${ordinals[weekdayOrdinal(date)]} ${formatWeekday(readWeekday(date))}`;

/**
 * Describes a recurrence in English: "Weekly on Monday, until 4 May". Lines are those of RFC 5545, as events
 * have them. Parts of a rule that have no words of their own are shown as they are.
 */
export function describeRecurrence(lines: readonly string[], context: RecurrenceContext): string {
  const valuesOf = (name: string): readonly string[] =>
    lines.flatMap((line) => {
      const [, key, value = ''] = /^([A-Z]+)[^:]*:(.*)$/i.exec(line) ?? [];
      return key?.toUpperCase() === name ? [value] : [];
    });
  const countDates = (name: string): number => valuesOf(name).join(',').split(',').filter(Boolean).length;
  const describeDateCount = (count: number): string => `${count} ${count === 1 ? 'date' : 'dates'}`;
  const rules = valuesOf('RRULE').map((rule) => describeRule(parseRule(rule), context));
  const [addedCount, excludedCount] = [countDates('RDATE'), countDates('EXDATE')];
  const inclusions = [
    ...rules,
    ...(addedCount > 0 ? [`${rules.length > 0 ? 'on ' : 'On '}${describeDateCount(addedCount)}`] : []),
  ].join(', and ');
  const exceptions = [
    ...valuesOf('EXRULE').map((rule) => lowercaseFirst(describeRule(parseRule(rule), context))),
    ...(excludedCount > 0 ? [describeDateCount(excludedCount)] : []),
  ];
  return (
    (inclusions || 'Does not repeat') + (exceptions.length > 0 ? `, except ${exceptions.join(' and ')}` : '')
  );
}

/** Parses a recurrence that the editor can express; undefined for others. Excluded dates may stand beside its rule. */
export function parseEditableRule(
  lines: readonly string[],
  context: RecurrenceContext,
): EditableRule | undefined {
  const { start } = context;
  const [rule, ...otherLines] = lines.filter((line) => !/^EXDATE\b/i.test(line));
  if (rule === undefined || otherLines.length > 0 || !/^RRULE:/i.test(rule)) return undefined;
  const {
    FREQ: frequency,
    INTERVAL,
    BYDAY,
    BYMONTHDAY,
    COUNT,
    UNTIL,
    WKST,
    ...otherParts
  } = parseRule(rule.slice('RRULE:'.length));
  if (!isFrequency(frequency) || Object.keys(otherParts).length > 0) return undefined;
  // The start of the week matters only if weeks are left out.
  if (WKST !== undefined && WKST !== 'MO' && frequency === 'WEEKLY' && INTERVAL !== undefined)
    return undefined;
  const days = BYDAY?.split(',') ?? [];
  const isByWeekday = frequency === 'MONTHLY' && BYDAY === `${weekdayOrdinal(start)}${readWeekday(start)}`;
  const isWeekly = frequency === 'WEEKLY' && days.every(isWeekday);
  if (BYDAY !== undefined && !isByWeekday && !isWeekly) return undefined;
  const isByStartDay =
    frequency === 'MONTHLY' && BYDAY === undefined && BYMONTHDAY === `${Number(start.slice(8))}`;
  if (BYMONTHDAY !== undefined && !isByStartDay) return undefined;
  return {
    frequency,
    interval: Number(INTERVAL ?? 1),
    days: isByWeekday ? [] : days,
    isByWeekday,
    until: UNTIL === undefined ? undefined : lastDayOf(UNTIL, context),
    count: COUNT === undefined ? undefined : Number(COUNT),
  };
}

const isFrequency = (text: string | undefined): text is EditableRule['frequency'] =>
  ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'].includes(text ?? '');

/** The parts of a rule by name, such as `FREQ`. */
type RuleParts = Readonly<Record<string, string>>;

const parseRule = (rule: string): RuleParts =>
  Object.fromEntries(
    rule
      .toUpperCase()
      .split(';')
      .map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)] as const)
      .filter(([name]) => name !== ''),
  );

function describeRule(
  {
    FREQ = '',
    INTERVAL = '1',
    BYDAY,
    BYMONTHDAY,
    BYMONTH,
    BYSETPOS,
    COUNT,
    UNTIL,
    WKST: _,
    ...otherRuleParts
  }: RuleParts,
  context: RecurrenceContext,
): string {
  const { start, locale = 'en-GB' } = context;
  const [adverb, unit] = frequencyWords[FREQ] ?? ['Custom', 'time'];
  const repetition = INTERVAL === '1' ? adverb : `Every ${INTERVAL} ${unit}s`;
  const weekdayNames = BYDAY?.split(',').map(describeDay) ?? [];
  const monthDays = BYMONTHDAY?.split(',').map(describeMonthDay) ?? [];
  const setOrdinals = BYSETPOS?.split(',').map((position) => ordinals[position] ?? `${position}.`);
  const dayPhrase = [
    ...(BYDAY === workdays
      ? [setOrdinals ? 'weekday' : 'weekdays']
      : weekdayNames.length > 0
        ? [joinWords(weekdayNames, setOrdinals ? 'or' : 'and')]
        : []),
    ...(monthDays.length > 0 ? [joinWords(monthDays, setOrdinals ? 'or' : 'and')] : []),
  ].join(' that is ');
  const months = BYMONTH?.split(',').map((month) => formatMonth(month));
  const unknownParts = Object.entries(otherRuleParts).map(([name, value]) => `${name}=${value}`);
  const startDay =
    unknownParts.length > 0
      ? ''
      : describeStartDay(FREQ === 'YEARLY' && months ? 'MONTHLY' : FREQ, start, locale);
  return [
    repetition,
    setOrdinals && dayPhrase && ` on the ${joinWords(setOrdinals, 'and')} ${dayPhrase}`,
    !setOrdinals && (dayPhrase || startDay) && ` on ${dayPhrase || startDay}`,
    months && ` in ${joinWords(months, 'and')}`,
    unknownParts.length > 0 && ` (${unknownParts.join(', ')})`,
    COUNT && (COUNT === '1' ? ', once' : `, ${COUNT} times`),
    UNTIL && `, until ${formatDate(lastDayOf(UNTIL, context), start, locale)}`,
  ]
    .filter(Boolean)
    .join('');
}

/** Describes the day that a rule takes from the start of its series. */
function describeStartDay(frequency: string, start: string, locale: string): string {
  if (frequency === 'WEEKLY') return formatWeekday(readWeekday(start));
  if (frequency === 'MONTHLY') return describeMonthDay(`${Number(start.slice(8))}`);
  return frequency === 'YEARLY' ? formatDate(start, start, locale) : '';
}

/** Describes a value of BYDAY: "Monday", "the first Monday". */
function describeDay(text: string): string {
  const [, ordinal = '', day = ''] = /^\+?(-?\d*)(\w\w)$/.exec(text) ?? [];
  const name = isWeekday(day) ? formatWeekday(day) : text;
  if (ordinal === '') return name;
  return `the ${ordinals[ordinal] ?? `${ordinal}.`} ${name}`;
}

const describeMonthDay = (text: string): string =>
  text.startsWith('-') ? `the ${text === '-1' ? 'last' : `${text.slice(1)}. to last`} day` : `day ${text}`;

const formatMonth = (month: string): string =>
  new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' }).format(Date.UTC(2000, Number(month) - 1));

/** Formats a date as "4 May", with the year if it is not that of the start. */
const formatDate = (date: string, start: string, locale: string): string =>
  new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'long',
    ...(date.slice(0, 4) !== start.slice(0, 4) && { year: 'numeric' }),
    timeZone: 'UTC',
  }).format(new Date(`${date}T00:00Z`));

/** Returns the last day on which an event may start by UNTIL, which is a date or an instant. */
function lastDayOf(until: string, { timeZone, startTime = '' }: RecurrenceContext): string {
  if (!until.endsWith('Z')) return Temporal.PlainDate.from(until).toString();
  const local = Temporal.Instant.from(until).toZonedDateTimeISO(timeZone);
  const isBeforeStart = local.toPlainTime().toString({ smallestUnit: 'second' }) < startTime;
  return local
    .toPlainDate()
    .subtract({ days: isBeforeStart ? 1 : 0 })
    .toString();
}

const joinWords = (words: readonly string[], conjunction: 'and' | 'or'): string =>
  new Intl.ListFormat('en-GB', { type: conjunction === 'and' ? 'conjunction' : 'disjunction' }).format(words);

const lowercaseFirst = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1);
