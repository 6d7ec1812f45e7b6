import { occurrencesOf } from '../../src/event/recurrence/occurrences.ts';
import type { MailEvent, MailInstance } from '../../src/mail/mail.ts';
import { berlin, eventsOf, linesOf, readObject, rendered } from './mail.harness.ts';

const days = { start: { date: '2026-07-01' }, end: { date: '2026-07-02' } };
const recurring = (recurrence: string[], times: Pick<MailEvent, 'start' | 'end'> = berlin): MailEvent => ({
  ...times,
  recurrence,
});
const rulesOf = (event: MailEvent, instances: MailInstance[] = []): string[] =>
  (eventsOf(rendered({ event, instances }))[0] ?? []).filter((line) =>
    /^(RRULE|RDATE|EXDATE|EXRULE)/.test(line),
  );

test.each<[string, MailEvent, string[]]>([
  ['in upper case, FREQ first', recurring(['rrule:count=3;freq=daily']), ['RRULE:FREQ=DAILY;COUNT=3']],
  [
    'UNTIL as a day counts as a whole',
    recurring(['RRULE:FREQ=DAILY;UNTIL=20260703']),
    ['RRULE:FREQ=DAILY;UNTIL=20260703T215959Z'],
  ],
  [
    'UNTIL of days is a day',
    recurring(['RRULE:FREQ=DAILY;UNTIL=20260703T100000Z'], days),
    ['RRULE:FREQ=DAILY;UNTIL=20260703'],
  ],
  [
    'what is no rule is left out',
    recurring(['RRULE:FREQ=DAILY', 'RRULE:COUNT=3', 'DTSTART:20260101', 'RRULE:FREQ=DAILY\nATTACH:x']),
    ['RRULE:FREQ=DAILY'],
  ],
  [
    'dates name their zones',
    recurring(['RDATE:20260705T093000,20260706T080000Z', 'rdate;tzid="America/New_York":20260707T100000']),
    [
      'RDATE;TZID=Europe/Berlin:20260705T093000',
      'RDATE:20260706T080000Z',
      'RDATE;TZID=America/New_York:20260707T100000',
    ],
  ],
  [
    'a period is as long as the event',
    recurring(['RDATE;VALUE=PERIOD:20260705T080000Z/PT8H']),
    ['RDATE:20260705T080000Z'],
  ],
  [
    'nothing is before the start',
    recurring(['RRULE:FREQ=DAILY', 'RDATE:20260601T093000']),
    ['RRULE:FREQ=DAILY'],
  ],
  [
    'dates of days',
    recurring(['RDATE;VALUE=DATE:20260705', 'EXDATE;VALUE=DATE:20260701'], days),
    ['RDATE;VALUE=DATE:20260705', 'EXDATE;VALUE=DATE:20260701'],
  ],
  [
    'what an EXRULE excludes is listed',
    recurring(['RRULE:FREQ=DAILY;COUNT=5', 'EXRULE:FREQ=DAILY;INTERVAL=2']),
    ['RRULE:FREQ=DAILY;COUNT=5', 'EXDATE;TZID=Europe/Berlin:20260701T093000,20260703T093000,20260705T093000'],
  ],
])('rules: %s', (_, event, lines) => {
  expect(rulesOf(event)).toEqual(lines);
});

test('a series that starts in the second of two equal hours has the occurrences that it has here', () => {
  const event = recurring(['RRULE:FREQ=DAILY;COUNT=4'], {
    start: { dateTime: '2026-10-25T02:30:00+01:00', timeZone: 'Europe/Berlin' },
    end: { dateTime: '2026-10-25T03:00:00+01:00', timeZone: 'Europe/Berlin' },
  });
  const [read] = readObject(rendered({ event })).events;
  expect(read?.starts(Infinity)).toEqual(occurrencesOf(event).between(-Infinity, Infinity, 10).starts);
  expect((read?.at('dtend') as number) - (read?.at('dtstart') as number)).toBe(1_800_000);
});

test('an EXRULE of very many instances ends', () => {
  const event = recurring(['RRULE:FREQ=SECONDLY', 'EXRULE:FREQ=MINUTELY'], {
    start: { dateTime: '2026-07-01T09:30:00Z', timeZone: 'UTC' },
  });
  expect(rulesOf(event)[1]?.split(',').length).toBeGreaterThan(300);
});

test('each named zone has its clocks, by the name that stands there', () => {
  const event = recurring(['RRULE:FREQ=DAILY;COUNT=2', 'RDATE;TZID=asia/tokyo:20260801T100000'], {
    start: berlin.start,
    end: { ...berlin.end, timeZone: 'America/New_York' },
  });
  const lines = linesOf(rendered({ event }));
  expect(lines.filter((line) => line.startsWith('TZID'))).toEqual([
    'TZID:Europe/Berlin',
    'TZID:America/New_York',
    'TZID:asia/tokyo',
  ]);
});

test('offsets of long ago have seconds', () => {
  const event = {
    start: { dateTime: '1890-01-01T12:00:00Z', timeZone: 'Europe/Berlin' },
    end: { dateTime: '1890-01-01T13:00:00Z', timeZone: 'Europe/Berlin' },
  };
  expect(linesOf(rendered({ event })).filter((line) => line.startsWith('TZOFFSETTO'))).toEqual([
    'TZOFFSETTO:+005328',
  ]);
});

test('instances that are none for the receiver are excluded, and others are as the receiver may see them', () => {
  const instance = (original: string, event: MailEvent): MailInstance => ({
    original,
    event: { ...berlin, ...event },
  });
  const instances = [
    instance('20260702T073000Z', { status: 'cancelled' }),
    instance('20260703T073000Z', { attendees: [{ email: 'ida@example.com' }] }),
    instance('20260704T073000Z', { attendees: [{ email: 'GUS@example.com' }] }),
    instance('20260705T073000Z', { summary: 'Other' }),
    instance('20260706', { summary: 'Of an earlier form of the series' }),
  ];
  const event = recurring(['RRULE:FREQ=DAILY']);
  expect(rulesOf(event, instances)).toEqual([
    'RRULE:FREQ=DAILY',
    'EXDATE;TZID=Europe/Berlin:20260702T093000,20260703T093000',
  ]);
  const guests = eventsOf(rendered({ event, instances })).map((lines) =>
    lines.filter((line) => line.startsWith('ATTENDEE')).map((line) => line.split('mailto:')[1]),
  );
  expect(guests).toEqual([
    ['gus@example.com', 'ida@example.com'],
    ['GUS@example.com'],
    ['gus@example.com', 'ida@example.com'],
  ]);
  const toOrganizer = eventsOf(rendered({ event, instances }, { to: 'olga@example.com' }));
  expect(toOrganizer).toHaveLength(4);
});
