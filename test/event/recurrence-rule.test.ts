import { checkRecurrence } from '../../src/event/recurrence.ts';
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

describe('RRULE and EXRULE', () => {
  test.each([
    'FREQ=SECONDLY',
    'FREQ=MINUTELY;BYSECOND=0,60',
    'FREQ=HOURLY;BYMINUTE=0,59',
    'BYHOUR=0,23;FREQ=DAILY',
    'FREQ=DAILY;INTERVAL=1;COUNT=1',
    'FREQ=DAILY;INTERVAL=2147483647;COUNT=007',
    'FREQ=WEEKLY;WKST=SU;BYDAY=MO,TU,WE,TH,FR,SA,SU',
    'FREQ=MONTHLY;BYDAY=1MO,+53TU,-53WE,-1FR',
    'FREQ=MONTHLY;BYMONTHDAY=1,31,+1,-1,-31',
    'FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1,366,-366',
    'FREQ=YEARLY;BYYEARDAY=1,366,-366',
    'FREQ=HOURLY;BYYEARDAY=1',
    'FREQ=YEARLY;BYWEEKNO=1,53,-53;BYDAY=MO',
    'FREQ=YEARLY;BYMONTH=1,12;BYDAY=20MO',
    'FREQ=DAILY;UNTIL=20261231T225959Z',
  ])('%s passes', (rule) => {
    expect(problems(`RRULE:${rule}`)).toEqual([]);
    expect(problems(`EXRULE:${rule}`)).toEqual([]);
  });

  test.each([
    ['', '"": every part must be NAME=VALUE'],
    ['FREQ=DAILY;', '"": every part must be NAME=VALUE'],
    ['FREQ=DAILY;COUNT', '"COUNT": every part'],
    ['FREQ=DAILY;=1', '"=1": every part'],
    ['FREQ=DAILY;RSCALE=GREGORIAN;BYEASTER=0', '"RSCALE", "BYEASTER": not a rule part'],
    ['FREQ=DAILY;X=1', '"X": not a rule part'],
    ['FREQ=DAILY;CONSTRUCTOR=1', '"CONSTRUCTOR": not a rule part'],
    ['FREQ=DAILY; COUNT=1', '" COUNT": not a rule part'],
    ['FREQ=DAILY;FREQ=DAILY', '"FREQ": a rule part may be given only once'],
    ['FREQ=DAILY;COUNT=1;count=2', '"COUNT": a rule part may be given only once'],
    ['COUNT=1', 'FREQ is required'],
    ['FREQ=FORTNIGHTLY', 'FREQ="FORTNIGHTLY": must be one of'],
    ['FREQ=', 'FREQ="": must be one of'],
    ['FREQ=DAILY;COUNT=0', 'COUNT="0": must be a whole number from 1'],
    ['FREQ=DAILY;COUNT=-1', 'COUNT="-1"'],
    ['FREQ=DAILY;COUNT=+1', 'COUNT="+1"'],
    ['FREQ=DAILY;COUNT=1.5', 'COUNT="1.5"'],
    ['FREQ=DAILY;COUNT=1,2', 'COUNT="1,2"'],
    ['FREQ=DAILY;COUNT=', 'COUNT=""'],
    ['FREQ=DAILY;COUNT=1=1', 'COUNT="1=1"'],
    ['FREQ=DAILY;INTERVAL=0', 'INTERVAL="0"'],
    ['FREQ=DAILY;INTERVAL=2147483648', 'INTERVAL="2147483648"'],
    ['FREQ=DAILY;INTERVAL=00000000001', 'INTERVAL="00000000001"'],
    ['FREQ=DAILY;BYSECOND=61', 'BYSECOND="61": must be a whole number from 0 to 60'],
    ['FREQ=DAILY;BYSECOND=+1', 'BYSECOND="+1"'],
    ['FREQ=DAILY;BYMINUTE=60', 'BYMINUTE="60"'],
    ['FREQ=DAILY;BYHOUR=24', 'BYHOUR="24"'],
    ['FREQ=DAILY;BYHOUR=1,,2', 'BYHOUR=""'],
    ['FREQ=DAILY;BYHOUR=001', 'BYHOUR="001"'],
    ['FREQ=DAILY;BYMONTH=0,13', 'BYMONTH="0", "13"'],
    ['FREQ=DAILY;BYMONTHDAY=0,32,-32', 'BYMONTHDAY="0", "32", "-32": must be a whole number from ±1 to ±31'],
    ['FREQ=DAILY;BYMONTHDAY=001', 'BYMONTHDAY="001"'],
    ['FREQ=YEARLY;BYYEARDAY=0001', 'BYYEARDAY="0001"'],
    ['FREQ=YEARLY;BYWEEKNO=001', 'BYWEEKNO="001"'],
    ['FREQ=DAILY;BYDAY=MO;BYSETPOS=0001', 'BYSETPOS="0001"'],
    ['FREQ=DAILY;BYMONTHDAY=--1', 'BYMONTHDAY="--1"'],
    ['FREQ=YEARLY;BYYEARDAY=0,367,-367', 'BYYEARDAY="0", "367", "-367"'],
    ['FREQ=YEARLY;BYWEEKNO=0,54,-54', 'BYWEEKNO="0", "54", "-54"'],
    ['FREQ=DAILY;BYDAY=MO;BYSETPOS=0,367,-367', 'BYSETPOS="0", "367", "-367"'],
    ['FREQ=DAILY;WKST=1MO', 'WKST="1MO": must be MO'],
    ['FREQ=MONTHLY;BYDAY=0MO,54TU,-54WE', 'BYDAY="0MO", "54TU", "-54WE": must be MO'],
    ['FREQ=MONTHLY;BYDAY=MO,,+TU,MON', 'BYDAY="", "+TU", "MON": must be MO'],
    ['FREQ=DAILY;COUNT=1;UNTIL=20261231T225959Z', 'COUNT and UNTIL exclude each other'],
    ['FREQ=DAILY;BYSETPOS=1', 'BYSETPOS picks from'],
    ['FREQ=DAILY;BYYEARDAY=1', 'BYYEARDAY is not allowed with FREQ=DAILY'],
    ['FREQ=WEEKLY;BYYEARDAY=1', 'BYYEARDAY is not allowed with FREQ=WEEKLY'],
    ['FREQ=MONTHLY;BYYEARDAY=1', 'BYYEARDAY is not allowed with FREQ=MONTHLY'],
    ['FREQ=WEEKLY;BYMONTHDAY=1', 'BYMONTHDAY is not allowed with FREQ=WEEKLY'],
    ['FREQ=MONTHLY;BYWEEKNO=1', 'BYWEEKNO is not allowed with FREQ=MONTHLY, only with YEARLY'],
    ['FREQ=SECONDLY;BYWEEKNO=1', 'BYWEEKNO is not allowed with FREQ=SECONDLY'],
    ['FREQ=WEEKLY;BYDAY=MO,1TU', 'BYDAY with a number is not allowed with FREQ=WEEKLY'],
    ['FREQ=YEARLY;BYWEEKNO=1;BYDAY=1MO', 'BYDAY with a number is not allowed beside BYWEEKNO'],
  ])('%j is refused', (rule, part) => {
    const [first, ...more] = problems(`RRULE:${rule}`);
    expect(first).toContain(part);
    // A rule without any part lacks its FREQ too.
    expect(more).toHaveLength(rule === '' ? 1 : 0);
    expect(problems(`EXRULE:${rule}`)[0]).toBe(first?.replace('RRULE', 'EXRULE'));
  });

  test('all problems of one rule come at once', () => {
    expect(problems('RRULE:COUNT=0;UNTIL=never;BYSETPOS=0;FOO=1;COUNT=2;x')).toHaveLength(9);
  });
});

describe('UNTIL and the kind of start', () => {
  test.each([
    ['20261231', ALL_DAY, null],
    ['20261231T225959Z', ALL_DAY, 'must be a day such as 20261231'],
    ['20261231T225959', ALL_DAY, 'must be a day such as 20261231'],
    ['20261231T225959Z', TIMED, null],
    ['20261231T225959', TIMED, 'convert it and end it with Z'],
    ['20261231', TIMED, 'must be a time in UTC such as'],
    ['20261231', undefined, null],
    ['20261231T225959Z', undefined, null],
    ['20261231T225959', undefined, 'convert it and end it with Z'],
    ['20260230', ALL_DAY, 'must be a real day'],
    ['20260230T000000Z', TIMED, 'must be a real day'],
    ['20261231T240000Z', TIMED, 'or a real time'],
    ['20261231T235960Z', TIMED, 'or a real time'],
    ['20261231T2359Z', TIMED, 'or a real time'],
    ['20261231Z', TIMED, 'or a real time'],
    ['2026-12-31', ALL_DAY, 'must be a real day'],
    ['', TIMED, 'UNTIL="": must be a real day'],
  ])('UNTIL=%s with start %j: %s', (until, start, part) => {
    const found = checkRecurrence([`RRULE:FREQ=DAILY;UNTIL=${until}`], start, false).map(({ message }) => message);
    expect(found).toEqual(part === null ? [] : [expect.stringContaining(part)]);
  });

  test.each([
    ['FREQ=HOURLY', 'FREQ=HOURLY is not allowed, because start is all-day'],
    ['FREQ=MINUTELY', 'FREQ=MINUTELY is not allowed'],
    ['FREQ=SECONDLY', 'FREQ=SECONDLY is not allowed'],
    ['FREQ=DAILY;BYHOUR=1', 'BYHOUR is not allowed, because start is all-day'],
    ['FREQ=DAILY;BYMINUTE=1', 'BYMINUTE is not allowed'],
    ['FREQ=DAILY;BYSECOND=1', 'BYSECOND is not allowed'],
  ])('all-day: %s is refused', (rule, part) => {
    expectOne(`RRULE:${rule}`, part, ALL_DAY);
    expect(problems(`RRULE:${rule}`, TIMED)).toEqual([]);
    expect(checkRecurrence([`RRULE:${rule}`], undefined, false)).toEqual([]);
  });

  test('a start that is no start holds nothing against the lines', () => {
    const both = { ...ALL_DAY, ...TIMED };
    expect(problems('RRULE:FREQ=HOURLY;UNTIL=20261231', both)).toEqual([]);
    expect(problems('EXDATE;VALUE=DATE:20261231', both)).toEqual([]);
    expect(problems('EXDATE:20261231T090000Z', {})).toEqual([]);
  });

  test('an all-day rule without FREQ is told so once', () => {
    expectOne('RRULE:COUNT=1', 'FREQ is required', ALL_DAY);
  });
});
