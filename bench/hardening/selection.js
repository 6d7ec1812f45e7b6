// Creates selections from a schema, like a code generator.
import {
  buildClientSchema,
  getIntrospectionQuery,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
} from 'graphql';

export const introspectionQuery = getIntrospectionQuery();
/** Builds the schema from the response to the introspection query. */
export const buildIntrospectedSchema = (response) => buildClientSchema(response.json.data);

const hasNodeId = (type) => isObjectType(type) && type.getFields().nodeId !== undefined;

/** Selects every field of a type, recursively, without repeating a type on a path. */
export function buildFullSelection(type, ancestors = []) {
  if (!isObjectType(type) && !isInterfaceType(type)) return '';
  const fields = Object.values(type.getFields()).flatMap((field) => {
    const fieldType = getNamedType(field.type);
    // A nested object with a nodeId is a graph edge. It is left out, because it costs like a root field.
    const isEdge = hasNodeId(type) && hasNodeId(fieldType);
    if (ancestors.includes(fieldType) || field.args.length > 0 || isEdge) return [];
    if (!isCompositeType(fieldType)) return [field.name];
    const selection = buildFullSelection(fieldType, [...ancestors, type]);
    return selection === '' ? [] : [`${field.name} ${selection}`];
  });
  return fields.length === 0 ? '' : `{ ${fields.join(' ')} }`;
}
