import { inSdlOrder } from './sdl-order.js';
import { getNamedType, isEnumType, isInputObjectType } from 'graphql';

const roots = ['EventInput', 'NotificationInput', 'AttendeeChangesInput'];

/** Plugin of graphql-codegen that writes input types as data, for validation without GraphQL. */
export function plugin(schema) {
  const objects = {};
  const enums = {};
  const visit = (type) => {
    if (isEnumType(type)) enums[type.name] = inSdlOrder(type.getValues()).map(({ name }) => name);
    if (!isInputObjectType(type) || type.name in objects) return;
    const fields = inSdlOrder(Object.values(type.getFields()));
    objects[type.name] = Object.fromEntries(fields.map((field) => [field.name, String(field.type)]));
    for (const field of fields) visit(getNamedType(field.type));
  };
  for (const name of roots) visit(schema.getType(name));
  return [
    '/** The fields of each input type and their types, as the SDL writes them. */',
    `export const inputFields: Readonly<Record<string, Readonly<Record<string, string>>>> = ${JSON.stringify(objects, null, 2)};`,
    '/** The values of each enum in them. */',
    `export const enumValues: Readonly<Record<string, readonly string[]>> = ${JSON.stringify(enums, null, 2)};`,
    '',
  ].join('\n');
}
