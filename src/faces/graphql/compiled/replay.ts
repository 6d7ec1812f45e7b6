import {
  execute,
  GraphQLObjectType,
  GraphQLSchema,
  type ExecutionResult,
  type GraphQLFieldResolver,
} from 'graphql';
import type { ParsedOperation } from '../request/documents.ts';
import type { Variables } from '../input/variable-reader.ts';

/** The result or error of a resolver, and whether it came as a promise: that decides which of several errors the library reports. */
export type Outcome = { readonly waited: boolean } & (
  { readonly value: unknown } | { readonly error: unknown }
);

/** Outcomes by response key of the root field. */
export type Outcomes = ReadonlyMap<string | number, Outcome>;

const replayOutcome: GraphQLFieldResolver<Outcomes, unknown> = (outcomes, _args, _context, { path }) => {
  const outcome = outcomes.get(path.key);
  if (!outcome) throw new Error(`the root field ${path.key} was not run`);
  if (!('error' in outcome)) return outcome.waited ? Promise.resolve(outcome.value) : outcome.value;
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever it was
  if (outcome.waited) return Promise.reject(outcome.error);
  throw outcome.error;
};

/** Has the GraphQL library complete the outcomes of resolvers, without calling them again. */
export function createReplay(schema: GraphQLSchema) {
  const config = schema.toConfig();
  const roots = [config.query, config.mutation].map((type) => type && replaying(type));
  const types = config.types.filter((type) => type !== config.query && type !== config.mutation);
  const replaySchema = new GraphQLSchema({ ...config, query: roots[0], mutation: roots[1], types });
  return (
    { node, document }: ParsedOperation,
    variableValues: Variables,
    rootValue: Outcomes,
  ): Promise<ExecutionResult> =>
    // The library goes on adding errors of siblings after a null is certain: the copy excludes them.
    Promise.resolve(
      execute({
        schema: replaySchema,
        document: document.node,
        operationName: node.name?.value,
        variableValues,
        rootValue,
      }),
    ).then(({ errors, ...result }) => ({
      ...result,
      ...(errors && { errors: [...errors] }),
    }));
}

function replaying(type: GraphQLObjectType): GraphQLObjectType {
  const config = type.toConfig();
  const fields = Object.fromEntries(
    Object.entries(config.fields).map(([name, field]) => [name, { ...field, resolve: replayOutcome }]),
  );
  return new GraphQLObjectType({ ...config, fields });
}
