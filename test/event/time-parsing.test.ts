import { isDate, parseDateTime } from '../../src/core/time/local-time.ts';
import { isTimeZone } from '../../src/core/time/time-zone.ts';
import { instantOf } from '../../src/core/time/time.ts';
import { anyCharacter, fc } from '../property.ts';

/** Splits test cases that contain no spaces. */
const splitWords = (list: string): string[] => list.trim().split(/\s+/);

describe('isDate', () => {
  test.each(splitWords('2026-01-31 2024-02-29 2000-02-29 0001-01-01 9999-12-31'))('accepts %s', (text) =>
    expect(isDate(text)).toBe(true),
  );
  test.each([
    ...splitWords(
      '2026-02-29 1900-02-29 2026-04-31 2026-00-10 2026-13-10 2026-10-00 0000-01-01 02026-01-01 +2026-01-01 2026-1-1 20260101 ٢٠٢٦-01-01',
    ),
    '2026-01-01\n',
    ' 2026-01-01',
    '',
  ])('refuses %j', (text) => {
    expect(isDate(text)).toBe(false);
  });

  test('agrees with Date on every day', () => {
    const padNumber = (number: number, length = 2) => String(number).padStart(length, '0');
    const dateParts = [fc.integer({ min: 1, max: 9999 }), fc.nat(14), fc.nat(33)] as const;
    fc.assert(
      fc.property(...dateParts, (year, month, day) => {
        const text = `${padNumber(year, 4)}-${padNumber(month)}-${padNumber(day)}`;
        const utcDate = new Date(0);
        utcDate.setUTCFullYear(year, month - 1, day);
        expect(isDate(text)).toBe(utcDate.toISOString().startsWith(text));
      }),
    );
  });
});

describe('parseDateTime', () => {
  test.each([
    ['2026-07-01T09:30:00Z', 'Z'],
    ['2026-07-01t09:30:00z', 'z'],
    ['2026-07-01T09:30:00-00:00', '-00:00'],
    ['2026-07-01T23:59:59.1-23:59', '-23:59'],
    ['2026-07-01T00:00:00.123456789+05:45', '+05:45'],
    ['0001-01-01T00:00:00.5', null],
  ])('accepts %s', (text, offset) => expect(parseDateTime(text)).toMatchObject({ offset }));

  test.each([
    ...splitWords(`2026-07-01 2026-07-01T09:30Z 2026-07-01T09:30:00.Z 2026-07-01T09:30:00.1234567890Z 2026-07-01T09:30:00,5Z 2026-07-01T24:00:00Z 2026-07-01T09:60:00Z 2016-12-31T23:59:60Z 2026-07-01T09:30:00+24:00
      2026-07-01T09:30:00+02:60 2026-07-01T09:30:00+0200 2026-07-01T09:30:00+02 2026-07-01T09:30:00ZZ 2026-02-29T09:30:00Z 0000-01-01T00:00:00Z 2026-07-01T09:30:00+02:00[Europe/Berlin]`),
    '2026-07-01 09:30:00Z',
    '2026-07-01T09:30:00Z\n',
    '',
    `2026-07-01T09:30:00.${'1'.repeat(1_000_000)}`,
  ])('refuses %.40j', (text) => expect(parseDateTime(text)).toBeNull());
});

describe('isTimeZone', () => {
  test.each(
    splitWords(
      'Europe/Berlin europe/berlin AMERICA/NEW_YORK America/Argentina/Buenos_Aires Australia/Lord_Howe Asia/Calcutta Etc/GMT+5 EST5EDT EST GMT UTC',
    ),
  )('accepts %s', (name) => {
    // The second result comes from the cache.
    for (let count = 0; count < 2; count += 1) expect(isTimeZone(name)).toBe(true);
  });
  test.each([
    ...splitWords(
      '+02:00 -05 Z Europe Europe/ /Europe/Berlin Europe/Berlin[u-ca=iso8601] 2026-01-01T00:00Z Mars/Olympus Etc/Unknown SystemV/AST4 BST ist PST AST',
    ),
    '',
    ' UTC',
    'Europe/Berlin\n',
    // The Kelvin sign, whose lower case is `k`.
    'Asia/To\u212ayo',
    `Europe/${'x'.repeat(1_000_000)}`,
  ])('refuses %.40j', (name) => {
    expect(isTimeZone(name)).toBe(false);
  });
  test('refuses a name like a cached one', () => {
    expect(isTimeZone('Asia/Tokyo')).toBe(true);
    expect(isTimeZone('Asia/To\u212ayo')).toBe(false);
  });
  test('stays correct when its cache overflows', () => {
    // More names than the cache holds (2048).
    for (let i = 0; i < 5000; i += 1) expect(isTimeZone(`Nowhere/N${i}`)).toBe(false);
    expect(isTimeZone('Europe/Berlin')).toBe(true);
  });
});

describe('instantOf', () => {
  const toIso = (instantMs: number | null): string | null =>
    instantMs === null ? null : new Date(instantMs).toISOString();

  test.each([
    ['2026-07-01T09:30:00+02:00', '2026-07-01T07:30:00.000Z'],
    ['2026-07-01t09:30:00.5z', '2026-07-01T09:30:00.500Z'],
    ['2026-07-01T09:30:00.123999999Z', '2026-07-01T09:30:00.123Z'],
    ['0001-01-01t00:00:00+01:00', '0000-12-31T23:00:00.000Z'],
    ['1960-01-01T00:00:00.999999999-23:59', '1960-01-01T23:59:00.999Z'],
  ])('uses the offset of %s', (dateTime, expected) => {
    expect(toIso(instantOf({ dateTime, timeZone: 'Asia/Tokyo' }, 'nonsense'))).toBe(expected);
  });

  test.each([
    [{}],
    [{ date: '2026-07-01', dateTime: '2026-07-01T00:00:00Z' }],
    [{ date: '2026-02-30' }],
    [{ dateTime: '2026-02-30T00:00:00Z' }],
    [{ dateTime: '2026-07-01T00:00:00', timeZone: '+02:00' }],
  ])('is null for %j', (time) => expect(instantOf(time, 'Europe/Berlin')).toBeNull());

  test('never throws', () => {
    const piece = fc.constantFrom(...splitWords('2026 - 07 01 T 09 : 30 00 . Z + 😀'), '\n');
    const text = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(text, text, text, (date, dateTime, timeZone) => {
        instantOf({ date, timeZone }, dateTime);
        instantOf({ dateTime, timeZone }, date);
      }),
    );
  });
});
