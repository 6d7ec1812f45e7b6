import { readdirSync, readFileSync } from 'node:fs';
import { printSchemaWithDirectives } from '@graphql-tools/utils';
import {
  buildASTSchema,
  type DocumentNode,
  getDirectiveValues,
  getNamedType,
  type GraphQLArgument,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
  Kind,
  type NameNode,
  parse,
} from 'graphql';
import type { ScopeRule } from '../../access/permissions.ts';
import { invalidInput } from '../../core/errors.ts';
import { type Coerce, CoercionErrors } from '../../core/fields/leaves.ts';
import { isFields } from '../../core/patch.ts';
import type { Operations } from '../../operations/operation.ts';
import type { Declaration, ReadArguments } from '../../operations/runner.ts';
import { resolveEdges } from './edges.ts';
import { createGraphOperations, edgeOf, nodeTypeOf } from './graph.ts';
import { coerceNamed, coercerOf } from './input/variable-reader.ts';
import { reportField, serveReport } from './notes.ts';
import { costOf, createCostModel, type RootCost, sizeOf } from './request/cost.ts';
import type { SelectedField } from './request/selected-fields.ts';
import { resolveRootFields, type RootField, rootFields, supportsDryRun } from './root-fields.ts';
import { giveScalars } from './scalars.ts';

const folder = new URL('../../../schema/', import.meta.url);

/** Files in `schema/` that are no part of the schema: directives for federation, and the schema as it was released. */
const beside = ['federation.graphql', 'released.graphql'];

/** The SDL of the files in `schema/` that make up the schema. */
export function readTypeDefs(): string[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.graphql') && !beside.includes(name));
  return files.sort().map(readSdl);
}

/** The SDL of one file in `schema/`. */
const readSdl = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

/** The SDL that composers of federated graphs take. */
export const subgraphSdl = (): string => [...readTypeDefs(), readSdl('federation.graphql')].join('\n');

/** A schema as SDL, with its descriptions and directives. */
export const printSdl = (schema: GraphQLSchema): string => `${printSchemaWithDirectives(schema)}\n`;

/** The executable schema, and the scope rules of its fields: of root fields by name, of others by type and name (`Viewer.calendars`). */
export interface Gateway {
  readonly schema: GraphQLSchema;
  readonly scopeRules: ReadonlyMap<string, ScopeRule>;
}

/** Throws when a root field has no scope rule or no operation. Without operations the schema cannot be executed. */
export function createGateway(
  operations?: Operations,
  typeDefs: readonly string[] = readTypeDefs(),
): Gateway {
  const schema = buildFromSdl(typeDefs.join('\n'));
  giveScalars(schema);
  const fields = rootFields(schema);
  fields.delete(serviceField);
  const scopeRules = readScopeRules(schema, fields);
  if (operations) {
    const all = { ...operations, ...createGraphOperations(operations, scopeRules) };
    resolveRootFields(new Map([...fields].filter(([name]) => name !== reportField)), all);
    const report = fields.get(reportField);
    if (report) serveReport(report);
  }
  resolveEdges(schema, operations);
  const node = schema.getType('Node');
  if (isInterfaceType(node)) node.resolveType = nodeTypeOf as typeof node.resolveType;
  return { schema, scopeRules };
}

/** Parsed and valid documents by their SDL: a process with many gateways parses and validates each once. */
const validDocuments = new Map<string, DocumentNode>();

function buildFromSdl(sdl: string): GraphQLSchema {
  const valid = validDocuments.get(sdl);
  if (valid) return buildASTSchema(valid, { assumeValidSDL: true });
  const document = parse(sdl);
  const schema = buildASTSchema(document);
  validDocuments.set(sdl, document);
  return schema;
}

/** Reads the rules of all fields, and adds them to their descriptions. Throws for a root field without one. */
function readScopeRules(
  schema: GraphQLSchema,
  fields: ReadonlyMap<string, RootField>,
): ReadonlyMap<string, ScopeRule> {
  const rules = new Map<string, ScopeRule>();
  const open: string[] = [];
  for (const [path, field] of fields) {
    const rule = ruleOf(schema, field);
    if (rules.has(field.name))
      throw new Error(`there are two root fields ${field.name}: operations are known by their names`);
    if (rule) rules.set(field.name, rule);
    else open.push(path);
  }
  if (open.length > 0)
    throw new Error(`these root fields have no @requiresScopes or @authenticated: ${open.join(', ')}`);
  const roots = new Set(fields.values());
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType))
    for (const field of Object.values(type.getFields())) {
      const rule = ruleOf(schema, field);
      if (!rule) continue;
      if (!roots.has(field)) rules.set(`${type.name}.${field.name}`, rule);
      field.description = [field.description, scopeSentence(rule)].filter(Boolean).join('\n\n');
    }
  return rules;
}

/** The rule that a field declares: `@authenticated` is any token. Undefined for none, and for one that would open the field to all. */
function ruleOf(schema: GraphQLSchema, { astNode }: RootField): ScopeRule | undefined {
  const valuesOf = (name: string): Readonly<Record<string, unknown>> | undefined => {
    const directive = schema.getDirective(name);
    return (directive && astNode && getDirectiveValues(directive, astNode)) ?? undefined;
  };
  if (valuesOf('authenticated')) return [[]];
  const rule = valuesOf('requiresScopes')?.scopes as ScopeRule | undefined;
  return rule?.length && rule.every((all) => all.length > 0) ? rule : undefined;
}

/** The sentence about scopes in a field's description: introspection shows no directives. */
function scopeSentence(rule: ScopeRule): string {
  if (rule.every((all) => all.length === 0)) return 'Needs a token, with any scope.';
  const alternatives = rule.map((all) => all.map((scope) => `\`${scope}\``).join(' and '));
  return alternatives.length === 1
    ? `Needs the scope ${alternatives[0]}.`
    : `Needs one of these scopes: ${alternatives.join(', or ')}.`;
}

/** The root field that gives a router the SDL of a subgraph (Apollo Federation, subgraph specification). */
const serviceField = 'Query._service';

/** The fields of a subgraph beside its own schema. It has no entities, so there is no `_entities`. */
export const serviceTypeDefs = `
"""What a router of a federated graph needs to know of this subgraph."""
type _Service {
  """The SDL of the subgraph with its Federation directives."""
  sdl: String!
}

extend type Query {
  """The subgraph as a router of a federated graph composes it. Open to whoever may introspect."""
  _service: _Service!
}
`;

/** Sets the resolver of `_service`, in place. */
export function serveSdl(schema: GraphQLSchema, sdl: string): void {
  const field = schema.getQueryType()?.getFields()._service;
  if (!field) throw new Error('the schema has no _service');
  field.resolve = () => ({ sdl });
}

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

/** A field with all fields below it, its arguments as variables of their names. `edges` beside `nodes`, which hold the same, do not count. */
function wholeField(
  { name, type }: RootField,
  args: readonly GraphQLArgument[] = [],
  above: readonly string[] = [],
): SelectedField {
  const named = getNamedType(type);
  const fields = isObjectType(named) ? named.getFields() : {};
  const counted = Object.values(fields).filter(
    (field) =>
      !(field.name === 'edges' && 'nodes' in fields) &&
      !edgeOf(field) &&
      !above.includes(getNamedType(field.type).name),
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
