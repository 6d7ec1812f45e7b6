import { berlin, eventsOf, rendered, sent, valueOf } from './mail.harness.ts';
import { fc } from '../property.ts';
import type { MailInstance } from '../../src/mail/mail.ts';
import { originalAt } from '../../src/recurrence/original-start.ts';
import { sizeAsSent } from '../../src/mail/render.ts';

const mebibyte = 1024 * 1024;
const recurrence = ['RRULE:FREQ=DAILY'];
const first = Date.parse('2026-07-01T07:30:00Z');
const instancesOf = (count: number, description: string): MailInstance[] =>
  Array.from({ length: count }, (_, index) => ({
    original: originalAt(first + (index + 1) * 86_400_000, false),
    event: index % 4 === 0 ? { status: 'cancelled' } : { ...berlin, summary: `Number ${index}`, description },
  }));
const guestsOf = (count: number, letter: string, displayName = letter.repeat(250)) => [
  { email: 'gus@example.com' },
  ...Array.from({ length: count }, (_, index) => ({ email: `guest${index}@example.com`, displayName })),
];

const notes = {
  instances: 'Some changes of single events of this series are not listed in this mail.',
  guests: 'The other guests are not listed in this mail.',
  description: 'The description is cut in this mail.',
};
const notesIn = ({ text, html }: { text: string; html: string }): string[] =>
  Object.entries(notes)
    .filter(([, note]) => text.includes(note) && html.includes(note))
    .map(([name]) => name);

test('a mail that is too long tells of the series alone, with what is off', async () => {
  const mail = rendered({ event: { recurrence }, instances: instancesOf(400, 'ü'.repeat(2000)) });
  expect((await sent(mail)).length).toBeLessThanOrEqual(mebibyte);
  expect(notesIn(mail)).toEqual(['instances']);
  expect(eventsOf(mail)).toHaveLength(1);
  expect(valueOf(eventsOf(mail)[0], 'EXDATE')?.split(',')).toHaveLength(100);
});

test('a mail that is short enough tells of all', async () => {
  const mail = rendered({ event: { recurrence }, instances: instancesOf(120, 'ü'.repeat(1000)) });
  expect(notesIn(mail)).toEqual([]);
  expect(eventsOf(mail)).toHaveLength(91);
});

test('where guests alone are too many, the receiver and the organizer remain', async () => {
  const event = { recurrence, attendees: guestsOf(1000, '😀') };
  const mail = rendered({ event, instances: instancesOf(1, '') });
  expect((await sent(mail)).length).toBeLessThanOrEqual(mebibyte);
  expect(notesIn(mail)).toEqual(['guests']);
  expect(eventsOf(mail)[0]?.filter((line) => line.startsWith('ATTENDEE'))).toHaveLength(1);
});

test('instances with very many guests together are left out, and the guests remain', () => {
  const event = { recurrence, attendees: guestsOf(200, 'a') };
  expect(notesIn(rendered({ event, instances: instancesOf(2000, '') }))).toEqual(['instances']);
});

test('at last descriptions are cut', async () => {
  const event = { description: 'a'.repeat(400_000), attendees: guestsOf(0, '') };
  const before = { description: 'b'.repeat(300_000) };
  const mail = rendered({ event, before }, { reason: 'updated' });
  expect((await sent(mail)).length).toBeLessThanOrEqual(mebibyte);
  expect(notesIn(mail)).toEqual(['description']);
  expect(valueOf(eventsOf(mail)[0], 'DESCRIPTION')).toBe(`${'a'.repeat(500)}…`);
});

test('where the writer of the change left instances out, the text says so', () => {
  expect(notesIn(rendered({ event: { recurrence }, seriesAlone: true }))).toEqual(['instances']);
});

test('no mail is longer than it is reckoned', async () => {
  const text = fc
    .tuple(
      fc.constantFrom('a', 'ü', '😀', '=', '\n', 'word ', '&', ' '),
      fc.constantFrom('a', '語', '=', '<', '\r\n', ', '),
      fc.nat(4000),
    )
    .map(([one, other, count]) => `${one}${other}`.repeat(count));
  await fc.assert(
    fc.asyncProperty(text, text, fc.nat(300), async (summary, description, guests) => {
      const event = { summary, attendees: guestsOf(guests, 'a') };
      const mail = rendered({ event, before: { description } }, { reason: 'updated' });
      const { subject, replyTo, text: plain, html, calendar } = mail;
      const headers = [subject, replyTo.name ?? ''];
      const reckoned = sizeAsSent({ headers, texts: [plain, html], calendar: calendar.content });
      expect((await sent(mail)).length).toBeLessThanOrEqual(reckoned);
    }),
    {
      numRuns: 15,
      examples: [
        ['', '='.repeat(20_000), 0],
        ['', '', 600],
      ],
    },
  );
});
