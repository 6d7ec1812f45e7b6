import type { RootCost } from './cost-model.ts';
import { sizeOf } from './size.ts';
import { valueOf } from './weight.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Values of an answer or an input for 1 unit of cost; a plain root field costs 1. */
const valuesPerUnit = 2_500;

/**
 * The cost of an operation, known before it runs, from its document and its variables alone. Each root field costs 1 for
 * every 2,500 values, rounded up: those of its answer (lists by their `first`, or the schema's `@listSize`), and those of its
 * variables, for each use of a variable (four characters count as one value). The request costs at least its own size, in
 * which each character of the document counts.
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

/** Converts values to cost, rounded up, at least 1. */
export const units = (values: number): number => Math.max(1, Math.ceil(values / valuesPerUnit));
