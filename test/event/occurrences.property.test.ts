import { occurrencesOf } from '../../src/event/recurrence/occurrences.ts';
import { instantAt, offsetOf, walk, type WalkerRule } from './calendar-walker.ts';
import { fc } from '../property.ts';

const hour = 3_600_000;
const day = 24 * hour;
const weekday = fc.constantFrom('MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU');
const numbered = fc.tuple(fc.constantFrom('', '', '1', '2', '5', '-1', '-2'), weekday).map((parts) => parts.join(''));
const few = <T>(one: fc.Arbitrary<T>) => fc.option(fc.uniqueArray(one, { minLength: 1, maxLength: 3 }), { nil: undefined, freq: 2 });
const numbers = (min: number, max: number) => few(fc.integer({ min, max }));
const signed = (max: number) => few(fc.integer({ min: -max, max }).filter((number) => number !== 0));
const sparse = <T>(one: fc.Arbitrary<T>) => fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: one });
const interval = fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined });
const ends = { COUNT: sparse(fc.integer({ min: 1, max: 40 })), WKST: sparse(weekday) };
const times = { BYHOUR: sparse(numbers(0, 23)), BYMINUTE: sparse(numbers(0, 59)), BYSECOND: sparse(numbers(0, 59)) };

const yearly = fc.record({
  FREQ: fc.constant('YEARLY' as const), INTERVAL: interval, ...ends, BYMONTH: numbers(1, 12), BYMONTHDAY: sparse(signed(31)),
  BYYEARDAY: sparse(signed(366)), BYDAY: few(numbered), BYHOUR: times.BYHOUR, BYSETPOS: sparse(signed(5)),
});
const byWeek = fc.record({
  FREQ: fc.constant('YEARLY' as const), INTERVAL: interval, ...ends, BYWEEKNO: fc.uniqueArray(fc.integer({ min: -53, max: 53 }).filter(Boolean), { minLength: 1, maxLength: 3 }), BYDAY: few(weekday),
});
const monthly = fc.record({
  FREQ: fc.constant('MONTHLY' as const), INTERVAL: interval, ...ends, ...times, BYMONTH: sparse(numbers(1, 12)), BYMONTHDAY: signed(31), BYDAY: few(numbered), BYSETPOS: sparse(signed(5)),
});
const weekly = fc.record({
  FREQ: fc.constant('WEEKLY' as const), INTERVAL: interval, ...ends, ...times, BYMONTH: sparse(numbers(1, 12)), BYDAY: few(weekday), BYSETPOS: sparse(signed(3)),
});
const daily = fc.record({
  FREQ: fc.constant('DAILY' as const), INTERVAL: interval, ...ends, ...times, BYMONTH: sparse(numbers(1, 12)), BYMONTHDAY: sparse(signed(31)), BYDAY: few(weekday), BYSETPOS: sparse(signed(3)),
});
const hourly = fc.record({
  FREQ: fc.constantFrom('HOURLY' as const, 'MINUTELY' as const), INTERVAL: fc.option(fc.integer({ min: 1, max: 90 }), { nil: undefined }), ...ends, ...times,
  BYMONTHDAY: sparse(signed(31)), BYDAY: sparse(few(weekday)),
});
const longRule: fc.Arbitrary<WalkerRule> = fc.oneof(yearly, byWeek, monthly, weekly, daily).map(clean);
const shortRule: fc.Arbitrary<WalkerRule> = hourly.map(clean);

/** Leaves out what is undefined, and BYSETPOS where nothing else is given that it picks from, or what is not covered. */
function clean(rule: object): WalkerRule {
  const parts = Object.entries(rule).filter(([, part]) => part !== undefined);
  const names = parts.map(([name]) => name);
  const isOdd = 'FREQ' in rule && rule.FREQ === 'YEARLY' && names.filter((name) => ['BYDAY', 'BYMONTHDAY', 'BYYEARDAY'].includes(name)).length > 1;
  // Days so far apart that the search gives up before it finds the next: with BYSETPOS each day is looked at.
  const isRare = 'FREQ' in rule && rule.FREQ === 'DAILY' && names.includes('BYMONTH');
  const picks = names.some((name) => name.startsWith('BY') && name !== 'BYSETPOS') && !isOdd && !isRare;
  return Object.fromEntries(parts.filter(([name]) => name !== 'BYSETPOS' || picks)) as unknown as WalkerRule;
}

const stamp = (local: number): string => new Date(local).toISOString().slice(0, 19).replace(/[-:]/g, '');
const ruleText = (rule: WalkerRule): string => Object.entries(rule).map(([name, part]) => `${name}=${String(part)}`).join(';');
const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC', 'Asia/Kolkata'];
// Days on which clocks change, and others.
const anchors = ['2026-03-28T02:30:00', '2026-10-24T02:15:00', '2026-03-08T01:59:59', '2026-10-03T02:05:00', '2024-02-29T23:00:00', '2026-01-31T00:00:00', '2026-12-31T09:00:00'];

interface Case { zone: string; start: number; rules: WalkerRule[]; without: WalkerRule[]; dates: number[]; exdates: number[]; until: number | undefined }

const caseOf = (rule: fc.Arbitrary<WalkerRule>): fc.Arbitrary<Case> => fc.record({
  zone: fc.constantFrom(...zones),
  start: fc.constantFrom(...anchors).map((text) => Date.parse(`${text}Z`)),
  rules: fc.array(rule, { minLength: 1, maxLength: 2 }),
  without: fc.array(rule, { maxLength: 1 }),
  dates: fc.array(fc.integer({ min: 0, max: 20 }).map((days) => days * day + 7 * 60_000), { maxLength: 3 }),
  exdates: fc.array(fc.integer({ min: 0, max: 60 }).map((days) => days * day), { maxLength: 3 }),
  until: fc.option(fc.integer({ min: 0, max: 500 }).map((days) => days * day + hour), { nil: undefined }),
});

/** What the walker says of a case up to `end`, and the lines that say the same. */
function expand({ zone, start, rules, without, dates, exdates, until }: Case, end: number): { starts: number[]; lines: string[] } {
  const first = instantAt(start, zone);
  const local = first + offsetOf(first, zone);
  const limit = until === undefined ? Infinity : instantAt(start + until, zone);
  const isBounded = ({ COUNT }: WalkerRule): boolean => until !== undefined && COUNT === undefined;
  const instants = (rule: WalkerRule, counts: boolean): number[] => {
    const found = walk(rule, local, end);
    const missing = counts && found[0] !== local ? 1 : 0;
    const kept = rule.COUNT === undefined ? found : found.slice(0, rule.COUNT - missing);
    return kept.map((moment) => instantAt(moment, zone)).filter((moment) => !isBounded(rule) || moment <= limit);
  };
  const excluded = new Set([...without.flatMap((rule) => instants(rule, false)), ...exdates.map((offset) => instantAt(start + offset, zone))]);
  const all = new Set([first, ...rules.flatMap((rule) => instants(rule, true)), ...dates.map((offset) => instantAt(start + offset, zone))]);
  const lineOf = (name: string, rule: WalkerRule): string => `${name}:${ruleText(rule)}${isBounded(rule) ? `;UNTIL=${stamp(limit)}Z` : ''}`;
  return {
    starts: [...all].filter((moment) => !excluded.has(moment)).sort((one, other) => one - other),
    lines: [
      ...rules.map((rule) => lineOf('RRULE', rule)), ...without.map((rule) => lineOf('EXRULE', rule)),
      ...dates.map((offset) => `RDATE:${stamp(start + offset)}`), ...exdates.map((offset) => `EXDATE;TZID=${zone}:${stamp(start + offset)}`),
    ],
  };
}

function holds(one: Case, length: number, window: { begin: number; size: number }, limit: number): void {
  const end = one.start + length;
  const { starts, lines } = expand(one, end + 2 * day);
  const start = { dateTime: new Date(instantAt(one.start, one.zone)).toISOString(), timeZone: one.zone };
  const occurrences = occurrencesOf({ start, recurrence: lines });
  const from = one.start - day + window.begin * length;
  const before = Math.min(end, from + window.size * length);
  const expected = starts.filter((moment) => moment >= from && moment < before);
  const paged: number[] = [];
  for (let at = from; ;) {
    const page = occurrences.between(at, before, limit);
    expect(page.starts.length).toBeLessThanOrEqual(limit);
    paged.push(...page.starts);
    if (!page.more) break;
    at = (page.starts.at(-1) as number) + 1;
  }
  expect(paged).toEqual(expected);
  for (const moment of expected.slice(0, 5)) expect([occurrences.has(moment), occurrences.has(moment + 1000)]).toEqual([true, starts.includes(moment + 1000)]);
  const isFinite = one.rules.every(({ COUNT }) => COUNT !== undefined || one.until !== undefined);
  const last = occurrences.last();
  if (last !== undefined) expect(last).toBeGreaterThanOrEqual(starts.at(-1) ?? -Infinity);
  else if (isFinite) expect(starts).toEqual([]);
}

const windows = fc.record({ begin: fc.double({ min: 0, max: 0.9, noNaN: true }), size: fc.double({ min: 0.01, max: 1, noNaN: true }) })
  .map(({ begin, size }) => ({ begin: Math.round(begin * 1e3) / 1e3, size: Math.round(size * 1e3) / 1e3 }));

describe('the occurrences of random rules are those that a walk over all days finds, whatever the window and the page', () => {
  test('by years, months, weeks and days', () => {
    fc.assert(fc.property(caseOf(longRule), windows, fc.integer({ min: 1, max: 60 }), (one, window, limit) => {
      holds(one, 1200 * day, window, limit);
    }), { numRuns: 100 });
  });

  test('by hours and minutes', () => {
    fc.assert(fc.property(caseOf(shortRule), windows, fc.integer({ min: 1, max: 200 }), (one, window, limit) => {
      holds({ ...one, until: one.until && one.until % (2 * day) }, 3 * day, window, limit);
    }), { numRuns: 40 });
  });
});
