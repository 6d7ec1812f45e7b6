/** A rule in the terms of the editor. */
export interface EditableRule {
  readonly frequency: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY';
  readonly interval: number;
  /** Days of a weekly rule, such as `MO`; none: that of the start. */
  readonly days: readonly string[];
  /** Whether a monthly rule is about a weekday of the month ("the first Monday") instead of a day of it. */
  readonly isByWeekday: boolean;
  /** The last day, `yyyy-mm-dd`, in the zone of the event. */
  readonly until: string | undefined;
  readonly count: number | undefined;
}

export interface RecurrenceContext {
  /** The day on which the series starts, `yyyy-mm-dd`. */
  readonly start: string;
  /** The zone in which the end of a rule is a day. */
  readonly timeZone: string;
  /** The order of days and months; the words are English. */
  readonly locale?: string;
}

export const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
const workdays = 'MO,TU,WE,TH,FR';
const dayNames: Readonly<Record<string, string>> = {
  MO: 'Monday',
  TU: 'Tuesday',
  WE: 'Wednesday',
  TH: 'Thursday',
  FR: 'Friday',
  SA: 'Saturday',
  SU: 'Sunday',
};
const ordinals: Readonly<Record<string, string>> = {
  1: 'first',
  2: 'second',
  3: 'third',
  4: 'fourth',
  5: 'fifth',
  '-1': 'last',
  '-2': 'second to last',
};
const units: Readonly<Record<string, readonly [once: string, unit: string]>> = {
  SECONDLY: ['Every second', 'second'],
  MINUTELY: ['Every minute', 'minute'],
  HOURLY: ['Hourly', 'hour'],
  DAILY: ['Daily', 'day'],
  WEEKLY: ['Weekly', 'week'],
  MONTHLY: ['Monthly', 'month'],
  YEARLY: ['Yearly', 'year'],
};

export const weekdayOf = (date: string): string =>
  weekdays[(new Date(`${date}T00:00Z`).getUTCDay() + 6) % 7] ?? 'MO';

export const isWorkdays = (days: readonly string[]): boolean =>
  weekdays.filter((day) => days.includes(day)).join() === workdays;

/** The place of a date's weekday in its month: 1 to 4, or -1 for the last one. */
export function weekdayPlace(date: string): number {
  const place = Math.ceil(Number(date.slice(8)) / 7);
  return place > 4 ? -1 : place;
}

/** "the first Monday" of the month, as a date is it. */
export const monthlyWeekday = (date: string): string =>
  `the ${ordinals[weekdayPlace(date)]} ${dayNames[weekdayOf(date)]}`;

/**
 * A recurrence in English: "Weekly on Monday, until 4 May". Lines are those of RFC 5545, as events have them; parts without
 * words of their own stand as they are.
 */
export function recurrenceWords(lines: readonly string[], context: RecurrenceContext): string {
  const of = (name: string): readonly string[] =>
    lines.flatMap((line) => {
      const [, key, value = ''] = /^([A-Z]+)[^:]*:(.*)$/i.exec(line) ?? [];
      return key?.toUpperCase() === name ? [value] : [];
    });
  const dates = (name: string): number => of(name).join(',').split(',').filter(Boolean).length;
  const counted = (count: number): string => `${count} ${count === 1 ? 'date' : 'dates'}`;
  const rules = of('RRULE').map((rule) => ruleWords(partsOf(rule), context));
  const [added, excluded] = [dates('RDATE'), dates('EXDATE')];
  const all = [...rules, ...(added > 0 ? [`${rules.length > 0 ? 'on ' : 'On '}${counted(added)}`] : [])].join(
    ', and ',
  );
  const exceptions = [
    ...of('EXRULE').map((rule) => lowerFirst(ruleWords(partsOf(rule), context))),
    ...(excluded > 0 ? [counted(excluded)] : []),
  ];
  return (all || 'Does not repeat') + (exceptions.length > 0 ? `, except ${exceptions.join(' and ')}` : '');
}

/** A recurrence that the editor can express; undefined for others. Excluded dates stand beside a rule. */
export function editableRule(
  lines: readonly string[],
  { start, timeZone }: RecurrenceContext,
): EditableRule | undefined {
  const [rule, ...more] = lines.filter((line) => !/^EXDATE\b/i.test(line));
  if (rule === undefined || more.length > 0 || !/^RRULE:/i.test(rule)) return undefined;
  const {
    FREQ: frequency,
    INTERVAL,
    BYDAY,
    BYMONTHDAY,
    COUNT,
    UNTIL,
    WKST,
    ...others
  } = partsOf(rule.slice('RRULE:'.length));
  if (!isFrequency(frequency) || Object.keys(others).length > 0) return undefined;
  // The start of the week matters only to weeks that are left out.
  if (WKST !== undefined && WKST !== 'MO' && frequency === 'WEEKLY' && INTERVAL !== undefined)
    return undefined;
  const days = BYDAY?.split(',') ?? [];
  const isByWeekday = frequency === 'MONTHLY' && BYDAY === `${weekdayPlace(start)}${weekdayOf(start)}`;
  const isWeekly = frequency === 'WEEKLY' && days.every((day) => day in dayNames);
  if (BYDAY !== undefined && !isByWeekday && !isWeekly) return undefined;
  const isByStart =
    frequency === 'MONTHLY' && BYDAY === undefined && BYMONTHDAY === `${Number(start.slice(8))}`;
  if (BYMONTHDAY !== undefined && !isByStart) return undefined;
  return {
    frequency,
    interval: Number(INTERVAL ?? 1),
    days: isByWeekday ? [] : days,
    isByWeekday,
    until: UNTIL === undefined ? undefined : dayOf(UNTIL, timeZone),
    count: COUNT === undefined ? undefined : Number(COUNT),
  };
}

const isFrequency = (text: string | undefined): text is EditableRule['frequency'] =>
  ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'].includes(text ?? '');

type Parts = Readonly<Record<string, string>>;

const partsOf = (rule: string): Parts =>
  Object.fromEntries(
    rule
      .toUpperCase()
      .split(';')
      .map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)] as const)
      .filter(([name]) => name !== ''),
  );

function ruleWords(
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
    ...others
  }: Parts,
  { start, timeZone, locale = 'en-GB' }: RecurrenceContext,
): string {
  const [once, unit] = units[FREQ] ?? ['Custom', 'time'];
  const often = INTERVAL === '1' ? once : `Every ${INTERVAL} ${unit}s`;
  const days = BYDAY?.split(',').map(dayWords) ?? [];
  const monthDays = BYMONTHDAY?.split(',').map(monthDayWords) ?? [];
  const set = BYSETPOS?.split(',').map((place) => ordinals[place] ?? `${place}.`);
  const on = [
    ...(BYDAY === workdays
      ? [set ? 'weekday' : 'weekdays']
      : days.length > 0
        ? [listOf(days, set ? 'or' : 'and')]
        : []),
    ...(monthDays.length > 0 ? [listOf(monthDays, set ? 'or' : 'and')] : []),
  ].join(' that is ');
  const months = BYMONTH?.split(',').map((month) => monthName(month));
  const rest = Object.entries(others).map(([name, value]) => `${name}=${value}`);
  const own = rest.length > 0 ? '' : ownDay(FREQ === 'YEARLY' && months ? 'MONTHLY' : FREQ, start, locale);
  return [
    often,
    set && on && ` on the ${listOf(set, 'and')} ${on}`,
    !set && (on || own) && ` on ${on || own}`,
    months && ` in ${listOf(months, 'and')}`,
    rest.length > 0 && ` (${rest.join(', ')})`,
    COUNT && (COUNT === '1' ? ', once' : `, ${COUNT} times`),
    UNTIL && `, until ${dateWords(dayOf(UNTIL, timeZone), start, locale)}`,
  ]
    .filter(Boolean)
    .join('');
}

/** The day that a rule takes from the start of its series. */
function ownDay(frequency: string, start: string, locale: string): string {
  if (frequency === 'WEEKLY') return dayNames[weekdayOf(start)] ?? '';
  if (frequency === 'MONTHLY') return monthDayWords(`${Number(start.slice(8))}`);
  return frequency === 'YEARLY' ? dateWords(start, start, locale) : '';
}

/** "Monday", "the first Monday". */
function dayWords(text: string): string {
  const [, place = '', day = ''] = /^\+?(-?\d*)(\w\w)$/.exec(text) ?? [];
  const name = dayNames[day] ?? text;
  if (place === '') return name;
  return `the ${ordinals[place] ?? `${place}.`} ${name}`;
}

const monthDayWords = (text: string): string =>
  text.startsWith('-') ? `the ${text === '-1' ? 'last' : `${text.slice(1)}. to last`} day` : `day ${text}`;

const monthName = (month: string): string =>
  new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' }).format(Date.UTC(2000, Number(month) - 1));

/** "4 May", with the year where it is not that of the start. */
const dateWords = (date: string, start: string, locale: string): string =>
  new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'long',
    ...(date.slice(0, 4) !== start.slice(0, 4) && { year: 'numeric' }),
    timeZone: 'UTC',
  }).format(new Date(`${date}T00:00Z`));

/** The day of an UNTIL, which is a day or a moment. */
function dayOf(until: string, timeZone: string): string {
  const [, year, month, day, clock] = /^(\d{4})(\d\d)(\d\d)(?:T(\d{6}))?/.exec(until) ?? [];
  const date = `${year}-${month}-${day}`;
  if (clock === undefined || !until.endsWith('Z')) return date;
  const moment = new Date(`${date}T${clock.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`);
  return new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone }).format(moment);
}

const listOf = (words: readonly string[], joint: 'and' | 'or'): string =>
  new Intl.ListFormat('en-GB', { type: joint === 'and' ? 'conjunction' : 'disjunction' }).format(words);

const lowerFirst = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1);
