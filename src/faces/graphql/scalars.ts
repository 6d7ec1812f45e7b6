import {
  GraphQLError,
  isScalarType,
  Kind,
  valueFromASTUntyped,
  type GraphQLScalarType,
  type GraphQLSchema,
  type ObjectValueNode,
  type ValueNode,
} from 'graphql';
import { GraphQLLocalDate } from 'graphql-scalars';
import { isFields } from '../../core/kernel/patch.ts';
import { isDate, parseDateTime } from '../../core/text/rfc3339.ts';

/** How a scalar of the SDL is read and written; its name and description stand there. */
type ScalarForm = Pick<GraphQLScalarType, 'serialize' | 'parseValue' | 'parseLiteral'>;

type Variables = Readonly<Record<string, unknown>> | null | undefined;

const refuse = (message: string, nodes?: ValueNode, extensions?: { readonly keys: readonly string[] }): GraphQLError =>
  new GraphQLError(message, { nodes, extensions });

/** A scalar that is a string in one form, kept as it was written. */
function stringScalar(fits: (value: string) => boolean, message: string): ScalarForm {
  const parse = (value: unknown, node?: ValueNode): string => {
    if (typeof value !== 'string' || !fits(value)) throw refuse(message, node);
    return value;
  };
  return {
    serialize: (value) => String(value),
    parseValue: (value) => parse(value),
    parseLiteral: (node) => parse(node.kind === Kind.STRING ? node.value : undefined, node),
  };
}

const dateTime = stringScalar(
  (value) => Boolean(parseDateTime(value)?.offset),
  'DateTime must be a string: an RFC 3339 time with an offset, such as 2026-05-04T09:30:00Z.',
);

const zonedDateTime = stringScalar(
  (value) => parseDateTime(value) !== null,
  'dateTime must be a string: an RFC 3339 time such as 2026-05-04T09:30:00+02:00. Without the offset it needs a timeZone beside it.',
);

/** What a day is, the library knows; what is wrong with another string, we say in our own words. */
const isLocalDate = (value: string): boolean => {
  try {
    return GraphQLLocalDate.parseValue(value) === value && isDate(value);
  } catch {
    return false;
  }
};

const localDate = stringScalar(isLocalDate, 'LocalDate must be a string: a day that exists, in the form yyyy-mm-dd, such as 2026-05-04.');

const scope = stringScalar(() => true, 'A scope must be a string.');

/** A JSON object of strings. A null value passes here: what it does is decided where the map is used. */
const stringMap: ScalarForm = {
  serialize: (value) => value,
  parseValue: (value) => {
    if (!isFields(value)) throw notAMap();
    if (Object.keys(value).length > maxEntries) throw refuse(`A StringMap may have at most ${maxEntries} entries in one request. Send fewer.`);
    return mapOf(Object.entries(value));
  },
  parseLiteral: (node, variables) => {
    if (node.kind !== Kind.OBJECT) throw notAMap(node);
    return mapOf(literalEntries(node, variables), node);
  },
};

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
    const message = 'Every value of a StringMap must be a string, and __proto__ cannot be a key.';
    throw refuse(message, node, { keys: wrong.map(([key]) => key) });
  }
  return Object.fromEntries(entries) as Record<string, string | null>;
}

/** More than any map of a resource holds, and few enough to be walked many times. */
const maxEntries = 1000;

const notAMap = (node?: ValueNode): GraphQLError => refuse('StringMap must be a JSON object whose values are strings.', node);

/** A JSON object, kept as it was sent. */
const jsonObject: ScalarForm = {
  serialize: (value) => value,
  parseValue: (value) => jsonOf(value),
  parseLiteral: (node, variables) => jsonOf(valueFromASTUntyped(node, variables), node),
};

function jsonOf(value: unknown, node?: ValueNode): Readonly<Record<string, unknown>> {
  if (!isFields(value)) throw refuse('JSONObject must be a JSON object.', node);
  const inexact = Object.keys(value).filter((key) => isInexact(value[key]));
  const message = 'This holds a number that would not stay as it is (beyond 2^53, or endless like 1e400). Send it as a string.';
  if (inexact.length > 0) throw refuse(message, node, { keys: inexact });
  return value;
}

function isInexact(value: unknown): boolean {
  if (typeof value !== 'number') return typeof value === 'object' && value !== null && Object.values(value).some(isInexact);
  return !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value));
}

const forms: Readonly<Record<string, ScalarForm>> = {
  DateTime: dateTime,
  federation__Scope: scope,
  JSONObject: jsonObject,
  LocalDate: localDate,
  StringMap: stringMap,
  ZonedDateTime: zonedDateTime,
};

/** Gives the scalars of a schema their forms, in place: what the SDL says of them stays. Throws for a missing form. */
export function giveScalars(schema: GraphQLSchema): void {
  const own = Object.values(schema.getTypeMap()).filter((type) => isScalarType(type) && type.astNode);
  for (const scalar of own) {
    const form = forms[scalar.name];
    if (!form) throw new Error(`the scalar ${scalar.name} has no form`);
    Object.assign(scalar, form);
  }
}
