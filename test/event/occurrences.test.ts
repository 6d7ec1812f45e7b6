import { lastEnd, occurrencesOf } from '../../src/recurrence/occurrences.ts';

const zoned = (dateTime: string, timeZone: string) => ({ dateTime, timeZone });
const berlin = (dateTime: string) => zoned(dateTime, 'Europe/Berlin');
const lordHowe = (dateTime: string) => zoned(dateTime, 'Australia/Lord_Howe');
const apia = zoned('2011-12-29T10:00:00-10:00', 'Pacific/Apia');
type Start = Parameters<typeof occurrencesOf>[0]['start'];

/** Instants in UTC, without what is zero at their end: `2026-07-01T07:00`, a midnight as `2026-07-01`. */
const shown = (instants: readonly number[]): string =>
  instants.map((at) => new Date(at).toISOString().replace(/(T00:00)?(:00)?\.000Z$/, '')).join(' ');
/** The first occurrences of a series from a moment on. */
const starts = (start: Start, recurrence: string[], from = '0001-01-01T00:00:00Z', limit = 5): string =>
  shown(occurrencesOf({ start, recurrence }).between(Date.parse(from), Infinity, limit).starts);

describe('changes of the clocks', () => {
  const daily = 'FREQ=DAILY;COUNT=3';
  test.each<[string, Start, string, string]>([
    [
      'Europe/Berlin in spring: 02:30 is skipped and moves to 03:30, for that day alone',
      berlin('2026-03-28T02:30:00+01:00'),
      daily,
      '2026-03-28T01:30 2026-03-29T01:30 2026-03-30T00:30',
    ],
    [
      'Europe/Berlin in autumn: 02:30 is there twice, and the first counts',
      berlin('2026-10-24T02:30:00+02:00'),
      daily,
      '2026-10-24T00:30 2026-10-25T00:30 2026-10-26T01:30',
    ],
    [
      'a series that starts at the second 02:30 keeps that start',
      berlin('2026-10-25T02:30:00+01:00'),
      'FREQ=DAILY;COUNT=2',
      '2026-10-25T01:30 2026-10-26T01:30',
    ],
    [
      'the half hour of Lord Howe in spring',
      lordHowe('2026-10-03T02:15:00+10:30'),
      daily,
      '2026-10-02T15:45 2026-10-03T15:45 2026-10-04T15:15',
    ],
    ['the day that Samoa skipped is one with the next', apia, daily, '2011-12-29T20:00 2011-12-30T20:00'],
  ])('%s', (_title, start, rule, expected) => {
    expect(starts(start, [`RRULE:${rule}`])).toBe(expected);
  });

  test('Pacific/Apia has no 30 December 2011: what is skipped ends the search for the last one as well', () => {
    const less = (rule: string) =>
      occurrencesOf({ start: apia, recurrence: ['RRULE:FREQ=HOURLY;COUNT=15', `EXRULE:${rule}`] });
    const none = less('FREQ=SECONDLY');
    expect([none.last(), none.between(-Infinity, Infinity, 5).starts]).toEqual([undefined, []]);
    expect(less('FREQ=HOURLY;COUNT=14').last()).toBe(Date.parse('2011-12-30T10:00:00Z'));
  });

  test('every half hour through a gap: what is skipped falls on what follows and counts once, in any window', () => {
    const start = berlin('2026-03-29T01:00:00+01:00');
    const recurrence = ['RRULE:FREQ=MINUTELY;INTERVAL=30'];
    const expected = ['00:00', '00:30', '01:00', '01:30', '02:00'].map((time) => `2026-03-29T${time}:00Z`);
    expect(starts(start, recurrence)).toBe(shown(expected.map(Date.parse)));
    for (const text of expected) expect(starts(start, recurrence, text, 1)).toBe(shown([Date.parse(text)]));
  });

  test("a local time of RDATE and EXDATE is one of the series' zone, and in a gap moves forward", () => {
    const start = berlin('2026-03-28T02:30:00+01:00');
    expect(starts(start, ['RDATE:20260329T023000'])).toBe('2026-03-28T01:30 2026-03-29T01:30');
    const excluded = ['RRULE:FREQ=DAILY;COUNT=3', 'EXDATE:20260329T023000'];
    expect(starts(start, excluded)).toBe('2026-03-28T01:30 2026-03-30T00:30');
  });
});

describe('all-day series', () => {
  test('starts are days as in UTC, whatever the zone', () => {
    const start = { date: '2026-03-28', timeZone: 'Pacific/Auckland' };
    expect(starts(start, ['RRULE:FREQ=DAILY;COUNT=3'])).toBe('2026-03-28 2026-03-29 2026-03-30');
  });

  test('UNTIL is the last day; RDATE and EXDATE hold days', () => {
    const dates = ['RDATE;VALUE=DATE:20260708,20260801', 'EXDATE;VALUE=DATE:20260713'];
    expect(starts({ date: '2026-07-06' }, ['RRULE:FREQ=WEEKLY;UNTIL=20260720', ...dates])).toBe(
      '2026-07-06 2026-07-08 2026-07-20 2026-08-01',
    );
  });

  test('29 February comes in leap years only, 1900 and 2100 not among them', () => {
    const start = { date: '2092-02-29' };
    const every = '2092-02-29 2096-02-29 2104-02-29 2108-02-29 2112-02-29';
    expect(starts(start, ['RRULE:FREQ=YEARLY'])).toBe(every);
    const fridays = '2092-02-29 2104-02-29 2132-02-29 2160-02-29 2188-02-29';
    for (const frequency of ['YEARLY', 'DAILY'])
      expect(starts(start, [`RRULE:FREQ=${frequency};BYMONTH=2;BYMONTHDAY=29;BYDAY=FR`])).toBe(fridays);
  });

  test('the last end counts the length of an event', () => {
    const twoDays = { start: { date: '2026-07-06' }, end: { date: '2026-07-08' } };
    expect(lastEnd({ ...twoDays, recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] })).toBe(Date.parse('2026-07-09'));
  });
});

describe('what belongs to a series', () => {
  const start = berlin('2026-07-01T09:00:00+02:00'); // a Wednesday
  const first = '2026-07-01T07:00';
  /** Nine o'clock in Berlin on these days. */
  const july = (...days: number[]): string =>
    days.map((day) => `2026-07-${String(day).padStart(2, '0')}T07:00`).join(' ');

  test.each<[string, string[], string]>([
    ['the start beside RDATE', ['RDATE:20260710T090000'], july(1, 10)],
    ['a start that no rule gives, counted by COUNT', ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=3'], july(1, 6, 13)],
    [
      'dates in UTC, with TZID, and the start of periods',
      [
        'RDATE:20260702T100000Z',
        'RDATE;TZID=America/New_York:20260703T100000',
        'RDATE;VALUE=PERIOD:20260704T100000Z/PT1H,20260705T100000/20260705T110000',
      ],
      `${first} 2026-07-02T10:00 2026-07-03T14:00 2026-07-04T10:00 2026-07-05T08:00`,
    ],
    [
      'names and values in any case, a quoted TZID',
      ['rrule:freq=daily;count=2', 'exdate;tzid="europe/berlin":20260702t090000'],
      july(1),
    ],
    ['up to UNTIL in UTC, that instant included', ['RRULE:FREQ=DAILY;UNTIL=20260703T070000Z'], july(1, 2, 3)],
    [
      'not what EXDATE names, in each form',
      [
        'RRULE:FREQ=DAILY;COUNT=5',
        'EXDATE:20260702T090000,20260703T070000Z',
        'EXDATE;TZID=America/New_York:20260704T030000',
      ],
      july(1, 5),
    ],
    ['not the start where it is excluded', ['RRULE:FREQ=DAILY;COUNT=2', 'EXDATE:20260701T070000Z'], july(2)],
    ['nothing before the start', ['RDATE:20260601T090000,20260702T090000'], july(1, 2)],
    [
      'a leap second as the one before',
      ['RRULE:FREQ=MINUTELY;BYSECOND=60;COUNT=3'],
      `${first} 2026-07-01T07:00:59 2026-07-01T07:01:59`,
    ],
    [
      'lines that cannot be read not at all',
      ['RRULE:FREQ=NEVER', 'RDATE:soon', 'DTSTART:20260701T090000', '', 'RDATE;TZID=Nowhere:20260702T090000'],
      july(1, 2),
    ],
  ])('%s', (_title, recurrence, expected) => {
    expect(starts(start, recurrence)).toBe(expected);
  });

  test('a fraction of a second is cut off, as in the ids of instances', () => {
    const recurrence = ['RRULE:FREQ=DAILY;COUNT=2', 'EXDATE:20260702T070000Z'];
    expect(starts(berlin('2026-07-01T09:00:00.900+02:00'), recurrence)).toBe(first);
  });

  test.each([[undefined], [{}], [berlin('never')]])('an event with the start %j has none', (none) => {
    const event = { start: none, recurrence: ['RRULE:FREQ=DAILY'] };
    expect(occurrencesOf(event).between(-Infinity, Infinity, 5)).toMatchObject({ starts: [], more: false });
    expect(lastEnd(event)).toBeUndefined();
  });

  test('the same lines with another start are another series', () => {
    const recurrence = Object.freeze(['RRULE:FREQ=DAILY;COUNT=1']) as string[];
    const only = (given: Start) => starts(given, recurrence);
    expect([only(start), only({ date: '2026-07-02' }), only(start)]).toEqual([first, '2026-07-02', first]);
    expect(occurrencesOf({ start, recurrence })).toBe(occurrencesOf({ start: { ...start }, recurrence }));
  });
});

describe('the last occurrence', () => {
  const hour = { start: berlin('2026-07-01T09:00:00+02:00'), end: berlin('2026-07-01T10:00:00+02:00') };
  const last = (...recurrence: string[]) => lastEnd({ ...hour, recurrence });

  test.each<[string, string[], string]>([
    ['by COUNT', ['RRULE:FREQ=WEEKLY;COUNT=3'], '2026-07-15T08:00:00Z'],
    ['by a COUNT in the thousands', ['RRULE:FREQ=WEEKLY;BYDAY=WE;COUNT=3000'], '2083-12-22T09:00:00Z'],
    ['by UNTIL', ['RRULE:FREQ=DAILY;UNTIL=20261231T000000Z'], '2026-12-30T09:00:00Z'],
    ['by the latest of all', ['RRULE:FREQ=DAILY;COUNT=2', 'RDATE:20300101T000000Z'], '2030-01-01T01:00:00Z'],
    [
      'when the last ones are excluded',
      ['RRULE:FREQ=DAILY;COUNT=4', 'EXDATE:20260704T070000Z', 'EXRULE:FREQ=DAILY;COUNT=3;BYMONTHDAY=3'],
      '2026-07-02T08:00:00Z',
    ],
    ['on a rule that matches nothing', ['RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30'], '2026-07-01T08:00:00Z'],
  ])('%s', (_title, recurrence, expected) => {
    expect(last(...recurrence)).toBe(Date.parse(expected));
  });

  test('there is none without end, and none where all is excluded', () => {
    expect(last('RRULE:FREQ=DAILY')).toBeUndefined();
    expect(last('RDATE:20260702T090000', 'EXDATE:20260701T090000,20260702T090000')).toBeUndefined();
  });
});

describe('bounds', () => {
  const start = berlin('2020-01-01T09:00:00+01:00');
  const first = Date.parse('2020-01-01T08:00:00Z');
  const of = (...recurrence: string[]) => occurrencesOf({ start, recurrence });
  const far = Date.parse('2120-03-01T00:00:00Z');
  const all = (size: number): string => Array.from({ length: size }, (_, index) => index).join(',');
  const everySecond = `BYHOUR=${all(24)};BYMINUTE=${all(60)};BYSECOND=${all(60)}`;

  test('a week a hundred years on', () => {
    const { starts: found, more } = of('RRULE:FREQ=DAILY').between(far, far + 7 * 86_400_000, 250);
    expect([found.length, more, found[0]]).toEqual([7, false, Date.parse('2120-03-01T08:00:00Z')]);
  });

  test('a page of a rule that gives 86,400 a day, for ever', () => {
    const { starts: found, more } = of(`RRULE:FREQ=DAILY;${everySecond}`).between(far, Infinity, 3);
    expect([shown(found), more]).toEqual(['2120-03-01 2120-03-01T00:00:01 2120-03-01T00:00:02', true]);
  });

  test('the calendar ends with the year 9999', () => {
    const rest = of('RRULE:FREQ=YEARLY').between(Date.parse('9998-06-01'), Infinity, 5);
    expect(rest).toMatchObject({ starts: [Date.parse('9999-01-01T08:00:00Z')], more: false });
  });

  const february30 = Array.from(
    { length: 100 },
    (_, index) => `RRULE:FREQ=SECONDLY;INTERVAL=${index + 2};BYMONTH=2;BYMONTHDAY=30`,
  );
  test.each([
    ['FEB 30 in a hundred rules', february30],
    ['the longest interval', ['RRULE:FREQ=YEARLY;INTERVAL=2147483647']],
  ])('%s: the start alone, and an end', (_title, recurrence) => {
    const found = of(...recurrence);
    expect(found.between(-Infinity, Infinity, 5)).toMatchObject({ starts: [first], more: false });
    expect(found.between(far, Infinity, 5)).toMatchObject({ starts: [], more: false });
  });

  test('positions among all seconds of a year', () => {
    const everyDay = `BYMONTH=${all(13).slice(2)};BYMONTHDAY=${all(32).slice(2)}`;
    const positions = of(`RRULE:FREQ=YEARLY;${everyDay};${everySecond};BYSETPOS=-1,2`);
    expect(shown(positions.between(far, Infinity, 2).starts)).toBe('2120-12-31T22:59:59 2120-12-31T23:00:01');
  });

  test('every second for ever, all of it excluded', () => {
    const none = of('RRULE:FREQ=SECONDLY', 'EXRULE:FREQ=SECONDLY');
    expect(none.between(far, Infinity, 5)).toMatchObject({ starts: [], more: false });
    expect(none.has(far)).toBe(false);
  });

  test('the greatest COUNT', () => {
    expect(of('RRULE:FREQ=SECONDLY;COUNT=2147483647').last()).toBe(first + 2_147_483_646_000);
    const twice = (frequency: string) => of(`RRULE:FREQ=${frequency};BYDAY=WE,TH;COUNT=2147483647`).last();
    expect(twice('WEEKLY')).toBe(Date.parse('2211-08-22T07:00:00Z'));
    expect(twice('YEARLY')).toBe(Date.parse('2852-12-26T08:00:00Z'));
  });
});
