import {
  GraphQLError,
  GraphQLInt,
  isScalarType,
  Kind,
  valueFromASTUntyped,
  type GraphQLScalarType,
  type GraphQLSchema,
  type ValueNode,
} from 'graphql';
import { GraphQLJSONObject, GraphQLLocalDate } from 'graphql-scalars';
import { type Coerce, CoercionErrors, scalarCoercers } from '../../core/fields/scalar-coercers.ts';
import type { Fields } from '../../core/json.ts';

type Variables = Fields | null | undefined;

/** Parsers of a scalar, for variables and for literals. Name and description come from the SDL. */
type ScalarParsers = Pick<GraphQLScalarType, 'parseValue' | 'parseLiteral'>;

function createScalarParsers(name: string, coerce: Coerce): ScalarParsers {
  const parse = (value: unknown, node?: ValueNode): unknown => {
    const errors = new CoercionErrors();
    const coercedValue = coerce(value, errors);
    const [firstIssue] = errors.issues;
    if (!firstIssue) return coercedValue;
    // Invalid entries of a map are reported by their keys.
    const keys = errors.issues.flatMap(({ path }) => path);
    throw new GraphQLError(firstIssue.message, {
      nodes: node,
      ...(keys.length > 0 && { extensions: { keys } }),
    });
  };
  // Enum values are strings in a JSON object; elsewhere a symbol makes them invalid.
  const convertEnumValue = name === 'JSONObject' ? String : Symbol;
  return {
    parseValue: (value) => parse(value),
    parseLiteral: (node, variables) => parse(literalToJson(node, variables, convertEnumValue), node),
  };
}

/** Converts a literal to JSON. A field whose variable was not sent is left out. */
function literalToJson(
  node: ValueNode,
  variables: Variables,
  toEnumValue: (name: string) => unknown,
): unknown {
  switch (node.kind) {
    case Kind.OBJECT: {
      const fields = node.fields.map(
        ({ name, value }) => [name.value, literalToJson(value, variables, toEnumValue)] as const,
      );
      return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
    }
    case Kind.LIST:
      return node.values.map((value) => literalToJson(value, variables, toEnumValue) ?? null);
    case Kind.ENUM:
      return toEnumValue(node.value);
    default:
      return valueFromASTUntyped(node, variables);
  }
}

/** Serializers of graphql-scalars, which throw for invalid values. */
const serializers: Readonly<Record<string, GraphQLScalarType['serialize']>> = {
  LocalDate: (value) => GraphQLLocalDate.serialize(value),
  JSONObject: (value) => GraphQLJSONObject.serialize(value),
};

const parseIntLiteral = GraphQLInt.parseLiteral;

/** Gives the scalars of a schema the parsers of `scalarCoercers`, in place. Int is shared by all schemas; field rules check its range. */
export function configureScalars(schema: GraphQLSchema): void {
  Object.assign(GraphQLInt, {
    parseValue: createScalarParsers('Int', scalarCoercers.Int as Coerce).parseValue,
    parseLiteral: (node) => (node.kind === Kind.INT ? Number(node.value) : parseIntLiteral(node)),
  } satisfies ScalarParsers);
  const scalars = Object.values(schema.getTypeMap()).filter((type) => isScalarType(type) && type.astNode);
  for (const scalar of scalars) {
    const coerce = scalarCoercers[scalar.name];
    if (!coerce) throw new Error(`the scalar ${scalar.name} has no leaf in coercion`);
    Object.assign(
      scalar,
      createScalarParsers(scalar.name, coerce),
      scalar.name in serializers && { serialize: serializers[scalar.name] },
    );
  }
}
