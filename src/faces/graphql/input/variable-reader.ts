import {
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
import type { Issue, Warning } from '../../../core/errors.ts';
import { Coercer, type InputShapes } from '../../../core/fields/coerce.ts';
import { type Coerce, coercionError, CoercionErrors, type Suggest } from '../../../core/fields/leaves.ts';
import { officialNames } from '../../../google/names.ts';

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

export type Variables = Readonly<Record<string, unknown>>;

interface CoercedVariables {
  /** The variables that fit. */
  readonly values: Variables;
  /** Paths start with the name of the variable. */
  readonly issues: readonly Issue[];
  /** Warnings of dropped fields, with the same paths. */
  readonly warnings: readonly Warning[];
}

/** Coerces the variables of an operation whose document fits the schema. */
export type VariableReader = (sent: Variables, suggest?: Suggest) => CoercedVariables;

export function createVariableReader(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
): VariableReader {
  const readers = new Map(
    variableDefinitions.map((definition) => [definition.variable.name.value, readerOf(schema, definition)]),
  );
  return (sent, suggest) => {
    const errors = new CoercionErrors(undefined, suggest);
    const values = coerceNamed(readers, sent, errors);
    return { values, issues: errors.issues, warnings: errors.warnings };
  };
}

/** Coerces values by their names. Those that were not sent and have no default are absent, and those that do not fit. */
export function coerceNamed(
  readers: ReadonlyMap<string, Coerce>,
  sent: Variables,
  errors: CoercionErrors,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, read] of readers) {
    const value = errors.at(name, read, Object.hasOwn(sent, name) ? sent[name] : undefined);
    if (value !== undefined && value !== coercionError) values[name] = value;
  }
  return values;
}

function readerOf(
  schema: GraphQLSchema,
  { variable, type: typeNode, defaultValue }: VariableDefinitionNode,
): Coerce {
  const type = print(typeNode);
  const given = coercerOf(schema).for(type);
  const coerce: Coerce = !type.endsWith('!')
    ? given
    : (value, errors) =>
        value === null || value === undefined
          ? errors.add('required', `$${variable.name.value} needs a value of type ${type}.`)
          : given(value, errors);
  if (!defaultValue)
    return type.endsWith('!')
      ? coerce
      : (value, errors) => (value === undefined ? undefined : coerce(value, errors));
  const inputType = typeFromAST(schema, typeNode);
  // The default is made anew for each request, so that no two share it.
  return (value, errors) =>
    value === undefined && isInputType(inputType)
      ? valueFromAST(defaultValue, inputType)
      : coerce(value, errors);
}
