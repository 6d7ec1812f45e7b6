import {
  getDirectiveValues,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  visit,
  type ConstValueNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type ValueNode,
  type VariableDefinitionNode,
} from 'graphql';
import { reportField } from '../notes.ts';
import type { SelectedField } from './selected-fields.ts';
import { constant, page, pageLength, sumOf, times, type Weight } from './weight.ts';

/** The parts of a root field's cost: the values of its answer, and how often it reads each variable. */
export interface RootCost {
  readonly answer: Weight;
  readonly uses: ReadonlyMap<string, number>;
}

/** The assumed length of lists without `@listSize`. */
const assumedEntries = 10;
/** Loading and presenting an entry of a page costs as much as this many values, whatever is selected of it. */
const valuesPerEntry = 6;

/** Average lengths of introspection's lists, where they differ much from the assumed length; types are counted. */
const introspectionSizes: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  __Type: { fields: 5, inputFields: 3, enumValues: 2, interfaces: 1, possibleTypes: 1 },
  __Field: { args: 2 },
  __Directive: { args: 2, locations: 3 },
};

/** The directive `@listSize`, as IBM's cost specification has it. */
interface ListSize {
  readonly assumedSize?: number | null;
  readonly slicingArguments?: readonly string[] | null;
  readonly sizedFields?: readonly string[] | null;
}

/** Lengths of lists by field name, as the arguments of the parent field say. */
type Sized = ReadonlyMap<string, Weight>;

const noSizes: Sized = new Map();
const metaFields = new Map([SchemaMetaFieldDef, TypeMetaFieldDef].map((field) => [field.name, field]));

/** Computes the part of the costs of root fields that does not depend on variables; `report` costs nothing. They need not fit the schema. */
export type CostModel = (
  root: GraphQLNamedType | null | undefined,
  fields: readonly SelectedField[],
  variables?: readonly VariableDefinitionNode[],
) => RootCost[];

export function createCostModel(schema: GraphQLSchema): CostModel {
  const directive = schema.getDirective('listSize');
  const repeated = schema.getDirective('repeated');
  /** Arguments whose values are stored and sent more than once. */
  const repeatsOf = (field: GraphQLField<unknown, unknown> | undefined): ReadonlyMap<string, number> =>
    new Map(
      (field?.args ?? []).flatMap(({ name, astNode }) => {
        const times = repeated && astNode && getDirectiveValues(repeated, astNode)?.times;
        return typeof times === 'number' ? [[name, times] as const] : [];
      }),
    );
  const types = Object.keys(schema.getTypeMap()).length;
  const listSizes = new Map<GraphQLField<unknown, unknown>, ListSize>();
  const listSizeOf = (field: GraphQLField<unknown, unknown>): ListSize => {
    const size =
      listSizes.get(field) ??
      (directive && field.astNode && getDirectiveValues(directive, field.astNode)) ??
      {};
    listSizes.set(field, size);
    return size;
  };

  return (root, fields, variables = []) => {
    const defaults = new Map(
      variables.map(({ variable, defaultValue }) => [variable.name.value, defaultValue]),
    );
    const weightOf = (
      { node, fields: selected }: SelectedField,
      parent: GraphQLNamedType | null | undefined,
      sized: Sized,
    ): Weight => {
      const field = definitionOf(node.name.value, parent);
      if (!field) return constant(1);
      const { assumedSize, slicingArguments, sizedFields } = listSizeOf(field);
      const length = slicingArguments
        ?.map((name) => lengthOf(node, field, name, defaults))
        .find((found) => found !== undefined);
      const below = length && new Map((sizedFields ?? []).map((name) => [name, length]));
      const type = getNamedType(field.type);
      const children = sumOf(selected.map((child) => weightOf(child, type, below ?? noSizes)));
      const loaded = length ? times(length, constant(valuesPerEntry)) : [];
      if (!isListType(getNullableType(field.type))) return sumOf([constant(1), loaded, children]);
      const known =
        parent === schema.getType('__Schema') && field.name === 'types'
          ? types
          : introspectionSizes[parent?.name ?? '']?.[field.name];
      const entries =
        sized.get(node.name.value) ??
        (sizedFields ? undefined : length) ??
        constant(assumedSize ?? known ?? assumedEntries);
      return sumOf([loaded, times(entries, sumOf([constant(1), children]))]);
    };
    return fields
      .filter(({ node }) => `${root?.name}.${node.name.value}` !== reportField)
      .map((field) => ({
        answer: weightOf(field, root, noSizes),
        uses: usesIn(field, repeatsOf(definitionOf(field.node.name.value, root))),
      }));
  };
}

function definitionOf(
  name: string,
  parent: GraphQLNamedType | null | undefined,
): GraphQLField<unknown, unknown> | undefined {
  return (isObjectType(parent) ? parent.getFields()[name] : undefined) ?? metaFields.get(name);
}

/** The page length that an argument asks for, or the length of the list that it is. */
function lengthOf(
  node: FieldNode,
  field: GraphQLField<unknown, unknown>,
  name: string,
  defaults: ReadonlyMap<string, ConstValueNode | undefined>,
): Weight | undefined {
  const usual = field.args.find((arg) => arg.name === name)?.defaultValue;
  const fallback = pageLength(usual, assumedEntries);
  const value = node.arguments?.find((one) => one.name.value === name)?.value;
  if (value?.kind !== Kind.VARIABLE) return constant(lengthIn(value, fallback));
  return page({ name: value.name.value, fallback: lengthIn(defaults.get(value.name.value), fallback) });
}

function lengthIn(value: ValueNode | undefined, fallback: number): number {
  return pageLength(
    value?.kind === Kind.INT ? Number(value.value) : value?.kind === Kind.LIST ? value.values : undefined,
    fallback,
  );
}

/** Counts the uses of each variable in the arguments of a field and of its children. */
function usesIn(
  { node, fields }: SelectedField,
  repeats: ReadonlyMap<string, number> = new Map(),
  uses = new Map<string, number>(),
): Map<string, number> {
  for (const argument of node.arguments ?? []) {
    const times = repeats.get(argument.name.value) ?? 1;
    visit(argument.value, {
      Variable: ({ name }) => void uses.set(name.value, (uses.get(name.value) ?? 0) + times),
    });
  }
  for (const child of fields) usesIn(child, undefined, uses);
  return uses;
}
