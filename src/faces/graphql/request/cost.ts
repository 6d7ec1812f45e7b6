import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { createCostModel, type RootCost } from './cost-model.ts';
import { sizeOf } from './size.ts';
import { valueOf } from './weight.ts';

type Fields = Readonly<Record<string, unknown>>;

/** So many values of an answer, or of an input, cost as much as one plain root field: 1. */
const valuesPerUnit = 2_500;

/**
 * The cost of an operation, known before it runs, from its document and its variables alone. Each root field costs 1 for
 * every 2,500 values, begun ones included: those of its answer (a list counts as often as its `first`, or the schema's
 * `@listSize`, says), and those of its variables, counted wherever a variable is used (four characters weigh as much as
 * a value). The request costs what it weighs itself, when that is more; there each character of the document counts.
 */
export type CostOf = (document: DocumentNode, operation: OperationDefinitionNode, variables: Fields, requestSize: number) => number;

/** Prepares each operation once. A document need not fit the schema, but must be within the limits. */
export function createCostReader(schema: GraphQLSchema): CostOf {
  const rootsOf = createCostModel(schema);
  const known = new WeakMap<OperationDefinitionNode, readonly RootCost[]>();
  return (document, operation, variables, requestSize) => {
    let roots = known.get(operation);
    if (!roots) known.set(operation, (roots = rootsOf(document, operation)));
    return costOf(roots, variables, requestSize);
  };
}

function costOf(roots: readonly RootCost[], variables: Fields, requestSize: number): number {
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

/** Values as cost: a whole number, 1 or more. */
export const units = (values: number): number => Math.max(1, Math.ceil(values / valuesPerUnit));
