// Selections made from a schema, as a code generator makes them.
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

/** Every field of a type, those of the types below it included, each type once on a way down. */
export function allFields(type, above = []) {
  if (!isObjectType(type) && !isInterfaceType(type)) return '';
  const fields = Object.values(type.getFields()).flatMap((field) => {
    const inner = getNamedType(field.type);
    // An object with a nodeId below another one is an edge, which costs like a root field.
    const isEdge = hasNodeId(type) && hasNodeId(inner);
    if (above.includes(inner) || field.args.length > 0 || isEdge) return [];
    if (!isCompositeType(inner)) return [field.name];
    const selection = allFields(inner, [...above, type]);
    return selection === '' ? [] : [`${field.name} ${selection}`];
  });
  return fields.length === 0 ? '' : `{ ${fields.join(' ')} }`;
}
