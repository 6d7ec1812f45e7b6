import type { MailSnapshot } from '../../src/mail/mail.ts';
import { renderMail } from '../../src/mail/render.ts';
import { senderAddress, createMail, renderSampleMail, createSnapshot } from './mail.harness.ts';

const dailyRecurrence = { recurrence: ['RRULE:FREQ=DAILY'] };

test('a mail has one recipient, the address of the gateway as From, and the organizer as Reply-To', () => {
  expect(renderSampleMail()).toMatchObject({
    envelope: { from: 'calendar@mail.example', to: 'gus@example.com' },
    from: senderAddress,
    to: { address: 'gus@example.com' },
    replyTo: { address: 'olga@example.com', name: 'Olga' },
    messageId: '<a1b2@mail.example>',
    date: new Date('2026-06-01T08:00:00.123Z'),
    headers: { 'Auto-Submitted': 'auto-generated' },
    calendar: { method: 'REQUEST' },
  });
  const mail = createMail(createSnapshot({ organizer: { email: 'olga@example.com' } }));
  expect(renderMail(mail, { address: 'c@bücher.example' })).toMatchObject({
    messageId: '<a1b2@xn--bcher-kva.example>',
    replyTo: { address: 'olga@example.com' },
  });
});

test('an invitation in plain text has author, title, time, place, organizer, description and link', () => {
  const event = { location: 'Hall\n4', description: 'Bring:\n- a pen' };
  const { text } = renderSampleMail({ event }, { link: 'https://calendar.example/e1' });
  expect(text).toBe(`Olga (olga@example.com) invited you to this event.

Conference
Time: Wednesday, 2026-07-01, 09:30 to 10:30 (Europe/Berlin)
Place: Hall 4
Organizer: Olga (olga@example.com)
Description: Bring:
    - a pen

The event in your calendar: https://calendar.example/e1
`);
});

test('an update in HTML has the old and new values', () => {
  const before: MailSnapshot['before'] = {
    summary: 'Talk & <more>',
    start: { dateTime: '2026-07-01T07:00:00Z' },
    end: { date: '2026-07-04' },
    location: null,
  };
  const { html } = renderSampleMail(
    { before },
    { reason: 'updated', zone: 'America/New_York', link: 'https://calendar.example/?a=1&b="2"' },
  );
  expect(html).toBe(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Conference</title>
</head>
<body>
<main>
<h1>Conference</h1>
<p>Olga (olga@example.com) changed this event.</p>
<dl>
<dt>Time</dt>
<dd>Wednesday, 2026-07-01, 03:30 to 04:30 (America/New_York)</dd>
<dt>Organizer</dt>
<dd>Olga (olga@example.com)</dd>
</dl>
<h2>What changed</h2>
<table>
<thead><tr><th scope="col">Field</th><th scope="col">Before</th><th scope="col">Now</th></tr></thead>
<tbody>
<tr><th scope="row">Title</th><td>Talk &amp; &lt;more&gt;</td><td>Conference</td></tr>
<tr><th scope="row">Start</th><td>Wednesday, 2026-07-01, 03:00 (America/New_York)</td><td>Wednesday, 2026-07-01, 03:30 (America/New_York)</td></tr>
<tr><th scope="row">End</th><td>Friday, 2026-07-03</td><td>Wednesday, 2026-07-01, 04:30 (America/New_York)</td></tr>
<tr><th scope="row">Place</th><td>none</td><td>none</td></tr>
</tbody>
</table>
<p><a href="https://calendar.example/?a=1&amp;b=&quot;2&quot;">The event in your calendar</a></p>
</main>
</body>
</html>
`);
});

test('an update in plain text has the old and new values', () => {
  const { text } = renderSampleMail(
    { before: { description: 'One\nTwo', summary: 'Old' } },
    { reason: 'updated' },
  );
  expect(text).toContain(
    'What changed:\nTitle\n  before: Old\n  now: Conference\nDescription\n  before: One\n    Two\n  now: none\n',
  );
});

const overnightStart = { dateTime: '2026-07-01T22:00:00+02:00' };
const overnightTimes = { start: overnightStart, end: { dateTime: '2026-07-02T03:00:00+02:00' } };
/** Times of an all-day event from 1 July up to, but without, a date. */
const allDayUntil = (date: string) => ({ start: { date: '2026-07-01' }, end: { date } });
test.each<[string, MailSnapshot['event'], string]>([
  ['days', allDayUntil('2026-07-03'), 'Time: Wednesday, 2026-07-01 to Thursday, 2026-07-02'],
  ['one day', allDayUntil('2026-07-02'), 'Time: Wednesday, 2026-07-01'],
  [
    'a night',
    overnightTimes,
    'Time: Wednesday, 2026-07-01, 22:00 to Thursday, 2026-07-02, 03:00 (Europe/Berlin)',
  ],
  [
    'no end',
    { start: overnightTimes.start, end: undefined },
    'Time: Wednesday, 2026-07-01, 22:00 (Europe/Berlin)',
  ],
  ['a series', dailyRecurrence, 'First time: Wednesday, 2026-07-01, 09:30 to 10:30 (Europe/Berlin)'],
])('times in plain text: %s', (_, event, line) => {
  expect(renderSampleMail({ event }).text).toContain(`${line}\n`);
});

test('an unknown time zone is replaced by that of the calendar, or by UTC', () => {
  const { text } = renderSampleMail({ zone: 'Asia/Tokyo' }, { zone: 'No/Where' });
  expect(text).toContain('16:30 to 17:30 (Asia/Tokyo)');
  expect(renderSampleMail({ zone: 'No/Where' }, { zone: '' }).text).toContain('07:30 to 08:30 (UTC)');
});

test.each([
  ['accepted', 'Gus (gus@example.com) accepted the invitation.'],
  ['declined', 'Gus (gus@example.com) declined the invitation.'],
  ['tentative', 'Gus (gus@example.com) may come, but is not sure yet.'],
  ['needsAction', 'Gus (gus@example.com) withdrew the answer to the invitation.'],
] as const)('a mail to the organizer about the response %s', (responseStatus, sentence) => {
  const gus = { email: 'gus@example.com', displayName: 'Gus', responseStatus, comment: 'Sorry' };
  const event = { attendees: [gus] };
  const replyAttributes = { method: 'REPLY', reason: 'answered', to: 'olga@example.com' } as const;
  const renderReply = (email: string): string =>
    renderSampleMail({ event, guest: 'gus@example.com', by: { email } }, replyAttributes).text;
  const text = renderReply('Gus@example.com');
  expect(text).toContain(`${sentence}\n`);
  const sentencesByWanda = `${sentence} wanda@example.com wrote that for this guest.\n`;
  expect(renderReply('wanda@example.com')).toContain(sentencesByWanda);
  expect(text).toContain('\nComment: Sorry\n');
});

test('a missing title has a placeholder in HTML, and a link that is not http(s) is omitted', () => {
  const mail = renderSampleMail({ event: { summary: undefined } }, { link: 'javascript:alert(1)' });
  expect(mail.subject).toBe('Invitation: ');
  expect(mail.html).toContain('<h1>(no title)</h1>');
  expect(mail.html).not.toContain('href');
  expect(renderSampleMail({ event: { summary: ' One\r\nTwo\u0007 ' } }).subject).toBe('Invitation: One Two');
});
