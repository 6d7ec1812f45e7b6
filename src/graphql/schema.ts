import { readFileSync, readdirSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { getDirectiveValues, type GraphQLSchema } from 'graphql';
import type { ScopeRule } from '../access/scopes.ts';
import { eventMutations, eventQueries } from '../event/event.resolvers.ts';
import { notificationMutations, notificationQueries } from '../notification/notification.resolvers.ts';
import { scalars } from './scalars.ts';

const folder = new URL('../../schema/', import.meta.url);

/** The SDL of all files in `schema/`. */
export function readTypeDefs(): string[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.graphql'));
  return files.sort().map((name) => readFileSync(new URL(name, folder), 'utf8'));
}

/** The executable schema and its scope rules: `Mutation.patchEvent` → alternatives of scopes. */
export interface Gateway {
  readonly schema: GraphQLSchema;
  readonly scopeRules: ReadonlyMap<string, ScopeRule>;
}

/** Builds the schema. Throws when a root field has no scope rule: such a server must not start. */
export function createGateway(typeDefs: readonly string[] = readTypeDefs()): Gateway {
  const schema = makeExecutableSchema({
    typeDefs: [...typeDefs],
    resolvers: {
      ...scalars,
      Query: { ...eventQueries, ...notificationQueries },
      Mutation: { ...eventMutations, ...notificationMutations },
    },
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  });
  return { schema, scopeRules: readScopeRules(schema) };
}

function readScopeRules(schema: GraphQLSchema): ReadonlyMap<string, ScopeRule> {
  const directive = schema.getDirective('requiresScopes');
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const rules = new Map<string, ScopeRule>();
  const open: string[] = [];
  for (const type of roots) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      const name = `${type?.name}.${field.name}`;
      const values = directive && field.astNode && getDirectiveValues(directive, field.astNode);
      const rule = values?.scopes as ScopeRule | undefined;
      if (rule?.length && rule.every((all) => all.length > 0)) rules.set(name, rule);
      else open.push(name);
    }
  }
  if (open.length > 0) throw new Error(`these root fields have no @requiresScopes rule: ${open.join(', ')}`);
  return rules;
}
