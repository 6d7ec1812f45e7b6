import * as z from 'zod/mini';
import { charactersIn, isLonger } from '../text/characters.ts';

/** What a failed refinement tells beside its message. */
export interface Figures {
  readonly reason?: string;
  readonly params?: Readonly<Record<string, string | number>>;
}

const lengths = new WeakMap<z.ZodMiniType, number>();

/** How many characters a value may have; Infinity for what has no such limit. */
export const longestOf = (schema: z.ZodMiniType | undefined): number => (schema && lengths.get(schema)) ?? Infinity;

function limited<S extends z.ZodMiniType>(schema: S, max: number): S {
  lengths.set(schema, max);
  return schema;
}

/** A string of at most `max` characters (Unicode code points). */
export const text = (max: number) =>
  limited(z.string().check(
    z.refine((value) => !isLonger(value, max), {
      error: ({ input }) => {
        const actual = charactersIn(input as string);
        return `This has ${actual} characters; at most ${max} are allowed. Shorten it.`;
      },
      params: { reason: 'tooLong', max },
    }),
    z.describe(`at most ${max} characters`),
  ), max);

export const flag = z.boolean();

/** A whole number in a range, both ends included. */
export const integer = (min: number, max: number) =>
  z.number().check(
    z.refine((n) => Number.isInteger(n) && n >= min && n <= max, {
      error: `This must be a whole number from ${min} to ${max}.`,
      params: { reason: 'invalid', params: { min, max } },
    }),
    z.describe(`${min} to ${max}`),
  );

/** The greatest Int of GraphQL. */
export const maxInt32 = 2_147_483_647;

/** White space around it and controls in it: the URL parser drops both, what reads the stored string may not. */
const dropped = /^\s|\s$|\p{Cc}/u;

/** An absolute URL with one of these schemes, of at most `max` characters. */
export const url = (schemes: readonly string[], max: number) =>
  limited(text(max).check(
    z.refine((value) => hasScheme(value, schemes), {
      error: `This must be an absolute URL that starts with ${schemes.join(': or ')}:.`,
      params: { reason: 'invalid' },
    }),
    z.describe(`${schemes.join(': or ')}:, at most ${max} characters`),
  ), max);

function hasScheme(value: string, schemes: readonly string[]): boolean {
  if (dropped.test(value) || !URL.canParse(value)) return false;
  return schemes.includes(new URL(value).protocol.slice(0, -1));
}

/** What a row of documentation says of a value. */
export const describedAs = (schema: z.ZodMiniType): string => z.globalRegistry.get(schema)?.description ?? '';
