import { Report, reportUnstorableTexts } from '../../src/core/report.ts';
import { anyCharacter, fc } from '../property.ts';

function findUnstorableTexts(value: unknown, path: readonly string[]) {
  const report = new Report();
  reportUnstorableTexts(value, path, report);
  return report.issues;
}

describe('unstorable texts', () => {
  test('checks texts in lists, objects, maps and their keys', () => {
    const value = JSON.parse(
      '{"a":"\\u0000","list":["ok",["\\ud800"]],"map":{"\\udfff":"ok","__proto__":"\\u0000","ok":{"b":"\\u0000"}},"n":1,"t":true,"z":null}',
    );
    expect(findUnstorableTexts(value, ['event']).map(({ path }) => path)).toEqual([
      ['event', 'a'],
      ['event', 'list', 1, 0],
      ['event', 'map', '\udfff'],
      ['event', 'map', '__proto__'],
      ['event', 'map', 'ok', 'b'],
    ]);
  });

  test('accepts a text if and only if it is valid Unicode without U+0000', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter }),
        fc.constantFrom('', '\ud83d', '\ude42', '\u0000'),
        fc.string({ unit: anyCharacter }),
        (prefix, suspectText, suffix) => {
          const text = prefix + suspectText + suffix;
          const isValid = Buffer.from(text, 'utf8').toString('utf8') === text && !text.includes('\u0000');
          expect(findUnstorableTexts(text, []).length === 0).toBe(isValid);
        },
      ),
      { numRuns: 500 },
    );
  });
});
