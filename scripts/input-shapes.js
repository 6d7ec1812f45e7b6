import { getNamedType, isEnumType, isInputObjectType } from 'graphql';
import { sortBySdlOrder } from './sdl-order.js';

/** Input types to write; types that they use are written as well. */
const rootInputs = ['EventInput', 'NotificationInput', 'AttendeeChangesInput'];

/** Plugin of graphql-codegen that writes input types as data, for validation without GraphQL. */
export function plugin(schema) {
  const fieldsByInput = {};
  const valuesByEnum = {};
  const addType = (type) => {
    if (isEnumType(type)) valuesByEnum[type.name] = sortBySdlOrder(type.getValues()).map(({ name }) => name);
    if (!isInputObjectType(type) || type.name in fieldsByInput) return;
    const fields = sortBySdlOrder(Object.values(type.getFields()));
    fieldsByInput[type.name] = Object.fromEntries(fields.map((field) => [field.name, String(field.type)]));
    for (const field of fields) addType(getNamedType(field.type));
  };
  for (const name of rootInputs) addType(schema.getType(name));
  return [
    '/** The fields of each input type and their types, as the SDL writes them. */',
    `export const inputFields: Readonly<Record<string, Readonly<Record<string, string>>>> = ${JSON.stringify(fieldsByInput, null, 2)};`,
    '/** The values of each enum in them. */',
    `export const enumValues: Readonly<Record<string, readonly string[]>> = ${JSON.stringify(valuesByEnum, null, 2)};`,
    '',
  ].join('\n');
}
