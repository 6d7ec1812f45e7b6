import {
  parseEditableRule,
  describeMonthlyWeekday,
  describeRecurrence,
} from '../../examples/calendar/src/editor/recurrence-words.ts';

const context = { start: '2026-05-04', timeZone: 'Europe/Berlin' };

describe('a recurrence in words', () => {
  test.each([
    ['FREQ=DAILY', 'Daily'],
    ['FREQ=DAILY;INTERVAL=2', 'Every 2 days'],
    ['FREQ=WEEKLY', 'Weekly on Monday'],
    ['FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', 'Weekly on weekdays'],
    ['FREQ=WEEKLY;INTERVAL=3;BYDAY=TU,TH', 'Every 3 weeks on Tuesday and Thursday'],
    ['FREQ=MONTHLY', 'Monthly on day 4'],
    ['FREQ=MONTHLY;BYMONTHDAY=15,-1', 'Monthly on day 15 and the last day'],
    ['FREQ=MONTHLY;BYDAY=1MO', 'Monthly on the first Monday'],
    ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1', 'Monthly on the last weekday'],
    ['FREQ=MONTHLY;BYDAY=SA,SU;BYSETPOS=1', 'Monthly on the first Saturday or Sunday'],
    ['FREQ=YEARLY', 'Yearly on 4 May'],
    ['FREQ=YEARLY;BYMONTH=5,11', 'Yearly on day 4 in May and November'],
    ['FREQ=YEARLY;BYMONTH=11;BYDAY=4TH', 'Yearly on the fourth Thursday in November'],
    ['FREQ=YEARLY;BYWEEKNO=20', 'Yearly (BYWEEKNO=20)'],
    ['FREQ=HOURLY;INTERVAL=6', 'Every 6 hours'],
    ['FREQ=WEEKLY;COUNT=10', 'Weekly on Monday, 10 times'],
    ['freq=weekly;until=20260604T215959Z', 'Weekly on Monday, until 4 June'],
    ['FREQ=DAILY;UNTIL=20270104', 'Daily, until 4 January 2027'],
  ])('%s is "%s"', (rule, words) => expect(describeRecurrence([`RRULE:${rule}`], context)).toBe(words));

  test('an end is a day in the zone of the event', () =>
    expect(describeRecurrence(['RRULE:FREQ=DAILY;UNTIL=20260604T230000Z'], context)).toBe(
      'Daily, until 5 June',
    ));

  test('an end before the time at which events start is the day before', () =>
    expect(
      ['215959', '075959', '080000'].map((time) =>
        describeRecurrence([`RRULE:FREQ=DAILY;UNTIL=20260604T${time}Z`], {
          ...context,
          startTime: '10:00:00',
        }),
      ),
    ).toEqual(['Daily, until 4 June', 'Daily, until 3 June', 'Daily, until 4 June']));

  test('days and months are in the order of the locale', () =>
    expect(describeRecurrence(['RRULE:FREQ=YEARLY'], { ...context, locale: 'en-US' })).toBe(
      'Yearly on May 4',
    ));

  test.each([
    [[], 'Does not repeat'],
    [['RRULE:FREQ=DAILY', 'EXDATE;TZID=Europe/Berlin:20260505T100000'], 'Daily, except 1 date'],
    [['RDATE:20260505T100000Z,20260506T100000Z'], 'On 2 dates'],
    [['RRULE:FREQ=WEEKLY', 'RDATE:20260505T100000Z'], 'Weekly on Monday, and on 1 date'],
    [['RRULE:FREQ=DAILY', 'EXRULE:FREQ=WEEKLY;BYDAY=SU'], 'Daily, except weekly on Sunday'],
  ])('%j is "%s"', (lines, words) => expect(describeRecurrence(lines, context)).toBe(words));

  test('the weekday of a month is counted from its end where it may be missing', () =>
    expect(['2026-05-04', '2026-05-22', '2026-05-29'].map(describeMonthlyWeekday)).toEqual([
      'the first Monday',
      'the fourth Friday',
      'the last Friday',
    ]));
});

describe('a rule in the terms of the editor', () => {
  const defaultRule = { interval: 1, days: [], isByWeekday: false, until: undefined, count: undefined };

  test.each([
    [['RRULE:FREQ=DAILY;INTERVAL=2;COUNT=3'], { ...defaultRule, frequency: 'DAILY', interval: 2, count: 3 }],
    [['RRULE:FREQ=WEEKLY;BYDAY=MO,WE'], { ...defaultRule, frequency: 'WEEKLY', days: ['MO', 'WE'] }],
    [['RRULE:FREQ=MONTHLY;BYMONTHDAY=4'], { ...defaultRule, frequency: 'MONTHLY' }],
    [['RRULE:FREQ=MONTHLY;BYDAY=1MO'], { ...defaultRule, frequency: 'MONTHLY', isByWeekday: true }],
    [
      ['RRULE:FREQ=YEARLY;UNTIL=20300504T215959Z', 'EXDATE:20270504T080000Z'],
      { ...defaultRule, frequency: 'YEARLY', until: '2030-05-04' },
    ],
  ])('is parsed from %j', (lines, rule) => expect(parseEditableRule(lines, context)).toEqual(rule));

  test.each([
    'RRULE:FREQ=HOURLY',
    'RRULE:FREQ=MONTHLY;BYDAY=2MO',
    'RRULE:FREQ=MONTHLY;BYMONTHDAY=5',
    'RRULE:FREQ=YEARLY;BYMONTH=6',
    'RRULE:FREQ=DAILY;BYDAY=MO',
    'RRULE:FREQ=WEEKLY;INTERVAL=2;WKST=SU',
    'RDATE:20260505T100000Z',
  ])('does not exist for %s', (line) => expect(parseEditableRule([line], context)).toBeUndefined());

  test('does not exist for a rule with added dates', () =>
    expect(parseEditableRule(['RRULE:FREQ=DAILY', 'RDATE:20260505T100000Z'], context)).toBeUndefined());
});
