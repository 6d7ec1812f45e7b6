import * as z from 'zod/mini';
import { countCharacters, isLonger } from '../text/characters.ts';
import { emailProblem, isEmail } from '../text/email.ts';

/** Reason of a zod refinement, and the values named in its message. */
export interface RefinementParams {
  readonly reason?: string;
  readonly params?: Readonly<Record<string, string | number>>;
}

/** Maximum characters of values by schema, which zod does not reveal. */
const maxLengthBySchema = new WeakMap<z.ZodMiniType, number>();

/** Returns the limit of characters in a value; Infinity if there is none. */
export const maxLengthOf = (schema: z.ZodMiniType | undefined): number =>
  (schema && maxLengthBySchema.get(schema)) ?? Infinity;

function withMaxLength<S extends z.ZodMiniType>(schema: S, max: number): S {
  maxLengthBySchema.set(schema, max);
  return schema;
}

/** Schema of a string of at most `max` characters (Unicode code points). */
export const text = (max: number) =>
  withMaxLength(
    z.string().check(
      z.refine((value) => !isLonger(value, max), {
        error: ({ input }) => {
          const actual = countCharacters(input as string);
          return `This has ${actual} characters; at most ${max} are allowed. Shorten it.`;
        },
        params: { reason: 'tooLong', max },
      }),
      z.describe(`at most ${max} characters`),
    ),
    max,
  );

export const flag = z.boolean();

export const email = z.string().check(
  z.refine(isEmail, {
    error: ({ input }) => emailProblem(String(input)),
    params: { reason: 'invalid' },
  }),
  z.describe('an address as in RFC 5322, at most 254 octets'),
);

export const integer = (min: number, max: number) =>
  z.number().check(
    z.refine((value) => Number.isInteger(value) && value >= min && value <= max, {
      error: `This must be a whole number from ${min} to ${max}.`,
      params: { reason: 'invalid', params: { min, max } },
    }),
    z.describe(`${min} to ${max}`),
  );

/** Largest value of GraphQL's `Int`. */
export const maxInt32 = 2_147_483_647;

/** Outer white space and control characters: the URL parser drops them, but they would stay in the stored string. */
const droppedByUrlParserPattern = /^\s|\s$|\p{Cc}/u;

/** Schema of an absolute URL with one of these schemes, of at most `max` characters. */
export const url = (schemes: readonly string[], max: number) =>
  withMaxLength(
    text(max).check(
      z.refine((value) => hasScheme(value, schemes), {
        error: `This must be an absolute URL that starts with ${schemes.join(': or ')}:.`,
        params: { reason: 'invalid' },
      }),
      z.describe(`${schemes.join(': or ')}:, at most ${max} characters`),
    ),
    max,
  );

function hasScheme(value: string, schemes: readonly string[]): boolean {
  if (droppedByUrlParserPattern.test(value) || !URL.canParse(value)) return false;
  return schemes.includes(new URL(value).protocol.slice(0, -1));
}

/** Description of a schema's values, for documentation; '' if it has none. */
export const descriptionOf = (schema: z.ZodMiniType): string =>
  z.globalRegistry.get(schema)?.description ?? '';
