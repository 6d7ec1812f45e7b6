import PostalMime from 'postal-mime';
import type { RenderedMail } from '../../src/mail/render.ts';
import { bytesIn } from '../../src/core/text/characters.ts';
import { anyCharacter, fc } from '../property.ts';
import { berlin, linesOf, readObject, rendered } from './mail.harness.ts';
import { sent } from './sent.ts';

const hostile = fc.constantFrom(
  '\r\n',
  '\n',
  '\r',
  '\u0085',
  '\u2028',
  '\v',
  '\0',
  '\t',
  '"',
  '^',
  '^n',
  "^'",
  '\\',
  '\\n',
  ';',
  ':',
  ',',
  '=',
  '%',
  '%0D%0A',
  '<',
  '>',
  '&',
  "'",
  '\r\nEND:VEVENT\r\nBEGIN:VALARM',
  '\nATTENDEE:mailto:eve@evil.example',
  '\r\nBcc: eve@evil.example',
  '</title><script>',
  '<img src=x>',
  '=?UTF-8?Q?=0D=0ABcc:?=',
  'ü',
  '😀',
  '\ud800',
);
const text = fc
  .array(fc.oneof(hostile, anyCharacter, fc.constantFrom('a', ' ', 'Word')), { minLength: 1, maxLength: 40 })
  .map((parts) => `x${parts.join('')}x`);
const address = text.map((local) => `${local}@example.com`);
const people = fc.record({
  summary: text,
  description: text,
  location: text,
  comment: text,
  name: text,
  organizer: address,
  guest: address,
  iCalUID: text,
});

interface People {
  readonly summary: string;
  readonly description: string;
  readonly location: string;
  readonly comment: string;
  readonly name: string;
  readonly organizer: string;
  readonly guest: string;
  readonly iCalUID: string;
}

/** A request to a guest, with all fields, and that guest's answer. */
function mailsOf({
  summary,
  description,
  location,
  comment,
  name,
  organizer,
  guest,
  iCalUID,
}: People): RenderedMail[] {
  const event = {
    summary,
    description,
    location,
    ...berlin,
    attendees: [{ email: guest, displayName: name, comment }],
  };
  const told = {
    iCalUID,
    event,
    organizer: { email: organizer, displayName: name },
    by: { email: organizer, displayName: name },
    guest,
  };
  return [
    rendered(
      { ...told, guest: undefined, before: { summary: name, location: null, description: comment } },
      { to: guest, reason: 'updated', link: 'https://calendar.example/"><b>' },
    ),
    rendered(told, { to: organizer, method: 'REPLY', reason: 'answered' }),
  ];
}

const harmless = mailsOf({
  summary: 'x',
  description: 'x',
  location: 'x',
  comment: 'x',
  name: 'x',
  organizer: 'o@example.com',
  guest: 'g@example.com',
  iCalUID: 'x',
});

/** What remains of a text: line breaks of all sorts are one, other control characters are none. */
const kept = (written: string): string =>
  [...written.replace(/\r\n|[\r\v\f\u0085\u2028\u2029]/g, '\n')]
    .filter((character) => /[\t\n]/.test(character) || !/\p{Cc}/u.test(character))
    .map((character) => (/\p{Surrogate}/u.test(character) ? '\ufffd' : character))
    .join('');

/** A CN by RFC 6868; the library reads backslashes in it too. */
const nameIn = (line: string): string | undefined =>
  /^\w+;CN=(?:"([^"]*)"|([^":;,]*))[;:]/
    .exec(line)
    ?.slice(1)
    .join('')
    .replace(/\^(.)/g, (_, escape: string) => ({ n: '\n', "'": '"' })[escape] ?? escape);

test('nothing that people wrote begins a line of the object, and all of it can be read', () => {
  fc.assert(
    fc.property(people, (written) => {
      for (const [index, mail] of mailsOf(written).entries()) {
        const names = (of: RenderedMail): string[] => linesOf(of).map((line) => line.replace(/[;:].*/s, ''));
        expect(names(mail)).toEqual(names(harmless[index] as RenderedMail));
        const event = readObject(mail).events[0]?.component;
        const values = Object.fromEntries(
          ['summary', 'description', 'location', 'uid'].map((name) => [
            name,
            event?.getFirstPropertyValue(name),
          ]),
        );
        expect(values).toEqual({
          summary: kept(written.summary),
          description: kept(written.description),
          location: kept(written.location),
          uid: kept(written.iCalUID),
        });
        const [organizer, guest] = ['organizer', 'attendee'].map((name) => event?.getFirstProperty(name));
        expect([organizer, guest].map((one) => decodeURIComponent(String(one?.getFirstValue())))).toEqual(
          [written.organizer, written.guest].map((email) => `mailto:${kept(email)}`),
        );
        expect(
          linesOf(mail)
            .filter((line) => /^(ORGANIZER|ATTENDEE)/.test(line))
            .map(nameIn),
        ).toEqual(Array(2).fill([...kept(written.name)].slice(0, 256).join('')));
        if (index === 1) expect(event?.getFirstPropertyValue('comment')).toBe(kept(written.comment));
      }
    }),
    { numRuns: 40 },
  );
});

test('lines have 75 octets at most, end with CR LF, and are never folded inside a character', () => {
  fc.assert(
    fc.property(people, (written) => {
      for (const {
        calendar: { content },
      } of mailsOf({ ...written, summary: written.summary.repeat(4) })) {
        expect(content.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
        expect(content.endsWith('END:VCALENDAR\r\n')).toBe(true);
        for (const line of content.split('\r\n'))
          expect([bytesIn(line) <= 75, /\p{Surrogate}/u.test(line)]).toEqual([true, false]);
      }
    }),
    { numRuns: 25 },
  );
});

test('nothing that people wrote begins a header, an element or a receiver', async () => {
  const framework = await Promise.all(harmless.map(async (mail) => PostalMime.parse(await sent(mail))));
  await fc.assert(
    fc.asyncProperty(people, async (written) => {
      for (const [index, mail] of mailsOf(written).entries()) {
        const raw = await sent(mail);
        const isAscii = [...written.organizer, ...written.guest].every((character) => character < '\x80');
        if (isAscii) expect(raw.every((byte) => byte < 128)).toBe(true);
        const { headers, to, cc, bcc, text: plain } = await PostalMime.parse(raw);
        expect(headers.map(({ key }) => key)).toEqual(framework[index]?.headers.map(({ key }) => key));
        expect([to?.length, cc, bcc]).toEqual([1, undefined, undefined]);
        expect(mail.subject).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
        expect(
          `${mail.envelope.to}${mail.to.address}${mail.replyTo.address}${mail.replyTo.name}`,
        ).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
        const elements = (html: string): string[] =>
          (html.match(/<[^>]*>/g) ?? []).filter((tag) => tag !== '<br>');
        expect(elements(mail.html)).toEqual(elements((harmless[index] as RenderedMail).html));
        expect(
          plain?.split('\n').filter((line) => /^(Time|Place|Organizer|Comment):/.test(line)),
        ).toHaveLength(index === 0 ? 3 : 4);
      }
    }),
    { numRuns: 20 },
  );
});

test('a name is cut to 256 characters, and a guest without a name has the address', () => {
  const named = (displayName: string): unknown =>
    readObject(rendered({ event: { attendees: [{ email: 'gus@example.com', displayName }] } }))
      .events[0]?.component.getFirstProperty('attendee')
      ?.getParameter('cn');
  expect([named('😀'.repeat(300)), named('\u0001 ')]).toEqual(['😀'.repeat(256), 'gus@example.com']);
});

test('addresses are URIs', () => {
  const uriOf = (email: string): string | undefined =>
    linesOf(rendered({}, { to: email }))
      .find((line) => line.startsWith('ATTENDEE'))
      ?.split(':mailto:')[1];
  expect([
    uriOf('gus+tag@example.com'),
    uriOf('"a b"@example.com'),
    uriOf('jörg@bücher.example'),
    uriOf("o'x/y?z@example.com"),
  ]).toEqual([
    'gus+tag@example.com',
    '%22a%20b%22@example.com',
    'j%C3%B6rg@b%C3%BCcher.example',
    "o'x%2Fy%3Fz@example.com",
  ]);
});
