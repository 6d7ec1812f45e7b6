import type { MailAttributes, MailSnapshot } from '../../src/mail/mail.ts';
import { fc } from '../property.ts';
import { berlinTimes, eventLinesOf, renderSampleMail } from './mail.harness.ts';

const otherGuests = ['ida@example.com', 'max@example.com', 'Zoe@example.com'];
const guestNamed = (email: string) => ({ email, displayName: `Name of ${email}` });
const attendees = [...otherGuests, 'Gus@example.com', 'olga@example.com'].map(guestNamed);
const instances = [
  { original: '20260702T073000Z', event: { ...berlinTimes, summary: 'Other', attendees } },
  { original: '20260703T073000Z', event: { ...berlinTimes, attendees: attendees.slice(0, 2) } },
];

const anyMailAttributes = fc.constantFrom<Partial<MailAttributes>>(
  { method: 'REQUEST', reason: 'invited' },
  { method: 'REQUEST', reason: 'updated' },
  { method: 'CANCEL', reason: 'removed' },
  { method: 'CANCEL', reason: 'cancelled' },
  { method: 'REPLY', reason: 'answered', to: 'olga@example.com' },
);

test('mails with hidden guests contain no trace of other guests', () => {
  const anyAuthor = fc.constantFrom(undefined, ...attendees, { displayName: 'Name of max@example.com' });
  fc.assert(
    fc.property(
      anyMailAttributes,
      anyAuthor,
      fc.boolean(),
      fc.boolean(),
      (attributes, author, isSeries, isRemoved) => {
        const event = {
          attendees: isRemoved ? attendees.slice(0, 3) : attendees,
          ...(isSeries ? { recurrence: ['RRULE:FREQ=DAILY;COUNT=9'] } : {}),
        };
        const guest = attributes.method === 'REPLY' ? { guest: 'gus@example.com' } : {};
        const changes = {
          hidesGuests: true,
          by: author,
          event,
          instances,
          before: { summary: 'Old' },
          ...guest,
        };
        const mail = renderSampleMail(changes, attributes);
        const lowerCaseContent =
          JSON.stringify(mail).toLowerCase() + mail.calendar.content.replaceAll('\r\n ', '').toLowerCase();
        for (const otherGuest of otherGuests)
          expect(lowerCaseContent).not.toContain(otherGuest.toLowerCase());
      },
    ),
    { numRuns: 50 },
  );
});

test.each<[MailSnapshot['by'], string]>([
  [{ email: 'OLGA@example.com', displayName: 'Olga' }, 'Olga (OLGA@example.com) changed this event.'],
  [{ email: 'gus@example.com' }, 'gus@example.com changed this event.'],
  [{ email: 'ida@example.com', displayName: 'Ida' }, 'The event was changed.'],
  [{ displayName: 'Somebody' }, 'The event was changed.'],
  [undefined, 'The event was changed.'],
])(
  'mails with hidden guests name the author only if it is the organizer or the recipient: %j',
  (author, leadText) => {
    const { text, html } = renderSampleMail({ hidesGuests: true, by: author }, { reason: 'updated' });
    expect(text.startsWith(`${leadText}\n`)).toBe(true);
    expect(html).toContain(`<p>${leadText}</p>`);
  },
);

test('mails with hidden guests omit an instance that only differs in the response of another guest', () => {
  const event = { recurrence: ['RRULE:FREQ=DAILY;COUNT=9'], attendees };
  const instanceWithResponseOf = (index: number) => {
    const respondedAttendees = attendees.map((guest, guestIndex) =>
      guestIndex === index ? { ...guest, responseStatus: 'accepted' as const } : guest,
    );
    const respondedEvent = { ...berlinTimes, attendees: respondedAttendees };
    return [{ original: '20260702T073000Z', onlyGuests: true as const, event: respondedEvent }];
  };
  const countEvents = (index: number, hidesGuests: boolean): number =>
    eventLinesOf(renderSampleMail({ hidesGuests, event, instances: instanceWithResponseOf(index) })).length;
  // Guest 3 is the recipient.
  expect([countEvents(0, true), countEvents(3, true), countEvents(0, false)]).toEqual([1, 2, 2]);
});
