import PostalMime from 'postal-mime';
import type { RenderedMail } from '../../src/mail/render.ts';
import { countUtf8Bytes } from '../../src/core/text/characters.ts';
import { anyCharacter, fc } from '../property.ts';
import { berlinTimes, linesOf, readICalendar, renderSampleMail, toBytes } from './mail.harness.ts';

const anyHostileText = fc.constantFrom(
  ...'\n\r\u0085\u2028\v\0\t"^\\;:,=%<>&\'ü😀\ud800',
  ...['\r\n', '^n', "^'", '\\n', '%0D%0A', '</title><script>', '<img src=x>', '=?UTF-8?Q?=0D=0ABcc:?='],
  ...['\r\nEND:VEVENT\r\nBEGIN:VALARM', '\nATTENDEE:mailto:eve@evil.example', '\r\nBcc: eve@evil.example'],
);
const anyText = fc
  .array(fc.oneof(anyHostileText, anyCharacter, fc.constantFrom('a', ' ', 'Word')), {
    minLength: 1,
    maxLength: 40,
  })
  .map((parts) => `x${parts.join('')}x`);
const anyAddress = anyText.map((local) => `${local}@example.com`);

/** All texts of a mail that users write. */
interface UserText {
  readonly event: { readonly summary: string; readonly description: string; readonly location: string };
  readonly comment: string;
  readonly name: string;
  readonly organizer: string;
  readonly guest: string;
  readonly iCalUID: string;
}
const anyUserText: fc.Arbitrary<UserText> = fc.record({
  event: fc.record({ summary: anyText, description: anyText, location: anyText }),
  comment: anyText,
  name: anyText,
  organizer: anyAddress,
  guest: anyAddress,
  iCalUID: anyText,
});

/** Renders a REQUEST with all fields, and the guest's REPLY. */
function renderMails({ event, comment, name, organizer, guest, iCalUID }: UserText): RenderedMail[] {
  const by = { email: organizer, displayName: name };
  const attendees = [{ email: guest, displayName: name, comment }];
  const snapshot = { iCalUID, event: { ...event, ...berlinTimes, attendees }, organizer: by, by };
  return [
    renderSampleMail(
      { ...snapshot, before: { summary: name, location: null, description: comment } },
      { to: guest, reason: 'updated', link: 'https://calendar.example/"><b>' },
    ),
    renderSampleMail({ ...snapshot, guest }, { to: organizer, method: 'REPLY', reason: 'answered' }),
  ];
}

const plainMails = renderMails({
  ...{ event: { summary: 'x', description: 'x', location: 'x' }, comment: 'x', name: 'x', iCalUID: 'x' },
  organizer: 'o@example.com',
  guest: 'g@example.com',
});

/** Text as mails show it: every line break is `\n`, other control characters are removed. */
const sanitize = (userText: string): string =>
  [...userText.replace(/\r\n|[\r\v\f\u0085\u2028\u2029]/g, '\n')]
    .filter((character) => /[\t\n]/.test(character) || !/\p{Cc}/u.test(character))
    .map((character) => (/\p{Surrogate}/u.test(character) ? '\ufffd' : character))
    .join('');

/** Decodes a CN by RFC 6868; ical.js would decode backslashes too. */
const commonNameOf = (line: string): string | undefined =>
  /^\w+;CN=(?:"([^"]*)"|([^":;,]*))[;:]/
    .exec(line)
    ?.slice(1)
    .join('')
    .replace(/\^(.)/g, (_, escape: string) => ({ n: '\n', "'": '"' })[escape] ?? escape);

test('user text cannot start a line of the iCalendar object, and is readable in full', () => {
  fc.assert(
    fc.property(anyUserText, (userText) => {
      for (const [index, mail] of renderMails(userText).entries()) {
        const listPropertyNames = (renderedMail: RenderedMail): string[] =>
          linesOf(renderedMail).map((line) => line.replace(/[;:].*/s, ''));
        expect(listPropertyNames(mail)).toEqual(listPropertyNames(plainMails[index] as RenderedMail));
        const event = readICalendar(mail).events[0]?.component;
        const readValue = (name: string) => event?.getFirstPropertyValue(name);
        for (const [name, value] of Object.entries({ ...userText.event, uid: userText.iCalUID }))
          expect([name, readValue(name)]).toEqual([name, sanitize(value)]);
        for (const [name, email] of Object.entries({
          organizer: userText.organizer,
          attendee: userText.guest,
        }))
          expect(decodeURIComponent(String(readValue(name)))).toBe(`mailto:${sanitize(email)}`);
        const personLines = linesOf(mail).filter((line) => /^(ORGANIZER|ATTENDEE)/.test(line));
        const expectedName = [...sanitize(userText.name)].slice(0, 256).join('');
        expect(personLines.map(commonNameOf)).toEqual([expectedName, expectedName]);
        if (index === 1) expect(readValue('comment')).toBe(sanitize(userText.comment));
      }
    }),
    { numRuns: 40 },
  );
});

test('lines have at most 75 octets, end with CR LF, and are never folded inside a character', () => {
  fc.assert(
    fc.property(anyUserText, (userText) => {
      const event = { ...userText.event, summary: userText.event.summary.repeat(4) };
      for (const { calendar } of renderMails({ ...userText, event })) {
        const { content } = calendar;
        expect(content.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
        expect(content.endsWith('END:VCALENDAR\r\n')).toBe(true);
        for (const line of content.split('\r\n'))
          expect([countUtf8Bytes(line) <= 75, /\p{Surrogate}/u.test(line)]).toEqual([true, false]);
      }
    }),
    { numRuns: 25 },
  );
});

test('user text cannot start a header, an HTML element or a recipient', async () => {
  const parseMail = async (mail: RenderedMail) => PostalMime.parse(await toBytes(mail));
  const plainMessages = await Promise.all(plainMails.map(parseMail));
  await fc.assert(
    fc.asyncProperty(anyUserText, async (userText) => {
      for (const [index, mail] of renderMails(userText).entries()) {
        const rawMail = await toBytes(mail);
        const isAscii = [...userText.organizer, ...userText.guest].every((character) => character < '\x80');
        if (isAscii) expect(rawMail.every((byte) => byte < 128)).toBe(true);
        const { headers, to, cc, bcc, text: plainText } = await PostalMime.parse(rawMail);
        const headerKeys = headers.map(({ key }) => key);
        // Organizers without an ASCII address get no Reply-To.
        const plainKeys = plainMessages[index]?.headers.map(({ key }) => key);
        expect(headerKeys).toEqual(
          plainKeys?.filter((key) => key !== 'reply-to' || headerKeys.includes(key)),
        );
        expect([to?.length, cc, bcc]).toEqual([1, undefined, undefined]);
        const { subject, envelope, to: recipient, replyTo } = mail;
        for (const headerText of [subject, envelope.to, recipient.address, replyTo.address, replyTo.name])
          expect(headerText).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
        const listElements = (html: string): string[] =>
          (html.match(/<[^>]*>/g) ?? []).filter((tag) => tag !== '<br>');
        expect(listElements(mail.html)).toEqual(listElements((plainMails[index] as RenderedMail).html));
        const labelledLines = plainText
          ?.split('\n')
          .filter((line) => /^(Time|Place|Organizer|Comment):/.test(line));
        expect(labelledLines).toHaveLength(index === 0 ? 3 : 4);
      }
    }),
    { numRuns: 20 },
  );
});

test('a name is cut to 256 characters; without a name the address is used', () => {
  const renderName = (displayName: string): unknown =>
    readICalendar(renderSampleMail({ event: { attendees: [{ email: 'gus@example.com', displayName }] } }))
      .events[0]?.component.getFirstProperty('attendee')
      ?.getParameter('cn');
  expect([renderName('😀'.repeat(300)), renderName('\u0001 ')]).toEqual([
    '😀'.repeat(256),
    'gus@example.com',
  ]);
});

test.each([
  ['gus+tag@example.com', 'gus+tag@example.com'],
  ['"a b"@example.com', '%22a%20b%22@example.com'],
  ['jörg@bücher.example', 'j%C3%B6rg@b%C3%BCcher.example'],
  ["o'x/y?z@example.com", "o'x%2Fy%3Fz@example.com"],
])('the address %s has the URI mailto:%s', (to, uri) => {
  const line = linesOf(renderSampleMail({}, { to })).find((candidate) => candidate.startsWith('ATTENDEE'));
  expect(line?.split(':mailto:')[1]).toBe(uri);
});
