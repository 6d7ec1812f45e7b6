import { fc } from '../property.ts';
import { instantAt, offsetMsAt } from './zone.ts';

/** A recurrence set in JSON, which the Python reference reads too. */
export interface RecurrenceSet {
  /** An instant in UTC (`yyyymmddThhmmssZ`) with a zone, or a date (`yyyymmdd`) without. */
  readonly start: string;
  readonly zone: string | null;
  readonly lines: readonly string[];
  /** Local time (`yyyy-mm-ddThh:mm:ss`) before which occurrences are listed. */
  readonly end: string;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const yearMs = 365 * dayMs;

const localTime = (instantMs: number): string =>
  new Date(instantMs).toISOString().slice(0, 19).replace(/[-:]/g, '');
/** Writes a date, or a time in UTC. */
export const writeTime = (instant: number, isDay: boolean): string =>
  isDay ? localTime(instant).slice(0, 8) : `${localTime(instant)}Z`;

/** Parses a date, a local time or a UTC time, each as UTC. */
export const readTime = (text: string): number =>
  Date.parse(
    text
      .replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')
      .replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z?$/, '$1-$2-$3T$4:$5:$6Z'),
  );

/** Generates a value in one of `caseCount` cases, otherwise undefined. */
const maybeOneIn = <T>(caseCount: number, arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: caseCount - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
/** Generates values of a BY part, separated by commas. */
const byValues = <T>(arbitrary: fc.Arbitrary<T>, maxCount = 3) =>
  fc.uniqueArray(arbitrary, { minLength: 1, maxLength: maxCount }).map((values) => values.join(','));
const byNumbers = (min: number, max: number, maxCount = 3) => byValues(fc.integer({ min, max }), maxCount);
const nonZero = (max: number) => fc.integer({ min: -max, max }).filter((number) => number !== 0);
const signedNumbers = (max: number) => byValues(nonZero(max));
const weekday = fc.constantFrom('MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU');
const weekdays = byValues(weekday);
const numberedWeekdays = byValues(
  fc
    .tuple(fc.constantFrom('', '', '', '1', '2', '+3', '5', '-1', '-2', '-5', '17', '53', '-53'), weekday)
    .map((parts) => parts.join('')),
);
// Prefers numbers on which several BY parts coincide.
const monthDays = fc.oneof(
  signedNumbers(31),
  byValues(fc.constantFrom(1, 2, 15, 28, 29, 30, 31, -1, -2, -31), 6),
);
const yearDays = fc.oneof(signedNumbers(366), byNumbers(1, 60, 8), byNumbers(-60, -1, 8));
const weekNumbers = byValues(fc.oneof(nonZero(53), fc.constantFrom(1, 2, 52, 53, -1, -52, -53)));

const interval = (max: number) => maybeOneIn(2, fc.integer({ min: 1, max }));
const months = (oneOf: number) => ({ BYMONTH: maybeOneIn(oneOf, byNumbers(1, 12)) });
const timeParts = (maxCount: number) => ({
  BYHOUR: maybeOneIn(3, byNumbers(0, 23, maxCount)),
  BYMINUTE: maybeOneIn(4, byNumbers(0, 59, maxCount)),
  BYSECOND: maybeOneIn(5, byNumbers(0, 60, maxCount)),
});
const weekPartsAndPositions = { WKST: maybeOneIn(3, weekday), BYSETPOS: maybeOneIn(3, signedNumbers(6)) };
/** Positions within a minute or second, which have few occurrences. */
const fewPositions = { BYSETPOS: maybeOneIn(5, signedNumbers(2)) };

const yearlyParts = {
  INTERVAL: interval(5),
  ...months(2),
  BYMONTHDAY: maybeOneIn(2, monthDays),
  BYYEARDAY: maybeOneIn(3, yearDays),
  ...timeParts(3),
  ...weekPartsAndPositions,
};
const ruleParts = {
  YEARLY: fc.record({ ...yearlyParts, BYDAY: maybeOneIn(2, numberedWeekdays) }),
  // YEARLY with BYWEEKNO, which excludes numbered weekdays.
  WEEKS: fc.record({ ...yearlyParts, BYWEEKNO: weekNumbers, BYDAY: maybeOneIn(2, weekdays) }),
  MONTHLY: fc.record({
    INTERVAL: interval(5),
    ...months(3),
    BYMONTHDAY: maybeOneIn(2, monthDays),
    BYDAY: maybeOneIn(2, numberedWeekdays),
    ...timeParts(3),
    ...weekPartsAndPositions,
  }),
  WEEKLY: fc.record({
    INTERVAL: interval(5),
    ...months(3),
    BYDAY: maybeOneIn(2, weekdays),
    ...timeParts(3),
    ...weekPartsAndPositions,
  }),
  DAILY: fc.record({
    INTERVAL: interval(5),
    ...months(3),
    BYMONTHDAY: maybeOneIn(3, monthDays),
    BYDAY: maybeOneIn(2, weekdays),
    ...timeParts(3),
    ...weekPartsAndPositions,
  }),
  HOURLY: fc.record({
    INTERVAL: interval(30),
    ...months(6),
    BYMONTHDAY: maybeOneIn(4, monthDays),
    BYYEARDAY: maybeOneIn(8, yearDays),
    BYDAY: maybeOneIn(3, weekdays),
    ...timeParts(3),
    ...weekPartsAndPositions,
  }),
  MINUTELY: fc.record({
    INTERVAL: interval(200),
    ...months(8),
    BYMONTHDAY: maybeOneIn(6, monthDays),
    BYDAY: maybeOneIn(5, weekdays),
    ...timeParts(8),
    ...fewPositions,
  }),
  SECONDLY: fc.record({
    INTERVAL: interval(5000),
    BYDAY: maybeOneIn(8, weekdays),
    ...timeParts(12),
    ...fewPositions,
  }),
};
type Frequency = keyof typeof ruleParts;
/** Listed range by frequency: long enough for some occurrences, and short enough for the gateway's limits on work. */
const listedRangeMs: Readonly<Record<Frequency, number>> = {
  YEARLY: 40 * yearMs,
  WEEKS: 40 * yearMs,
  MONTHLY: 12 * yearMs,
  WEEKLY: 4 * yearMs,
  DAILY: 3 * yearMs,
  HOURLY: 60 * dayMs,
  MINUTELY: 3 * dayMs,
  SECONDLY: 3 * hourMs,
};

interface Rule {
  readonly frequency: Frequency;
  readonly parts: object;
  readonly count?: number | undefined;
  /** Position of the UNTIL within the listed range, between 0 and 1. */
  readonly until?: number | undefined;
}

const anyFraction = fc.noBias(fc.integer({ min: 1, max: 99 })).map((percent) => percent / 100);
const randomRule = (...frequencies: Frequency[]): fc.Arbitrary<Rule> =>
  fc.oneof(
    ...frequencies.map((frequency) =>
      fc.record({
        frequency: fc.constant(frequency),
        parts: ruleParts[frequency],
        count: maybeOneIn(4, fc.integer({ min: 1, max: 40 })),
        until: maybeOneIn(4, anyFraction),
      }),
    ),
  );
const longRules = randomRule('YEARLY', 'YEARLY', 'WEEKS', 'WEEKS', 'MONTHLY', 'MONTHLY', 'WEEKLY', 'DAILY');
const shortRules = randomRule('HOURLY', 'MINUTELY', 'SECONDLY', 'DAILY');

/** Local times near clock changes and near the end of years, months and weeks. */
const localStarts: Readonly<Record<string, readonly string[]>> = {
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
const localMsOf = (text: string): number => Date.parse(`${text}Z`);
const zonedStart = fc.constantFrom(...Object.keys(localStarts)).chain((zone) =>
  fc.record({
    zone: fc.constant(zone),
    local: fc.oneof(
      fc.constantFrom(...(localStarts[zone] ?? []), ...(localStarts.UTC ?? [])).map(localMsOf),
      fc
        .integer({ min: localMsOf('2019-01-01T00:00:00'), max: localMsOf('2028-12-31T00:00:00') })
        .map((local) => local - (local % 1000)),
    ),
    laterMs: fc.constantFrom(0, 0, 0, hourMs),
  }),
);

/** Generates an RDATE or EXDATE: so many steps after the start, and in which notation. */
const anyDate = fc.record({
  stepCount: fc.nat({ max: 60 }),
  notation: fc.constantFrom('local', 'utc', 'zone'),
  isExcluded: fc.boolean(),
});

const randomSet = (
  isDay: boolean,
  anyRule: fc.Arbitrary<Rule>,
  lengthFactor: fc.Arbitrary<number>,
): fc.Arbitrary<RecurrenceSet> =>
  fc
    .record({
      localStart: zonedStart,
      lengthFactor,
      rules: fc.array(anyRule, { minLength: 1, maxLength: 2 }),
      excludedRules: fc.array(anyRule, { maxLength: 1 }),
      dates: fc.array(anyDate, { maxLength: 4 }),
    })
    .map(({ localStart: { zone, local, laterMs }, lengthFactor: factor, rules, excludedRules, dates }) => {
      const firstStartMs = isDay ? Math.floor(local / dayMs) * dayMs : instantAt(local, zone) + laterMs;
      const localStartMs = isDay ? firstStartMs : firstStartMs + offsetMsAt(firstStartMs, zone);
      const rangesMs = [...rules, ...excludedRules].map(({ frequency }) => listedRangeMs[frequency]);
      const rangeMs = Math.min(...rangesMs) * factor;
      const dateStepMs = rangeMs > 100 * dayMs ? dayMs : rangeMs > dayMs ? hourMs : minuteMs;
      const instantOf = (fraction: number) => Math.floor((firstStartMs + fraction * rangeMs) / 1000) * 1000;
      const writeLine = (name: string, rule: Rule): string => `${name}:${writeRule(rule, isDay, instantOf)}`;
      const writeDateLine = ({ stepCount, notation, isExcluded }: (typeof dates)[number]): string => {
        const localMs = localStartMs + stepCount * dateStepMs + (isExcluded ? 0 : 7 * minuteMs);
        const name = isExcluded ? 'EXDATE' : 'RDATE';
        if (isDay) return `${name};VALUE=DATE:${writeTime(localMs, isDay)}`;
        if (notation === 'utc') return `${name}:${writeTime(instantAt(localMs, zone), isDay)}`;
        return `${name}${notation === 'zone' ? ';TZID=America/New_York' : ''}:${localTime(localMs)}`;
      };
      return {
        start: writeTime(firstStartMs, isDay),
        zone: isDay ? null : zone,
        lines: [
          ...rules.map((rule) => writeLine('RRULE', rule)),
          ...excludedRules.map((rule) => writeLine('EXRULE', rule)),
          ...dates.map(writeDateLine),
        ],
        end: new Date(localStartMs + rangeMs).toISOString().slice(0, 19),
      };
    });

function writeRule(rule: Rule, isDay: boolean, instantOf: (fraction: number) => number): string {
  const { frequency, parts, count, until } = rule;
  const definedParts = Object.entries(parts as Record<string, string | number | undefined>).filter(
    ([name, part]) => part !== undefined && !(isDay && ['BYHOUR', 'BYMINUTE', 'BYSECOND'].includes(name)),
  );
  const byPartNames = definedParts.map(([name]) => name).filter((name) => name.startsWith('BY'));
  // BYSETPOS is valid only with another BY part.
  const writtenParts = definedParts
    .filter(([name]) => name !== 'BYSETPOS' || byPartNames.length > 1)
    .map(([name, part]) => `${name}=${String(part)}`);
  const untilPart = until === undefined ? [] : [`UNTIL=${writeTime(instantOf(until), isDay)}`];
  return [
    `FREQ=${frequency === 'WEEKS' ? 'YEARLY' : frequency}`,
    ...writtenParts,
    ...(count === undefined ? untilPart : [`COUNT=${count}`]),
  ].join(';');
}

/**
 * Generates random recurrence sets. The listed range of a set is the shortest range of its rules,
 * times one of the factors.
 */
export const recurrenceSets = (...lengthFactors: number[]): fc.Arbitrary<RecurrenceSet> =>
  fc.oneof(
    { weight: 3, arbitrary: randomSet(false, longRules, fc.constantFrom(...lengthFactors)) },
    { weight: 2, arbitrary: randomSet(true, longRules, fc.constantFrom(...lengthFactors)) },
    { weight: 2, arbitrary: randomSet(false, shortRules, fc.constant(1)) },
  );
