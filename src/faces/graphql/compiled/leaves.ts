import { isEnumType, type GraphQLEnumType, type GraphQLLeafType, type GraphQLScalarType } from 'graphql';

/** Writes a value as JSON. Throws Unexpected for others, such as one of a wrong type. */
export type Write = (value: unknown) => string;

/** A value that a compiled plan cannot write or read; the GraphQL library decides what becomes of it. */
export class Unexpected extends Error {}

/** One shared error: it carries no data, and making a stack for each would cost more than the writing so far. */
const unexpectedValue = new Unexpected();
export const unexpected = (): never => {
  throw unexpectedValue;
};

/** Writes the values of a scalar or an enum. */
export function leafWriter(type: GraphQLLeafType): Write {
  if (isEnumType(type)) return enumWriter(type);
  return builtIn[type.name] ?? scalarWriter(type);
}

/** Characters that JSON.stringify escapes. */
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/;
/** Above this length JSON.stringify is faster than a check for escapes. */
const longString = 100;

const writeString: Write = (value) => {
  if (typeof value !== 'string') return unexpected();
  return value.length > longString || escaped.test(value) ? JSON.stringify(value) : `"${value}"`;
};

const writeInt: Write = (value) =>
  typeof value === 'number' && (value | 0) === value ? String(value) : unexpected();
const writeBoolean: Write = (value) => (value === true ? 'true' : value === false ? 'false' : unexpected());

/** Writers of the built-in scalars, for values that need no conversion. */
const builtIn: Readonly<Record<string, Write>> = {
  String: writeString,
  ID: writeString,
  Int: writeInt,
  Boolean: writeBoolean,
};

function enumWriter(type: GraphQLEnumType): Write {
  const texts = new Map<unknown, string>(
    type.getValues().map(({ name, value }) => [value, JSON.stringify(name)]),
  );
  return (value) => texts.get(value) ?? unexpected();
}

function scalarWriter(type: GraphQLScalarType): Write {
  return (value) => {
    if (typeof value === 'function' || value instanceof Error || isPromise(value)) return unexpected();
    const serialized = type.serialize(value);
    if (serialized === null || serialized === undefined) return unexpected();
    return typeof serialized === 'string'
      ? writeString(serialized)
      : (JSON.stringify(serialized) ?? unexpected());
  };
}

export const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as { readonly then?: unknown }).then === 'function';
