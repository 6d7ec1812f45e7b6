import { execute, GraphQLObjectType, GraphQLSchema, type ExecutionResult, type GraphQLFieldResolver } from 'graphql';
import type { Admitted } from '../request/admission.ts';
import type { Variables } from './variables.ts';

/** What a resolver came to. */
export type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** By response key of a root field: what its resolver came to. */
export type Outcomes = ReadonlyMap<string | number, Outcome>;

/** Has the GraphQL library complete what resolvers came to, without calling them again. */
export type Replay = (admitted: Pick<Admitted, 'document' | 'params'>, variables: Variables, outcomes: Outcomes) => Promise<ExecutionResult>;

const tell: GraphQLFieldResolver<Outcomes, unknown> = (outcomes, _args, _context, { path }) => {
  const outcome = outcomes.get(path.key);
  if (!outcome) throw new Error(`the root field ${path.key} was not run`);
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
};

export function createReplay(schema: GraphQLSchema): Replay {
  const config = schema.toConfig();
  const roots = [config.query, config.mutation].map((type) => type && telling(type));
  const types = config.types.filter((type) => type !== config.query && type !== config.mutation);
  const replaying = new GraphQLSchema({ ...config, query: roots[0], mutation: roots[1], types });
  return async ({ document, params: { operationName } }, variableValues, rootValue) =>
    execute({ schema: replaying, document, operationName, variableValues, rootValue });
}

function telling(type: GraphQLObjectType): GraphQLObjectType {
  const config = type.toConfig();
  const fields = Object.fromEntries(Object.entries(config.fields).map(([name, field]) => [name, { ...field, resolve: tell }]));
  return new GraphQLObjectType({ ...config, fields });
}
