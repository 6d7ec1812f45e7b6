import { isEnumType, type GraphQLEnumType, type GraphQLLeafType, type GraphQLScalarType } from 'graphql';

/** Writes a value as JSON. Throws for one that is not written here, such as one of a wrong type. */
export type Write = (value: unknown) => string;

/** A value is not as expected. What it comes to is for the GraphQL library to say. */
export class Unexpected extends Error {}

/** One object for all: it carries nothing, and a stack would cost more than what was written so far. */
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
/** Above this length JSON.stringify is faster than looking first. */
const longString = 100;

const writeString: Write = (value) => {
  if (typeof value !== 'string') return unexpected();
  return value.length > longString || escaped.test(value) ? JSON.stringify(value) : `"${value}"`;
};

const writeInt: Write = (value) => (typeof value === 'number' && (value | 0) === value ? String(value) : unexpected());
const writeBoolean: Write = (value) => (value === true ? 'true' : value === false ? 'false' : unexpected());

/** Of the values that the types of the language take, those that are sent as they are. */
const builtIn: Readonly<Record<string, Write>> = {
  String: writeString,
  ID: writeString,
  Int: writeInt,
  Boolean: writeBoolean,
};

function enumWriter(type: GraphQLEnumType): Write {
  const texts = new Map<unknown, string>(type.getValues().map(({ name, value }) => [value, JSON.stringify(name)]));
  return (value) => texts.get(value) ?? unexpected();
}

function scalarWriter(type: GraphQLScalarType): Write {
  return (value) => {
    if (typeof value === 'function' || value instanceof Error || isPromise(value)) return unexpected();
    const serialized = type.serialize(value);
    if (serialized === null || serialized === undefined) return unexpected();
    return typeof serialized === 'string' ? writeString(serialized) : (JSON.stringify(serialized) ?? unexpected());
  };
}

export const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { readonly then?: unknown }).then === 'function';
