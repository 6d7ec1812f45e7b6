import { createSeal } from '../../../src/core/seal.ts';
import { fc } from '../../property.ts';

const seal = createSeal('a secret', 'tests');

describe('a seal', () => {
  test('opens its tokens, which differ each time and do not show the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const [one, other] = [seal.close(value), seal.close(value)];
        expect([seal.open(one), seal.open(other)]).toEqual([
          JSON.parse(JSON.stringify(value)),
          JSON.parse(JSON.stringify(value)),
        ]);
        expect(one).not.toBe(other);
        expect(one).toMatch(/^[\w-]+$/);
      }),
    );
    expect(Buffer.from(seal.close('a counter of 17'), 'base64url').toString('latin1')).not.toContain(
      'counter',
    );
  });

  test('makes tokens of about equal values equally long', () =>
    expect(seal.close({ mark: 9 }).length).toBe(seal.close({ mark: 1_000_000 }).length));

  test.each([
    ['of another secret', createSeal('another secret', 'tests').close(1)],
    ['of another purpose', createSeal('a secret', 'other tests').close(1)],
    ['cut short', seal.close(1).slice(0, -4)],
    ['with a changed character', seal.close(1).replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))],
    ['of nothing', ''],
    ['of what is no base64url', '%%%%'],
  ])('does not open a token %s', (_name, token) => expect(seal.open(token)).toBeUndefined());
});
