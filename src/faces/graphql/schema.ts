import { readdirSync, readFileSync } from 'node:fs';
import { printSchemaWithDirectives } from '@graphql-tools/utils';
import {
  buildASTSchema,
  type DocumentNode,
  type FieldNode,
  getDirectiveValues,
  getNamedType,
  type GraphQLArgument,
  type GraphQLNamedType,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
  Kind,
  type NameNode,
  parse,
} from 'graphql';
import type { ScopeRule } from '../../access/permissions.ts';
import { invalidInputError } from '../../core/errors.ts';
import { type Coerce, CoercionErrors } from '../../core/fields/scalar-coercers.ts';
import { packagePath } from '../../core/package-files.ts';
import { type Fields, isFields } from '../../core/json.ts';
import type { Operations } from '../../operations/operation.ts';
import type { OperationDeclaration } from '../../operations/runner.ts';
import type { GatewayContext } from './context.ts';
import { setEdgeResolvers } from './edges.ts';
import { createGraphOperations, edgeOf, nodeTypeOf } from './graph.ts';
import { coerceValues, coercerOf } from './input/variable-reader.ts';
import { reportField, costOf, createCostModel, sizeOf } from './request/cost.ts';
import { setRootResolvers, type RootField, listRootFields, supportsDryRun } from './root-resolvers.ts';
import { createField, type SelectedField } from './request/selected-fields.ts';
import { configureScalars } from './scalars.ts';

const schemaFolder = packagePath('schema/');

/** Files in `schema/` that are not part of the schema: directives for federation, and the released schema. */
const excludedFiles = ['federation.graphql', 'released.graphql'];

export function readTypeDefs(): string[] {
  const files = readdirSync(schemaFolder).filter(
    (name) => name.endsWith('.graphql') && !excludedFiles.includes(name),
  );
  return files.sort().map(readSdl);
}

const readSdl = (name: string): string => readFileSync(schemaFolder + name, 'utf8');

/** Returns the SDL for the composition of a federated graph. */
export const readSubgraphSdl = (): string => [...readTypeDefs(), readSdl('federation.graphql')].join('\n');

export const printSdl = (schema: GraphQLSchema): string => `${printSchemaWithDirectives(schema)}\n`;

/** The executable schema with the scope rules of its fields: root fields by name, others by type and name (`Viewer.calendars`). */
export interface GatewaySchema {
  readonly schema: GraphQLSchema;
  readonly scopeRules: ReadonlyMap<string, ScopeRule>;
}

/** Builds the schema. Without operations it cannot be executed. Throws if a root field has no scope rule or no operation. */
export function createGatewaySchema(
  operations?: Operations,
  typeDefs: readonly string[] = readTypeDefs(),
): GatewaySchema {
  const schema = buildFromSdl(typeDefs.join('\n'));
  configureScalars(schema);
  const fields = listRootFields(schema);
  const service = fields.get(serviceField);
  if (service) {
    const sdl = readSubgraphSdl();
    service.resolve = () => ({ sdl });
  }
  fields.delete(serviceField);
  const scopeRules = readScopeRules(schema, fields);
  if (operations) {
    const allOperations = { ...operations, ...createGraphOperations(operations, scopeRules) };
    setRootResolvers(new Map([...fields].filter(([name]) => name !== reportField)), allOperations);
    const report = fields.get(reportField);
    // Fields of a mutation run serially, so the reports are those of the fields before this one.
    if (report)
      report.resolve = (_root, _args, context) => (context as GatewayContext).writeReports.toReport();
  }
  setEdgeResolvers(schema, operations);
  const node = schema.getType('Node');
  if (isInterfaceType(node)) node.resolveType = nodeTypeOf as typeof node.resolveType;
  return { schema, scopeRules };
}

/** Documents of SDL that passed validation, by their text, so that each is validated once. */
const validDocuments = new Map<string, DocumentNode>();

function buildFromSdl(sdl: string): GraphQLSchema {
  const cachedDocument = validDocuments.get(sdl);
  if (cachedDocument) return buildASTSchema(cachedDocument, { assumeValidSDL: true });
  const document = parse(sdl);
  const schema = buildASTSchema(document);
  validDocuments.set(sdl, document);
  return schema;
}

/** Reads the scope rules of all fields, and adds them to the descriptions. Throws for a root field without a rule. */
function readScopeRules(
  schema: GraphQLSchema,
  fields: ReadonlyMap<string, RootField>,
): ReadonlyMap<string, ScopeRule> {
  const rules = new Map<string, ScopeRule>();
  const fieldsWithoutRule: string[] = [];
  for (const [path, field] of fields) {
    const rule = ruleOf(schema, field);
    if (rules.has(field.name))
      throw new Error(`there are two root fields ${field.name}: operations are known by their names`);
    if (rule) rules.set(field.name, rule);
    else fieldsWithoutRule.push(path);
  }
  if (fieldsWithoutRule.length > 0)
    throw new Error(
      `these root fields have no @requiresScopes or @authenticated: ${fieldsWithoutRule.join(', ')}`,
    );
  const rootFieldSet = new Set(fields.values());
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType))
    for (const field of Object.values(type.getFields())) {
      const rule = ruleOf(schema, field);
      if (!rule) continue;
      Object.assign(field.extensions, { scopeRule: rule });
      if (!rootFieldSet.has(field)) rules.set(`${type.name}.${field.name}`, rule);
      field.description = [field.description, writeScopeSentence(rule)].filter(Boolean).join('\n\n');
    }
  return rules;
}

/** Reads the rule of a field; `@authenticated` allows any token. Undefined for no rule, and for a rule that would allow everybody. */
function ruleOf(schema: GraphQLSchema, { astNode }: RootField): ScopeRule | undefined {
  const directiveValuesOf = (name: string): Fields | undefined => {
    const directive = schema.getDirective(name);
    return (directive && astNode && getDirectiveValues(directive, astNode)) ?? undefined;
  };
  if (directiveValuesOf('authenticated')) return [[]];
  const rule = directiveValuesOf('requiresScopes')?.scopes as ScopeRule | undefined;
  return rule?.length && rule.every((scopes) => scopes.length > 0) ? rule : undefined;
}

/** Writes the sentence about scopes for a field's description, since introspection does not show directives. */
function writeScopeSentence(rule: ScopeRule): string {
  if (rule.every((scopes) => scopes.length === 0)) return 'Needs a token, with any scope.';
  const alternatives = rule.map((scopes) => scopes.map((scope) => `\`${scope}\``).join(' and '));
  return alternatives.length === 1
    ? `Needs the scope ${alternatives[0]}.`
    : `Needs one of these scopes: ${alternatives.join(', or ')}.`;
}

/** Root field that returns the SDL of a subgraph to a router (Apollo Federation, subgraph specification). */
const serviceField = 'Query._service';

/** Federation fields of the subgraph. There are no entities, so `_entities` is missing. */
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

/** Reads the scopes, arguments and cost of each operation from the schema, for faces without documents. */
export function readDeclarations({
  schema,
  scopeRules,
}: GatewaySchema): ReadonlyMap<string, OperationDeclaration> {
  const createCosts = createCostModel(schema);
  const declare = (path: string, field: RootField, scopes: ScopeRule): OperationDeclaration => {
    const root = schema.getType(path.slice(0, path.indexOf('.')));
    let costsFor: ReturnType<typeof createCosts> | undefined;
    let readArguments: OperationDeclaration['readArguments'] | undefined;
    return {
      scopes,
      supportsDryRun: (args) => supportsDryRun(field, args),
      readArguments: (args) => (readArguments ??= createArgumentsReader(schema, field))(args),
      costOf(args) {
        costsFor ??= createCosts([selectWholeField(root, field.name, field.args)]);
        return costOf(costsFor(args), args, sizeOf(args));
      },
    };
  };
  return new Map(
    [...listRootFields(schema)].flatMap(([path, field]) => {
      const scopes = scopeRules.get(field.name);
      return scopes ? [[field.name, declare(path, field, scopes)] as const] : [];
    }),
  );
}

function createArgumentsReader(
  schema: GraphQLSchema,
  { args, name: operation }: RootField,
): OperationDeclaration['readArguments'] {
  const readers = new Map(
    args.map(({ name, type, defaultValue }) => {
      const coerce = coercerOf(schema).coercerFor(String(type));
      const read: Coerce = (value, errors) =>
        (value === undefined ? defaultValue : undefined) ?? coerce(value, errors);
      return [name, read];
    }),
  );
  return (sentArguments) => {
    if (!isFields(sentArguments))
      throw invalidInputError([
        { path: [], reason: 'invalid', message: 'The arguments must be one JSON object.' },
      ]);
    const errors = new CoercionErrors();
    for (const name of Object.keys(sentArguments))
      if (!readers.has(name))
        errors.addAt(name, 'invalid', `${operation} has no argument ${name.slice(0, 100)}.`);
    return { args: coerceValues(readers, sentArguments, errors), issues: errors.issues };
  };
}

const createNameNode = (value: string): NameNode => ({ kind: Kind.NAME, value });

/** Selects a field with all fields below it, and a variable for each argument. `edges` are left out if there are `nodes` too. */
function selectWholeField(
  parent: GraphQLNamedType | undefined,
  fieldName: string,
  args: readonly GraphQLArgument[] = [],
  ancestors: readonly GraphQLNamedType[] = [],
): SelectedField {
  const argumentNodes = args.map((arg) => {
    const name = createNameNode(arg.name);
    return { kind: Kind.ARGUMENT, name, value: { kind: Kind.VARIABLE, name } } as const;
  });
  const node: FieldNode = { kind: Kind.FIELD, name: createNameNode(fieldName), arguments: argumentNodes };
  return createField(node, parent, undefined, (type) => {
    const fields = isObjectType(type) ? type.getFields() : {};
    return Object.values(fields)
      .filter(
        (field) =>
          !(field.name === 'edges' && 'nodes' in fields) &&
          !edgeOf(field) &&
          !ancestors.includes(getNamedType(field.type)),
      )
      .map(({ name }) => selectWholeField(type, name, [], type ? [...ancestors, type] : ancestors));
  });
}
