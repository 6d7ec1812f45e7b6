import { fc } from '../property.ts';
import { instantAt, offsetOf } from './zone.ts';

/** A recurrence set, as JSON that other programs read too. */
export interface RecurrenceSet {
  /** An instant in UTC (`yyyymmddThhmmssZ`) with its zone, or a day (`yyyymmdd`) without. */
  readonly start: string;
  readonly zone: string | null;
  readonly lines: readonly string[];
  /** The local time (`yyyy-mm-ddThh:mm:ss`) before which the occurrences are looked at. */
  readonly end: string;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

const localTime = (moment: number): string =>
  new Date(moment).toISOString().slice(0, 19).replace(/[-:]/g, '');
/** A day, or a time in UTC. */
export const writeTime = (moment: number, isDay: boolean): string =>
  isDay ? localTime(moment).slice(0, 8) : `${localTime(moment)}Z`;

/** A day, a local time or one in UTC as if in UTC. */
export const readTime = (text: string): number =>
  Date.parse(
    text
      .replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')
      .replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z?$/, '$1-$2-$3T$4:$5:$6Z'),
  );

/** One in so many has it. */
const oneIn = <T>(count: number, arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: count - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
const few = <T>(one: fc.Arbitrary<T>, most = 3) =>
  fc.uniqueArray(one, { minLength: 1, maxLength: most }).map((list) => list.join(','));
const numbers = (min: number, max: number, most = 3) => few(fc.integer({ min, max }), most);
const signed = (max: number) => few(fc.integer({ min: -max, max }).filter((number) => number !== 0));
const weekday = fc.constantFrom('MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU');
const weekdays = few(weekday);
const numberedWeekdays = few(
  fc
    .tuple(fc.constantFrom('', '', '', '1', '2', '+3', '5', '-1', '-2', '-5', '17', '53', '-53'), weekday)
    .map((parts) => parts.join('')),
);
// Numbers that several parts have in common more often than chance would have it.
const monthDays = fc.oneof(signed(31), few(fc.constantFrom(1, 2, 15, 28, 29, 30, 31, -1, -2, -31), 6));
const yearDays = fc.oneof(signed(366), numbers(1, 60, 8), numbers(-60, -1, 8));
const weeks = few(
  fc.oneof(
    fc.integer({ min: -53, max: 53 }).filter((number) => number !== 0),
    fc.constantFrom(1, 2, 52, 53, -1, -52, -53),
  ),
);

const interval = (max: number) => oneIn(2, fc.integer({ min: 1, max }));
const months = (count: number) => ({ BYMONTH: oneIn(count, numbers(1, 12)) });
const clock = (most: number) => ({
  BYHOUR: oneIn(3, numbers(0, 23, most)),
  BYMINUTE: oneIn(4, numbers(0, 59, most)),
  BYSECOND: oneIn(5, numbers(0, 60, most)),
});
const ends = { WKST: oneIn(3, weekday), BYSETPOS: oneIn(3, signed(6)) };
/** Of what a minute or a second has there are few. */
const shortEnds = { BYSETPOS: oneIn(5, signed(2)) };

const YEARLY = {
  INTERVAL: interval(5),
  ...months(2),
  BYMONTHDAY: oneIn(2, monthDays),
  BYYEARDAY: oneIn(3, yearDays),
  ...clock(3),
  ...ends,
};
const partsOf = {
  YEARLY: fc.record({ ...YEARLY, BYDAY: oneIn(2, numberedWeekdays) }),
  // With BYWEEKNO, beside which weekdays have no numbers.
  WEEKS: fc.record({ ...YEARLY, BYWEEKNO: weeks, BYDAY: oneIn(2, weekdays) }),
  MONTHLY: fc.record({
    INTERVAL: interval(5),
    ...months(3),
    BYMONTHDAY: oneIn(2, monthDays),
    BYDAY: oneIn(2, numberedWeekdays),
    ...clock(3),
    ...ends,
  }),
  WEEKLY: fc.record({ INTERVAL: interval(5), ...months(3), BYDAY: oneIn(2, weekdays), ...clock(3), ...ends }),
  DAILY: fc.record({
    INTERVAL: interval(5),
    ...months(3),
    BYMONTHDAY: oneIn(3, monthDays),
    BYDAY: oneIn(2, weekdays),
    ...clock(3),
    ...ends,
  }),
  HOURLY: fc.record({
    INTERVAL: interval(30),
    ...months(6),
    BYMONTHDAY: oneIn(4, monthDays),
    BYYEARDAY: oneIn(8, yearDays),
    BYDAY: oneIn(3, weekdays),
    ...clock(3),
    ...ends,
  }),
  MINUTELY: fc.record({
    INTERVAL: interval(200),
    ...months(8),
    BYMONTHDAY: oneIn(6, monthDays),
    BYDAY: oneIn(5, weekdays),
    ...clock(8),
    ...shortEnds,
  }),
  SECONDLY: fc.record({ INTERVAL: interval(5000), BYDAY: oneIn(8, weekdays), ...clock(12), ...shortEnds }),
};
type Frequency = keyof typeof partsOf;
/** How far the occurrences of a frequency are looked at: so that there are some, and no rule ends at the bounds on work before. */
const lengths: Readonly<Record<Frequency, number>> = {
  YEARLY: 40 * year,
  WEEKS: 40 * year,
  MONTHLY: 12 * year,
  WEEKLY: 4 * year,
  DAILY: 3 * year,
  HOURLY: 60 * day,
  MINUTELY: 3 * day,
  SECONDLY: 3 * hour,
};

interface Rule {
  readonly frequency: Frequency;
  readonly parts: object;
  readonly count?: number | undefined;
  readonly until?: number | undefined;
}

const ruleOf = (...frequencies: Frequency[]): fc.Arbitrary<Rule> =>
  fc.oneof(
    ...frequencies.map((frequency) =>
      fc.record({
        frequency: fc.constant(frequency),
        parts: partsOf[frequency],
        count: oneIn(4, fc.integer({ min: 1, max: 40 })),
        until: oneIn(
          4,
          fc.noBias(fc.integer({ min: 1, max: 99 })).map((percent) => percent / 100),
        ),
      }),
    ),
  );
const long = ruleOf('YEARLY', 'YEARLY', 'WEEKS', 'WEEKS', 'MONTHLY', 'MONTHLY', 'WEEKLY', 'DAILY');
const short = ruleOf('HOURLY', 'MINUTELY', 'SECONDLY', 'DAILY');

/** Local times around which the clocks change, or years, months and weeks end. */
const begins: Readonly<Record<string, readonly string[]>> = {
  UTC: [
    '2024-02-29T23:00:00',
    '2026-01-31T00:00:00',
    '2026-12-31T09:00:00',
    '2024-12-30T12:00:00',
    '2027-01-01T00:30:00',
    '1969-12-31T23:59:59',
  ],
  'Europe/Berlin': [
    '2026-03-28T02:30:00',
    '2026-03-29T01:59:59',
    '2026-10-24T02:15:00',
    '2026-10-25T02:30:00',
    '2024-12-30T08:00:00',
  ],
  'America/New_York': ['2026-03-07T02:30:00', '2026-10-31T01:30:00', '2023-01-01T00:00:00'],
  'Australia/Lord_Howe': ['2026-10-03T02:05:00', '2026-04-04T01:45:00'],
  'Pacific/Apia': ['2011-12-29T10:00:00', '2011-09-23T00:00:00'],
  'America/Sao_Paulo': ['2018-11-03T00:00:00', '2018-02-16T23:30:00'],
  'America/St_Johns': ['2010-03-13T00:01:30', '2010-11-06T23:30:00'],
  'Antarctica/Troll': ['2026-03-28T02:45:00', '2026-10-24T01:15:00'],
  'Asia/Kolkata': ['2025-12-29T17:30:00'],
};
const moment = (text: string): number => Date.parse(`${text}Z`);
const place = fc.constantFrom(...Object.keys(begins)).chain((zone) =>
  fc.record({
    zone: fc.constant(zone),
    local: fc.oneof(
      fc.constantFrom(...(begins[zone] ?? []), ...(begins.UTC ?? [])).map(moment),
      fc
        .integer({ min: moment('2019-01-01T00:00:00'), max: moment('2028-12-31T00:00:00') })
        .map((local) => local - (local % 1000)),
    ),
    later: fc.constantFrom(0, 0, 0, hour),
  }),
);

const setOf = (
  isDay: boolean,
  rule: fc.Arbitrary<Rule>,
  stretch: fc.Arbitrary<number>,
): fc.Arbitrary<RecurrenceSet> =>
  fc
    .record({
      place,
      stretch,
      rules: fc.array(rule, { minLength: 1, maxLength: 2 }),
      without: fc.array(rule, { maxLength: 1 }),
      dates: fc.array(
        fc.record({
          share: fc.nat({ max: 60 }),
          form: fc.constantFrom('local', 'utc', 'zone'),
          isOff: fc.boolean(),
        }),
        { maxLength: 4 },
      ),
    })
    .map(({ place: { zone, local, later }, stretch: factor, rules, without, dates }) => {
      const first = isDay ? Math.floor(local / day) * day : instantAt(local, zone) + later;
      const start = isDay ? first : first + offsetOf(first, zone);
      const length = Math.min(...[...rules, ...without].map(({ frequency }) => lengths[frequency])) * factor;
      const step = length > 100 * day ? day : length > day ? hour : minute;
      const line = (name: string, one: Rule): string =>
        `${name}:${textOf(one, isDay, (share) => Math.floor((first + share * length) / 1000) * 1000)}`;
      const dateLine = ({ share, form, isOff }: (typeof dates)[number]): string => {
        const at = start + share * step + (isOff ? 0 : 7 * minute);
        const name = isOff ? 'EXDATE' : 'RDATE';
        if (isDay) return `${name};VALUE=DATE:${writeTime(at, isDay)}`;
        if (form === 'utc') return `${name}:${writeTime(instantAt(at, zone), isDay)}`;
        return `${name}${form === 'zone' ? ';TZID=America/New_York' : ''}:${localTime(at)}`;
      };
      return {
        start: writeTime(first, isDay),
        zone: isDay ? null : zone,
        lines: [
          ...rules.map((one) => line('RRULE', one)),
          ...without.map((one) => line('EXRULE', one)),
          ...dates.map(dateLine),
        ],
        end: new Date(start + length).toISOString().slice(0, 19),
      };
    });

function textOf(
  { frequency, parts, count, until }: Rule,
  isDay: boolean,
  at: (share: number) => number,
): string {
  const given = Object.entries(parts as Record<string, string | number | undefined>).filter(
    ([name, part]) => part !== undefined && !(isDay && ['BYHOUR', 'BYMINUTE', 'BYSECOND'].includes(name)),
  );
  const names = given.map(([name]) => name).filter((name) => name.startsWith('BY'));
  // BYSETPOS goes with another part only.
  const kept = given
    .filter(([name]) => name !== 'BYSETPOS' || names.length > 1)
    .map(([name, part]) => `${name}=${String(part)}`);
  const last = until === undefined ? [] : [`UNTIL=${writeTime(at(until), isDay)}`];
  return [
    `FREQ=${frequency === 'WEEKS' ? 'YEARLY' : frequency}`,
    ...kept,
    ...(count === undefined ? last : [`COUNT=${count}`]),
  ].join(';');
}

/** Sets of any kind; each is looked at as far as is usual for its rules, or some times as far. */
export const recurrenceSets = (...stretches: number[]): fc.Arbitrary<RecurrenceSet> =>
  fc.oneof(
    { weight: 3, arbitrary: setOf(false, long, fc.constantFrom(...stretches)) },
    { weight: 2, arbitrary: setOf(true, long, fc.constantFrom(...stretches)) },
    { weight: 2, arbitrary: setOf(false, short, fc.constant(1)) },
  );
