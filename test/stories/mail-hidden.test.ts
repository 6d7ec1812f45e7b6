import { domainToASCII } from 'node:url';
import type { Email } from 'postal-mime';
import { alice } from '../event/event.harness.ts';
import type { ReceivedMail } from '../mail/mailbox.ts';
import { readMail } from '../mail/reading.ts';
import { fc } from '../property.ts';
import { changes, guestLists, people, seriesWith } from './mail-changes.ts';
import { openMailing, type Mailing } from './mail-walk.harness.ts';

/** All that stands in a mail, as it is and decoded, in small letters. */
function tracesIn({ raw, email, calendarText }: ReceivedMail): string {
  const bytes = raw.toString();
  const texts = [bytes, ...partsOf(email), calendarText, calendarText.replaceAll('\r\n ', ''), JSON.stringify(email)];
  // What a link or a boundary hides.
  const coded = texts.flatMap((text) => text.match(/[\w+/-]{12,}/g) ?? []).map((text) => Buffer.from(text, 'base64').toString());
  return [...texts, ...coded].join('\n').toLowerCase();
}

const partsOf = ({ text = '', html = '', headers }: Email): string[] => [text, html, ...headers.map(({ value }) => value)];
/** A name by its words: what is escaped in one of the parts stands between them. */
const wordsOf = ({ email, displayName }: (typeof people)[number]): string[] => [email, inAscii(email), ...displayName.split(/[^\p{L}]+/u)].map((word) => word.toLowerCase());
/** As servers get it. */
const inAscii = (address: string): string => address.replace(/@.*/, (host) => `@${domainToASCII(host.slice(1))}`).toLowerCase();

describe('where guests are hidden from each other', () => {
  let mailing: Mailing;
  beforeAll(async () => {
    mailing = await openMailing();
  });
  afterAll(() => mailing.stop());

  test('no mail has a trace of another guest, whatever is changed', async () => {
    let mailed = 0;
    await fc.assert(fc.asyncProperty(guestLists, fc.array(changes, { minLength: 3, maxLength: 9 }), async (attendees, list) => {
      const { gateway } = mailing;
      const mails = await gateway.mailsOf(async () => {
        const { event } = await gateway.insert(seriesWith(attendees, { guestsCanSeeOtherGuests: false }), { sendUpdates: 'all' });
        for (const { run } of list) await run(gateway, event.id);
      });
      mailed += mails.length;
      for (const mail of mails) {
        const { method, events } = readMail(mail);
        const known = [alice, ...mail.to, ...(method === 'REPLY' ? (events[0]?.attendees ?? []).map(({ address }) => address) : [])].map(inAscii);
        expect(events.flatMap(({ attendees: all }) => all).filter(({ address }) => !known.includes(inAscii(address)))).toEqual([]);
        const traces = tracesIn(mail);
        const others = people.filter(({ email }) => !known.includes(inAscii(email))).flatMap(wordsOf);
        expect(others.filter((word) => traces.includes(word))).toEqual([]);
      }
    }), { numRuns: 20 });
    expect(mailed).toBeGreaterThan(100);
  });
});
