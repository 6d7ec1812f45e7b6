import type { Fields } from '../../../core/json.ts';
import {
  type FieldNode,
  getDirectiveValues,
  getNullableType,
  type GraphQLField,
  type GraphQLSchema,
  isListType,
  Kind,
  type ValueNode,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import { memoize, memoizeByObject } from '../../../core/memoize.ts';
import { RequestError } from './params.ts';
import type { SelectedField } from './selected-fields.ts';

/** Number of response or input values per unit of cost; a plain root field costs 1. */
const valuesPerUnit = 2_500;

/**
 * Computes the cost of an operation before it runs, from its document and variables. Each root field costs 1 for every 2,500 values,
 * rounded up: the values of its response (lists by their `first`, or the schema's `@listSize`), and those of its variables, for each
 * use (four characters count as one value). The request costs at least its own size, in which each character of the document counts.
 * An edge costs as much as a root field, as if entered from one object.
 */
export function costOf(rootCosts: readonly RootCost[], variables: Fields, requestSize: number): number {
  const sizes = new Map<string, number>();
  const variableSize = (name: string): number => {
    const size = sizes.get(name) ?? sizeOf(variables[name]);
    sizes.set(name, size);
    return size;
  };
  let cost = 0;
  for (const { responseValues, variableUses: uses } of rootCosts) {
    let values = responseValues;
    for (const [name, count] of uses) values += count * variableSize(name);
    cost += toCostUnits(values);
  }
  return Math.max(cost, toCostUnits(requestSize));
}

/** Computes the cost of an edge for one object. */
export const edgeCost = (edge: SelectedField, costs: readonly RootCost[], variables: Fields): number =>
  costOf(
    costs.filter(({ fields }) => fields.includes(edge)),
    variables,
    0,
  );

/** Converts a number of values to units of cost: at least 1. */
export const toCostUnits = (values: number): number => Math.max(1, Math.ceil(values / valuesPerUnit));

/** Cost of a root field or edge: the values of its response, and how often it uses each variable. */
export interface RootCost {
  readonly fields: SelectedField[];
  responseValues: number;
  readonly variableUses: Map<string, number>;
}

/** Maximum number of cached costs of an operation, one for each combination of page lengths. */
const maxCachedCosts = 16;
/** Assumed length of lists without `@listSize`. */
const assumedListLength = 10;
/** Cost of loading an entry of a page, in values, independent of its selection. */
const valuesPerEntry = 6;

/** Average lengths of introspection lists that differ much from the assumed length. Types are counted. */
const introspectionListLengths: Readonly<Record<string, number>> = {
  '__Type.fields': 5,
  '__Type.inputFields': 3,
  '__Type.enumValues': 2,
  '__Type.interfaces': 1,
  '__Type.possibleTypes': 1,
  '__Field.args': 2,
  '__Directive.args': 2,
  '__Directive.locations': 3,
};

/** Arguments of the directive `@listSize` of IBM's cost specification. */
interface ListSize {
  readonly assumedSize?: number | null;
  readonly slicingArguments?: readonly string[] | null;
  readonly sizedFields?: readonly string[] | null;
}

/** Lengths of lists by field name, from the arguments of the parent field. */
type ListLengths = ReadonlyMap<string, number>;

const noLengths: ListLengths = new Map();

/** Creates the function that computes the costs of a schema's root fields and edges. */
export function createCostModel(schema: GraphQLSchema) {
  const listSizeDirective = schema.getDirective('listSize');
  const repeatedDirective = schema.getDirective('repeated');
  /** Returns how often the value of an argument is stored and sent. */
  const repeatsOf = (field: GraphQLField<unknown, unknown> | undefined, argument: string): number => {
    const astNode = field?.args.find(({ name }) => name === argument)?.astNode;
    const values = repeatedDirective && astNode && getDirectiveValues(repeatedDirective, astNode);
    return (values?.times as number | undefined) ?? 1;
  };
  const typeCount = Object.keys(schema.getTypeMap()).length;
  const introspectionLengths: Readonly<Record<string, number>> = {
    ...introspectionListLengths,
    '__Schema.types': typeCount,
  };
  const listSizeOf = memoizeByObject(
    ({ astNode }: GraphQLField<unknown, unknown>): ListSize =>
      (listSizeDirective && astNode && getDirectiveValues(listSizeDirective, astNode)) ?? {},
  );

  /** Computes the costs of root fields and edges. `report` costs nothing. Accepts invalid documents. */
  const computeCosts = (
    fields: readonly SelectedField[],
    pageLengthOf: (node: FieldNode, field: GraphQLField<unknown, unknown>, argument: string) => number,
  ): RootCost[] => {
    const costs = new Map<SelectedField | string, RootCost>();
    const addCost = (field: SelectedField, path: string): void => {
      // Fields that select the same edge, in several fragments, are charged together.
      const key = field.edge ? path : field;
      const cost: RootCost = costs.get(key) ?? { fields: [], responseValues: 0, variableUses: new Map() };
      costs.set(key, cost);
      cost.fields.push(field);
      cost.responseValues += countValues(field, noLengths, cost, path);
    };
    const countValues = (
      { node, coordinate, definition, fields: selected }: SelectedField,
      lengths: ListLengths,
      cost: RootCost,
      path: string,
    ): number => {
      for (const { argument, variable } of variablesOf(node))
        cost.variableUses.set(
          variable,
          (cost.variableUses.get(variable) ?? 0) + repeatsOf(definition, argument),
        );
      if (!definition) return 1;
      const { assumedSize, slicingArguments, sizedFields } = listSizeOf(definition);
      const [slicingArgument] = slicingArguments ?? [];
      const length =
        slicingArgument === undefined ? undefined : pageLengthOf(node, definition, slicingArgument);
      const childLengths = new Map(
        length === undefined ? [] : (sizedFields ?? []).map((name) => [name, length]),
      );
      let childValues = 0;
      for (const child of selected) {
        const childPath = `${path}.${child.key}`;
        if (child.edge) addCost(child, childPath);
        else childValues += countValues(child, childLengths, cost, childPath);
      }
      const loadingValues = (length ?? 0) * valuesPerEntry;
      if (!isListType(getNullableType(definition.type))) return 1 + loadingValues + childValues;
      const entries =
        lengths.get(node.name.value) ??
        (sizedFields ? undefined : length) ??
        assumedSize ??
        introspectionLengths[coordinate] ??
        assumedListLength;
      return loadingValues + entries * (1 + childValues);
    };
    for (const field of fields) if (field.coordinate !== reportField) addCost(field, field.key);
    return [...costs.values()];
  };

  /** Returns the function that computes the costs for variables. They depend on the lengths that variables give. */
  return (
    fields: readonly SelectedField[],
    variableDefinitions: readonly VariableDefinitionNode[] = [],
  ): ((variables: Fields) => readonly RootCost[]) => {
    const defaults = new Map(
      variableDefinitions.map(({ variable, defaultValue }) => [variable.name.value, defaultValue]),
    );
    const lengthVariables = new Set<string>();
    const computeFor = (variables: Fields): readonly RootCost[] =>
      computeCosts(fields, (node, { args }, argument) => {
        const defaultValue = args.find(({ name }) => name === argument)?.defaultValue;
        const fallback = clampPageLength(defaultValue, assumedListLength);
        const value = node.arguments?.find(({ name }) => name.value === argument)?.value;
        if (value?.kind !== Kind.VARIABLE) return readLiteralLength(value, fallback);
        const variable = value.name.value;
        lengthVariables.add(variable);
        return clampPageLength(variables[variable], readLiteralLength(defaults.get(variable), fallback));
      });
    computeFor({}); // finds `lengthVariables`
    const names = [...lengthVariables];
    const costsOf = memoize(maxCachedCosts, (...lengths: readonly number[]) =>
      computeFor(Object.fromEntries(names.map((name, index) => [name, lengths[index] || undefined]))),
    );
    return (variables) => costsOf(...names.map((name) => clampPageLength(variables[name], 0)));
  };
}

function readLiteralLength(value: ValueNode | undefined, fallback: number): number {
  return clampPageLength(
    value?.kind === Kind.INT ? Number(value.value) : value?.kind === Kind.LIST ? value.values : undefined,
    fallback,
  );
}

/** Lists the variables in the arguments of a field. Cached, because a field of a fragment occurs once for each spread. */
export const variablesOf = memoizeByObject((node: FieldNode) => {
  const uses: { readonly argument: string; readonly variable: string }[] = [];
  for (const { name: argument, value } of node.arguments ?? [])
    visit(value, {
      Variable: ({ name }) => void uses.push({ argument: argument.value, variable: name.value }),
    });
  return uses;
});

/** Length of the longest page of any resource; longer pages are refused. */
const maxPageLength = 2_500;

/** Length of a page or list that an argument asks for, from 1 to `maxPageLength`. */
function clampPageLength(argument: unknown, fallback: number): number {
  const length = Array.isArray(argument) ? argument.length : argument;
  return typeof length === 'number' ? Math.min(Math.max(length, 1), maxPageLength) : fallback;
}

/** Maximum nesting depth of inputs: above any input of the schema, far below the limit of recursion. */
const maxDepth = 40;
/** Number of input characters that count as one value, since a response may repeat them for each published message. */
const charactersPerValue = 4;

/** Measures a JSON value: 1 for each value, and 1 for every four characters. Throws for a value that is nested too deep. */
export function sizeOf(value: unknown, depth = 0): number {
  if (typeof value === 'string') return 1 + value.length / charactersPerValue;
  if (typeof value !== 'object' || value === null) return 1;
  if (depth === maxDepth) throw new RequestError(`Input may be nested ${maxDepth} levels deep at most.`);
  let size = 1;
  if (Array.isArray(value)) {
    for (const entry of value) size += sizeOf(entry, depth + 1);
    return size;
  }
  // `Object.entries` would take three times as long for an object with many keys.
  for (const key of Object.keys(value))
    size += key.length / charactersPerValue + sizeOf((value as Record<string, unknown>)[key], depth + 1);
  return size;
}

/** Root field that returns the report of the fields before it. */
export const reportField = 'Mutation.report';
