// Creates selections from a schema, like a code generator.
import {
  buildClientSchema,
  getIntrospectionQuery,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
} from 'graphql';

export const introspection = getIntrospectionQuery();
export const schemaOf = (answer) => buildClientSchema(answer.json.data);

const hasNodeId = (type) => isObjectType(type) && type.getFields().nodeId !== undefined;

/** Selects every field of a type, recursively, without repeating a type on a path. */
export function allFields(type, ancestors = []) {
  if (!isObjectType(type) && !isInterfaceType(type)) return '';
  const fields = Object.values(type.getFields()).flatMap((field) => {
    const inner = getNamedType(field.type);
    // A nested object with a nodeId is a graph edge, which costs like a root field.
    const isEdge = hasNodeId(type) && hasNodeId(inner);
    if (ancestors.includes(inner) || field.args.length > 0 || isEdge) return [];
    if (!isCompositeType(inner)) return [field.name];
    const selection = allFields(inner, [...ancestors, type]);
    return selection === '' ? [] : [`${field.name} ${selection}`];
  });
  return fields.length === 0 ? '' : `{ ${fields.join(' ')} }`;
}
