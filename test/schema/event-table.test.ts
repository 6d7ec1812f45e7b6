import { readFileSync } from 'node:fs';
import { descriptionOf, compileTable, type FieldNode } from '../../src/core/fields/table.ts';
import {
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isObjectType,
  type GraphQLInputObjectType,
  type GraphQLObjectType,
} from 'graphql';
import { changeClassTexts } from '../../scripts/change-class-texts.ts';
import { eventFields } from '../../src/event/model/fields.ts';
import { createGatewaySchema } from '../../src/faces/graphql/schema.ts';

const { schema } = createGatewaySchema();

interface DescribedField {
  readonly path: string;
  readonly node: FieldNode;
  /** The enclosing field. */
  readonly parentField: FieldNode | undefined;
  /** Description of the input field. */
  readonly inputDescription: string;
  /** Description of the output field. */
  readonly outputDescription: string;
}

const collapseSpace = (description: string | null | undefined): string =>
  (description ?? '').replace(/\s+/g, ' ');

/** Lists the event's fields in the schema with their rows of the table. Map entries are described with their map. */
function describeFields(
  input: GraphQLInputObjectType,
  output: GraphQLObjectType,
  tableNode: FieldNode,
  prefix = '',
): DescribedField[] {
  return Object.values(input.getFields())
    .filter(({ name }) => name !== 'nodeId')
    .flatMap((field): DescribedField[] => {
      const outputField = output.getFields()[field.name];
      const node = tableNode.fields.get(field.name);
      if (!outputField || !node) throw new Error(`${prefix}${field.name} has no row, or is not to be read`);
      const path = `${prefix}${field.name}${isListType(getNullableType(field.type)) ? '[]' : ''}`;
      const entry: DescribedField = {
        path,
        node,
        parentField: tableNode.name === '' ? undefined : tableNode,
        inputDescription: collapseSpace(field.description),
        outputDescription: collapseSpace(outputField.description),
      };
      const [inputType, outputType] = [getNamedType(field.type), getNamedType(outputField.type)];
      return [
        entry,
        ...(isInputObjectType(inputType) && isObjectType(outputType)
          ? describeFields(inputType, outputType, node, `${path}.`)
          : []),
      ];
    });
}

const eventInput = schema.getType('EventInput') as GraphQLInputObjectType;
const fields = describeFields(
  eventInput,
  schema.getType('Event') as GraphQLObjectType,
  compileTable(eventFields),
);
const fieldCases = fields.map((field) => [field.path, field] as const);
const changeClassWords = Object.values(changeClassTexts).map(({ word }) => word);

/** Numbers of a field's limits, as in the SDL. */
function listLimitFigures({ value, entryName, entry, max }: FieldNode): number[] {
  const limits = [
    ...[value, entryName, entry?.value, entry?.entryName].map(
      (valueSchema) => valueSchema && descriptionOf(valueSchema),
    ),
    max && `at most ${max.entries}`,
  ];
  return (
    limits
      .flatMap((limit) => [...(limit ?? '').matchAll(/\d+/g)].map(Number))
      // Leaves out the number of RFC 5322, and the maximum of Int, which descriptions of fields do not state.
      .filter((figure) => figure !== 5322 && figure !== 2_147_483_647)
  );
}

test('the table has exactly the input parameters of the resource', () => {
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

describe('the SDL descriptions of event fields agree with the table', () => {
  test('each word for who may change a field is explained and used', () => {
    for (const word of changeClassWords) {
      expect(eventInput.description).toContain(`**${word}**`);
      expect(fields.some(({ inputDescription }) => inputDescription.startsWith(word))).toBe(true);
    }
  });

  test.each(fieldCases)('%s says who may change it', (_path, { node, parentField, inputDescription }) => {
    const { word } = changeClassTexts[node.change];
    const describedWord = changeClassWords.find((candidate) =>
      new RegExp(`^${candidate}\\b`).test(inputDescription),
    );
    // Nested fields inherit the word of their field.
    expect(describedWord ?? (parentField?.change === node.change ? word : undefined)).toBe(word);
  });

  test.each(fieldCases)('%s says whether a locked copy refuses it', (_path, { node, inputDescription }) => {
    expect(inputDescription.includes('refused on a locked copy')).toBe(node.locked === true);
  });

  const casesWithDefault = fieldCases.filter(([, { node }]) => node.default !== undefined);
  test.each(casesWithDefault)(
    '%s states its default',
    (_path, { node, inputDescription, outputDescription }) => {
      expect(`${inputDescription} ${outputDescription}`).toMatch(
        new RegExp(`[Dd]efault(:|,| is) \`?${String(node.default)}\\b`),
      );
    },
  );

  test.each(fieldCases)('%s states its limits', (_path, { node, inputDescription }) => {
    const figures = [...inputDescription.matchAll(/\d[\d,]*/g)].map(([figure]) =>
      Number(figure.replaceAll(',', '')),
    );
    if (node.change !== 'readOnly') expect(figures).toEqual(expect.arrayContaining(listLimitFigures(node)));
    const maxFigures = [...inputDescription.matchAll(/at most (\d+)(?! kB)/g)].map(([, figure]) =>
      Number(figure),
    );
    expect([...listLimitFigures(node), ...ruleLimits]).toEqual(expect.arrayContaining(maxFigures));
  });

  test.each(fieldCases.filter(([, { node }]) => node.isRequired))(
    '%s says that it is required',
    (_path, { inputDescription }) => {
      expect(inputDescription).toMatch(/[Rr]equired when/);
    },
  );
});

/** Limits set by rules over several fields. */
const ruleLimits = [300];
