import { eventsOf, linesOf, rendered, valueOf } from './mail.harness.ts';

/** The changes of RFC 5546, section 4, and what is told of them. */
const organizer = { email: 'a@example.com', displayName: 'BIG A' };
const uid = 'calsrv.example.com-873970198738777@example.com';
const attendees = [
  { email: 'a@example.com', displayName: 'BIG A', responseStatus: 'accepted' as const },
  { email: 'b@example.com', displayName: 'B' },
  { email: 'c@example.com', displayName: 'C', optional: true },
  { email: 'conf_big@example.com', resource: true, responseStatus: 'accepted' as const },
];
const event = {
  summary: 'Conference',
  start: { dateTime: '1997-07-01T20:00:00Z' },
  end: { dateTime: '1997-07-01T21:00:00Z' },
  attendees,
};
const at = '1997-06-11T19:00:00.5Z';
const group = { organizer, at, by: organizer, iCalUID: uid };
const toB = { to: 'b@example.com' };

const people = {
  a: 'ATTENDEE;CN=BIG A;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED:mailto:a@example.com',
  b: 'ATTENDEE;CN=B;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION:mailto:b@example.com',
  c: 'ATTENDEE;CN=C;CUTYPE=INDIVIDUAL;ROLE=OPT-PARTICIPANT;PARTSTAT=NEEDS-ACTION:mailto:c@example.com',
  room: 'ATTENDEE;CN=conf_big@example.com;CUTYPE=RESOURCE;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED:mailto:conf_big@example.com',
};
const asked = (line: string): string => line.replace('NEEDS-ACTION:', 'NEEDS-ACTION;RSVP=TRUE:');
const head = (sequence: number): string[] => [
  `UID:${uid}`,
  'DTSTAMP:19970611T190000Z',
  `SEQUENCE:${sequence}`,
];
const begun = ['ORGANIZER;CN=BIG A:mailto:a@example.com'];
const june = ['DTSTART:19970701T200000Z', 'DTEND:19970701T210000Z'];

test('4.2.1: a group event is requested', () => {
  const mail = rendered({ ...group, event }, toB);
  expect(linesOf(mail).slice(0, 5)).toEqual([
    'BEGIN:VCALENDAR',
    'PRODID:-//resource-gateway//guest mails//EN',
    'VERSION:2.0',
    'CALSCALE:GREGORIAN',
    'METHOD:REQUEST',
  ]);
  expect(linesOf(mail)).not.toContain('BEGIN:VTIMEZONE');
  expect(eventsOf(mail)).toEqual([
    [
      ...head(0),
      ...june,
      'SUMMARY:Conference',
      'STATUS:CONFIRMED',
      ...begun,
      people.a,
      asked(people.b),
      asked(people.c),
      people.room,
    ],
  ]);
});

test.each([
  ['accepted', 'ACCEPTED', 'Accepted: Conference'],
  ['declined', 'DECLINED', 'Declined: Conference'],
  ['tentative', 'TENTATIVE', 'Tentative: Conference'],
  ['needsAction', 'NEEDS-ACTION', 'Unanswered: Conference'],
] as const)('4.2.2: a guest answers %s', (responseStatus, partStat, subject) => {
  const answered = attendees.map((guest) =>
    guest.email === 'b@example.com' ? { ...guest, responseStatus, comment: 'I come; later' } : guest,
  );
  const mail = rendered(
    { ...group, event: { ...event, attendees: answered }, guest: 'B@example.com', by: attendees[1] },
    { method: 'REPLY', reason: 'answered', to: 'a@example.com' },
  );
  expect(mail.calendar.method).toBe('REPLY');
  expect(linesOf(mail)).toContain('METHOD:REPLY');
  expect(eventsOf(mail)).toEqual([
    [
      ...head(0),
      ...june,
      'SUMMARY:Conference',
      'STATUS:CONFIRMED',
      ...begun,
      people.b.replace('NEEDS-ACTION', partStat),
      'COMMENT:I come\\; later',
    ],
  ]);
  expect(mail).toMatchObject({
    subject,
    replyTo: { address: 'b@example.com', name: 'B' },
    to: { address: 'a@example.com' },
  });
});

test('4.2.3: an event is updated', () => {
  const moved = {
    ...event,
    start: { dateTime: '1997-07-01T18:00:00Z' },
    end: { dateTime: '1997-07-01T19:00:00Z' },
    sequence: 1,
    location: 'Hall 4',
    description: 'One\nTwo',
    status: 'tentative' as const,
  };
  const [lines] = eventsOf(rendered({ ...group, event: moved }, { ...toB, reason: 'updated' }));
  expect(lines?.slice(0, 9)).toEqual([
    ...head(1),
    'DTSTART:19970701T180000Z',
    'DTEND:19970701T190000Z',
    'SUMMARY:Conference',
    'DESCRIPTION:One\\nTwo',
    'LOCATION:Hall 4',
    'STATUS:TENTATIVE',
  ]);
});

test('4.2.9: an event is cancelled for all', () => {
  const mail = rendered(
    { ...group, event: { ...event, status: 'cancelled', sequence: 1 } },
    { ...toB, method: 'CANCEL', reason: 'cancelled' },
  );
  expect(linesOf(mail)).toContain('METHOD:CANCEL');
  expect(eventsOf(mail)).toEqual([
    [
      ...head(1),
      ...june,
      'SUMMARY:Conference',
      'STATUS:CANCELLED',
      ...begun,
      people.a,
      people.b,
      people.c,
      people.room,
    ],
  ]);
});

test('4.2.10: a guest is taken off, and is named alone', () => {
  const others = attendees.filter(({ email }) => email !== 'b@example.com');
  const mail = rendered(
    { ...group, event: { ...event, sequence: 1, attendees: others } },
    { ...toB, method: 'CANCEL', reason: 'removed' },
  );
  expect(eventsOf(mail)).toEqual([
    [...head(1), ...june, 'SUMMARY:Conference', ...begun, people.b.replace('CN=B', 'CN=b@example.com')],
  ]);
});

const zoned = {
  start: { dateTime: '1997-06-01T14:00:00-07:00', timeZone: 'America/Los_Angeles' },
  end: { dateTime: '1997-06-01T15:00:00-07:00', timeZone: 'America/Los_Angeles' },
};
const series = { ...event, ...zoned, recurrence: ['RRULE:FREQ=MONTHLY;COUNT=6;BYMONTHDAY=1'] };

test('4.4.1: a recurring event has its rule and the clocks of its zone', () => {
  const mail = rendered({ ...group, event: series }, toB);
  expect(eventsOf(mail)[0]?.slice(3, 6)).toEqual([
    'DTSTART;TZID=America/Los_Angeles:19970601T140000',
    'DTEND;TZID=America/Los_Angeles:19970601T150000',
    'RRULE:FREQ=MONTHLY;COUNT=6;BYMONTHDAY=1',
  ]);
  const lines = linesOf(mail);
  expect(lines.slice(lines.indexOf('BEGIN:VTIMEZONE'), lines.indexOf('BEGIN:VEVENT')).join('\n')).toMatch(
    new RegExp(
      [
        'TZID:America/Los_Angeles',
        '[^]*BEGIN:DAYLIGHT',
        'DTSTART:19970406T020000',
        '(?:RDATE:.*\\n)?TZOFFSETFROM:-0800',
        'TZOFFSETTO:-0700',
        'TZNAME:PDT',
        'END:DAYLIGHT',
      ].join('\n'),
    ),
  );
  expect(lines.join('\n')).toMatch(
    /BEGIN:STANDARD\nDTSTART:.*\n(?:RDATE:.*\n)?TZOFFSETFROM:-0700\nTZOFFSETTO:-0800\nTZNAME:PST\nEND:STANDARD/,
  );
});

test('4.4.2: one instance is changed, which a request for the series tells too', () => {
  const changed = {
    original: '19970701T210000Z',
    event: { ...event, summary: 'Review', sequence: 2, ...zoned },
  };
  const alone = rendered(
    {
      ...group,
      event: { ...changed.event, recurrence: series.recurrence },
      instance: { original: changed.original, zone: 'America/Los_Angeles' },
    },
    { ...toB, reason: 'updated' },
  );
  const [one, ...others] = eventsOf(alone);
  expect(others).toEqual([]);
  expect(one?.slice(2, 6)).toEqual([
    'SEQUENCE:2',
    'RECURRENCE-ID;TZID=America/Los_Angeles:19970701T140000',
    'DTSTART;TZID=America/Los_Angeles:19970601T140000',
    'DTEND;TZID=America/Los_Angeles:19970601T150000',
  ]);
  expect(valueOf(one, 'RRULE')).toBeUndefined();
  const both = eventsOf(rendered({ ...group, event: { ...series, sequence: 5 }, instances: [changed] }, toB));
  expect(both).toHaveLength(2);
  expect(
    both.map((lines) => [valueOf(lines, 'UID'), valueOf(lines, 'SEQUENCE'), valueOf(lines, 'SUMMARY')]),
  ).toEqual([
    [uid, '5', 'Conference'],
    [uid, '5', 'Review'],
  ]);
  expect(both.map((lines) => valueOf(lines, 'RECURRENCE-ID'))).toEqual([
    undefined,
    'TZID=America/Los_Angeles:19970701T140000',
  ]);
});

test('4.4.3: one instance is cancelled', () => {
  const cancelled = {
    summary: 'Conference',
    status: 'cancelled' as const,
    start: undefined,
    end: undefined,
    attendees,
  };
  const timed = rendered(
    { ...group, event: cancelled, instance: { original: '19970701T210000Z', zone: 'America/Los_Angeles' } },
    { ...toB, method: 'CANCEL', reason: 'cancelled' },
  );
  expect(eventsOf(timed)[0]).toEqual(
    expect.arrayContaining(['RECURRENCE-ID;TZID=America/Los_Angeles:19970701T140000', 'STATUS:CANCELLED']),
  );
  const day = rendered(
    { ...group, event: cancelled, instance: { original: '19970701', zone: 'America/Los_Angeles' } },
    { ...toB, method: 'CANCEL', reason: 'cancelled' },
  );
  expect(eventsOf(day)[0]).toEqual(expect.arrayContaining(['RECURRENCE-ID;VALUE=DATE:19970701']));
});

test('4.4.4: a series is cancelled as a whole, without its instances', () => {
  const mail = rendered(
    {
      ...group,
      event: { ...series, status: 'cancelled', sequence: 1 },
      instances: [{ original: '19970701T210000Z', event }],
    },
    { ...toB, method: 'CANCEL', reason: 'cancelled' },
  );
  expect(eventsOf(mail)).toHaveLength(1);
  expect(eventsOf(mail)[0]).toEqual(
    expect.arrayContaining(['RRULE:FREQ=MONTHLY;COUNT=6;BYMONTHDAY=1', 'STATUS:CANCELLED']),
  );
});

test('days are days, of any zone, and an end that is not later is left out', () => {
  const days = (end: string): string[][] =>
    eventsOf(
      rendered({
        event: {
          summary: undefined,
          start: { date: '2026-12-24', timeZone: 'Pacific/Apia' },
          end: { date: end },
        },
      }),
    );
  expect(days('2026-12-27')[0]?.slice(3, 6)).toEqual([
    'DTSTART;VALUE=DATE:20261224',
    'DTEND;VALUE=DATE:20261227',
    'SUMMARY:',
  ]);
  expect(days('2026-12-24')[0]?.slice(3, 5)).toEqual(['DTSTART;VALUE=DATE:20261224', 'SUMMARY:']);
});

test('the second of two equal hours is told in UTC', () => {
  const [lines] = eventsOf(
    rendered({
      event: {
        start: { dateTime: '2026-10-25T02:30:00.9+01:00', timeZone: 'Europe/Berlin' },
        end: { dateTime: '2026-10-25T03:30:00+01:00', timeZone: 'Europe/Berlin' },
      },
    }),
  );
  expect(lines?.slice(3, 5)).toEqual([
    'DTSTART:20261025T013000Z',
    'DTEND;TZID=Europe/Berlin:20261025T033000',
  ]);
});

test('times without a zone that is known here are told in UTC', () => {
  const [lines] = eventsOf(
    rendered({
      event: {
        start: { dateTime: '2026-07-01T09:30:00+02:00' },
        end: { dateTime: '2026-07-01T10:30:00+02:00', timeZone: 'No/Where' },
      },
      instance: { original: '20260701T073000Z', zone: 'No/Where' },
    }),
  );
  expect(lines?.slice(3, 6)).toEqual([
    'RECURRENCE-ID:20260701T073000Z',
    'DTSTART:20260701T073000Z',
    'DTEND:20260701T083000Z',
  ]);
});
