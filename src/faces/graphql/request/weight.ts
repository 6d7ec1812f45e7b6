/** The longest page of any resource; longer ones are refused. */
const maxPage = 2_500;

/** A variable for the length of a page, and the length without the variable. */
export interface PageVariable {
  readonly name: string;
  readonly fallback: number;
}

/** A number of values that depends on variables: a sum of products. */
export type Weight = readonly { readonly factor: number; readonly pages: readonly PageVariable[] }[];

export const constant = (factor: number): Weight => [{ factor, pages: [] }];
export const page = (variable: PageVariable): Weight => [{ factor: 1, pages: [variable] }];
/** The number of entries of a page, within the limits of pages: as many as an argument says, or as its list has. */
export function pageLength(argument: unknown, fallback: number): number {
  const length = Array.isArray(argument) ? argument.length : argument;
  return typeof length === 'number' ? Math.min(Math.max(length, 1), maxPage) : fallback;
}

/** The sum, with one term for each product of variables. */
export function sumOf(weights: Iterable<Weight>): Weight {
  const terms = new Map<string, { factor: number; readonly pages: readonly PageVariable[] }>();
  for (const weight of weights) {
    for (const { factor, pages } of weight) {
      const key = pages.map(({ name, fallback }) => `${name} ${fallback}`).join(' ');
      const term = terms.get(key);
      if (term) term.factor += factor;
      else terms.set(key, { factor, pages });
    }
  }
  return [...terms.values()];
}

export const times = (a: Weight, b: Weight): Weight =>
  a.flatMap((left) =>
    b.map((right) => ({ factor: left.factor * right.factor, pages: [...left.pages, ...right.pages] })),
  );

/** Evaluates a weight for these variables. */
export const valueOf = (weight: Weight, variables: Readonly<Record<string, unknown>>): number =>
  weight.reduce(
    (sum, { factor, pages }) =>
      pages.reduce((product, { name, fallback }) => product * pageLength(variables[name], fallback), factor) +
      sum,
    0,
  );
