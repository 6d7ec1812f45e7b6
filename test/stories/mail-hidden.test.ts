import { domainToASCII } from 'node:url';
import { alice, bob } from '../event/event.harness.ts';
import type { ReceivedMail } from '../mail/mailbox.ts';
import { readMail } from '../mail/mail-reading.ts';
import { fc } from '../property.ts';
import { anyChange, anyGuestList, people, seriesWith } from './mail-changes.ts';
import { openMailing } from './mail-walk.harness.ts';
import { useForAll } from '../use-resource.ts';

/** The whole content of a mail, raw and decoded, in lower case. */
function searchableText({ raw, email, calendarText }: ReceivedMail): string {
  const { text = '', html = '', headers } = email;
  const unfolded = calendarText.replaceAll('\r\n ', '');
  const headerValues = headers.map(({ value }) => value);
  const texts = [raw.toString(), text, html, ...headerValues, calendarText, unfolded, JSON.stringify(email)];
  // Links and MIME boundaries may contain names in base64.
  const decodedTexts = texts
    .flatMap((content) => content.match(/[\w+/-]{12,}/g) ?? [])
    .map((content) => Buffer.from(content, 'base64').toString());
  return [...texts, ...decodedTexts].join('\n').toLowerCase();
}

/** Address and words of a name, without the characters between them, which mails escape. */
const nameWords = ({ email, displayName }: (typeof people)[number]): string[] =>
  [email, toAscii(email), ...displayName.split(/[^\p{L}]+/u)].map((word) => word.toLowerCase());
/** The address with its domain in ASCII, as sent to mail servers. */
const toAscii = (address: string): string =>
  address.replace(/@.*/, (host) => `@${domainToASCII(host.slice(1))}`).toLowerCase();
const notifyAll = { sendUpdates: 'all' };
const withHiddenGuests = { guestsCanSeeOtherGuests: false };

describe('mails with hidden guests', () => {
  const mailing = useForAll(() => openMailing());

  test('have no trace of other guests, whatever is changed', async () => {
    const { gateway } = mailing;
    let mailCount = 0;
    const anyChanges = fc.array(anyChange, { minLength: 3, maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(anyGuestList, anyChanges, async (attendees, changes) => {
        const mails = await gateway.collectMails(async () => {
          const { event } = await gateway.insert(seriesWith(attendees, withHiddenGuests), notifyAll);
          for (const { run } of changes) await run(gateway, event.id);
        });
        mailCount += mails.length;
        for (const mail of mails) {
          const { method, events } = readMail(mail);
          const addresses = events.flatMap((event) => event.attendees.map(({ address }) => address));
          const replyAddresses =
            method === 'REPLY' ? events[0]?.attendees.map(({ address }) => address) : undefined;
          const allowedAddresses = [alice, ...mail.to, ...(replyAddresses ?? [])].map(toAscii);
          expect(addresses.filter((address) => !allowedAddresses.includes(toAscii(address)))).toEqual([]);
          const mailText = searchableText(mail);
          const hiddenWords = people
            .filter(({ email }) => !allowedAddresses.includes(toAscii(email)))
            .flatMap(nameWords);
          expect(hiddenWords.filter((word) => mailText.includes(word))).toEqual([]);
        }
      }),
      { numRuns: 20 },
    );
    expect(mailCount).toBeGreaterThan(100);
  });

  test('for a series contain the instances as visible to the recipient, regardless of the size of others', async () => {
    const { gateway } = mailing;
    const displayName = 'x'.repeat(500);
    const manyGuests = Array.from({ length: 190 }, (_, index) => ({
      email: `g${index}@elsewhere.example`,
      displayName,
    }));
    const recurrence = ['RRULE:FREQ=DAILY;COUNT=40'];
    const dailyFields = { recurrence, ...withHiddenGuests, description: 'y'.repeat(8000) };
    const { id } = (await gateway.insert(seriesWith([{ email: bob }], dailyFields))).event;
    const instance = (day: number): string => `${id}_202610${day}T080000Z`;
    await gateway.patch(instance(13), { summary: 'Other' });
    await gateway.patch(instance(14), { status: 'cancelled' });
    for (let day = 15; day < 25; day += 1)
      await gateway.patch(instance(day), { attendees: [{ email: bob }, ...manyGuests] });
    const [mail] = await gateway.collectMails(() => gateway.patch(id, { location: 'Room 1' }, notifyAll));
    const { events } = readMail(mail as ReceivedMail);
    expect(events.map(({ summary }) => summary)).toEqual(['Planning', 'Other']);
    expect(mail?.calendarText.match(/^EXDATE/gm)).toEqual(['EXDATE']);
    expect(mail?.email.text).not.toContain('not listed');
    expect(events.map(({ description }) => description)).toEqual([
      dailyFields.description,
      dailyFields.description,
    ]);
  });
});
