import {
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInputType,
  type OperationDefinitionNode,
  print,
  typeFromAST,
  valueFromAST,
  type VariableDefinitionNode,
} from 'graphql';
import { SchemaCoercer, type InputShapes } from '../../../core/fields/coerce.ts';
import {
  type Coerce,
  coercionError,
  CoercionErrors,
  type Suggest,
} from '../../../core/fields/scalar-coercers.ts';
import { memoizeByObject } from '../../../core/memoize.ts';
import { type Fields, mapValues } from '../../../core/json.ts';
import { officialNames } from '../../../google/api-differences.ts';

/** Coercer for the input types of a schema, created once for each schema. */
export const coercerOf = memoizeByObject(
  (schema: GraphQLSchema) => new SchemaCoercer(describeInputShapes(schema), officialNames),
);

/** Describes the input types of a schema for coercion. Throws for `@oneOf` and for enums with internal values. */
export function describeInputShapes(schema: GraphQLSchema): InputShapes {
  const types = Object.values(schema.getTypeMap());
  const inputTypes = types.filter(isInputObjectType);
  for (const { name, isOneOf } of inputTypes)
    if (isOneOf) throw new Error(`the input type ${name} is @oneOf, which is not supported`);
  const mapInputFields = <T>(valueOf: (field: GraphQLInputField) => T) =>
    Object.fromEntries(inputTypes.map((type) => [type.name, mapValues(type.getFields(), valueOf)]));
  return {
    inputFields: mapInputFields(({ type }) => String(type)),
    enumValues: Object.fromEntries(types.filter(isEnumType).map((type) => [type.name, listValueNames(type)])),
    defaults: mapInputFields(({ defaultValue }) => defaultValue),
  };
}

function listValueNames(type: Extract<GraphQLNamedType, { getValues: unknown }>): string[] {
  return type.getValues().map(({ name, value }) => {
    if (value !== name)
      throw new Error(`the value ${type.name}.${name} has another value inside, which is not supported`);
    return name;
  });
}

/** Creates the function that coerces an operation's variables. */
export function createVariableReader(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
) {
  const readers = new Map(
    variableDefinitions.map((definition) => [
      definition.variable.name.value,
      createValueReader(schema, definition),
    ]),
  );
  /** Coerces the variables of a valid document. Paths of issues start with the name of the variable. */
  return (sentValues: Fields, suggest?: Suggest) => {
    const errors = new CoercionErrors(suggest);
    const values: Fields = coerceValues(readers, sentValues, errors);
    return { values, issues: errors.issues, warnings: errors.warnings };
  };
}

/** Coerces named values. Leaves out invalid values, and absent ones without a default. */
export function coerceValues(
  readers: ReadonlyMap<string, Coerce>,
  sentValues: Fields,
  errors: CoercionErrors,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, read] of readers) {
    const value = errors.coerceAt(name, read, Object.hasOwn(sentValues, name) ? sentValues[name] : undefined);
    if (value !== undefined && value !== coercionError) values[name] = value;
  }
  return values;
}

/** Creates the coercion of one variable, with its default. */
function createValueReader(
  schema: GraphQLSchema,
  { variable, type: typeNode, defaultValue }: VariableDefinitionNode,
): Coerce {
  const type = print(typeNode);
  const isRequired = type.endsWith('!');
  const coerce = coercerOf(schema).coercerFor(type);
  const inputType = typeFromAST(schema, typeNode);
  return (value, errors) => {
    // Each request gets a new default, so that requests never share an object.
    if (value === undefined && defaultValue && isInputType(inputType))
      return valueFromAST(defaultValue, inputType);
    if (isRequired && (value === null || value === undefined))
      return errors.add('required', `$${variable.name.value} needs a value of type ${type}.`);
    return value === undefined ? undefined : coerce(value, errors);
  };
}
