import {
  getNamedType,
  isObjectType,
  Kind,
  type GraphQLArgument,
  type GraphQLSchema,
  type NameNode,
} from 'graphql';
import type { ScopeRule } from '../../access/permissions.ts';
import { CoercionErrors, type Coerce } from '../../core/coercion/leaves.ts';
import { invalidInput } from '../../core/kernel/errors.ts';
import { isFields } from '../../core/kernel/patch.ts';
import type { Declaration, ReadArguments } from '../../operations/runner.ts';
import { coercerOf } from './input/shapes.ts';
import { coerceNamed } from './input/variable-reader.ts';
import { costOf, createCostModel, sizeOf, type RootCost } from './request/cost.ts';
import type { SelectedField } from './request/selected-fields.ts';
import { supportsDryRun, rootFields, type RootField } from './root-fields.ts';
import type { Gateway } from './schema.ts';

/** Scopes, arguments and cost of each operation as the schema declares them, for faces without documents. */
export function declarationsOf({ schema, scopeRules }: Gateway): ReadonlyMap<string, Declaration> {
  const costModel = createCostModel(schema);
  const declare = (path: string, field: RootField, scopes: ScopeRule): Declaration => {
    const root = schema.getType(path.slice(0, path.indexOf('.')));
    let costs: readonly RootCost[] | undefined;
    let read: Declaration['readArguments'] | undefined;
    return {
      scopes,
      supportsDryRun: (args) => supportsDryRun(field, args),
      readArguments: (args) => (read ??= argumentsReader(schema, field))(args),
      costOf: (args) =>
        costOf((costs ??= costModel(root, [wholeField(field, field.args)])), args, sizeOf(args)),
    };
  };
  return new Map(
    [...rootFields(schema)].flatMap(([path, field]) => {
      const scopes = scopeRules.get(field.name);
      return scopes ? [[field.name, declare(path, field, scopes)] as const] : [];
    }),
  );
}

function argumentsReader(
  schema: GraphQLSchema,
  { args, name: operation }: RootField,
): (given: unknown) => ReadArguments {
  const readers = new Map(
    args.map(({ name, type, defaultValue }) => {
      const coerce = coercerOf(schema).for(String(type));
      const read: Coerce = (value, errors) =>
        (value === undefined ? defaultValue : undefined) ?? coerce(value, errors);
      return [name, read];
    }),
  );
  return (given) => {
    if (!isFields(given))
      throw invalidInput([
        { path: [], reason: 'invalid', message: 'The arguments must be one JSON object.' },
      ]);
    const errors = new CoercionErrors();
    for (const name of Object.keys(given))
      if (!readers.has(name))
        errors.addAt(name, 'invalid', `${operation} has no argument ${name.slice(0, 100)}.`);
    return { args: coerceNamed(readers, given, errors), issues: errors.issues };
  };
}

const nameNode = (value: string): NameNode => ({ kind: Kind.NAME, value });

/**
 * A field as if all fields below it were selected, with arguments as variables of their names. The entries of a connection
 * count once: `edges` hold what `nodes` do.
 */
function wholeField(
  { name, type }: RootField,
  args: readonly GraphQLArgument[] = [],
  above: readonly string[] = [],
): SelectedField {
  const named = getNamedType(type);
  const fields = isObjectType(named) ? named.getFields() : {};
  const counted = Object.values(fields).filter(
    (field) =>
      !(field.name === 'edges' && 'nodes' in fields) && !above.includes(getNamedType(field.type).name),
  );
  const argumentNodes = args.map((arg) => {
    const argument = nameNode(arg.name);
    return { kind: Kind.ARGUMENT, name: argument, value: { kind: Kind.VARIABLE, name: argument } } as const;
  });
  return {
    node: { kind: Kind.FIELD, name: nameNode(name), arguments: argumentNodes },
    key: name,
    condition: undefined,
    fields: counted.map((field) => wholeField(field, [], [...above, named.name])),
  };
}
