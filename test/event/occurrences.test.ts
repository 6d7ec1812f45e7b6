import { lastEnd, occurrencesOf } from '../../src/event/recurrence/occurrences.ts';

const berlin = (dateTime: string) => ({ dateTime, timeZone: 'Europe/Berlin' });
const allDay = (date: string) => ({ date });
const day = 86_400_000;
type Start = Parameters<typeof occurrencesOf>[0]['start'];

const shown = (starts: readonly number[]): string[] =>
  starts.map((start) => new Date(start).toISOString().replace('.000', ''));
/** The first occurrences of a series from a moment on, as in UTC. */
const starts = (start: Start, recurrence: string[], from = '0001-01-01T00:00:00Z', limit = 5): string[] =>
  shown(occurrencesOf({ start, recurrence }).between(Date.parse(from), Infinity, limit).starts);
const days = (...given: Parameters<typeof starts>): string[] =>
  starts(...given).map((text) => text.replace('T00:00:00Z', ''));
const utc = (lines: string): string[] => lines.trim().split(/\s+/);

describe('changes of the clocks', () => {
  test('Europe/Berlin in spring: 02:30 is skipped and moves to 03:30, for that day alone', () => {
    expect(starts(berlin('2026-03-28T02:30:00+01:00'), ['RRULE:FREQ=DAILY;COUNT=3'])).toEqual(
      utc('2026-03-28T01:30:00Z 2026-03-29T01:30:00Z 2026-03-30T00:30:00Z'),
    );
  });

  test('Europe/Berlin in autumn: 02:30 is there twice, and the first counts', () => {
    expect(starts(berlin('2026-10-24T02:30:00+02:00'), ['RRULE:FREQ=DAILY;COUNT=3'])).toEqual(
      utc('2026-10-24T00:30:00Z 2026-10-25T00:30:00Z 2026-10-26T01:30:00Z'),
    );
  });

  test('Pacific/Apia has no 30 December 2011: what is skipped ends the search for the last one as well', () => {
    const start = { dateTime: '2011-12-29T10:00:00-10:00', timeZone: 'Pacific/Apia' };
    const occurrences = occurrencesOf({
      start,
      recurrence: ['RRULE:FREQ=HOURLY;COUNT=15', 'EXRULE:FREQ=SECONDLY'],
    });
    expect([occurrences.last(), occurrences.between(-Infinity, Infinity, 5).starts]).toEqual([undefined, []]);
    expect(
      occurrencesOf({
        start,
        recurrence: ['RRULE:FREQ=HOURLY;COUNT=15', 'EXRULE:FREQ=HOURLY;COUNT=14'],
      }).last(),
    ).toBe(Date.parse('2011-12-30T10:00:00Z'));
  });

  test('a series that starts at the second 02:30 keeps that start', () => {
    expect(starts(berlin('2026-10-25T02:30:00+01:00'), ['RRULE:FREQ=DAILY;COUNT=2'])).toEqual(
      utc('2026-10-25T01:30:00Z 2026-10-26T01:30:00Z'),
    );
  });

  test.each([
    [
      'a weekly meeting of Berlin across autumn',
      berlin('2026-10-19T09:00:00+02:00'),
      'FREQ=WEEKLY;COUNT=2',
      '2026-10-19T07:00:00Z 2026-10-26T08:00:00Z',
    ],
    [
      'America/New_York in spring',
      { dateTime: '2026-03-07T02:30:00-05:00', timeZone: 'America/New_York' },
      'FREQ=DAILY;COUNT=3',
      '2026-03-07T07:30:00Z 2026-03-08T07:30:00Z 2026-03-09T06:30:00Z',
    ],
    [
      'America/New_York in autumn',
      { dateTime: '2026-10-31T01:30:00-04:00', timeZone: 'America/New_York' },
      'FREQ=DAILY;COUNT=3',
      '2026-10-31T05:30:00Z 2026-11-01T05:30:00Z 2026-11-02T06:30:00Z',
    ],
    [
      'the half hour of Lord Howe in spring',
      { dateTime: '2026-10-03T02:15:00+10:30', timeZone: 'Australia/Lord_Howe' },
      'FREQ=DAILY;COUNT=3',
      '2026-10-02T15:45:00Z 2026-10-03T15:45:00Z 2026-10-04T15:15:00Z',
    ],
    [
      'the half hour of Lord Howe in autumn',
      { dateTime: '2026-04-04T01:45:00+11:00', timeZone: 'Australia/Lord_Howe' },
      'FREQ=DAILY;COUNT=3',
      '2026-04-03T14:45:00Z 2026-04-04T14:45:00Z 2026-04-05T15:15:00Z',
    ],
    [
      'the day that Samoa skipped is one occurrence with the next',
      { dateTime: '2011-12-29T10:00:00-10:00', timeZone: 'Pacific/Apia' },
      'FREQ=DAILY;COUNT=3',
      '2011-12-29T20:00:00Z 2011-12-30T20:00:00Z',
    ],
  ])('%s', (_title, start, rule, expected) => {
    expect(starts(start, [`RRULE:${rule}`])).toEqual(utc(expected));
  });

  test('every half hour through a gap: what is skipped falls on what follows and counts once, in any window', () => {
    const series = {
      start: berlin('2026-03-29T01:00:00+01:00'),
      recurrence: ['RRULE:FREQ=MINUTELY;INTERVAL=30'],
    };
    const expected = utc(
      '2026-03-29T00:00:00Z 2026-03-29T00:30:00Z 2026-03-29T01:00:00Z 2026-03-29T01:30:00Z 2026-03-29T02:00:00Z',
    );
    expect(starts(series.start, series.recurrence)).toEqual(expected);
    for (const text of expected) expect(starts(series.start, series.recurrence, text, 1)).toEqual([text]);
  });

  test("a local time of RDATE and EXDATE is one of the series' zone, and in a gap moves forward", () => {
    const start = berlin('2026-03-28T02:30:00+01:00');
    expect(starts(start, ['RDATE:20260329T023000'])).toEqual(
      utc('2026-03-28T01:30:00Z 2026-03-29T01:30:00Z'),
    );
    expect(starts(start, ['RRULE:FREQ=DAILY;COUNT=3', 'EXDATE:20260329T023000'])).toEqual(
      utc('2026-03-28T01:30:00Z 2026-03-30T00:30:00Z'),
    );
  });
});

describe('all-day series', () => {
  test('starts are days as in UTC, whatever the zone', () => {
    expect(days({ date: '2026-03-28', timeZone: 'Pacific/Auckland' }, ['RRULE:FREQ=DAILY;COUNT=3'])).toEqual(
      utc('2026-03-28 2026-03-29 2026-03-30'),
    );
  });

  test('UNTIL is the last day; RDATE and EXDATE hold days', () => {
    const recurrence = [
      'RRULE:FREQ=WEEKLY;UNTIL=20260720',
      'RDATE;VALUE=DATE:20260708,20260801',
      'EXDATE;VALUE=DATE:20260713',
    ];
    expect(days(allDay('2026-07-06'), recurrence)).toEqual(
      utc('2026-07-06 2026-07-08 2026-07-20 2026-08-01'),
    );
  });

  test('29 February comes in leap years only, 1900 and 2100 not among them', () => {
    const start = allDay('2092-02-29');
    expect(days(start, ['RRULE:FREQ=YEARLY'])).toEqual(
      utc('2092-02-29 2096-02-29 2104-02-29 2108-02-29 2112-02-29'),
    );
    const fridays = utc('2092-02-29 2104-02-29 2132-02-29 2160-02-29 2188-02-29');
    for (const frequency of ['YEARLY', 'DAILY'])
      expect(days(start, [`RRULE:FREQ=${frequency};BYMONTH=2;BYMONTHDAY=29;BYDAY=FR`])).toEqual(fridays);
  });

  test('the last end counts the length of an event', () => {
    expect(
      lastEnd({
        start: allDay('2026-07-06'),
        end: allDay('2026-07-08'),
        recurrence: ['RRULE:FREQ=DAILY;COUNT=2'],
      }),
    ).toBe(Date.parse('2026-07-09'));
  });
});

describe('what belongs to a series', () => {
  const start = berlin('2026-07-01T09:00:00+02:00'); // a Wednesday

  test.each([
    ['the start beside RDATE', ['RDATE:20260710T090000'], '2026-07-01T07:00:00Z 2026-07-10T07:00:00Z'],
    [
      'the start that no rule gives, counted by COUNT',
      ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=3'],
      '2026-07-01T07:00:00Z 2026-07-06T07:00:00Z 2026-07-13T07:00:00Z',
    ],
    [
      'all rules, each once',
      ['RRULE:FREQ=DAILY;COUNT=2', 'RRULE:FREQ=DAILY;INTERVAL=2;COUNT=2'],
      '2026-07-01T07:00:00Z 2026-07-02T07:00:00Z 2026-07-03T07:00:00Z',
    ],
    [
      'dates in UTC, with TZID, and the start of periods',
      [
        'RDATE:20260702T100000Z',
        'RDATE;TZID=America/New_York:20260703T100000',
        'RDATE;VALUE=PERIOD:20260704T100000Z/PT1H,20260705T100000/20260705T110000',
      ],
      '2026-07-01T07:00:00Z 2026-07-02T10:00:00Z 2026-07-03T14:00:00Z 2026-07-04T10:00:00Z 2026-07-05T08:00:00Z',
    ],
    [
      'names and values in any case, a quoted TZID',
      ['rrule:freq=daily;count=2', 'exdate;tzid="europe/berlin":20260702t090000'],
      '2026-07-01T07:00:00Z',
    ],
    [
      'up to UNTIL in UTC, that instant included',
      ['RRULE:FREQ=DAILY;UNTIL=20260703T070000Z'],
      '2026-07-01T07:00:00Z 2026-07-02T07:00:00Z 2026-07-03T07:00:00Z',
    ],
    [
      'not after it',
      ['RRULE:FREQ=DAILY;UNTIL=20260703T065959Z'],
      '2026-07-01T07:00:00Z 2026-07-02T07:00:00Z',
    ],
    [
      'not what EXDATE names, in each form',
      [
        'RRULE:FREQ=DAILY;COUNT=5',
        'EXDATE:20260702T090000,20260703T070000Z',
        'EXDATE;TZID=America/New_York:20260704T030000',
      ],
      '2026-07-01T07:00:00Z 2026-07-05T07:00:00Z',
    ],
    [
      'not the start where it is excluded',
      ['RRULE:FREQ=DAILY;COUNT=2', 'EXDATE:20260701T070000Z'],
      '2026-07-02T07:00:00Z',
    ],
    [
      'not what EXRULE gives, the start and dates included',
      ['RRULE:FREQ=DAILY;COUNT=4', 'RDATE:20260709T090000', 'EXRULE:FREQ=DAILY;INTERVAL=2'],
      '2026-07-02T07:00:00Z 2026-07-04T07:00:00Z',
    ],
    [
      'nothing before the start',
      ['RDATE:20260601T090000,20260702T090000'],
      '2026-07-01T07:00:00Z 2026-07-02T07:00:00Z',
    ],
    [
      'a leap second as the one before',
      ['RRULE:FREQ=MINUTELY;BYSECOND=60;COUNT=3'],
      '2026-07-01T07:00:00Z 2026-07-01T07:00:59Z 2026-07-01T07:01:59Z',
    ],
    [
      'each day of some months',
      ['RRULE:FREQ=DAILY;BYMONTH=8;COUNT=3'],
      '2026-07-01T07:00:00Z 2026-08-01T07:00:00Z 2026-08-02T07:00:00Z',
    ],
    [
      'days of the year, told day by day',
      ['RRULE:FREQ=DAILY;BYYEARDAY=200,201;COUNT=3'],
      '2026-07-01T07:00:00Z 2026-07-19T07:00:00Z 2026-07-20T07:00:00Z',
    ],
    [
      'days of the year that are days of the month too, from either end',
      ['RRULE:FREQ=YEARLY;BYYEARDAY=200,201,212;BYMONTHDAY=20,-1;COUNT=4'],
      '2026-07-01T07:00:00Z 2026-07-20T07:00:00Z 2026-07-31T07:00:00Z 2027-07-20T07:00:00Z',
    ],
    [
      'lines that cannot be read not at all',
      ['RRULE:FREQ=NEVER', 'RDATE:soon', 'DTSTART:20260701T090000', '', 'RDATE;TZID=Nowhere:20260702T090000'],
      '2026-07-01T07:00:00Z 2026-07-02T07:00:00Z',
    ],
  ])('%s', (_title, recurrence, expected) => {
    expect(starts(start, recurrence)).toEqual(utc(expected));
  });

  test('a fraction of a second is cut off, as in the ids of instances', () => {
    expect(
      starts(berlin('2026-07-01T09:00:00.900+02:00'), [
        'RRULE:FREQ=DAILY;COUNT=2',
        'EXDATE:20260702T070000Z',
      ]),
    ).toEqual(['2026-07-01T07:00:00Z']);
  });

  test.each([[undefined], [{}], [{ dateTime: 'never', timeZone: 'Europe/Berlin' }]])(
    'an event with the start %j has none',
    (none) => {
      expect(
        occurrencesOf({ start: none, recurrence: ['RRULE:FREQ=DAILY'] }).between(-Infinity, Infinity, 5),
      ).toMatchObject({ starts: [], more: false });
      expect(lastEnd({ start: none, recurrence: ['RRULE:FREQ=DAILY'] })).toBeUndefined();
    },
  );

  test('the same lines with another start are another series', () => {
    const recurrence = Object.freeze(['RRULE:FREQ=DAILY;COUNT=1']) as string[];
    const first = (given: Start) =>
      shown(occurrencesOf({ start: given, recurrence }).between(-Infinity, Infinity, 1).starts);
    expect([first(start), first(allDay('2026-07-02')), first(start)]).toEqual([
      ['2026-07-01T07:00:00Z'],
      ['2026-07-02T00:00:00Z'],
      ['2026-07-01T07:00:00Z'],
    ]);
    expect(occurrencesOf({ start, recurrence })).toBe(occurrencesOf({ start: { ...start }, recurrence }));
  });
});

describe('the last occurrence', () => {
  const last = (...recurrence: string[]) =>
    lastEnd({
      start: berlin('2026-07-01T09:00:00+02:00'),
      end: berlin('2026-07-01T10:00:00+02:00'),
      recurrence,
    });

  test.each([
    ['by COUNT', ['RRULE:FREQ=WEEKLY;COUNT=3'], '2026-07-15T08:00:00Z'],
    ['by a COUNT in the thousands', ['RRULE:FREQ=WEEKLY;BYDAY=WE;COUNT=3000'], '2083-12-22T09:00:00Z'],
    ['by UNTIL', ['RRULE:FREQ=DAILY;UNTIL=20261231T000000Z'], '2026-12-30T09:00:00Z'],
    [
      'by the latest of all lines',
      ['RRULE:FREQ=DAILY;COUNT=2', 'RDATE:20300101T000000Z'],
      '2030-01-01T01:00:00Z',
    ],
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
  const of = (...recurrence: string[]) => occurrencesOf({ start, recurrence });
  const far = Date.parse('2120-03-01T00:00:00Z');
  const many = (line: (index: number) => string): string[] =>
    Array.from({ length: 100 }, (_, index) => line(index));
  const all = (size: number): string => Array.from({ length: size }, (_, index) => index).join(',');

  test('a week a hundred years on', () => {
    const { starts: found, more } = of('RRULE:FREQ=DAILY').between(far, far + 7 * day, 250);
    expect([found.length, more, found[0]]).toEqual([7, false, Date.parse('2120-03-01T08:00:00Z')]);
  });

  test('a page of a rule that gives 86,400 a day, for ever', () => {
    const { starts: found, more } = of(
      `RRULE:FREQ=DAILY;BYHOUR=${all(24)};BYMINUTE=${all(60)};BYSECOND=${all(60)}`,
    ).between(far, Infinity, 3);
    expect([shown(found), more]).toEqual([
      utc('2120-03-01T00:00:00Z 2120-03-01T00:00:01Z 2120-03-01T00:00:02Z'),
      true,
    ]);
  });

  test('the calendar ends with the year 9999', () => {
    expect(of('RRULE:FREQ=YEARLY').between(Date.parse('9998-06-01'), Infinity, 5)).toMatchObject({
      starts: [Date.parse('9999-01-01T08:00:00Z')],
      more: false,
    });
  });

  test.each([
    [
      'FEB 30 in a hundred rules',
      many((index) => `RRULE:FREQ=SECONDLY;INTERVAL=${index + 2};BYMONTH=2;BYMONTHDAY=30`),
    ],
    ['the longest interval', ['RRULE:FREQ=YEARLY;INTERVAL=2147483647']],
  ])('%s: the start alone, and an end', (_title, recurrence) => {
    expect(of(...recurrence).between(-Infinity, Infinity, 5)).toMatchObject({
      starts: [Date.parse('2020-01-01T08:00:00Z')],
      more: false,
    });
    expect(of(...recurrence).between(far, Infinity, 5)).toMatchObject({ starts: [], more: false });
  });

  test('positions among all seconds of a year', () => {
    const everySecond = `BYMONTH=${all(13).slice(2)};BYMONTHDAY=${all(32).slice(2)};BYHOUR=${all(24)};BYMINUTE=${all(60)};BYSECOND=${all(60)}`;
    expect(
      shown(of(`RRULE:FREQ=YEARLY;${everySecond};BYSETPOS=-1,2`).between(far, Infinity, 2).starts),
    ).toEqual(utc('2120-12-31T22:59:59Z 2120-12-31T23:00:01Z'));
  });

  test('every second for ever, all of it excluded', () => {
    const none = of('RRULE:FREQ=SECONDLY', 'EXRULE:FREQ=SECONDLY');
    expect([none.between(far, Infinity, 5), none.has(far)]).toMatchObject([
      { starts: [], more: false },
      false,
    ]);
  });

  test('the greatest COUNT', () => {
    expect(of('RRULE:FREQ=SECONDLY;COUNT=2147483647').last()).toBe(
      Date.parse('2020-01-01T08:00:00Z') + 2_147_483_646_000,
    );
    expect(of('RRULE:FREQ=WEEKLY;BYDAY=WE,TH;COUNT=2147483647').last()).toBe(
      Date.parse('2211-08-22T07:00:00Z'),
    );
    expect(of('RRULE:FREQ=YEARLY;BYDAY=WE,TH;COUNT=2147483647').last()).toBe(
      Date.parse('2852-12-26T08:00:00Z'),
    );
  });
});
