import { hour, startEvents, text, type EventGateway } from './event-http.harness.ts';

/** So many entries with keys of `name` and a number. */
const entries = (count: number, name = 'k', value = '') =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, value]));
/** Entries that take so many bytes, keys and values together. */
const bytes = (total: number, key = 'key') => {
  const map: Record<string, string> = {};
  let left = total;
  for (let index = 100; left > 0; index += 1) {
    const name = `${key}${index}`;
    const length = Math.min(1024, left - name.length);
    map[name] = text(length);
    left -= name.length + length;
  }
  return map;
};
const bad = (path: string, reason: string): string => `BAD_USER_INPUT event.extendedProperties${path} ${reason}`;
const limit = 32 * 1024;

describe('extended properties', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    gateway = await startEvents();
  });
  afterAll(() => gateway.close());

  test.each<[string, object]>([
    ['299 entries', { private: entries(299) }],
    ['300 entries in one map', { shared: entries(300) }],
    ['300 entries in both maps together', { private: entries(150), shared: entries(150) }],
    ['a key of 44 characters', { private: { [text(44)]: 'v' } }],
    ['a value of 1024 characters', { shared: { k: text(1024) } }],
    ['an empty value', { shared: { k: '' } }],
    ['32 kB in one map', { private: bytes(limit) }],
    ['32 kB in both maps together', { private: bytes(limit / 2), shared: bytes(limit / 2) }],
    ['keys of any script', { private: { 'größe ✓': '大', constructor: 'c', toString: 't' } }],
  ])('%s: stored', async (_name, extendedProperties) => {
    const inserted = await gateway.insert({ ...hour, extendedProperties });
    expect(inserted.problems).toEqual([]);
    expect(inserted.event.extendedProperties).toMatchObject(extendedProperties);
    const { event } = await gateway.insert(hour);
    expect((await gateway.patch(event.id, { extendedProperties })).event.extendedProperties).toEqual(
      inserted.event.extendedProperties,
    );
  });

  test.each<[string, object, string]>([
    ['301 entries in one map', { shared: entries(301) }, bad('', 'tooMany')],
    ['301 entries in both maps together', { private: entries(150), shared: entries(151) }, bad('', 'tooMany')],
    ['a key of 45 characters', { private: { [text(45)]: 'v' } }, bad(`.private.${text(45)}`, 'tooLong')],
    ['an empty key', { shared: { '': 'v' } }, bad('.shared.', 'invalid')],
    ['a value of 1025 characters', { shared: { k: text(1025) } }, bad('.shared.k', 'tooLong')],
    ['32 kB and a byte in one map', { private: bytes(limit + 1) }, bad('', 'tooLong')],
    ['32 kB and a byte in both maps together', { private: bytes(limit / 2), shared: bytes(limit / 2 + 1) }, bad('', 'tooLong')],
    ['32 kB of characters that take two bytes each', { shared: entries(20, 'k', 'ü'.repeat(1024)) }, bad('', 'tooLong')],
    ['a value that is no text', { private: { k: 1 } }, bad('.private.k', 'invalid')],
    ['a map that is a list', { private: ['a'] }, bad('.private', 'invalid')],
    ['a key with U+0000', { private: { 'a\u0000': 'v' } }, bad('.private.a\u0000', 'invalid')],
  ])('%s: refused', async (_name, extendedProperties, problem) => {
    const { event } = await gateway.insert(hour);
    const before = await gateway.stored(event.id);
    expect((await gateway.patch(event.id, { extendedProperties })).problems).toEqual([problem]);
    expect(await gateway.stored(event.id)).toBe(before);
    expect((await gateway.insert({ ...hour, extendedProperties })).problems).toEqual([problem]);
  });

  test('the key __proto__ is refused, and changes no prototype', async () => {
    const { event } = await gateway.insert(hour);
    const extendedProperties = { private: JSON.parse('{"__proto__": "p"}') as object };
    const [problem] = (await gateway.patch(event.id, { extendedProperties })).problems;
    expect(problem).toMatch(/^BAD_USER_INPUT event\.extendedProperties\.private\S* invalid$/);
    expect((await gateway.read(event.id)).event.extendedProperties).toBeNull();
  });

  test('a patch is judged together with what is stored', async () => {
    const { event } = await gateway.insert({ ...hour, extendedProperties: { private: entries(299, 'a') } });
    const add = (map: object) => gateway.patch(event.id, { extendedProperties: { shared: map } });
    expect((await add(entries(2, 'b'))).problems).toEqual([bad('', 'tooMany')]);
    expect((await add(entries(1, 'b'))).problems).toEqual([]);
    expect((await add({ b0: 'other' })).event.extendedProperties.shared).toEqual({ b0: 'other' });
    expect((await add({ b0: null, c: 'new' })).event.extendedProperties.shared).toEqual({ c: 'new' });
  });

  test('what is over the limits already may change and shrink, but not grow', async () => {
    const { event } = await gateway.insert(hour);
    await gateway.disturb(event.id, {}, { privateProperties: { ...entries(350, 'old', text(100)), [text(60)]: text(2000) } });
    const patch = (map: object) => gateway.patch(event.id, { extendedProperties: { private: map } });
    expect((await patch({ old0: text(99) })).problems).toEqual([]);
    expect((await patch({ old1: null })).problems).toEqual([]);
    expect((await patch({ old0: text(101) })).problems).toEqual([bad('', 'tooLong')]);
    expect((await patch({ old2: null, old3: null, new0: '', new1: '', new2: '' })).problems).toEqual([bad('', 'tooMany')]);
    expect((await patch({ [text(60)]: text(1999) })).problems).toContain(bad(`.private.${text(60)}`, 'tooLong'));
    expect((await gateway.patch(event.id, { summary: 'Unrelated' })).problems).toEqual([]);
    expect((await patch({ [text(60)]: null })).problems).toEqual([]);
  });
});
