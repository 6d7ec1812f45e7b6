import { berlinTimes, eventLinesOf, renderSampleMail, toBytes, propertyValueOf } from './mail.harness.ts';
import { fc } from '../property.ts';
import type { MailInstance } from '../../src/mail/mail.ts';
import { formatOriginalStart } from '../../src/recurrence/original-start.ts';
import { maxEncodedBytesOf } from '../../src/mail/render.ts';

const maxBytes = 1024 * 1024;
const recurrence = ['RRULE:FREQ=DAILY'];
const firstStartMs = Date.parse('2026-07-01T07:30:00Z');
/** Instances of a daily series. Every fourth is cancelled, so it needs no event but an EXDATE. */
const makeInstances = (count: number, description: string): MailInstance[] =>
  Array.from({ length: count }, (_, index) => ({
    original: formatOriginalStart(firstStartMs + (index + 1) * 86_400_000, false),
    event:
      index % 4 === 0 ? { status: 'cancelled' } : { ...berlinTimes, summary: `Number ${index}`, description },
  }));
const makeGuests = (count: number, nameLetter: string, displayName = nameLetter.repeat(250)) => [
  { email: 'gus@example.com' },
  ...Array.from({ length: count }, (_, index) => ({ email: `guest${index}@example.com`, displayName })),
];

/** Sentences of a mail that say what was left out to keep its size. */
const omissionNotes = {
  instances: 'Some changed events of this series are not listed in this mail.',
  guests: 'The other guests are not listed in this mail.',
  description: 'The description is cut in this mail.',
};
const findOmissions = ({ text, html }: { text: string; html: string }): string[] =>
  Object.entries(omissionNotes)
    .filter(([, note]) => text.includes(note) && html.includes(note))
    .map(([name]) => name);

test('a mail that would be too long contains only the series, with its excluded dates', async () => {
  const mail = renderSampleMail({ event: { recurrence }, instances: makeInstances(400, 'ü'.repeat(2000)) });
  expect((await toBytes(mail)).length).toBeLessThanOrEqual(maxBytes);
  expect(findOmissions(mail)).toEqual(['instances']);
  expect(eventLinesOf(mail)).toHaveLength(1);
  expect(propertyValueOf(eventLinesOf(mail)[0], 'EXDATE')?.split(',')).toHaveLength(100);
});

test('a mail within the size limit contains all instances', async () => {
  const mail = renderSampleMail({ event: { recurrence }, instances: makeInstances(120, 'ü'.repeat(1000)) });
  expect(findOmissions(mail)).toEqual([]);
  // The series, and the 90 instances that are not cancelled.
  expect(eventLinesOf(mail)).toHaveLength(91);
});

test('a mail with too many guests names only the recipient and the organizer', async () => {
  const event = { recurrence, attendees: makeGuests(1000, '😀') };
  const mail = renderSampleMail({ event, instances: makeInstances(1, '') });
  expect((await toBytes(mail)).length).toBeLessThanOrEqual(maxBytes);
  expect(findOmissions(mail)).toEqual(['guests']);
  expect(eventLinesOf(mail)[0]?.filter((line) => line.startsWith('ATTENDEE'))).toHaveLength(1);
});

test('a mail with too many guests in instances omits the instances and keeps the guests', () => {
  const event = { recurrence, attendees: makeGuests(200, 'a') };
  expect(findOmissions(renderSampleMail({ event, instances: makeInstances(2000, '') }))).toEqual([
    'instances',
  ]);
});

test('a description is cut as a last resort', async () => {
  const event = { description: 'a'.repeat(400_000), attendees: makeGuests(0, '') };
  const before = { description: 'b'.repeat(300_000) };
  const mail = renderSampleMail({ event, before }, { reason: 'updated' });
  expect((await toBytes(mail)).length).toBeLessThanOrEqual(maxBytes);
  expect(findOmissions(mail)).toEqual(['description']);
  expect(propertyValueOf(eventLinesOf(mail)[0], 'DESCRIPTION')).toBe(`${'a'.repeat(500)}…`);
});

test('a mail says that instances are missing if the change omitted them', () => {
  expect(findOmissions(renderSampleMail({ event: { recurrence }, seriesAlone: true }))).toEqual([
    'instances',
  ]);
});

test('no mail is longer than estimated', async () => {
  const anyText = fc
    .tuple(
      fc.constantFrom('a', 'ü', '😀', '=', '\n', 'word ', '&', ' '),
      fc.constantFrom('a', '語', '=', '<', '\r\n', ', '),
      fc.nat(4000),
    )
    .map(([a, b, count]) => `${a}${b}`.repeat(count));
  const longDescription: [string, string, number] = ['', '='.repeat(20_000), 0];
  const manyGuests: [string, string, number] = ['', '', 600];
  await fc.assert(
    fc.asyncProperty(anyText, anyText, fc.nat(300), async (summary, description, guestCount) => {
      const event = { summary, attendees: makeGuests(guestCount, 'a') };
      const mail = renderSampleMail({ event, before: { description } }, { reason: 'updated' });
      expect((await toBytes(mail)).length).toBeLessThanOrEqual(maxEncodedBytesOf(mail));
    }),
    { numRuns: 15, examples: [longDescription, manyGuests] },
  );
});
