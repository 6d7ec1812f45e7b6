import { domainToASCII } from 'node:url';
import { alice, bob } from '../event/event.harness.ts';
import type { ReceivedMail } from '../mail/mailbox.ts';
import { readMail } from '../mail/reading.ts';
import { fc } from '../property.ts';
import { changes, guestLists, people, seriesWith } from './mail-changes.ts';
import { openMailing } from './mail-walk.harness.ts';
import { useForAll } from '../started.ts';

/** All that stands in a mail, as it is and decoded, in small letters. */
function tracesIn({ raw, email, calendarText }: ReceivedMail): string {
  const { text = '', html = '', headers } = email;
  const unfolded = calendarText.replaceAll('\r\n ', '');
  const values = headers.map(({ value }) => value);
  const texts = [raw.toString(), text, html, ...values, calendarText, unfolded, JSON.stringify(email)];
  // What a link or a boundary hides.
  const coded = texts
    .flatMap((written) => written.match(/[\w+/-]{12,}/g) ?? [])
    .map((written) => Buffer.from(written, 'base64').toString());
  return [...texts, ...coded].join('\n').toLowerCase();
}

/** A name by its words: what is escaped in one of the parts stands between them. */
const wordsOf = ({ email, displayName }: (typeof people)[number]): string[] =>
  [email, inAscii(email), ...displayName.split(/[^\p{L}]+/u)].map((word) => word.toLowerCase());
/** As servers get it. */
const inAscii = (address: string): string =>
  address.replace(/@.*/, (host) => `@${domainToASCII(host.slice(1))}`).toLowerCase();
const all = { sendUpdates: 'all' };
const hidden = { guestsCanSeeOtherGuests: false };

describe('where guests are hidden from each other', () => {
  const mailing = useForAll(() => openMailing());

  test('no mail has a trace of another guest, whatever is changed', async () => {
    const { gateway } = mailing;
    let mailed = 0;
    const lists = fc.array(changes, { minLength: 3, maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(guestLists, lists, async (attendees, list) => {
        const mails = await gateway.mailsOf(async () => {
          const { event } = await gateway.insert(seriesWith(attendees, hidden), all);
          for (const { run } of list) await run(gateway, event.id);
        });
        mailed += mails.length;
        for (const mail of mails) {
          const { method, events } = readMail(mail);
          const addresses = events.flatMap((event) => event.attendees.map(({ address }) => address));
          const answered =
            method === 'REPLY' ? events[0]?.attendees.map(({ address }) => address) : undefined;
          const known = [alice, ...mail.to, ...(answered ?? [])].map(inAscii);
          expect(addresses.filter((address) => !known.includes(inAscii(address)))).toEqual([]);
          const traces = tracesIn(mail);
          const others = people.filter(({ email }) => !known.includes(inAscii(email))).flatMap(wordsOf);
          expect(others.filter((word) => traces.includes(word))).toEqual([]);
        }
      }),
      { numRuns: 20 },
    );
    expect(mailed).toBeGreaterThan(100);
  });

  test('a mail for a series holds what its receiver sees of the instances, however many others there are and whatever they hold', async () => {
    const { gateway } = mailing;
    const displayName = 'x'.repeat(500);
    const crowd = Array.from({ length: 190 }, (_, index) => ({
      email: `g${index}@elsewhere.example`,
      displayName,
    }));
    const recurrence = ['RRULE:FREQ=DAILY;COUNT=40'];
    const daily = { recurrence, ...hidden, description: 'y'.repeat(8000) };
    const { id } = (await gateway.insert(seriesWith([{ email: bob }], daily))).event;
    const instance = (day: number): string => `${id}_202610${day}T080000Z`;
    await gateway.patch(instance(13), { summary: 'Other' });
    await gateway.patch(instance(14), { status: 'cancelled' });
    for (let day = 15; day < 25; day += 1)
      await gateway.patch(instance(day), { attendees: [{ email: bob }, ...crowd] });
    const [mail] = await gateway.mailsOf(() => gateway.patch(id, { location: 'Room 1' }, all));
    const { events } = readMail(mail as ReceivedMail);
    expect(events.map(({ summary }) => summary)).toEqual(['Planning', 'Other']);
    expect(mail?.calendarText.match(/^EXDATE/gm)).toEqual(['EXDATE']);
    expect(mail?.email.text).not.toContain('not listed');
    expect(events.map(({ description }) => description)).toEqual([daily.description, daily.description]);
  });
});
