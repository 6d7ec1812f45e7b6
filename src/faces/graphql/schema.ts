import { readFileSync, readdirSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { printSchemaWithDirectives } from '@graphql-tools/utils';
import { getDirectiveValues, type GraphQLField, type GraphQLSchema } from 'graphql';
import type { ScopeRule } from '../../access/scopes.ts';
import { eventLoop } from '../../core/runtime/event-loop.ts';
import type { GatewayContext } from './context.ts';
import type { ResourceModule } from './module.ts';
import { giveScalars } from './scalars.ts';
import { serviceField } from './federation.ts';

const folder = new URL('../../../schema/', import.meta.url);

/** What stands in `schema/` beside the schema itself: how it joins a federated graph, and the schema as it was released. */
const beside = ['federation.graphql', 'released.graphql'];

/** The SDL of the files in `schema/` that make up the schema. */
export function readTypeDefs(): string[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.graphql') && !beside.includes(name));
  return files.sort().map(readSdl);
}

/** The SDL of one file in `schema/`. */
export const readSdl = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

/** The SDL that composers of federated graphs take. */
export const subgraphSdl = (): string => [...readTypeDefs(), readSdl('federation.graphql')].join('\n');

/** A schema as SDL, with its descriptions and directives. */
export const printSdl = (schema: GraphQLSchema): string => `${printSchemaWithDirectives(schema)}\n`;

/** The executable schema and its scope rules: `Mutation.patchEvent` → alternatives of scopes. */
export interface Gateway {
  readonly schema: GraphQLSchema;
  readonly scopeRules: ReadonlyMap<string, ScopeRule>;
}

/**
 * Builds the schema. Throws when a root field has no scope rule, or no resolver in these modules: such a server must not
 * start. Without modules it is a schema to look at.
 */
export function createGateway(modules: readonly ResourceModule[] = [], typeDefs: readonly string[] = readTypeDefs()): Gateway {
  const schema = makeExecutableSchema({
    typeDefs: [...typeDefs],
    resolvers: modules.map(({ resolvers }) => resolvers),
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  });
  giveScalars(schema);
  const roots = rootFields(schema).filter(([name]) => name !== serviceField);
  const idle = modules.length === 0 ? [] : roots.filter(([name, { resolve, subscribe }]) => !resolve || (name.startsWith('Subscription.') && !subscribe)).map(([name]) => name);
  if (idle.length > 0) throw new Error(`these root fields have no resolver: ${idle.join(', ')}`);
  const scopeRules = readScopeRules(schema, roots);
  for (const [name, field] of roots) field.description = [field.description, scopeSentence(scopeRules.get(name) ?? [])].filter(Boolean).join('\n\n');
  for (const [, field] of roots) giveWayBefore(field);
  return { schema, scopeRules };
}

type RootField = readonly [name: string, field: GraphQLField<unknown, unknown>];

function rootFields(schema: GraphQLSchema): RootField[] {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  return roots.flatMap((type) => Object.values(type?.getFields() ?? {}).map((field): RootField => [`${type?.name}.${field.name}`, field]));
}

/** Many root fields of one operation, one after the other, would be one long piece of work. None begins when nobody waits for it. */
function giveWayBefore(field: RootField[1]): void {
  const { resolve } = field;
  if (!resolve) return;
  const begin: typeof resolve = (root, args, context, info) => {
    (context as GatewayContext).budget.throwIfGone();
    return resolve(root, args, context, info);
  };
  field.resolve = (root, args, context, info) => eventLoop.enter()?.then((): unknown => begin(root, args, context, info)) ?? begin(root, args, context, info);
}

function readScopeRules(schema: GraphQLSchema, roots: readonly RootField[]): ReadonlyMap<string, ScopeRule> {
  const directive = schema.getDirective('requiresScopes');
  const rules = new Map<string, ScopeRule>();
  const open: string[] = [];
  for (const [name, { astNode }] of roots) {
    const values = directive && astNode && getDirectiveValues(directive, astNode);
    const rule = values?.scopes as ScopeRule | undefined;
    if (rule?.length && rule.every((all) => all.length > 0)) rules.set(name, rule);
    else open.push(name);
  }
  if (open.length > 0) throw new Error(`these root fields have no @requiresScopes rule: ${open.join(', ')}`);
  return rules;
}

/** What introspection, which shows no directives, tells of a scope rule. */
function scopeSentence(rule: ScopeRule): string {
  const alternatives = rule.map((all) => all.map((scope) => `\`${scope}\``).join(' and '));
  return alternatives.length === 1 ? `Needs the scope ${alternatives[0]}.` : `Needs one of these scopes: ${alternatives.join(', or ')}.`;
}
