import type { Fields } from '../../../core/patch.ts';
import {
  type ConstValueNode,
  type FieldNode,
  getDirectiveValues,
  getNamedType,
  getNullableType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  type ValueNode,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import { edgeOf } from '../graph.ts';
import { reportField } from '../notes.ts';
import { RequestFault } from './params.ts';
import { type SelectedField, typeAround } from './selected-fields.ts';

/** Values of an answer or an input for 1 unit of cost; a plain root field costs 1. */
const valuesPerUnit = 2_500;

/**
 * The cost of an operation, known before it runs, from its document and its variables alone. Each root field costs 1 for
 * every 2,500 values, rounded up: those of its answer (lists by their `first`, or the schema's `@listSize`), and those of its
 * variables, for each use of a variable (four characters count as one value). The request costs at least its own size, in
 * which each character of the document counts. An edge costs what a root field does, as if there were one object to enter it from.
 */
export function costOf(roots: readonly RootCost[], variables: Fields, requestSize: number): number {
  const sizes = new Map<string, number>();
  const size = (name: string): number => {
    const found = sizes.get(name) ?? sizeOf(variables[name]);
    sizes.set(name, found);
    return found;
  };
  let cost = 0;
  for (const { answer, uses } of roots) {
    let values = valueOf(answer, variables);
    for (const [name, count] of uses) values += count * size(name);
    cost += units(values);
  }
  return Math.max(cost, units(requestSize));
}

/** The cost of an edge for one object. */
export const edgeCost = (edge: SelectedField, costs: readonly RootCost[], variables: Fields): number =>
  costOf(
    costs.filter(({ fields }) => fields.includes(edge)),
    variables,
    0,
  );

/** Converts values to cost, rounded up, at least 1. */
export const units = (values: number): number => Math.max(1, Math.ceil(values / valuesPerUnit));

/** The parts of a root field's cost: the values of its answer, and how often it reads each variable. */
export interface RootCost {
  /** The root field that this is the cost of, or all fields that select one edge. */
  readonly fields: SelectedField[];
  answer: Weight;
  readonly uses: Map<string, number>;
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

export function createCostModel(schema: GraphQLSchema) {
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
    let size = listSizes.get(field);
    if (!size) {
      size = (directive && field.astNode && getDirectiveValues(directive, field.astNode)) ?? {};
      listSizes.set(field, size);
    }
    return size;
  };

  /** Computes the part of the costs of root fields that does not depend on variables; `report` costs nothing. They need not fit the schema. */
  return (
    root: GraphQLNamedType | null | undefined,
    fields: readonly SelectedField[],
    variables: readonly VariableDefinitionNode[] = [],
  ): RootCost[] => {
    const defaults = new Map(
      variables.map(({ variable, defaultValue }) => [variable.name.value, defaultValue]),
    );
    const costs: RootCost[] = [];
    const edgesByPlace = new Map<string, RootCost>();
    /** `place`: of an edge; fields that select the same one, in several fragments, are charged together. */
    const addCost = (
      field: SelectedField,
      parent: GraphQLNamedType | null | undefined,
      place: string,
      isEdge: boolean,
    ): void => {
      const known = isEdge ? edgesByPlace.get(place) : undefined;
      const cost: RootCost = known ?? { fields: [], answer: 0, uses: new Map() };
      const repeats = repeatsOf(definitionOf(field.node.name.value, parent));
      cost.answer = sumOf(cost.answer, weightOf(field, parent, noSizes, { cost, place }, repeats));
      cost.fields.push(field);
      if (known) return;
      costs.push(cost);
      if (isEdge) edgesByPlace.set(place, cost);
    };
    const weightOf = (
      { node, fields: selected }: SelectedField,
      parent: GraphQLNamedType | null | undefined,
      sized: Sized,
      { cost, place }: { readonly cost: RootCost; readonly place: string },
      repeats: ReadonlyMap<string, number> = new Map(),
    ): Weight => {
      for (const { argument, variable } of variablesOf(node))
        cost.uses.set(variable, (cost.uses.get(variable) ?? 0) + (repeats.get(argument) ?? 1));
      const field = definitionOf(node.name.value, parent);
      if (!field) return 1;
      const { assumedSize, slicingArguments, sizedFields } = listSizeOf(field);
      const length = slicingArguments
        ?.map((name) => lengthOf(node, field, name, defaults))
        .find((found) => found !== undefined);
      const below = new Map(length === undefined ? [] : (sizedFields ?? []).map((name) => [name, length]));
      const type = getNamedType(field.type);
      const children = sumOf(
        ...selected.map((child) => {
          const around = typeAround(child, type, schema);
          const next = `${place}.${child.key}`;
          if (!edgeOf(definitionOf(child.node.name.value, around)))
            return weightOf(child, around, below, { cost, place: next });
          addCost(child, around, next, true);
          return 0;
        }),
      );
      const loaded = length === undefined ? 0 : times(length, valuesPerEntry);
      if (!isListType(getNullableType(field.type))) return sumOf(1, loaded, children);
      const known =
        parent === schema.getType('__Schema') && field.name === 'types'
          ? types
          : introspectionSizes[parent?.name ?? '']?.[field.name];
      const entries =
        sized.get(node.name.value) ??
        (sizedFields ? undefined : length) ??
        assumedSize ??
        known ??
        assumedEntries;
      return sumOf(loaded, times(entries, sumOf(1, children)));
    };
    for (const field of fields)
      if (`${root?.name}.${field.node.name.value}` !== reportField) addCost(field, root, field.key, false);
    return costs;
  };
}

/** The definition of a field, of introspection too. */
export function definitionOf(
  name: string,
  parent: GraphQLNamedType | null | undefined,
): GraphQLField<unknown, unknown> | undefined {
  const fields = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields() : {};
  return fields[name] ?? metaFields.get(name);
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
  if (value?.kind !== Kind.VARIABLE) return lengthIn(value, fallback);
  const variable = value.name.value;
  const otherwise = lengthIn(defaults.get(variable), fallback);
  return (variables) => pageLength(variables[variable], otherwise);
}

function lengthIn(value: ValueNode | undefined, fallback: number): number {
  return pageLength(
    value?.kind === Kind.INT ? Number(value.value) : value?.kind === Kind.LIST ? value.values : undefined,
    fallback,
  );
}

/** Uses of a variable in an argument of a field. */
type VariableUses = readonly { readonly argument: string; readonly variable: string }[];

/** Cached uses of variables: a field of a fragment occurs once for each use of the fragment. */
const knownUses = new WeakMap<FieldNode, VariableUses>();

/** Finds the variables in the arguments of a field. */
export function variablesOf(node: FieldNode): VariableUses {
  const known = knownUses.get(node);
  if (known) return known;
  const found: VariableUses[number][] = [];
  for (const { name: argument, value } of node.arguments ?? [])
    visit(value, {
      Variable: ({ name }) => void found.push({ argument: argument.value, variable: name.value }),
    });
  knownUses.set(node, found);
  return found;
}

/** The longest page of any resource; longer ones are refused. */
const maxPage = 2_500;

/** The number of entries of a page, within the limits of pages: as many as an argument says, or as its list has. */
function pageLength(argument: unknown, fallback: number): number {
  const length = Array.isArray(argument) ? argument.length : argument;
  return typeof length === 'number' ? Math.min(Math.max(length, 1), maxPage) : fallback;
}

/** A number of values, which may depend on variables. */
type Weight = number | ((variables: Fields) => number);

const valueOf = (weight: Weight, variables: Fields): number =>
  typeof weight === 'number' ? weight : weight(variables);

const sumOf = (...weights: Weight[]): Weight => reduceWeights(weights, 0, (a, b) => a + b);

const times = (...weights: Weight[]): Weight => reduceWeights(weights, 1, (a, b) => a * b);

/** Works out at once what does not depend on variables. */
function reduceWeights(weights: Weight[], start: number, join: (a: number, b: number) => number): Weight {
  const fixed = weights.filter((weight) => typeof weight === 'number').reduce(join, start);
  const open = weights.filter((weight) => typeof weight === 'function');
  if (open.length === 0) return fixed;
  return (variables) => open.reduce((value, weight) => join(value, weight(variables)), fixed);
}

/** The deepest nesting of inputs: above any input of the schema, far below the limit of recursion. */
const maxDepth = 40;
/** Characters that count as one value: an answer may repeat them for each message of a publication. */
const charactersPerValue = 4;

/** The size of a JSON value: 1 for each value, and 1 for every four characters. Throws for a value that is nested too deep. */
export function sizeOf(value: unknown, depth = 0): number {
  if (typeof value === 'string') return 1 + value.length / charactersPerValue;
  if (typeof value !== 'object' || value === null) return 1;
  if (depth === maxDepth) throw new RequestFault(`Input may be nested ${maxDepth} levels deep at most.`);
  let size = 1;
  if (Array.isArray(value)) {
    for (const entry of value) size += sizeOf(entry, depth + 1);
    return size;
  }
  // Not `Object.entries`, which takes three times as long for an object of many keys.
  for (const key of Object.keys(value))
    size += key.length / charactersPerValue + sizeOf((value as Record<string, unknown>)[key], depth + 1);
  return size;
}
