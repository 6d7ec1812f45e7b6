import { isObjectType, type GraphQLOutputType, type GraphQLSchema } from 'graphql';
import { createGateway } from '../src/faces/graphql/schema.ts';

/** A selection of every field of a type, at every level. */
export function everyField(typeName: string, schema: GraphQLSchema = createGateway().schema): string {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) throw new Error(`${typeName} is no object type`);
  const fields = Object.values(type.getFields()).map(({ name, type: of }) => {
    const inner = nameOf(of);
    return isObjectType(schema.getType(inner)) ? `${name} ${everyField(inner, schema)}` : name;
  });
  return `{ ${fields.join(' ')} }`;
}

const nameOf = (type: GraphQLOutputType): string => String(type).replace(/[[\]!]/g, '');
