import fc from 'fast-check';
import { RRuleTemporal } from 'rrule-temporal';
import { Temporal } from 'temporal-polyfill';
import { checkRecurrence } from '../../src/event/recurrence.ts';
import type { EventTime } from '../../src/event/time.ts';

const ALL_DAY: EventTime = { date: '2026-07-01' };
const TIMED: EventTime = { dateTime: '2026-07-01T09:00:00', timeZone: 'Europe/Berlin' };

describe('against a second reader of the same grammar', () => {
  const numbers = (min: number, max: number) =>
    fc.array(fc.integer({ min, max }), { minLength: 1, maxLength: 4 }).map((all) => all.join(','));
  const signed = (max: number) =>
    fc
      .array(fc.integer({ min: -max, max }).filter((n) => n !== 0), { minLength: 1, maxLength: 4 })
      .map((all) => all.join(','));
  const weekday = fc.constantFrom('MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU');
  const days = fc
    .array(fc.tuple(fc.constantFrom('', '', '1', '-1', '+2', '53', '-53'), weekday), { minLength: 1, maxLength: 4 })
    .map((all) => all.map((day) => day.join('')).join(','));
  // Each optional part is there one time in four: with more of them nearly every rule would break a rule.
  const part = <T>(value: fc.Arbitrary<T>) =>
    fc.nat(3).chain((die): fc.Arbitrary<T | null> => (die === 0 ? value : fc.constant(null)));
  const rule = fc
    .record({
      FREQ: fc.constantFrom('SECONDLY', 'MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'),
      INTERVAL: part(fc.integer({ min: 1, max: 1000 })),
      COUNT: part(fc.integer({ min: 1, max: 1000 })),
      UNTIL: part(fc.constantFrom('20271231T225959Z', '20300101T000000Z')),
      BYSECOND: part(numbers(0, 59)),
      BYMINUTE: part(numbers(0, 59)),
      BYHOUR: part(numbers(0, 23)),
      BYDAY: part(days),
      BYMONTHDAY: part(signed(31)),
      BYYEARDAY: part(signed(366)),
      BYWEEKNO: part(signed(53)),
      BYMONTH: part(numbers(1, 12)),
      BYSETPOS: part(signed(366)),
      WKST: part(weekday),
    })
    .map((parts) => Object.entries(parts).filter(([, value]) => value !== null))
    .map((parts) => parts.map((pair) => pair.join('=')).join(';'));
  const dtstart = Temporal.ZonedDateTime.from('2026-07-01T09:00[Europe/Berlin]');
  const read = (text: string) => new RRuleTemporal({ rruleString: `RRULE:${text}`, dtstart, strict: true });

  test('a rule of good parts passes here exactly when it passes there', () => {
    let [accepted, refused] = [0, 0];
    fc.assert(
      fc.property(rule, (text) => {
        const here = checkRecurrence([`RRULE:${text}`], TIMED, false).length === 0;
        let there = true;
        try {
          read(text);
        } catch {
          there = false;
        }
        if (here) accepted += 1;
        else refused += 1;
        expect({ text, here }).toEqual({ text, here: there });
      }),
      { numRuns: 1000 },
    );
    expect(accepted).toBeGreaterThan(100);
    expect(refused).toBeGreaterThan(100);
  });

  test('no change to a line makes it throw, and its issues stay few', () => {
    const piece = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...';:=,/"+-TZ'));
    const edits = fc.array(fc.tuple(fc.nat(), fc.nat(3), piece), { maxLength: 5 });
    const line = fc.oneof(
      rule.map((text) => `RRULE:${text}`),
      fc.constant('RDATE;VALUE=PERIOD;TZID="Europe/Berlin":20260701T090000/PT1H,20260701T090000/20260701T100000'),
      fc.constant('EXDATE;VALUE=DATE:20260701,20260702'),
    );
    fc.assert(
      fc.property(line, edits, fc.constantFrom(ALL_DAY, TIMED, undefined), (text, changes, start) => {
        const mutant = changes.reduce((now, [at, drop, add]) => {
          const where = at % (now.length + 1);
          return now.slice(0, where) + add + now.slice(where + drop);
        }, text);
        expect(checkRecurrence([mutant], start, false).length).toBeLessThan(25);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    `RRULE:${';'.repeat(8000)}`,
    `RRULE:${'A=;'.repeat(2600)}`,
    `EXDATE:${','.repeat(8000)}`,
    `RDATE${';'.repeat(8000)}`,
    `RDATE;VALUE=PERIOD:${'20260701T090000/P'.padEnd(8000, '1')}`,
    `EXDATE;TZID=${'A/'.repeat(4000)}:`,
  ])('a hostile line (%.22s…) gives few issues', (line) => {
    expect(checkRecurrence(new Array<string>(100).fill(line), TIMED, false).length).toBeLessThan(500);
  });
});
