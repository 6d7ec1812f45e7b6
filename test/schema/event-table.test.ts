import { readFileSync } from 'node:fs';
import { describedAs } from '../../src/core/fields/values.ts';
import {
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isObjectType,
  type GraphQLInputObjectType,
  type GraphQLObjectType,
} from 'graphql';
import { ruleWords } from '../../scripts/rule-words.ts';
import { compileTable, type FieldNode } from '../../src/core/fields/table.ts';
import { eventFields } from '../../src/event/model/fields.ts';
import { createGateway } from '../../src/faces/graphql/schema.ts';

const { schema } = createGateway();

interface Described {
  readonly path: string;
  readonly node: FieldNode;
  /** The field that it lies in. */
  readonly above: FieldNode | undefined;
  /** Of the field to send. */
  readonly sent: string;
  /** Of the field to read. */
  readonly shown: string;
}

const plain = (description: string | null | undefined): string => (description ?? '').replace(/\s+/g, ' ');

/** The fields of the event in the schema, each with its row of the table. Map entries are described with their map. */
function fieldsOf(
  input: GraphQLInputObjectType,
  output: GraphQLObjectType,
  within: FieldNode,
  prefix = '',
): Described[] {
  return Object.values(input.getFields())
    .filter(({ name }) => name !== 'nodeId')
    .flatMap((field): Described[] => {
      const shown = output.getFields()[field.name];
      const node = within.fields.get(field.name);
      if (!shown || !node) throw new Error(`${prefix}${field.name} has no row, or is not to be read`);
      const path = `${prefix}${field.name}${isListType(getNullableType(field.type)) ? '[]' : ''}`;
      const described = {
        path,
        node,
        above: within.name === '' ? undefined : within,
        sent: plain(field.description),
        shown: plain(shown.description),
      };
      const [inner, outer] = [getNamedType(field.type), getNamedType(shown.type)];
      return [
        described,
        ...(isInputObjectType(inner) && isObjectType(outer) ? fieldsOf(inner, outer, node, `${path}.`) : []),
      ];
    });
}

const input = schema.getType('EventInput') as GraphQLInputObjectType;
const fields = fieldsOf(input, schema.getType('Event') as GraphQLObjectType, compileTable(eventFields));
const all = fields.map((field) => [field.path, field] as const);
const words = Object.values(ruleWords).map(({ word }) => word);

/** The numbers of a limit, as the SDL names them. */
function figuresOf({ value, entryName, entry, max }: FieldNode): number[] {
  const limits = [
    ...[value, entryName, entry?.value, entry?.entryName].map((schema) => schema && describedAs(schema)),
    max && `at most ${max.entries}`,
  ];
  return limits
    .flatMap((limit) => [...(limit ?? '').matchAll(/\d+/g)].map(Number))
    .filter((figure) => figure !== 5322 && figure !== 2_147_483_647);
}

test('the table has a row for each input parameter of the resource, and for nothing else', () => {
  const lines = readFileSync(new URL('../fixtures/parameters/event.tsv', import.meta.url), 'utf8').split(
    '\n',
  );
  const paths = lines
    .map((line) => line.split('\t'))
    .filter(([, , node, input]) => input === 'I' && node !== 'control')
    .map(([path = '']) => path.replace('.customKey.value', '.*'));
  expect(Object.keys(eventFields).sort()).toEqual(paths.sort());
  expect(paths).toHaveLength(118);
});

describe('what the SDL says of a field of an event is what the table says', () => {
  test('it explains each word for who may change a field, and uses it', () => {
    for (const word of words) {
      expect(input.description).toContain(`**${word}**`);
      expect(fields.some(({ sent }) => sent.startsWith(word))).toBe(true);
    }
  });

  test.each(all)('%s: who may change it', (_path, { node, above, sent }) => {
    const { word } = ruleWords[node.change];
    const said = words.find((one) => new RegExp(`^${one}\\b`).test(sent));
    // What lies in a field is as the field is, unless it says otherwise.
    expect(said ?? (above?.change === node.change ? word : undefined)).toBe(word);
  });

  test.each(all)('%s: whether a locked copy refuses it', (_path, { node, sent }) => {
    expect(sent.includes('refused on a locked copy')).toBe(node.locked === true);
  });

  const withDefault = all.filter(([, { node }]) => node.default !== undefined);
  test.each(withDefault)('%s: its default', (_path, { node, sent, shown }) => {
    expect(`${sent} ${shown}`).toMatch(new RegExp(`[Dd]efault(:|,| is) \`?${String(node.default)}\\b`));
  });

  test.each(all)('%s: its limits', (_path, { node, sent }) => {
    const named = [...sent.matchAll(/\d[\d,]*/g)].map(([figure]) => Number(figure.replaceAll(',', '')));
    if (node.change !== 'readOnly') expect(named).toEqual(expect.arrayContaining(figuresOf(node)));
    const most = [...sent.matchAll(/at most (\d+)(?! kB)/g)].map(([, figure]) => Number(figure));
    expect([...figuresOf(node), ...ofRules]).toEqual(expect.arrayContaining(most));
  });

  test.each(all.filter(([, { node }]) => node.needed))('%s: that an entry needs it', (_path, { sent }) => {
    expect(sent).toMatch(/[Rr]equired when/);
  });
});

/** Limits that rules over several fields set. */
const ofRules = [300];
