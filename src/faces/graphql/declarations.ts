import {
  getNamedType,
  isLeafType,
  isObjectType,
  parse,
  type DocumentNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { ScopeRule } from '../../access/scopes.ts';
import { coercionError, CoercionErrors } from '../../core/coercion/coercion-errors.ts';
import { invalidInput } from '../../core/kernel/errors.ts';
import { isFields } from '../../core/kernel/patch.ts';
import type { Declaration, ReadArguments } from '../../operations/runner.ts';
import { coercerOf } from './input/shapes.ts';
import { createCostReader } from './request/cost.ts';
import { sizeOf } from './request/size.ts';
import { canDryRun, rootFields, type RootField } from './root-fields.ts';
import type { Gateway } from './schema.ts';

/** Scopes, arguments and cost of each operation as the schema declares them, for faces without documents. */
export function declarationsOf({ schema, scopeRules }: Gateway): ReadonlyMap<string, Declaration> {
  const costOf = createCostReader(schema);
  const declare = (path: string, field: RootField, scopes: ScopeRule): Declaration => {
    let whole: { readonly document: DocumentNode; readonly operation: OperationDefinitionNode } | undefined;
    let read: Declaration['readArguments'] | undefined;
    return {
      scopes,
      canDryRun: (args) => canDryRun(field, args),
      readArguments: (args) => (read ??= argumentsReader(schema, field))(args),
      costOf(args) {
        whole ??= wholeDocument(path, field);
        return costOf(whole.document, whole.operation, args, sizeOf(args));
      },
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
  const known = new Map(
    args.map(({ name, type, defaultValue }) => [
      name,
      { coerce: coercerOf(schema).for(String(type)), defaultValue },
    ]),
  );
  return (given) => {
    if (!isFields(given))
      throw invalidInput([
        { path: [], reason: 'invalid', message: 'The arguments must be one JSON object.' },
      ]);
    const errors = new CoercionErrors();
    for (const name of Object.keys(given))
      if (!known.has(name))
        errors.addAt(name, 'invalid', `${operation} has no argument ${name.slice(0, 100)}.`);
    const read: Record<string, unknown> = {};
    for (const [name, { coerce, defaultValue }] of known) {
      const value = Object.hasOwn(given, name) ? given[name] : undefined;
      if (value === undefined && defaultValue !== undefined) read[name] = defaultValue;
      else {
        const coerced = errors.at(name, coerce, value);
        if (value !== undefined && coerced !== coercionError) read[name] = coerced;
      }
    }
    return { args: read, issues: errors.issues };
  };
}

/** A document for an operation that selects all fields, with all arguments as variables of their names. */
function wholeDocument(
  path: string,
  { name, args, type }: RootField,
): { readonly document: DocumentNode; readonly operation: OperationDefinitionNode } {
  const kind = path.slice(0, path.indexOf('.')).toLowerCase();
  const list = (entries: readonly string[]): string => (entries.length > 0 ? `(${entries.join(', ')})` : '');
  const variables = list(args.map((argument) => `$${argument.name}: ${String(argument.type)}`));
  const document = parse(
    `${kind} ${variables} { ${name}${list(args.map((argument) => `${argument.name}: $${argument.name}`))} ${selectionOf(getNamedType(type))} }`,
  );
  return { document, operation: document.definitions[0] as OperationDefinitionNode };
}

/** All fields of a type. The entries of a connection count once: `edges` hold what `nodes` do. */
function selectionOf(type: GraphQLNamedType, above: readonly string[] = []): string {
  if (isLeafType(type) || !isObjectType(type)) return '';
  const fields = Object.values(type.getFields());
  const names = new Set(fields.map(({ name }) => name));
  const counted = fields.filter(
    (field) =>
      !(field.name === 'edges' && names.has('nodes')) && !above.includes(getNamedType(field.type).name),
  );
  return `{ ${counted.map((field) => `${field.name} ${selectionOf(getNamedType(field.type), [...above, type.name])}`).join(' ')} }`;
}
