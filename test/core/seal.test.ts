import { createSeal } from '../../src/core/seal.ts';
import { fc } from '../property.ts';

const seal = createSeal('a secret', 'tests');

describe('a seal', () => {
  test('opens its own tokens, which differ each time and hide the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const [first, second] = [seal.close(value), seal.close(value)];
        const json: unknown = JSON.parse(JSON.stringify(value));
        expect([seal.open(first), seal.open(second)]).toEqual([json, json]);
        expect(first).not.toBe(second);
        expect(first).toMatch(/^[\w-]+$/);
      }),
    );
    const bytes = Buffer.from(seal.close('a counter of 17'), 'base64url');
    expect(bytes.toString('latin1')).not.toContain('counter');
  });

  test('makes tokens of similar values equally long', () =>
    expect(seal.close({ mark: 9 }).length).toBe(seal.close({ mark: 1_000_000 }).length));

  test.each([
    ['of another secret', createSeal('another secret', 'tests').close(1)],
    ['of another purpose', createSeal('a secret', 'other tests').close(1)],
    ['that is truncated', seal.close(1).slice(0, -4)],
    ['with a changed character', seal.close(1).replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))],
    ['that is empty', ''],
    ['that is not base64url', '%%%%'],
  ])('does not open a token %s', (_name, token) => expect(seal.open(token)).toBeUndefined());
});
