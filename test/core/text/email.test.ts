import { addressKey, isEmail } from '../../../src/core/text/email.ts';
import { anyCharacter, fc } from '../../property.ts';

const repeat = (text: string, count: number): string => text.repeat(count);

/** Splits a text at two or more blanks. */
const splitEntries = (text: string): string[] => text.trim().split(/\s{2,}/);

describe('isEmail: local part', () => {
  test.each(
    splitEntries(String.raw`
      a@example.com  first.last@example.com  user+tag@example.com  "a b"@example.com  "a@b"@example.com
      "a..b"@example.com  ".a."@example.com  ""@example.com  "a\"b"@example.com  "a\\"@example.com
      josé@example.com  用户@example.com  "用 户"@example.com  😀@example.com
    `).concat("!#$%&'*+/=?^_`{|}~-@example.com"),
  )('accepts %s', (text) => expect(isEmail(text)).toBe(true));

  test.each([
    '',
    ...splitEntries(String.raw`
      @  @example.com  example.com  .a@example.com  a.@example.com  a..b@example.com  a b@example.com
      a@b@example.com  a,b@example.com  a(comment)@example.com  (comment)a@example.com  Name <a@example.com>
      "a@example.com  a"@example.com  "@example.com  "a"b@example.com  "a"b"@example.com  "a".b@example.com
      "a\"@example.com  "a\é"@example.com  a\b@example.com
    `),
  ])('refuses %s', (text) => expect(isEmail(text)).toBe(false));

  test('has at most 64 octets, counted in UTF-8', () => {
    expect(isEmail(`${repeat('a', 63)}@example.com`)).toBe(true);
    expect(isEmail(`${repeat('a', 64)}@example.com`)).toBe(true);
    expect(isEmail(`${repeat('a', 65)}@example.com`)).toBe(false);
    expect(isEmail(`${repeat('é', 32)}@example.com`)).toBe(true);
    expect(isEmail(`${repeat('é', 32)}a@example.com`)).toBe(false);
    expect(isEmail(`"${repeat('a', 62)}"@example.com`)).toBe(true);
    expect(isEmail(`"${repeat('a', 63)}"@example.com`)).toBe(false);
  });
});

describe('isEmail: domain', () => {
  test.each(
    splitEntries(`
      a@localhost  a@sub.example.co  a@1.example  a@a-b.example  a@xn--bcher-kva.example  a@bücher.example
      a@例え.テスト  a@EXAMPLE.Com
    `),
  )('accepts %s', (text) => expect(isEmail(text)).toBe(true));

  test.each(
    splitEntries(`
      a@  a@.  a@example.com.  a@.example.com  a@example..com  a@-a.example  a@a-.example  a@-é.example
      a@é-.example  a@a_b.example  a@a b.example  a@exam%41ple.com  a@[192.0.2.1]  a@[IPv6:2001:db8::1]
      a@example.com(comment)  a@例え。テスト  a@１９２.0.2.1  a@é.1  a@a＿b.example  a@℀.example
    `),
  )('refuses %s', (text) => expect(isEmail(text)).toBe(false));

  test('has labels of at most 63 characters', () => {
    expect(isEmail(`a@${repeat('b', 62)}.example`)).toBe(true);
    expect(isEmail(`a@${repeat('b', 63)}.example`)).toBe(true);
    expect(isEmail(`a@${repeat('b', 64)}.example`)).toBe(false);
  });

  test('has labels of at most 63 characters in ASCII form', () => {
    // The ASCII form adds `xn--` and four characters for `ü`.
    expect(isEmail(`a@ü${repeat('b', 54)}.example`)).toBe(true);
    expect(isEmail(`a@ü${repeat('b', 62)}.example`)).toBe(false);
  });

  test('has at most 253 characters in ASCII form', () => {
    // Every label `ü` is `xn--tda`: eight characters with its dot.
    expect(isEmail(`a@${repeat('ü.', 31)}abcde`)).toBe(true);
    expect(isEmail(`a@${repeat('ü.', 31)}abcdef`)).toBe(false);
  });
});

describe('isEmail: whole address', () => {
  const createDomain = (length: number): string =>
    `${repeat(`${repeat('b', 49)}.`, 4)}${repeat('c', length - 200)}`;

  test('has at most 254 octets', () => {
    const localPart = repeat('a', 10);
    expect(isEmail(`${localPart}@${createDomain(242)}`)).toBe(true);
    expect(isEmail(`${localPart}@${createDomain(243)}`)).toBe(true);
    expect(isEmail(`${localPart}@${createDomain(244)}`)).toBe(false);
    expect(isEmail(`${repeat('a', 8)}é@${createDomain(243)}`)).toBe(true);
    expect(isEmail(`${repeat('a', 9)}é@${createDomain(243)}`)).toBe(false);
  });

  test.each([
    ['a control', '\u0000'],
    ['a tab', '\t'],
    ['a line break', '\r\n '],
    ['a delete character', '\u007f'],
    ['a C1 control', '\u0085'],
    ['a lone surrogate', '\ud83d'],
    ['a lone low surrogate', '\ude00'],
    ['a line separator', '\u2028'],
    ['a no-break space', '\u00a0'],
    ['an ideographic space', '\u3000'],
    ['a zero-width space', '\u200b'],
    ['a text direction mark', '\u202e'],
  ])('refuses %s everywhere', (_, character) => {
    expect(isEmail(`a${character}b@example.com`)).toBe(false);
    expect(isEmail(`"a${character}b"@example.com`)).toBe(false);
    expect(isEmail(`a@exa${character}mple.com`)).toBe(false);
  });

  test('accepts the joiners that some scripts need', () =>
    expect(isEmail('نامه\u200cای@example.com')).toBe(true));

  test('never throws', () => {
    fc.assert(fc.property(fc.string({ unit: anyCharacter }), (text) => typeof isEmail(text) === 'boolean'));
    const anyPart = fc.string({
      unit: fc.constantFrom('a', '.', '-', '@', '"', '\\', 'é', '\ud800', ' ', '%', '['),
    });
    fc.assert(fc.property(anyPart, anyPart, (a, b) => typeof isEmail(`${a}@${b}`) === 'boolean'));
  });

  test('accepts the addresses of a well-known generator', () => {
    fc.assert(fc.property(fc.emailAddress(), (text) => isEmail(text)));
  });

  test.each([
    repeat('a', 1_000_000),
    `"${repeat('\\"', 1_000_000)}"@example.com`,
    `a@${repeat('a.', 1_000_000)}`,
    `a@${repeat('ü', 1_000_000)}`,
    repeat('@', 1_000_000),
  ])('terminates for a long text (%#)', (text) => {
    expect(isEmail(text)).toBe(false);
    expect(typeof addressKey(text)).toBe('string');
  });
});

describe('addressKey', () => {
  test.each([
    ['Ada@Example.COM', 'ada@example.com'],
    ['ADA@bücher.example', 'ada@bücher.example'],
  ])('%s is the same address as %s', (a, b) => expect(addressKey(a)).toBe(addressKey(b)));

  test.each([
    ['another domain', 'ada@example.com', 'ada@example.org'],
    ['quotes', 'ada@example.com', '"ada"@example.com'],
    ['an encoded domain', 'a@bücher.example', 'a@xn--bcher-kva.example'],
    ['case beyond ASCII', 'a@BÜCHER.example', 'a@bücher.example'],
    ['composition', 'jose\u0301@example.com', 'jos\u00e9@example.com'],
    ['the Kelvin sign', 'kate@example.com', '\u212aate@example.com'],
    ['a long s', 'sam@example.com', '\u017fam@example.com'],
  ])('%s makes another address', (_, a, b) => expect(addressKey(a)).not.toBe(addressKey(b)));

  test('ignores the case of ASCII letters, and is its own key', () => {
    const text = fc.oneof(fc.emailAddress(), fc.string({ unit: 'grapheme' }));
    fc.assert(fc.property(text, (value) => addressKey(addressKey(value)) === addressKey(value)));
    fc.assert(
      fc.property(fc.emailAddress(), (value) => addressKey(value.toUpperCase()) === addressKey(value)),
    );
  });
});
