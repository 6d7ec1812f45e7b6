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
import { type Coerce, CoercionErrors, leaves } from '../../core/fields/leaves.ts';

type Variables = Readonly<Record<string, unknown>> | null | undefined;

/** How a scalar is read, in variables and in documents. The SDL has its name and description. */
type ScalarInput = Pick<GraphQLScalarType, 'parseValue' | 'parseLiteral'>;

function scalarInput(name: string, coerce: Coerce): ScalarInput {
  const parse = (value: unknown, node?: ValueNode): unknown => {
    const errors = new CoercionErrors();
    const coerced = coerce(value, errors);
    const [first] = errors.issues;
    if (!first) return coerced;
    // Entries of a map that do not fit are reported by their keys.
    const keys = errors.issues.flatMap(({ path }) => path);
    throw new GraphQLError(first.message, { nodes: node, ...(keys.length > 0 && { extensions: { keys } }) });
  };
  // JSON knows no enum values: in a free JSON object they are strings, elsewhere they fit nothing.
  const enumValue = name === 'JSONObject' ? String : Symbol;
  return {
    parseValue: (value) => parse(value),
    parseLiteral: (node, variables) => parse(plainValue(node, variables, enumValue), node),
  };
}

/** A literal as JSON. A variable that was not sent leaves its field out. */
function plainValue(node: ValueNode, variables: Variables, enumValue: (name: string) => unknown): unknown {
  switch (node.kind) {
    case Kind.OBJECT: {
      const fields = node.fields.map(
        ({ name, value }) => [name.value, plainValue(value, variables, enumValue)] as const,
      );
      return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
    }
    case Kind.LIST:
      return node.values.map((value) => plainValue(value, variables, enumValue) ?? null);
    case Kind.ENUM:
      return enumValue(node.value);
    default:
      return valueFromASTUntyped(node, variables);
  }
}

/** Scalars that are written as the library writes them: it throws for a value that is none of theirs. */
const serializers: Readonly<Record<string, GraphQLScalarType['serialize']>> = {
  LocalDate: (value) => GraphQLLocalDate.serialize(value),
  JSONObject: (value) => GraphQLJSONObject.serialize(value),
};

const parseIntLiteral = GraphQLInt.parseLiteral;

/**
 * Has the scalars of a schema read by the leaves of coercion, in place: their SDL stays. Throws for a scalar without a leaf.
 * All schemas share Int, which reads whole numbers beyond 32 bits too: rules of the fields refuse these with their range.
 */
export function giveScalars(schema: GraphQLSchema): void {
  Object.assign(GraphQLInt, {
    parseValue: scalarInput('Int', leaves.Int as Coerce).parseValue,
    parseLiteral: (node) => (node.kind === Kind.INT ? Number(node.value) : parseIntLiteral(node)),
  } satisfies ScalarInput);
  const own = Object.values(schema.getTypeMap()).filter((type) => isScalarType(type) && type.astNode);
  for (const scalar of own) {
    const coerce = leaves[scalar.name];
    if (!coerce) throw new Error(`the scalar ${scalar.name} has no leaf in coercion`);
    Object.assign(
      scalar,
      scalarInput(scalar.name, coerce),
      scalar.name in serializers && { serialize: serializers[scalar.name] },
    );
  }
}
