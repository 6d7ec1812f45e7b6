import { checkRecurrence, MAX_RECURRENCE_LINE_LENGTH, MAX_RECURRENCE_LINES } from '../../src/event/recurrence.ts';
import type { EventTime } from '../../src/event/time.ts';

const ALL_DAY: EventTime = { date: '2026-07-01' };
const TIMED: EventTime = { dateTime: '2026-07-01T09:00:00', timeZone: 'Europe/Berlin' };

/** The messages for one line; every one of them must stand at that line. */
function problems(line: string, start: EventTime | undefined = TIMED): string[] {
  const issues = checkRecurrence(['RRULE:FREQ=DAILY', line], start, false);
  for (const issue of issues) expect(issue).toMatchObject({ path: ['recurrence', 1], reason: 'invalid' });
  return issues.map(({ message }) => message);
}

function expectOne(line: string, part: string, start: EventTime | undefined = TIMED): void {
  expect(problems(line, start)).toEqual([expect.stringContaining(part)]);
}

describe('the list of lines', () => {
  test('empty: nothing recurs, not even for an instance', () => {
    expect(checkRecurrence([], TIMED, false)).toEqual([]);
    expect(checkRecurrence([], TIMED, true)).toEqual([]);
  });

  test('an instance made recurring: one issue, whatever the lines say', () => {
    expect(checkRecurrence(['RRULE:nonsense', 'more'], TIMED, true)).toEqual([
      { path: ['recurrence'], reason: 'invalid', message: expect.stringContaining('change the series') },
    ]);
  });

  test('the number of lines is bounded', () => {
    const lines = (count: number): string[] => new Array<string>(count).fill('RRULE:FREQ=DAILY');
    expect(checkRecurrence(lines(MAX_RECURRENCE_LINES), TIMED, false)).toEqual([]);
    expect(checkRecurrence(lines(MAX_RECURRENCE_LINES + 1), TIMED, false)).toMatchObject([
      { path: ['recurrence'], reason: 'tooMany' },
    ]);
  });

  test('the length of a line is bounded', () => {
    const line = (length: number): string => `RRULE:FREQ=DAILY;COUNT=1;BYHOUR=${'1,'.repeat(length)}`.slice(0, length);
    expect(checkRecurrence([line(MAX_RECURRENCE_LINE_LENGTH - 1)], TIMED, false)).toEqual([]);
    expect(checkRecurrence([line(MAX_RECURRENCE_LINE_LENGTH + 1)], TIMED, false)).toMatchObject([
      { path: ['recurrence', 0], reason: 'tooLong' },
    ]);
    expect(line(MAX_RECURRENCE_LINE_LENGTH)).toHaveLength(MAX_RECURRENCE_LINE_LENGTH);
    expect(checkRecurrence([`${line(MAX_RECURRENCE_LINE_LENGTH - 1)}2`], TIMED, false)).not.toMatchObject([
      { reason: 'tooLong' },
    ]);
  });

  test('every issue of every line at once', () => {
    const lines = ['RRULE:FREQ=DAILY;COUNT=0;INTERVAL=0', 'RRULE:FREQ=DAILY', 'DTSTART:20260701T090000Z', 'EXDATE:x'];
    const paths = checkRecurrence(lines, TIMED, false).map(({ path }) => path[1]);
    expect(paths).toEqual([0, 0, 2, 3]);
  });

  test('what only excludes needs something to exclude from', () => {
    const lines = ['EXDATE:20260702T090000Z', 'EXRULE:FREQ=DAILY'];
    expect(checkRecurrence(lines, TIMED, false)).toMatchObject([{ path: ['recurrence'], reason: 'required' }]);
    expect(checkRecurrence([...lines, 'rdate:20260702T090000Z'], TIMED, false)).toEqual([]);
    expect(checkRecurrence([...lines, 'rrule:FREQ=DAILY'], TIMED, false)).toEqual([]);
    expect(checkRecurrence(['EXDATE:x'], TIMED, false)).toMatchObject([{ path: ['recurrence', 0] }]);
  });
});

describe('property names', () => {
  test.each([
    ['DTSTART:20260701T090000Z', "DTSTART is not allowed here, the event's own start"],
    ['dtstart;TZID=Europe/Berlin:20260701T090000', "DTSTART is not allowed here, the event's own start"],
    ['DTEND:20260701T090000Z', "DTEND is not allowed here, the event's own end"],
    ['EXRANGE:x', '"EXRANGE:x": a line must be NAME:VALUE'],
    ['XRRULE:FREQ=DAILY', 'allowed names are RRULE, EXRULE, RDATE and EXDATE'],
    ['RRULES:FREQ=DAILY', 'a line must be NAME:VALUE'],
    ['FREQ=DAILY', 'a line must be NAME:VALUE'],
    ['RRULE FREQ=DAILY', 'a line must be NAME:VALUE'],
    [' RRULE:FREQ=DAILY', 'a line must be NAME:VALUE'],
    [':', 'a line must be NAME:VALUE'],
    ['', 'a line must be NAME:VALUE'],
    ['RRULE:FREQ=DAILY\n', 'without line breaks'],
    ['RRULE:FREQ=DAILY\r\nEXDATE:20260701T090000Z', 'without line breaks'],
    ['RRULE:FREQ=DAILY;BYſETPOS=1', 'printable ASCII'],
    ['RRULE;X-A=1;X-B=2:FREQ=DAILY', 'RRULE takes no parameters: "X-A=1", "X-B=2"'],
    ['EXRULE;X-A=1:FREQ=DAILY', 'EXRULE takes no parameters: "X-A=1"'],
  ])('%j is refused', (line, part) => expectOne(line, part));

  test('a long piece is cut, and of many the first three are named', () => {
    expectOne('A'.repeat(40), `"${'A'.repeat(40)}": a line`);
    expectOne('A'.repeat(100), `"${'A'.repeat(40)}…": a line`);
    expectOne('RRULE:FREQ=DAILY;BYHOUR=24,25,26,27,28', 'BYHOUR="24", "25", "26" and 2 more:');
    expectOne('RRULE:FREQ=DAILY;BYHOUR=24,25,26,27', 'BYHOUR="24", "25", "26" and 1 more:');
    expectOne('RRULE:FREQ=DAILY;BYHOUR=24,25,26', 'BYHOUR="24", "25", "26":');
  });

  test.each(['rrule:freq=daily;byday=mo', 'Exrule:FREQ=Daily', 'rdate;value=date-time:20260701t090000z'])(
    '%s: case does not matter',
    (line) => expect(problems(line)).toEqual([]),
  );
});

describe('RDATE and EXDATE', () => {
  test.each([
    ['RDATE:20260701T090000Z,20260702T090000Z', TIMED],
    ['EXDATE:20260701T090000', TIMED],
    ['EXDATE;TZID=Europe/Berlin:20260701T090000', TIMED],
    ['EXDATE;tzid="America/New_York";value=date-time:20260701T090000', TIMED],
    ['RDATE;VALUE=PERIOD:20260701T090000Z/PT1H,20260701T090000/20260701T090001', TIMED],
    ['RDATE;VALUE=PERIOD;TZID=Europe/Berlin:20260701T090000/P1DT2H3M4S', TIMED],
    ['RDATE;VALUE=PERIOD:20260701T090000z/20260702t090000Z', TIMED],
    ['RDATE;VALUE=PERIOD:20260701t090000Z/20260701T100000z', TIMED],
    ['RDATE;VALUE=DATE:20260701,20280229', ALL_DAY],
    ['EXDATE;VALUE=DATE:20260701', ALL_DAY],
    ['EXDATE;VALUE=DATE:20260701', undefined],
  ])('%s passes', (line, start) => {
    expect(checkRecurrence(['RRULE:FREQ=DAILY', line], start, false)).toEqual([]);
  });

  test.each([
    ['EXDATE:', TIMED, 'EXDATE: "": must be a real time'],
    ['EXDATE:20260701T090000Z,', TIMED, 'EXDATE: "": must be a real time'],
    ['EXDATE:20260701', TIMED, 'a day needs VALUE=DATE'],
    ['EXDATE:20260230T090000Z', TIMED, '"20260230T090000Z": must be a real time'],
    ['EXDATE:2026-07-01T09:00:00Z', TIMED, 'must be a real time'],
    ['EXDATE;VALUE=DATE:20260701', TIMED, 'must hold times, because start has a dateTime'],
    ['EXDATE:20260701', ALL_DAY, 'must hold days, because start is all-day: write EXDATE;VALUE=DATE:'],
    ['EXDATE:20260701T090000Z', ALL_DAY, 'must hold days, because start is all-day'],
    ['RDATE;VALUE=PERIOD:20260701T090000Z/PT1H', ALL_DAY, 'RDATE must hold days'],
    ['RDATE;VALUE=DATE:20260230', ALL_DAY, '"20260230": must be a real day'],
    ['RDATE;VALUE=DATE:20260701T090000Z', ALL_DAY, '"20260701T090000Z": must be a real day'],
    ['EXDATE;VALUE=PERIOD:20260701T090000Z/PT1H', TIMED, 'VALUE="PERIOD": must be DATE or DATE-TIME'],
    ['RDATE;VALUE=TEXT:20260701', TIMED, 'VALUE="TEXT": must be DATE, DATE-TIME or PERIOD'],
    ['EXDATE;TZID=+02:00:20260701T090000', TIMED, null],
    ['EXDATE;TZID=Mars/Olympus:20260701T090000', TIMED, 'TZID="Mars/Olympus": must be a name of the IANA'],
    ['exdate;tzid=Mars/Olympus:20260701T090000', TIMED, 'TZID="Mars/Olympus"'],
    ['EXDATE;TZID=:20260701T090000', TIMED, 'TZID="": must be a name of the IANA'],
    ['EXDATE;TZID=UTC:20260701T090000Z', TIMED, '"20260701T090000Z": a time in UTC must not have a TZID'],
    ['RDATE;VALUE=PERIOD;TZID=UTC:20260701T090000Z/PT1H', TIMED, 'a time in UTC must not have a TZID'],
    ['EXDATE;VALUE=DATE;TZID=Europe/Berlin:20260701', ALL_DAY, 'a day has no TZID'],
    ['EXDATE;RANGE=THISANDFUTURE:20260701T090000Z', TIMED, '"RANGE=THISANDFUTURE": only VALUE and TZID'],
    ['EXDATE;:20260701T090000Z', TIMED, '"": only VALUE and TZID'],
    ['EXDATE;VALUE:20260701T090000Z', TIMED, '"VALUE": only VALUE and TZID'],
    ['EXDATE;TZID=UTC;tzid=UTC:20260701T090000', TIMED, '"tzid": a parameter may be given only once'],
  ])('%s with start %j is refused', (line, start, part) => {
    // The colon of an offset ends the parameters, so there the zone and the value are both wrong.
    if (part === null) expect(problems(line, start)).toHaveLength(2);
    else expectOne(line, part, start);
  });

  test('of the wrong type and unreal: both are told', () => {
    expect(problems('EXDATE:20260230', ALL_DAY)).toHaveLength(2);
    expect(problems('RDATE;VALUE=TEXT:20260230')).toEqual([
      expect.stringContaining('VALUE="TEXT"'),
      expect.stringContaining('must be a real date or time'),
    ]);
  });

  test.each([
    '20260701T090000Z',
    '20260701T090000Z/',
    '/PT1H',
    '20260701/PT1H',
    '20260701T090000Z/PT1H/PT1H',
    '20260701T090000Z/20260701T090000Z',
    '20260701T090000Z/20260701T085959Z',
    '20260701T100000Z/20260701t090000Z',
    '20260701T090000Z/20260701T100000',
    '20260701T090000/20260701T100000Z',
    '20260701T090000Z/20260702',
    '20260701T090000Z/-PT1H',
    '20260701T090000Z/PT0S',
    '20260701T090000Z/P',
    '20260701T090000Z/PT',
    '20260701T090000Z/P1DT',
    '20260701T090000Z/P1M',
    '20260701T090000Z/PT1H30S',
    '20260701T090000Z/P1W1D',
    'x/PT1H',
  ])('the period %s is refused', (period) => {
    expectOne(`RDATE;VALUE=PERIOD:${period}`, 'must be a time, "/" and a later time or a duration');
  });

  test.each(['+PT1S', 'P1W', 'P1D', 'P0DT1M', 'PT1M2S', 'pt1h'])('the duration %s passes', (duration) => {
    expect(problems(`RDATE;VALUE=PERIOD:20260701T090000Z/${duration}`)).toEqual([]);
  });
});
