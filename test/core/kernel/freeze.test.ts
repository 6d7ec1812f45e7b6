import { deepFreeze } from '../../../src/core/kernel/freeze.ts';
import { fc } from '../../property.ts';

/** Every object inside a value, itself included. */
function* objectsIn(value: unknown): Generator<object> {
  if (typeof value !== 'object' || value === null) return;
  yield value;
  for (const part of Object.values(value)) yield* objectsIn(part);
}

test('a frozen record is the same record, and nothing in it can be changed', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      expect(deepFreeze(value)).toBe(value);
      for (const part of objectsIn(value)) expect(Object.isFrozen(part)).toBe(true);
      expect(JSON.stringify(value)).toBe(text);
    }),
  );
});

test('what is frozen already is not walked again: a patched record shares it with the one before', () => {
  let looks = 0;
  const shared = Object.freeze(
    Object.defineProperty({}, 'deep', { get: () => (looks += 1), enumerable: true }),
  );
  const record = deepFreeze({ shared, own: { list: [{}] } });
  expect(looks).toBe(0);
  expect(Object.isFrozen(record.own.list[0])).toBe(true);
});

test('a value that holds itself is no trap', () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  expect(Object.isFrozen(deepFreeze(circle))).toBe(true);
});
