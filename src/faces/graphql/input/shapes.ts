import { isEnumType, isInputObjectType, type GraphQLNamedType, type GraphQLSchema } from 'graphql';
import { Coercer, type InputShapes } from '../../../core/coercion/coercer.ts';
import { officialNames } from '../../../official/names.ts';

const coercers = new WeakMap<GraphQLSchema, Coercer>();

/** The coercer of a schema's input types, made once for each schema. */
export function coercerOf(schema: GraphQLSchema): Coercer {
  let coercer = coercers.get(schema);
  if (!coercer) coercers.set(schema, (coercer = new Coercer(inputShapes(schema), officialNames)));
  return coercer;
}

/** Throws for what coercion does not know: enums whose values are not their names, and `@oneOf`. */
export function inputShapes(schema: GraphQLSchema): InputShapes {
  const types = Object.values(schema.getTypeMap());
  const inputs = types.filter(isInputObjectType).map((type) => {
    if (type.isOneOf) throw new Error(`the input type ${type.name} is @oneOf, which is not supported`);
    return [type.name, Object.values(type.getFields())] as const;
  });
  return {
    inputFields: Object.fromEntries(
      inputs.map(([name, fields]) => [
        name,
        Object.fromEntries(fields.map((field) => [field.name, String(field.type)])),
      ]),
    ),
    enumValues: Object.fromEntries(types.filter(isEnumType).map((type) => [type.name, valueNames(type)])),
    defaults: Object.fromEntries(
      inputs.map(([name, fields]) => [
        name,
        Object.fromEntries(fields.map((field) => [field.name, field.defaultValue])),
      ]),
    ),
  };
}

function valueNames(type: Extract<GraphQLNamedType, { getValues: unknown }>): string[] {
  return type.getValues().map(({ name, value }) => {
    if (value !== name)
      throw new Error(`the value ${type.name}.${name} has another value inside, which is not supported`);
    return name;
  });
}
