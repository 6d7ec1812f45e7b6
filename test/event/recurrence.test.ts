import { RRuleTemporal } from 'rrule-temporal';
import { Temporal } from 'temporal-polyfill';
import type { Issue } from '../../src/core/errors.ts';
import { recurrenceLinesRule } from '../../src/event/rules/recurrence.ts';
import { anyCharacter, fc } from '../property.ts';

const dayStart = { date: '2026-07-01' };
const timedStart = { dateTime: '2026-07-01T09:00:00+02:00', timeZone: 'Europe/Berlin' };
type Start = typeof dayStart | typeof timedStart | undefined;
const splitWords = (list: string): string[] => list.trim().split(/\s+/);

/** Checks recurrence lines of a new event. Without `start` it is timed; an explicit undefined means none. */
function checkLines(lines: string[], ...startArgs: [start?: Start]): Issue[] {
  const start = startArgs.length === 0 ? timedStart : startArgs[0];
  const issues: Issue[] = [];
  const reportIssue = (path: Issue['path'], reason: Issue['reason'], message: string) =>
    issues.push({ path, reason, message });
  const unpatched = { isRefused: () => false, sentIndexOf: (_list: unknown, index: number) => index };
  recurrenceLinesRule.check(
    { recurrence: lines, start },
    {},
    { zone: 'UTC', mode: 'insert', reportIssue, ...unpatched },
  );
  return issues;
}

/** Returns the messages of one line; expects its path in each issue. */
function listMessages(line: string, ...startArgs: [start?: Start]): string[] {
  const issues = checkLines(['RRULE:FREQ=DAILY', line], ...startArgs);
  for (const issue of issues) expect(issue).toMatchObject({ path: ['recurrence', 1], reason: 'invalid' });
  return issues.map(({ message }) => message);
}

/** Expects one problem whose message contains a text. */
function expectProblem(line: string, messagePart: string, start: Start = timedStart): void {
  expect(listMessages(line, start)).toEqual([expect.stringContaining(messagePart)]);
}

describe('RRULE and EXRULE', () => {
  test.each(
    splitWords(`
    FREQ=SECONDLY FREQ=MINUTELY;BYSECOND=0,60 FREQ=HOURLY;BYMINUTE=0,59 BYHOUR=0,23;FREQ=DAILY FREQ=DAILY;INTERVAL=1;COUNT=1 FREQ=DAILY;INTERVAL=2147483647;COUNT=007
    FREQ=WEEKLY;WKST=SU;BYDAY=MO,TU,WE,TH,FR,SA,SU FREQ=MONTHLY;BYDAY=1MO,+53TU,-53WE,-1FR FREQ=MONTHLY;BYMONTHDAY=1,31,+1,-1,-31 FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1,366,-366
    FREQ=YEARLY;BYYEARDAY=1,366,-366 FREQ=HOURLY;BYYEARDAY=1 FREQ=YEARLY;BYWEEKNO=1,53,-53;BYDAY=MO FREQ=YEARLY;BYMONTH=1,12;BYDAY=20MO FREQ=DAILY;UNTIL=20261231T225959Z freq=daily;byday=mo`),
  )('%s passes', (rule) => {
    for (const name of ['RRULE', 'exrule']) expect(listMessages(`${name}:${rule}`)).toEqual([]);
  });

  // Rules with a text that their message must contain.
  test.each(
    `
    FREQ=DAILY; → "" | FREQ=DAILY;COUNT → "COUNT" | FREQ=DAILY;=1 → "=1" | FREQ=DAILY;BYEASTER=0 → "BYEASTER" | FREQ=DAILY;CONSTRUCTOR=1 → "CONSTRUCTOR" | FREQ=DAILY; COUNT=1 → " COUNT"
    FREQ=DAILY;FREQ=DAILY → "FREQ" | FREQ=DAILY;COUNT=1;count=2 → "COUNT" | COUNT=1 → FREQ | FREQ=FORTNIGHTLY → FREQ="FORTNIGHTLY" | FREQ= → FREQ=""
    FREQ=DAILY;COUNT=0 → COUNT="0" | FREQ=DAILY;COUNT=+1 → COUNT="+1" | FREQ=DAILY;COUNT=1.5 → COUNT="1.5" | FREQ=DAILY;COUNT=1,2 → COUNT="1,2" | FREQ=DAILY;COUNT= → COUNT=""
    FREQ=DAILY;INTERVAL=0 → INTERVAL="0" | FREQ=DAILY;INTERVAL=2147483648 → INTERVAL="2147483648" | FREQ=DAILY;INTERVAL=00000000001 → INTERVAL="00000000001"
    FREQ=DAILY;BYSECOND=61 → BYSECOND="61" | FREQ=DAILY;BYSECOND=+1 → BYSECOND="+1" | FREQ=DAILY;BYMINUTE=60 → BYMINUTE="60" | FREQ=DAILY;BYHOUR=24 → BYHOUR="24" | FREQ=DAILY;BYHOUR=1,,2 → BYHOUR=""
    FREQ=DAILY;BYHOUR=001 → BYHOUR="001" | FREQ=DAILY;BYMONTH=0,13 → BYMONTH="0", "13" | FREQ=DAILY;BYMONTHDAY=0,32,-32 → BYMONTHDAY="0", "32", "-32" | FREQ=DAILY;BYMONTHDAY=--1 → BYMONTHDAY="--1"
    FREQ=YEARLY;BYYEARDAY=0,367,-367 → BYYEARDAY="0", "367", "-367" | FREQ=YEARLY;BYWEEKNO=0,54,-54 → BYWEEKNO="0", "54", "-54" | FREQ=DAILY;BYDAY=MO;BYSETPOS=0,367,-367 → BYSETPOS="0", "367", "-367"
    FREQ=DAILY;WKST=1MO → WKST="1MO" | FREQ=MONTHLY;BYDAY=0MO,54TU,-54WE → BYDAY="0MO", "54TU", "-54WE" | FREQ=MONTHLY;BYDAY=MO,,+TU,MON → BYDAY="", "+TU", "MON"
    FREQ=DAILY;COUNT=1;UNTIL=20261231T225959Z → COUNT and UNTIL | FREQ=DAILY;BYSETPOS=1 → BYSETPOS | FREQ=DAILY;BYYEARDAY=1 → BYYEARDAY | FREQ=WEEKLY;BYMONTHDAY=1 → BYMONTHDAY
    FREQ=MONTHLY;BYWEEKNO=1 → BYWEEKNO | FREQ=SECONDLY;BYWEEKNO=1 → BYWEEKNO | FREQ=WEEKLY;BYDAY=MO,1TU → BYDAY | FREQ=YEARLY;BYWEEKNO=1;BYDAY=1MO → BYDAY`
      .split(/[|\n]/)
      .filter((cell) => cell.trim())
      .map((cell) => cell.trim().split(' → ') as [string, string]),
  )('%s is refused, and names %s', (rule, messagePart) => {
    expectProblem(`RRULE:${rule}`, messagePart);
    expectProblem(`EXRULE:${rule}`, messagePart);
  });

  test('all problems of a rule are reported at once, with its first three invalid values', () => {
    expect(listMessages('RRULE:COUNT=0;UNTIL=never;BYSETPOS=0;FOO=1;COUNT=2;x')).toHaveLength(9);
    expectProblem('RRULE:FREQ=DAILY;BYHOUR=24,25,26,27,28', '"24", "25", "26" and 2 more');
    expectProblem('A'.repeat(100), `"${'A'.repeat(40)}…"`);
  });

  test.each([
    ['20261231', dayStart, true],
    ['20261231T225959Z', dayStart, false],
    ['20261231T225959Z', timedStart, true],
    ['20261231T225959', timedStart, false],
    ['20261231', timedStart, false],
    ['20261231', undefined, true],
    ['20261231T225959', undefined, false],
    ['20260230', dayStart, false],
    ['20261231T240000Z', timedStart, false],
    ['20261231T235960Z', timedStart, false],
    ['2026-12-31', dayStart, false],
    ['', timedStart, false],
  ])('UNTIL=%s with the start %j: allowed is %s', (until, start, isAllowed) => {
    const expected = isAllowed ? [] : [expect.stringContaining('UNTIL')];
    expect(listMessages(`RRULE:FREQ=DAILY;UNTIL=${until}`, start)).toEqual(expected);
  });

  const subDailyRules =
    'FREQ=HOURLY FREQ=MINUTELY FREQ=SECONDLY FREQ=DAILY;BYHOUR=1 FREQ=DAILY;BYMINUTE=1 FREQ=DAILY;BYSECOND=1';
  test.each(splitWords(subDailyRules))('%s is refused for all-day events', (rule) => {
    expectProblem(`RRULE:${rule}`, rule.split(';').at(-1)?.split('=')[0] as string, dayStart);
    for (const start of [timedStart, undefined]) expect(listMessages(`RRULE:${rule}`, start)).toEqual([]);
  });
});

describe('RDATE and EXDATE', () => {
  test.each<[string, Start]>([
    ['RDATE:20260701T090000Z,20260702T090000Z', timedStart],
    ['EXDATE:20260701T090000', timedStart],
    ['EXDATE;TZID=Europe/Berlin:20260701T090000', timedStart],
    ['exdate;tzid="America/New_York";value=date-time:20260701t090000', timedStart],
    ['RDATE;VALUE=PERIOD:20260701T090000Z/PT1H,20260701T090000/20260701T090001', timedStart],
    ['RDATE;VALUE=PERIOD;TZID=Europe/Berlin:20260701T090000/P1DT2H3M4S', timedStart],
    ['RDATE;VALUE=DATE:20260701,20280229', dayStart],
    ['EXDATE;VALUE=DATE:20260701', dayStart],
    ['EXDATE;VALUE=DATE:20260701', undefined],
    ...splitWords('+PT1S P1W P1D P0DT1M PT1M2S pt1h').map((duration): [string, Start] => [
      `RDATE;VALUE=PERIOD:20260701T090000Z/${duration}`,
      timedStart,
    ]),
  ])('%s passes', (line, start) => expect(listMessages(line, start)).toEqual([]));

  test.each<[string, Start, string]>([
    ['EXDATE:', timedStart, '""'],
    ['EXDATE:20260701T090000Z,', timedStart, '""'],
    ['EXDATE:20260701', timedStart, 'VALUE=DATE'],
    ['EXDATE:20260230T090000Z', timedStart, '"20260230T090000Z"'],
    ['EXDATE:2026-07-01T09:00:00Z', timedStart, 'EXDATE'],
    ['RDATE;VALUE=PERIOD:20260701T090000Z/PT1H', dayStart, 'RDATE'],
    ['RDATE;VALUE=DATE:20260230', dayStart, '"20260230"'],
    ['EXDATE;VALUE=PERIOD:20260701T090000Z/PT1H', timedStart, 'VALUE="PERIOD"'],
    ['RDATE;VALUE=TEXT:20260701', timedStart, 'VALUE="TEXT"'],
    ['EXDATE;TZID=Mars/Olympus:20260701T090000', timedStart, 'TZID="Mars/Olympus"'],
    ['EXDATE;TZID=:20260701T090000', timedStart, 'TZID=""'],
    ['EXDATE;TZID=UTC:20260701T090000Z', timedStart, 'TZID'],
    ['EXDATE;VALUE=DATE;TZID=Europe/Berlin:20260701', dayStart, 'TZID'],
    ['EXDATE;RANGE=THISANDFUTURE:20260701T090000Z', timedStart, '"RANGE=THISANDFUTURE"'],
    ['EXDATE;:20260701T090000Z', timedStart, '""'],
    ['EXDATE;TZID=UTC;tzid=UTC:20260701T090000', timedStart, '"tzid"'],
    ...splitWords(`20260701T090000Z 20260701T090000Z/ /PT1H 20260701/PT1H 20260701T090000Z/PT1H/PT1H 20260701T090000Z/20260701T090000Z 20260701T100000Z/20260701t090000Z 20260701T090000Z/20260701T100000
      20260701T090000Z/20260702 20260701T090000Z/-PT1H 20260701T090000Z/PT0S 20260701T090000Z/P 20260701T090000Z/PT 20260701T090000Z/P1DT 20260701T090000Z/P1M 20260701T090000Z/PT1H30S 20260701T090000Z/P1W1D x/PT1H`).map(
      (period): [string, Start, string] => [`RDATE;VALUE=PERIOD:${period}`, timedStart, 'RDATE'],
    ),
  ])('%s with the start %j is refused, and names %s', (line, start, messagePart) =>
    expectProblem(line, messagePart, start),
  );
});

describe('recurrence lines', () => {
  test.each([
    ['DTSTART:20260701T090000Z', 'DTSTART'],
    ['dtstart;TZID=Europe/Berlin:20260701T090000', 'DTSTART'],
    ['DTEND:20260701T090000Z', 'DTEND'],
    ['XRRULE:FREQ=DAILY', 'XRRULE'],
    ['FREQ=DAILY', 'FREQ=DAILY'],
    [' RRULE:FREQ=DAILY', 'RRULE'],
    [':', ''],
    ['', ''],
    ['RRULE:FREQ=DAILY\n', 'line'],
    ['RRULE:FREQ=DAILY\r\nEXDATE:20260701T090000Z', 'line'],
    ['RRULE:FREQ=DAILY;BYſETPOS=1', 'ASCII'],
    ['RRULE;X-A=1;X-B=2:FREQ=DAILY', '"X-A=1", "X-B=2"'],
  ])('%j is refused, and names %s', (line, messagePart) => expectProblem(line, messagePart));

  test('are all validated, and must not be exclusions only', () => {
    const describeIssues = (lines: string[]) =>
      checkLines(lines).map(({ path, reason }) => `${path.join('.')} ${reason}`);
    const validLines = ['EXDATE:20260702T090000Z', 'rdate:20260702T090000Z'];
    expect([describeIssues([]), describeIssues(validLines)]).toEqual([[], []]);
    expect(describeIssues(['EXDATE:20260702T090000Z', 'EXRULE:FREQ=DAILY'])).toEqual(['recurrence required']);
    const lines = ['RRULE:FREQ=DAILY;COUNT=0;INTERVAL=0', 'RRULE:FREQ=DAILY', 'DTSTART:1', 'EXDATE:x'];
    expect(describeIssues(lines)).toEqual([0, 0, 2, 3].map((line) => `recurrence.${line} invalid`));
  });

  test.each([
    `RRULE:${';'.repeat(8000)}`,
    `RRULE:${'A=;'.repeat(2600)}`,
    `EXDATE:${','.repeat(8000)}`,
    `RDATE${';'.repeat(8000)}`,
    `RDATE;VALUE=PERIOD:${'20260701T090000/P'.padEnd(8000, '1')}`,
    `EXDATE;TZID=${'A/'.repeat(4000)}:`,
  ])('of hostile length (%.22s…) have few issues', (line) =>
    expect(checkLines(Array<string>(100).fill(line)).length).toBeLessThan(500),
  );
});

describe('comparison with rrule-temporal', () => {
  const generateNumbers = (min: number, max: number) =>
    fc.array(fc.integer({ min, max }), { minLength: 1, maxLength: 4 }).map((all) => all.join(','));
  const oneToFour = { minLength: 1, maxLength: 4 };
  const generateNonZero = (max: number) => fc.integer({ min: -max, max }).filter((n) => n !== 0);
  const generateSignedNumbers = (max: number) =>
    fc.array(generateNonZero(max), oneToFour).map((all) => all.join(','));
  const weekday = fc.constantFrom('MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU');
  const numberedDay = fc.tuple(fc.constantFrom('', '', '1', '-1', '+2', '53', '-53'), weekday);
  const days = fc
    .array(numberedDay, oneToFour)
    .map((all) => all.map((weekdayParts) => weekdayParts.join('')).join(','));
  // Each part has a chance of one in four. With more parts, nearly every rule would be invalid.
  const optionalPart = <T>(value: fc.Arbitrary<T>) =>
    fc.nat(3).chain((die): fc.Arbitrary<T | null> => (die === 0 ? value : fc.constant(null)));
  const anyRule = fc
    .record({
      FREQ: fc.constantFrom('SECONDLY', 'MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'),
      INTERVAL: optionalPart(fc.integer({ min: 1, max: 1000 })),
      COUNT: optionalPart(fc.integer({ min: 1, max: 1000 })),
      UNTIL: optionalPart(fc.constantFrom('20271231T225959Z', '20300101T000000Z')),
      BYSECOND: optionalPart(generateNumbers(0, 59)),
      BYMINUTE: optionalPart(generateNumbers(0, 59)),
      BYHOUR: optionalPart(generateNumbers(0, 23)),
      BYDAY: optionalPart(days),
      BYMONTHDAY: optionalPart(generateSignedNumbers(31)),
      BYYEARDAY: optionalPart(generateSignedNumbers(366)),
      BYWEEKNO: optionalPart(generateSignedNumbers(53)),
      BYMONTH: optionalPart(generateNumbers(1, 12)),
      BYSETPOS: optionalPart(generateSignedNumbers(366)),
      WKST: optionalPart(weekday),
    })
    .map((parts) =>
      Object.entries(parts)
        .filter(([, value]) => value !== null)
        .map((pair) => pair.join('='))
        .join(';'),
    );
  const dtstart = Temporal.ZonedDateTime.from('2026-07-01T09:00[Europe/Berlin]');
  const isAcceptedByReference = (rruleString: string): boolean => {
    try {
      return Boolean(new RRuleTemporal({ rruleString, dtstart, strict: true }));
    } catch {
      return false;
    }
  };

  test('a random rule is valid if and only if rrule-temporal accepts it', () => {
    const counts = { true: 0, false: 0 };
    fc.assert(
      fc.property(anyRule, (text) => {
        const isValid = listMessages(`RRULE:${text}`).length === 0;
        counts[`${isValid}`] += 1;
        expect({ text, isValid }).toEqual({ text, isValid: isAcceptedByReference(`RRULE:${text}`) });
      }),
      { numRuns: 1000 },
    );
    // The comparison proves nothing unless each outcome occurs often.
    expect(Math.min(counts.true, counts.false)).toBeGreaterThan(100);
  });

  test('random edits of a line do not throw, and cause few issues', () => {
    const insertions = fc.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom(...';:=,/"+-TZ'));
    const anyEdits = fc.array(fc.tuple(fc.nat(), fc.nat(3), insertions), { maxLength: 5 });
    const anyLine = fc.oneof(
      anyRule.map((text) => `RRULE:${text}`),
      fc.constantFrom(
        'RDATE;VALUE=PERIOD;TZID="Europe/Berlin":20260701T090000/PT1H',
        'EXDATE;VALUE=DATE:20260701,20260702',
      ),
    );
    fc.assert(
      fc.property(
        anyLine,
        anyEdits,
        fc.constantFrom(dayStart, timedStart, undefined),
        (text, changes, start) => {
          const mutant = changes.reduce((edited, [position, removedLength, insertion]) => {
            const index = position % (edited.length + 1);
            return edited.slice(0, index) + insertion + edited.slice(index + removedLength);
          }, text);
          expect(checkLines([mutant], start).length).toBeLessThan(25);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
