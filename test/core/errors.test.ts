import { formatPath, valueAt } from '../../src/core/errors.ts';

describe('valueAt', () => {
  const map = { '0': 'zero', 'with.dot': 'dot' };
  const value = { list: [{ a: 1 }, [2]], map, nothing: null, text: 'abc' };

  test.each([
    [[], value],
    [['list', 0, 'a'], 1],
    [['list', 1, 0], 2],
    [['map', '0'], 'zero'],
    [['map', 0], 'zero'],
    [['map', 'with.dot'], 'dot'],
    [['nothing'], null],
  ])('finds the value at %j', (path, expectedValue) => expect(valueAt(value, path)).toBe(expectedValue));

  test.each([
    ...[[['list', 2]], [['list', 0, 'a', 'b']], [['list', 'length']], [['list', 'map']], [['list', '0']]],
    ...[[['list', -1]], [['nothing', 'a']], [['text', 'length']], [['text', 0]], [['toString']]],
    ...[[['map', '__proto__']], [['map', 'constructor']]],
  ])('is undefined at %j', (path) => expect(valueAt(value, path)).toBeUndefined());

  test('finds own properties with inherited names', () =>
    expect(valueAt(JSON.parse('{"__proto__":{"constructor":1}}'), ['__proto__', 'constructor'])).toBe(1));

  test('is undefined in a value that is no object', () => {
    for (const primitive of [undefined, null, 7]) expect(valueAt(primitive, ['a'])).toBeUndefined();
  });
});

test.each([
  [['reminders', 'overrides', 0, 'minutes'], 'reminders.overrides[0].minutes'],
  [['calendars', 0, 'events', 12, 'start'], 'calendars[0].events[12].start'],
  [[3, 'a'], '[3].a'],
  [['a'], 'a'],
  [[], ''],
])('formatPath of %j is %j', (path, text) => expect(formatPath(path)).toBe(text));
