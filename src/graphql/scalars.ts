import { GraphQLError, GraphQLScalarType, Kind, valueFromASTUntyped, type ObjectValueNode, type ValueNode } from 'graphql';
import { GraphQLLocalDate } from 'graphql-scalars';
import { isFields } from '../core/patch.ts';
import { parseDateTime } from '../core/rfc3339.ts';

type Variables = Readonly<Record<string, unknown>> | null | undefined;

const refuse = (message: string, nodes?: ValueNode, keys?: readonly string[]): GraphQLError =>
  new GraphQLError(message, { nodes, extensions: keys && { keys } });

/** A scalar that is text in one form, kept as it was written. */
function textScalar(name: string, check: (text: string) => string | undefined): GraphQLScalarType<string, string> {
  const parse = (value: unknown, node?: ValueNode): string => {
    if (typeof value !== 'string') throw refuse(`${name} must be a text.`, node);
    const problem = check(value);
    if (problem) throw refuse(problem, node);
    return value;
  };
  return new GraphQLScalarType<string, string>({
    name,
    serialize: (value) => String(value),
    parseValue: (value) => parse(value),
    parseLiteral: (node) => parse(node.kind === Kind.STRING ? node.value : undefined, node),
  });
}

const dateTime = textScalar('DateTime', (text) =>
  parseDateTime(text)?.offset ? undefined : 'DateTime must be an RFC 3339 time with an offset, such as 2026-05-04T09:30:00Z.',
);

const zonedDateTime = textScalar('ZonedDateTime', (text) =>
  parseDateTime(text)
    ? undefined
    : 'dateTime must be an RFC 3339 time such as 2026-05-04T09:30:00+02:00; without the offset it needs a timeZone beside it.',
);

const scope = textScalar('Scope', () => undefined);

/** A JSON object of texts. A null value passes here: what it does is decided where the map is used. */
const stringMap = new GraphQLScalarType<Record<string, string | null>, Record<string, string>>({
  name: 'StringMap',
  serialize: (value) => value as Record<string, string>,
  parseValue: (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw notAMap();
    return mapOf(Object.entries(value));
  },
  parseLiteral: (node, variables) => {
    if (node.kind !== Kind.OBJECT) throw notAMap(node);
    return mapOf(literalEntries(node, variables), node);
  },
});

/** The entries of a literal map; one whose variable was not sent is not there. */
function literalEntries(node: ObjectValueNode, variables: Variables): [string, unknown][] {
  return node.fields.flatMap(({ name, value }): [string, unknown][] => {
    if (value.kind === Kind.NULL) return [[name.value, null]];
    if (value.kind === Kind.STRING) return [[name.value, value.value]];
    if (value.kind !== Kind.VARIABLE) return [[name.value, undefined]];
    const given = variables?.[value.name.value];
    return given === undefined ? [] : [[name.value, given]];
  });
}

function mapOf(entries: readonly [string, unknown][], node?: ValueNode): Record<string, string | null> {
  const wrong = entries.filter(([key, value]) => key === '__proto__' || (typeof value !== 'string' && value !== null));
  if (wrong.length > 0) {
    const message = 'Every value of a StringMap must be a text, and __proto__ cannot be a key.';
    throw refuse(message, node, wrong.map(([key]) => key));
  }
  return Object.fromEntries(entries) as Record<string, string | null>;
}

const notAMap = (node?: ValueNode): GraphQLError => refuse('StringMap must be a JSON object whose values are texts.', node);

/** A JSON object, kept as it was sent. */
const jsonObject = new GraphQLScalarType<Readonly<Record<string, unknown>>>({
  name: 'JSONObject',
  parseValue: (value) => jsonOf(value),
  parseLiteral: (node, variables) => jsonOf(valueFromASTUntyped(node, variables), node),
});

function jsonOf(value: unknown, node?: ValueNode): Readonly<Record<string, unknown>> {
  if (!isFields(value)) throw refuse('JSONObject must be a JSON object.', node);
  const inexact = Object.keys(value).filter((key) => isInexact(value[key]));
  const message = 'This holds a number that would not stay as it is (beyond 2^53, or endless like 1e400). Send it as a text.';
  if (inexact.length > 0) throw refuse(message, node, inexact);
  return value;
}

function isInexact(value: unknown): boolean {
  if (typeof value !== 'number') return typeof value === 'object' && value !== null && Object.values(value).some(isInexact);
  return !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value));
}

export const scalars = {
  DateTime: dateTime,
  JSONObject: jsonObject,
  LocalDate: GraphQLLocalDate,
  Scope: scope,
  StringMap: stringMap,
  ZonedDateTime: zonedDateTime,
};
