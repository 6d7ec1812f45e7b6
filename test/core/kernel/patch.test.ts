import { deepFreeze } from '../../../src/core/kernel/freeze.ts';
import { patch } from '../../../src/core/kernel/patch.ts';

/** What a client sends and what a store holds: JSON, and nobody may write to it. */
const sent = (json: string): unknown => deepFreeze(JSON.parse(json));

describe('a patch', () => {
  const before = sent(
    '{"title":"old","box":{"width":1,"lid":{"color":"red"}},"list":[{"a":1},{"b":2}],"map":{"k":"v","l":"w"}}',
  ) as {
    title: string;
    box: { width: number; lid: object };
    list: object[];
    map: object;
  };

  test.each<[string, string, object]>([
    ['keeps what is absent', '{}', {}],
    ['replaces a text', '{"title":"new"}', { title: 'new' }],
    ['clears with null', '{"title":null}', { title: undefined }],
    ['keeps the empty text', '{"title":""}', { title: '' }],
    ['merges an object field by field', '{"box":{"width":2}}', { box: { width: 2, lid: { color: 'red' } } }],
    [
      'merges at every depth',
      '{"box":{"lid":{"size":3}}}',
      { box: { width: 1, lid: { color: 'red', size: 3 } } },
    ],
    ['drops an object that lost its last field', '{"box":{"lid":{"color":null}}}', { box: { width: 1 } }],
    ['merges a map per key', '{"map":{"k":null,"m":"x"}}', { map: { l: 'w', m: 'x' } }],
    ['replaces a list as a whole', '{"list":[{"a":9}]}', { list: [{ a: 9 }] }],
    ['keeps the empty list as a value', '{"list":[]}', { list: [] }],
    ['leaves nulls out of entries', '{"list":[{"a":null,"c":{"d":null}}]}', { list: [{}] }],
    ['adds what was never there', '{"new":{"deep":{"er":false}}}', { new: { deep: { er: false } } }],
    ['adds nothing that is empty', '{"new":{"deep":{"er":null}},"other":{}}', {}],
    ['replaces an object by a text', '{"box":"flat"}', { box: 'flat' }],
    ['replaces a text by an object', '{"title":{"en":"x"}}', { title: { en: 'x' } }],
  ])('%s: %s', (_what, change, expected) => {
    const result = JSON.parse(JSON.stringify({ ...before, ...expected }));
    expect(patch(before, sent(change))).toStrictEqual(result);
  });

  test.each([
    '{}',
    '{"title":"old"}',
    '{"box":{}}',
    '{"box":{"lid":{"color":"red"}}}',
    '{"list":[{"a":1},{"b":2}]}',
    '{"none":null}',
    '{"list":[{"a":1,"x":null},{"b":2}]}',
    '{"map":{"none":null}}',
    '{"map":{"k":"v"}}',
    '{"none":{"deep":{}}}',
  ])('that changes nothing gives back the very same record: %s', (change) => {
    expect(patch(before, sent(change))).toBe(before);
  });

  test('shares what it does not touch', () => {
    const after = patch(before, sent('{"box":{"width":2},"list":[{"a":1},{"b":2}]}'));
    expect(after).not.toBe(before);
    expect(after?.box).not.toBe(before.box);
    expect(after?.box.lid).toBe(before.box.lid);
    expect(after?.list).toBe(before.list);
    expect(after?.map).toBe(before.map);
  });

  test.each(['[2,1]', '[1]', '[1,2,2]', '["1",2]', '[[1,2]]', '[]', '[1,2,null]'])(
    'notices that the list %s is not [1,2]',
    (list) => {
      const two = sent('{"list":[1,2]}');
      expect(patch(two, sent(`{"list":${list}}`))).not.toBe(two);
    },
  );

  test('takes -0 for 0, as JSON writes it: storing it and sending it again is no change', () => {
    const zero = sent('{"minutes":0,"list":[0,{"minutes":0}]}');
    expect(patch(zero, sent('{"minutes":-0,"list":[-0,{"minutes":-0}]}'))).toBe(zero);
    expect(patch({}, sent('{"minutes":-0,"list":[-0,{"minutes":-0}]}'))).toStrictEqual(zero);
  });
});
