import { isObjectType, type GraphQLOutputType, type GraphQLSchema } from 'graphql';
import { edgeRows } from '../src/faces/graphql/graph.ts';
import { createGatewaySchema } from '../src/faces/graphql/schema.ts';

/** Selects every field of a type, at every level. Edges of the graph are left out, since they form cycles. */
export function selectEveryField(
  typeName: string,
  schema: GraphQLSchema = createGatewaySchema().schema,
): string {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) throw new Error(`${typeName} is no object type`);
  const fields = Object.values(type.getFields()).flatMap((field) => {
    const path = `${typeName}.${field.name}`;
    if (path in edgeRows || fieldsWithScopes.has(path)) return [];
    const fieldTypeName = namedTypeOf(field.type);
    return [
      isObjectType(schema.getType(fieldTypeName))
        ? `${field.name} ${selectEveryField(fieldTypeName, schema)}`
        : field.name,
    ];
  });
  return `{ ${fields.join(' ')} }`;
}

/** Fields that need another scope than the root fields that return them. */
const fieldsWithScopes: ReadonlySet<string> = new Set(['Calendar.feedUrl']);

const namedTypeOf = (type: GraphQLOutputType): string => String(type).replace(/[[\]!]/g, '');
