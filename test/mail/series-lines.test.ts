import { occurrencesOf } from '../../src/recurrence/occurrences.ts';
import type { MailEvent, MailInstance } from '../../src/mail/mail.ts';
import { berlinTimes, eventLinesOf, linesOf, readICalendar, renderSampleMail } from './mail.harness.ts';

// Recurrence lines of the iCalendar object in a mail.
const daily = 'RRULE:FREQ=DAILY';
const zonePrefix = 'TZID=Europe/Berlin:';
const createTimedSeries = (...recurrence: string[]): MailEvent => ({ ...berlinTimes, recurrence });
const allDayTimes = { start: { date: '2026-07-01' }, end: { date: '2026-07-02' } };
const createAllDaySeries = (...recurrence: string[]): MailEvent => ({ ...allDayTimes, recurrence });
const recurrenceLinesOf = (event: MailEvent, instances: MailInstance[] = []): string[] =>
  (eventLinesOf(renderSampleMail({ event, instances }))[0] ?? []).filter((line) =>
    /^(RRULE|RDATE|EXDATE|EXRULE)/.test(line),
  );

test.each<[string, MailEvent, string]>([
  ['upper case, with FREQ first', createTimedSeries('rrule:count=3;freq=daily'), `${daily};COUNT=3`],
  [
    'an UNTIL that is a date includes the whole day',
    createTimedSeries(`${daily};UNTIL=20260703`),
    `${daily};UNTIL=20260703T215959Z`,
  ],
  [
    'the UNTIL of an all-day series is a date',
    createAllDaySeries(`${daily};UNTIL=20260703T100000Z`),
    `${daily};UNTIL=20260703`,
  ],
  ['a rule without FREQ is left out', createTimedSeries(daily, 'RRULE:COUNT=3'), daily],
  [
    'other properties are left out',
    createTimedSeries(daily, 'DTSTART:20260101', 'RRULE:FREQ=DAILY\nATTACH:x'),
    daily,
  ],
  [
    'dates of an RDATE are in UTC, since libical ignores its time zone',
    createTimedSeries(
      'RDATE:20260705T093000,20260706T080000Z',
      'rdate;tzid="America/New_York":20260707T100000',
    ),
    'RDATE:20260705T073000Z,20260706T080000Z,20260707T140000Z',
  ],
  [
    'a start that no rule gives becomes an RDATE, and counts towards COUNT',
    createTimedSeries('RRULE:FREQ=WEEKLY;BYDAY=FR;COUNT=3'),
    'RRULE:FREQ=WEEKLY;BYDAY=FR;UNTIL=20260710T073000Z RDATE:20260701T073000Z',
  ],
  [
    'a first day that no rule gives becomes an RDATE',
    createAllDaySeries('RRULE:FREQ=WEEKLY;BYDAY=FR'),
    'RRULE:FREQ=WEEKLY;BYDAY=FR RDATE;VALUE=DATE:20260701',
  ],
  [
    'a period of an RDATE becomes its start',
    createTimedSeries('RDATE;VALUE=PERIOD:20260705T080000Z/PT8H'),
    'RDATE:20260705T080000Z',
  ],
  ['an RDATE before the start is left out', createTimedSeries(daily, 'RDATE:20260601T093000'), daily],
  [
    'RDATE and EXDATE of an all-day series are dates',
    createAllDaySeries('RDATE;VALUE=DATE:20260705', 'EXDATE;VALUE=DATE:20260701'),
    'RDATE;VALUE=DATE:20260705 EXDATE;VALUE=DATE:20260701',
  ],
  [
    'dates that an EXRULE excludes become an EXDATE',
    createTimedSeries(`${daily};COUNT=5`, 'EXRULE:FREQ=DAILY;INTERVAL=2'),
    `${daily};COUNT=5 EXDATE;${zonePrefix}20260701T093000,20260703T093000,20260705T093000`,
  ],
])('recurrence lines: %s', (_, event, lines) => {
  expect(recurrenceLinesOf(event)).toEqual(lines.split(' '));
});

test('a series that starts in the second of two equal local hours has the same occurrences as in the gateway', () => {
  const start = { dateTime: '2026-10-25T02:30:00+01:00', timeZone: 'Europe/Berlin' };
  const end = { dateTime: '2026-10-25T03:00:00+01:00', timeZone: 'Europe/Berlin' };
  const event = { start, end, recurrence: [`${daily};COUNT=4`] };
  const [readEvent] = readICalendar(renderSampleMail({ event })).events;
  expect(readEvent?.starts(Infinity)).toEqual(occurrencesOf(event).between(-Infinity, Infinity, 10).starts);
  expect((readEvent?.readInstant('dtend') as number) - (readEvent?.readInstant('dtstart') as number)).toBe(
    1_800_000,
  );
});

test('an EXRULE with very many instances is expanded in finite time', () => {
  const start = { dateTime: '2026-07-01T09:30:00Z', timeZone: 'UTC' };
  const event = { start, recurrence: ['RRULE:FREQ=SECONDLY', 'EXRULE:FREQ=MINUTELY'] };
  expect(recurrenceLinesOf(event)[1]?.split(',').length).toBeGreaterThan(300);
});

test('each time zone has a VTIMEZONE with its TZID as written', () => {
  const event = {
    start: berlinTimes.start,
    end: { ...berlinTimes.end, timeZone: 'America/New_York' },
    recurrence: [`${daily};COUNT=2`, 'EXDATE;TZID=asia/tokyo:20260801T100000'],
  };
  const zones = linesOf(renderSampleMail({ event })).filter((line) => line.startsWith('TZID'));
  expect(zones).toEqual(['TZID:Europe/Berlin', 'TZID:America/New_York', 'TZID:asia/tokyo']);
});

test('historical offsets have seconds', () => {
  const event = {
    start: { dateTime: '1890-01-01T12:00:00Z', timeZone: 'Europe/Berlin' },
    end: { dateTime: '1890-01-01T13:00:00Z', timeZone: 'Europe/Berlin' },
  };
  const offsets = linesOf(renderSampleMail({ event })).filter((line) => line.startsWith('TZOFFSETTO'));
  expect(offsets).toEqual(['TZOFFSETTO:+005328']);
});

test('instances without the recipient are excluded, others appear as the recipient may see them', () => {
  const instances = Object.entries<MailEvent>({
    '20260702T073000Z': { status: 'cancelled' },
    '20260703T073000Z': { attendees: [{ email: 'ida@example.com' }] },
    '20260704T073000Z': { attendees: [{ email: 'GUS@example.com' }] },
    '20260705T073000Z': { summary: 'Other' },
    '20260706': { summary: 'An original start of an earlier rule' },
  }).map(([original, event]) => ({ original, event: { ...berlinTimes, ...event } }));
  const event = createTimedSeries(daily);
  expect(recurrenceLinesOf(event, instances)).toEqual([
    daily,
    `EXDATE;${zonePrefix}20260702T093000,20260703T093000`,
  ]);
  const guests = eventLinesOf(renderSampleMail({ event, instances })).map((lines) =>
    lines.filter((line) => line.startsWith('ATTENDEE')).map((line) => line.split('mailto:')[1]),
  );
  const bothGuests = ['gus@example.com', 'ida@example.com'];
  expect(guests).toEqual([bothGuests, ['GUS@example.com'], bothGuests]);
  const organizerMailEvents = eventLinesOf(
    renderSampleMail({ event, instances }, { to: 'olga@example.com' }),
  );
  expect(organizerMailEvents).toHaveLength(4);
});
