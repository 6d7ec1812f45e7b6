import PostalMime from 'postal-mime';
import type { RenderedMail } from '../../src/mail/render.ts';
import { bytesIn } from '../../src/core/text/characters.ts';
import { anyCharacter, fc } from '../property.ts';
import { berlin, linesOf, readObject, rendered, sent } from './mail.harness.ts';

const hostile = fc.constantFrom(
  ...'\n\r\u0085\u2028\v\0\t"^\\;:,=%<>&\'ü😀\ud800',
  ...['\r\n', '^n', "^'", '\\n', '%0D%0A', '</title><script>', '<img src=x>', '=?UTF-8?Q?=0D=0ABcc:?='],
  ...['\r\nEND:VEVENT\r\nBEGIN:VALARM', '\nATTENDEE:mailto:eve@evil.example', '\r\nBcc: eve@evil.example'],
);
const text = fc
  .array(fc.oneof(hostile, anyCharacter, fc.constantFrom('a', ' ', 'Word')), { minLength: 1, maxLength: 40 })
  .map((parts) => `x${parts.join('')}x`);
const address = text.map((local) => `${local}@example.com`);

interface Written {
  readonly event: { readonly summary: string; readonly description: string; readonly location: string };
  readonly comment: string;
  readonly name: string;
  readonly organizer: string;
  readonly guest: string;
  readonly iCalUID: string;
}
const anyWritten: fc.Arbitrary<Written> = fc.record({
  event: fc.record({ summary: text, description: text, location: text }),
  comment: text,
  name: text,
  organizer: address,
  guest: address,
  iCalUID: text,
});

/** A request to a guest, with all fields, and that guest's answer. */
function mailsOf({ event, comment, name, organizer, guest, iCalUID }: Written): RenderedMail[] {
  const by = { email: organizer, displayName: name };
  const attendees = [{ email: guest, displayName: name, comment }];
  const told = { iCalUID, event: { ...event, ...berlin, attendees }, organizer: by, by };
  return [
    rendered(
      { ...told, before: { summary: name, location: null, description: comment } },
      { to: guest, reason: 'updated', link: 'https://calendar.example/"><b>' },
    ),
    rendered({ ...told, guest }, { to: organizer, method: 'REPLY', reason: 'answered' }),
  ];
}

const harmless = mailsOf({
  ...{ event: { summary: 'x', description: 'x', location: 'x' }, comment: 'x', name: 'x', iCalUID: 'x' },
  organizer: 'o@example.com',
  guest: 'g@example.com',
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
    fc.property(anyWritten, (written) => {
      for (const [index, mail] of mailsOf(written).entries()) {
        const names = (of: RenderedMail): string[] => linesOf(of).map((line) => line.replace(/[;:].*/s, ''));
        expect(names(mail)).toEqual(names(harmless[index] as RenderedMail));
        const event = readObject(mail).events[0]?.component;
        const valueOf = (name: string) => event?.getFirstPropertyValue(name);
        for (const [name, value] of Object.entries({ ...written.event, uid: written.iCalUID }))
          expect([name, valueOf(name)]).toEqual([name, kept(value)]);
        for (const [name, email] of [
          ['organizer', written.organizer],
          ['attendee', written.guest],
        ] as const)
          expect(decodeURIComponent(String(valueOf(name)))).toBe(`mailto:${kept(email)}`);
        const people = linesOf(mail).filter((line) => /^(ORGANIZER|ATTENDEE)/.test(line));
        const name = [...kept(written.name)].slice(0, 256).join('');
        expect(people.map(nameIn)).toEqual([name, name]);
        if (index === 1) expect(valueOf('comment')).toBe(kept(written.comment));
      }
    }),
    { numRuns: 40 },
  );
});

test('lines have 75 octets at most, end with CR LF, and are never folded inside a character', () => {
  fc.assert(
    fc.property(anyWritten, (written) => {
      const event = { ...written.event, summary: written.event.summary.repeat(4) };
      for (const { calendar } of mailsOf({ ...written, event })) {
        const { content } = calendar;
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
    fc.asyncProperty(anyWritten, async (written) => {
      for (const [index, mail] of mailsOf(written).entries()) {
        const raw = await sent(mail);
        const isAscii = [...written.organizer, ...written.guest].every((character) => character < '\x80');
        if (isAscii) expect(raw.every((byte) => byte < 128)).toBe(true);
        const { headers, to, cc, bcc, text: plain } = await PostalMime.parse(raw);
        const keys = headers.map(({ key }) => key);
        // An organizer whose address is not in ASCII has no Reply-To.
        const expected = framework[index]?.headers.filter(
          ({ key }) => key !== 'reply-to' || keys.includes(key),
        );
        expect(keys).toEqual(expected?.map(({ key }) => key));
        expect([to?.length, cc, bcc]).toEqual([1, undefined, undefined]);
        const { subject, envelope, to: receiver, replyTo } = mail;
        for (const part of [subject, envelope.to, receiver.address, replyTo.address, replyTo.name])
          expect(part).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
        const elements = (html: string): string[] =>
          (html.match(/<[^>]*>/g) ?? []).filter((tag) => tag !== '<br>');
        expect(elements(mail.html)).toEqual(elements((harmless[index] as RenderedMail).html));
        const fields = plain?.split('\n').filter((line) => /^(Time|Place|Organizer|Comment):/.test(line));
        expect(fields).toHaveLength(index === 0 ? 3 : 4);
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

test.each([
  ['gus+tag@example.com', 'gus+tag@example.com'],
  ['"a b"@example.com', '%22a%20b%22@example.com'],
  ['jörg@bücher.example', 'j%C3%B6rg@b%C3%BCcher.example'],
  ["o'x/y?z@example.com", "o'x%2Fy%3Fz@example.com"],
])('the address %s has the URI mailto:%s', (to, uri) => {
  const line = linesOf(rendered({}, { to })).find((one) => one.startsWith('ATTENDEE'));
  expect(line?.split(':mailto:')[1]).toBe(uri);
});
