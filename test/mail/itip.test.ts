import { eventLinesOf, linesOf, renderSampleMail, propertyValueOf } from './mail.harness.ts';

/** Examples of RFC 5546, section 4. */
const organizer = { email: 'a@example.com', displayName: 'BIG A' };
const uid = 'calsrv.example.com-873970198738777@example.com';
const attendees = [
  { email: 'a@example.com', displayName: 'BIG A', responseStatus: 'accepted' as const },
  { email: 'b@example.com', displayName: 'B' },
  { email: 'c@example.com', displayName: 'C', optional: true },
  { email: 'conf_big@example.com', resource: true, responseStatus: 'accepted' as const },
];
const evening = { start: { dateTime: '1997-07-01T20:00:00Z' }, end: { dateTime: '1997-07-01T21:00:00Z' } };
const event = { summary: 'Conference', ...evening, attendees };
const changedAt = '1997-06-11T19:00:00.5Z';
const baseSnapshot = { organizer, at: changedAt, by: organizer, iCalUID: uid };
const toB = { to: 'b@example.com' };

const attendeeLines = {
  a: 'ATTENDEE;CN=BIG A;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED:mailto:a@example.com',
  b: 'ATTENDEE;CN=B;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION:mailto:b@example.com',
  c: 'ATTENDEE;CN=C;CUTYPE=INDIVIDUAL;ROLE=OPT-PARTICIPANT;PARTSTAT=NEEDS-ACTION:mailto:c@example.com',
  room: 'ATTENDEE;CN=conf_big@example.com;CUTYPE=RESOURCE;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED:mailto:conf_big@example.com',
};
const withRsvp = (line: string): string => line.replace('NEEDS-ACTION:', 'NEEDS-ACTION;RSVP=TRUE:');
const headLines = (sequence: number) => [`UID:${uid}`, 'DTSTAMP:19970611T190000Z', `SEQUENCE:${sequence}`];
const organizerLine = 'ORGANIZER;CN=BIG A:mailto:a@example.com';
const summaryLine = 'SUMMARY:Conference';
const confirmedLines = [summaryLine, 'STATUS:CONFIRMED', organizerLine];
const timeLines = ['DTSTART:19970701T200000Z', 'DTEND:19970701T210000Z'];

const cancelAttributes = { ...toB, method: 'CANCEL' as const, reason: 'cancelled' as const };

test('4.2.1: a group event is requested', () => {
  const mail = renderSampleMail({ ...baseSnapshot, event }, toB);
  expect(linesOf(mail).slice(0, 5)).toEqual([
    'BEGIN:VCALENDAR',
    'PRODID:-//resource-gateway//guest mails//EN',
    'VERSION:2.0',
    'CALSCALE:GREGORIAN',
    'METHOD:REQUEST',
  ]);
  expect(linesOf(mail)).not.toContain('BEGIN:VTIMEZONE');
  const guests = [attendeeLines.a, withRsvp(attendeeLines.b), withRsvp(attendeeLines.c), attendeeLines.room];
  expect(eventLinesOf(mail)).toEqual([[...headLines(0), ...timeLines, ...confirmedLines, ...guests]]);
});

test.each([
  ['accepted', 'ACCEPTED', 'Accepted: Conference'],
  ['declined', 'DECLINED', 'Declined: Conference'],
  ['tentative', 'TENTATIVE', 'Tentative: Conference'],
  ['needsAction', 'NEEDS-ACTION', 'Unanswered: Conference'],
] as const)('4.2.2: a guest responds with %s', (responseStatus, partStat, subject) => {
  const respondedAttendees = attendees.map((guest) =>
    guest.email === 'b@example.com' ? { ...guest, responseStatus, comment: 'I come; later' } : guest,
  );
  const mail = renderSampleMail(
    {
      ...baseSnapshot,
      event: { ...event, attendees: respondedAttendees },
      guest: 'B@example.com',
      by: attendees[1],
    },
    { method: 'REPLY', reason: 'answered', to: 'a@example.com' },
  );
  expect(linesOf(mail)).toContain('METHOD:REPLY');
  const replyLines = [attendeeLines.b.replace('NEEDS-ACTION', partStat), 'COMMENT:I come\\; later'];
  expect(eventLinesOf(mail)).toEqual([[...headLines(0), ...timeLines, ...confirmedLines, ...replyLines]]);
  expect(mail).toMatchObject({
    subject,
    replyTo: { address: 'b@example.com', name: 'B' },
    to: { address: 'a@example.com' },
    calendar: { method: 'REPLY' },
  });
});

test('4.2.3: an event is updated', () => {
  const movedEvent = {
    ...event,
    start: { dateTime: '1997-07-01T18:00:00Z' },
    end: { dateTime: '1997-07-01T19:00:00Z' },
    sequence: 1,
    location: 'Hall 4',
    description: 'One\nTwo',
    status: 'tentative' as const,
  };
  const [lines] = eventLinesOf(
    renderSampleMail({ ...baseSnapshot, event: movedEvent }, { ...toB, reason: 'updated' }),
  );
  const movedTimeLines = ['DTSTART:19970701T180000Z', 'DTEND:19970701T190000Z'];
  const textLines = [summaryLine, 'DESCRIPTION:One\\nTwo', 'LOCATION:Hall 4', 'STATUS:TENTATIVE'];
  expect(lines?.slice(0, 9)).toEqual([...headLines(1), ...movedTimeLines, ...textLines]);
});

test('4.2.9: an event is cancelled for all', () => {
  const mail = renderSampleMail(
    { ...baseSnapshot, event: { ...event, status: 'cancelled', sequence: 1 } },
    cancelAttributes,
  );
  expect(linesOf(mail)).toContain('METHOD:CANCEL');
  const guests = Object.values(attendeeLines);
  const cancelledLines = [summaryLine, 'STATUS:CANCELLED', organizerLine];
  expect(eventLinesOf(mail)).toEqual([[...headLines(1), ...timeLines, ...cancelledLines, ...guests]]);
});

test('4.2.10: a guest is removed, and is the only one named', () => {
  const remainingAttendees = attendees.filter(({ email }) => email !== 'b@example.com');
  const eventWithoutB = { ...event, sequence: 1, attendees: remainingAttendees };
  const mail = renderSampleMail(
    { ...baseSnapshot, event: eventWithoutB },
    { ...cancelAttributes, reason: 'removed' },
  );
  const removedGuestLine = attendeeLines.b.replace('CN=B', 'CN=b@example.com');
  expect(eventLinesOf(mail)).toEqual([
    [...headLines(1), ...timeLines, summaryLine, organizerLine, removedGuestLine],
  ]);
});

const zone = 'America/Los_Angeles';
const zonedAt = (hour: number) => ({ dateTime: `1997-06-01T${hour}:00:00-07:00`, timeZone: zone });
const zonedTimes = { start: zonedAt(14), end: zonedAt(15) };
const zonedTimeLines = [`DTSTART;TZID=${zone}:19970601T140000`, `DTEND;TZID=${zone}:19970601T150000`];
const ruleLine = 'RRULE:FREQ=MONTHLY;COUNT=6;BYMONTHDAY=1';
const seriesEvent = { ...event, ...zonedTimes, recurrence: [ruleLine] };
const originalStart = '19970701T210000Z';
const recurrenceId = `TZID=${zone}:19970701T140000`;

test('4.4.1: a recurring event has its rule and a VTIMEZONE', () => {
  const mail = renderSampleMail({ ...baseSnapshot, event: seriesEvent }, toB);
  expect(eventLinesOf(mail)[0]?.slice(3, 6)).toEqual([...zonedTimeLines, ruleLine]);
  const [, timeZoneLines = ''] = /BEGIN:VTIMEZONE\n([^]*)BEGIN:VEVENT/.exec(linesOf(mail).join('\n')) ?? [];
  expect(timeZoneLines).toMatch(
    /TZID:America\/Los_Angeles\n[^]*BEGIN:DAYLIGHT\nDTSTART:19970406T020000\n(?:RDATE:.*\n)+TZOFFSETFROM:-0800\nTZOFFSETTO:-0700\nTZNAME:PDT\nEND:DAYLIGHT/,
  );
  expect(timeZoneLines).toMatch(
    /BEGIN:STANDARD\nDTSTART:.*\n(?:RDATE:.*\n)+TZOFFSETFROM:-0700\nTZOFFSETTO:-0800\nTZNAME:PST\nEND:STANDARD/,
  );
});

test('4.4.2: one instance is changed, which a REQUEST for the series includes', () => {
  const changedInstance = {
    original: originalStart,
    event: { ...event, summary: 'Review', sequence: 2, ...zonedTimes },
  };
  const instanceEvent = { ...changedInstance.event, recurrence: seriesEvent.recurrence };
  const [instanceLines, ...otherEvents] = eventLinesOf(
    renderSampleMail(
      { ...baseSnapshot, event: instanceEvent, instance: { original: originalStart, zone } },
      { ...toB, reason: 'updated' },
    ),
  );
  expect(otherEvents).toEqual([]);
  expect(instanceLines?.slice(2, 6)).toEqual([
    'SEQUENCE:2',
    `RECURRENCE-ID;${recurrenceId}`,
    ...zonedTimeLines,
  ]);
  expect(propertyValueOf(instanceLines, 'RRULE')).toBeUndefined();
  const seriesAndInstance = eventLinesOf(
    renderSampleMail(
      { ...baseSnapshot, event: { ...seriesEvent, sequence: 5 }, instances: [changedInstance] },
      toB,
    ),
  );
  const names = ['UID', 'SEQUENCE', 'SUMMARY', 'RECURRENCE-ID'];
  expect(seriesAndInstance.map((lines) => names.map((name) => propertyValueOf(lines, name)))).toEqual([
    [uid, '5', 'Conference', undefined],
    [uid, '5', 'Review', recurrenceId],
  ]);
});

test('4.4.3: one instance is cancelled', () => {
  const cancelledInstance = { ...event, status: 'cancelled' as const, start: undefined, end: undefined };
  const renderLinesAt = (start: string) => {
    const instance = { original: start, zone };
    return eventLinesOf(
      renderSampleMail({ ...baseSnapshot, event: cancelledInstance, instance }, cancelAttributes),
    )[0];
  };
  const expectedLines = [`RECURRENCE-ID;${recurrenceId}`, 'STATUS:CANCELLED'];
  expect(renderLinesAt(originalStart)).toEqual(expect.arrayContaining(expectedLines));
  expect(renderLinesAt('19970701')).toContain('RECURRENCE-ID;VALUE=DATE:19970701');
});

test('4.4.4: a series is cancelled as a whole, without its instances', () => {
  const cancelledSeries = { ...seriesEvent, status: 'cancelled' as const, sequence: 1 };
  const events = eventLinesOf(
    renderSampleMail(
      { ...baseSnapshot, event: cancelledSeries, instances: [{ original: originalStart, event }] },
      cancelAttributes,
    ),
  );
  expect(events).toEqual([expect.arrayContaining([ruleLine, 'STATUS:CANCELLED'])]);
});

test('all-day times are dates, without a zone; an end that is not later is omitted', () => {
  const start = { date: '2026-12-24', timeZone: 'Pacific/Apia' };
  const renderLinesTo = (date: string) =>
    eventLinesOf(renderSampleMail({ event: { summary: undefined, start, end: { date } } }))[0]?.slice(3);
  const startLine = 'DTSTART;VALUE=DATE:20261224';
  expect(renderLinesTo('2026-12-27')?.slice(0, 3)).toEqual([
    startLine,
    'DTEND;VALUE=DATE:20261227',
    'SUMMARY:',
  ]);
  expect(renderLinesTo('2026-12-24')?.slice(0, 2)).toEqual([startLine, 'SUMMARY:']);
});

test('the second of two equal local hours is written in UTC', () => {
  const start = { dateTime: '2026-10-25T02:30:00.9+01:00', timeZone: 'Europe/Berlin' };
  const end = { dateTime: '2026-10-25T03:30:00+01:00', timeZone: 'Europe/Berlin' };
  const [lines] = eventLinesOf(renderSampleMail({ event: { start, end } }));
  const endLine = 'DTEND;TZID=Europe/Berlin:20261025T033000';
  expect(lines?.slice(3, 5)).toEqual(['DTSTART:20261025T013000Z', endLine]);
});

test('times with an unknown zone are written in UTC', () => {
  const start = { dateTime: '2026-07-01T09:30:00+02:00' };
  const end = { dateTime: '2026-07-01T10:30:00+02:00', timeZone: 'No/Where' };
  const instance = { original: '20260701T073000Z', zone: 'No/Where' };
  const [lines] = eventLinesOf(renderSampleMail({ event: { start, end }, instance }));
  const utcTimeLines = ['DTSTART:20260701T073000Z', 'DTEND:20260701T083000Z'];
  expect(lines?.slice(3, 6)).toEqual(['RECURRENCE-ID:20260701T073000Z', ...utcTimeLines]);
});
