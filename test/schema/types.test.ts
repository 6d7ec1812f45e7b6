import type { EventPatch } from '../../src/event/model/fields.ts';
import type { EventInput } from '../../src/generated/resolvers-types.ts';

// The compiler is what tests here: each constant compiles only with the value its type works out to be.

type Filled<T> = NonNullable<T>;

/** The names of a type's fields at every level; a list counts as its entries, a map as one thing. */
type Names<T> = T extends readonly (infer E)[]
  ? { entry: Names<Filled<E>> }
  : T extends object
    ? string extends keyof T
      ? 'map'
      : { -readonly [K in keyof T]-?: Names<Filled<T[K]>> }
    : 'value';

type Fits<A, B> = [A] extends [B] ? true : false;
type SameNames<A, B> = [Names<A>, Names<B>] extends [Names<B>, Names<A>] ? true : false;
/** Absent and null are two things in every field: a type that loses one of them turns "clear" into "keep". */
type Clearable<T> = {
  [K in keyof T]-?: null extends T[K] ? (undefined extends T[K] ? never : K) : K;
}[keyof T];

const sameNames: {
  event: SameNames<EventInput, EventPatch>;
} = { event: true };

const fits: {
  event: Fits<EventInput, EventPatch>;
} = { event: true };

const clearable: {
  event: Fits<Clearable<EventPatch>, never>;
} = { event: true };

/** The measures themselves: each tells a difference when there is one. */
interface Left {
  readonly a?: readonly { readonly b: string | null }[] | null;
}
const measures: [
  SameNames<Left, { a: { b: number }[] }>,
  SameNames<Left, { a: { b: string; c: string }[] }>,
  SameNames<Left, { a: { c: string }[] }>,
  SameNames<Left, { a: { b: string } }>,
  SameNames<{ m: Record<string, string> }, { m: { x: string } }>,
  Fits<{ a: string | null }, { a: string }>,
  Fits<Clearable<{ a?: string; b?: string | null }>, never>,
] = [true, false, false, false, false, false, false];

describe('what the schema takes in is what the domain takes in', () => {
  test('names, values and nulls agree, says the compiler', () => {
    expect([sameNames, fits, clearable].flatMap((checks) => Object.values(checks))).not.toContain(false);
    expect(measures.filter(Boolean)).toHaveLength(1);
  });
});
