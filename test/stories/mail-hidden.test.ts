import { domainToASCII } from 'node:url';
import type { Email } from 'postal-mime';
import { alice, bob } from '../event/event.harness.ts';
import type { ReceivedMail } from '../mail/mailbox.ts';
import { readMail } from '../mail/reading.ts';
import { fc } from '../property.ts';
import { changes, guestLists, people, seriesWith } from './mail-changes.ts';
import { openMailing, type Mailing } from './mail-walk.harness.ts';

/** All that stands in a mail, as it is and decoded, in small letters. */
function tracesIn({ raw, email, calendarText }: ReceivedMail): string {
  const bytes = raw.toString();
  const texts = [
    bytes,
    ...partsOf(email),
    calendarText,
    calendarText.replaceAll('\r\n ', ''),
    JSON.stringify(email),
  ];
  // What a link or a boundary hides.
  const coded = texts
    .flatMap((text) => text.match(/[\w+/-]{12,}/g) ?? [])
    .map((text) => Buffer.from(text, 'base64').toString());
  return [...texts, ...coded].join('\n').toLowerCase();
}

const partsOf = ({ text = '', html = '', headers }: Email): string[] => [
  text,
  html,
  ...headers.map(({ value }) => value),
];
/** A name by its words: what is escaped in one of the parts stands between them. */
const wordsOf = ({ email, displayName }: (typeof people)[number]): string[] =>
  [email, inAscii(email), ...displayName.split(/[^\p{L}]+/u)].map((word) => word.toLowerCase());
/** As servers get it. */
const inAscii = (address: string): string =>
  address.replace(/@.*/, (host) => `@${domainToASCII(host.slice(1))}`).toLowerCase();

describe('where guests are hidden from each other', () => {
  let mailing: Mailing;
  beforeAll(async () => {
    mailing = await openMailing();
  });
  afterAll(() => mailing.stop());

  test('no mail has a trace of another guest, whatever is changed', async () => {
    let mailed = 0;
    await fc.assert(
      fc.asyncProperty(
        guestLists,
        fc.array(changes, { minLength: 3, maxLength: 9 }),
        async (attendees, list) => {
          const { gateway } = mailing;
          const mails = await gateway.mailsOf(async () => {
            const { event } = await gateway.insert(
              seriesWith(attendees, { guestsCanSeeOtherGuests: false }),
              { sendUpdates: 'all' },
            );
            for (const { run } of list) await run(gateway, event.id);
          });
          mailed += mails.length;
          for (const mail of mails) {
            const { method, events } = readMail(mail);
            const known = [
              alice,
              ...mail.to,
              ...(method === 'REPLY' ? (events[0]?.attendees ?? []).map(({ address }) => address) : []),
            ].map(inAscii);
            expect(
              events
                .flatMap(({ attendees: all }) => all)
                .filter(({ address }) => !known.includes(inAscii(address))),
            ).toEqual([]);
            const traces = tracesIn(mail);
            const others = people.filter(({ email }) => !known.includes(inAscii(email))).flatMap(wordsOf);
            expect(others.filter((word) => traces.includes(word))).toEqual([]);
          }
        },
      ),
      { numRuns: 20 },
    );
    expect(mailed).toBeGreaterThan(100);
  });

  test('a mail for a series holds what its receiver sees of the instances, however many others there are and whatever they hold', async () => {
    const { gateway } = mailing;
    const crowd = Array.from({ length: 190 }, (_, index) => ({
      email: `crowd${index}@elsewhere.example`,
      displayName: 'x'.repeat(500),
    }));
    const daily = {
      recurrence: ['RRULE:FREQ=DAILY;COUNT=40'],
      guestsCanSeeOtherGuests: false,
      description: 'y'.repeat(8000),
    };
    const {
      event: { id },
    } = await gateway.insert(seriesWith([{ email: bob }], daily));
    const instance = (day: number): string => `${id}_202610${day}T080000Z`;
    await gateway.patch(instance(13), { summary: 'Other' });
    await gateway.patch(instance(14), { status: 'cancelled' });
    for (let day = 15; day < 25; day += 1)
      await gateway.patch(instance(day), { attendees: [{ email: bob }, ...crowd] });
    const [mail] = await gateway.mailsOf(() =>
      gateway.patch(id, { location: 'Room 1' }, { sendUpdates: 'all' }),
    );
    const { events } = readMail(mail as ReceivedMail);
    expect([
      events.map(({ summary }) => summary),
      mail?.calendarText.match(/^EXDATE/gm),
      mail?.email.text?.includes('not listed'),
    ]).toEqual([['Planning', 'Other'], ['EXDATE'], false]);
    expect(events.map(({ description }) => description)).toEqual([daily.description, daily.description]);
  });
});
