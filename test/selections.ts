import { isObjectType, type GraphQLOutputType, type GraphQLSchema } from 'graphql';
import { edgeRows } from '../src/faces/graphql/graph.ts';
import { createGateway } from '../src/faces/graphql/schema.ts';

/** A selection of every field of a type, at every level, without the edges of the graph: these go round in circles. */
export function everyField(typeName: string, schema: GraphQLSchema = createGateway().schema): string {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) throw new Error(`${typeName} is no object type`);
  const fields = Object.values(type.getFields()).flatMap((field) => {
    if (`${typeName}.${field.name}` in edgeRows) return [];
    const inner = nameOf(field.type);
    return [isObjectType(schema.getType(inner)) ? `${field.name} ${everyField(inner, schema)}` : field.name];
  });
  return `{ ${fields.join(' ')} }`;
}

const nameOf = (type: GraphQLOutputType): string => String(type).replace(/[[\]!]/g, '');
