import { nullEntryIssues, unknownFieldIssues, type FieldRules } from '../../src/core/rules.ts';

const rules: FieldRules = {
  title: 'shared',
  box: 'shared',
  'box.width': 'shared',
  'box.tags': 'copy',
  'box.tags.*': 'copy',
  map: 'shared',
  'map.*': 'shared',
  'words[]': 'shared',
  'guests[]': 'shared',
  'guests[].email': 'shared',
};

const sent = (json: string): Readonly<Record<string, unknown>> => JSON.parse(json);
const places = (issues: readonly { path: readonly (string | number)[] }[]): string[] => issues.map(({ path }) => path.join('.'));

describe('an entry of a map that is added', () => {
  test('needs a value: null only removes', () => {
    const body = sent('{"map":{"a":null,"b":"","__proto__":null},"box":{"tags":{"c":null,"d":"e"}},"title":null}');
    const issues = nullEntryIssues(rules, body, ['event']);
    expect(places(issues).sort()).toEqual(['event.box.tags.c', 'event.map.__proto__', 'event.map.a']);
    expect(new Set(issues.map(({ reason }) => reason))).toEqual(new Set(['required']));
  });

  test.each(['{}', '{"map":null}', '{"map":{}}', '{"box":null}', '{"box":{"tags":null}}', '{"map":{"a":"null"}}'])(
    'is not missed in %s',
    (json) => expect(nullEntryIssues(rules, sent(json), [])).toEqual([]),
  );
});

describe('a body that no schema has looked at', () => {
  test('may have every field there is, null for each of them, and any key in a map', () => {
    const whole = '{"title":"x","box":{"width":1,"tags":{"any":"key"}},"map":{"__proto__":"v"},"words":["a"],"guests":[{"email":"e"}]}';
    expect(unknownFieldIssues(rules, sent(whole), [])).toEqual([]);
    const nulls = '{"title":null,"box":null,"map":null,"words":null,"guests":null}';
    expect(unknownFieldIssues(rules, sent(nulls), [])).toEqual([]);
  });

  test('may have no others, at every depth', () => {
    const body = '{"titel":1,"box":{"with":1,"title":"x"},"guests":[{"email":"e"},{"mail":"e"}],"words[]":[],"map.*":1,"box.width":1}';
    expect(places(unknownFieldIssues(rules, sent(body), ['event'])).sort()).toEqual([
      'event.box.title', 'event.box.with', 'event.box.width', 'event.guests.1.mail', 'event.map.*', 'event.titel', 'event.words[]',
    ].sort());
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])('may not have a field %s', (name) => {
    expect(places(unknownFieldIssues(rules, sent(`{"${name}":"x"}`), []))).toEqual([name]);
    expect(places(unknownFieldIssues(rules, sent(`{"box":{"${name}":"x"}}`), []))).toEqual([`box.${name}`]);
  });

  test.each(['1', '"text"', '[]', 'null', 'true'])('is an object, not %s', (json) => {
    expect(unknownFieldIssues(rules, JSON.parse(json), ['event'])).toMatchObject([{ path: ['event'], reason: 'invalid' }]);
  });

  test('has objects and lists where they belong', () => {
    const body = '{"box":"x","guests":{"email":"e"}}';
    expect(places(unknownFieldIssues(rules, sent(body), []))).toEqual(['box', 'guests']);
    expect(places(unknownFieldIssues(rules, sent('{"guests":["x",null]}'), []))).toEqual(['guests.0', 'guests.1']);
  });
});
