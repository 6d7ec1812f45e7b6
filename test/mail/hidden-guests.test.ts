import type { MailAttributes, MailSnapshot } from '../../src/mail/mail.ts';
import { fc } from '../property.ts';
import { berlin, eventsOf, rendered } from './mail.harness.ts';

const others = ['ida@example.com', 'max@example.com', 'Zoe@example.com'];
const named = (email: string) => ({ email, displayName: `Name of ${email}` });
const attendees = [...others, 'Gus@example.com', 'olga@example.com'].map(named);
const instances = [
  { original: '20260702T073000Z', event: { ...berlin, summary: 'Other', attendees } },
  { original: '20260703T073000Z', event: { ...berlin, attendees: attendees.slice(0, 2) } },
];

const mails = fc.constantFrom<Partial<MailAttributes>>(
  { method: 'REQUEST', reason: 'invited' },
  { method: 'REQUEST', reason: 'updated' },
  { method: 'CANCEL', reason: 'removed' },
  { method: 'CANCEL', reason: 'cancelled' },
  { method: 'REPLY', reason: 'answered', to: 'olga@example.com' },
);

test('where guests are hidden, no part of a mail has a trace of the others', () => {
  const makers = fc.constantFrom(undefined, ...attendees, { displayName: 'Name of max@example.com' });
  fc.assert(
    fc.property(mails, makers, fc.boolean(), fc.boolean(), (attributes, by, isSeries, removed) => {
      const event = {
        attendees: removed ? attendees.slice(0, 3) : attendees,
        ...(isSeries ? { recurrence: ['RRULE:FREQ=DAILY;COUNT=9'] } : {}),
      };
      const guest = attributes.method === 'REPLY' ? { guest: 'gus@example.com' } : {};
      const hidden = { hidesGuests: true, by, event, instances, before: { summary: 'Old' }, ...guest };
      const mail = rendered(hidden, attributes);
      const parts =
        JSON.stringify(mail).toLowerCase() + mail.calendar.content.replaceAll('\r\n ', '').toLowerCase();
      for (const other of others) expect(parts).not.toContain(other.toLowerCase());
    }),
    { numRuns: 50 },
  );
});

test.each<[MailSnapshot['by'], string]>([
  [{ email: 'OLGA@example.com', displayName: 'Olga' }, 'Olga (OLGA@example.com) changed this event.'],
  [{ email: 'gus@example.com' }, 'gus@example.com changed this event.'],
  [{ email: 'ida@example.com', displayName: 'Ida' }, 'The event was changed.'],
  [{ displayName: 'Somebody' }, 'The event was changed.'],
  [undefined, 'The event was changed.'],
])('of hidden guests, the author is told where it is the organizer or the receiver: %j', (by, lead) => {
  const { text, html } = rendered({ hidesGuests: true, by }, { reason: 'updated' });
  expect(text.startsWith(`${lead}\n`)).toBe(true);
  expect(html).toContain(`<p>${lead}</p>`);
});

test('an instance that only other guests answered to is not told where they are hidden, save to whom it is about', () => {
  const event = { recurrence: ['RRULE:FREQ=DAILY;COUNT=9'], attendees };
  const answered = (index: number) => [
    {
      original: '20260702T073000Z',
      onlyGuests: true as const,
      event: {
        ...berlin,
        attendees: attendees.map((guest, at) =>
          at === index ? { ...guest, responseStatus: 'accepted' as const } : guest,
        ),
      },
    },
  ];
  const told = (index: number, hidesGuests: boolean): number =>
    eventsOf(rendered({ hidesGuests, event, instances: answered(index) })).length;
  expect([told(0, true), told(3, true), told(0, false)]).toEqual([1, 2, 2]);
});
