import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import type { GraphQLSchema } from 'graphql';
import type { GatewayContext } from './context.ts';
import { toClientErrors } from './errors.ts';
import type { Engine } from './execute.ts';
import { readVariables } from './input/variables.ts';
import type { ExecutionResult } from './response.ts';

/** Starts Apollo Server: the engine for all valid queries and mutations. */
export async function createApolloEngine(schema: GraphQLSchema): Promise<Engine> {
  const apollo = new ApolloServer<GatewayContext>({
    schema,
    // The admission checks introspection, persisted queries and CSRF; `toClientErrors` decides on suggestions for each caller.
    introspection: true,
    csrfPrevention: false,
    persistedQueries: false,
    documentStore: null, // replaced by `createDocumentReader`
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    logger: silentLogger,
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(), // replaced by `renderSandboxPage`
      createRequestPlugin(schema),
    ],
  });
  await apollo.start();
  return async (context) => {
    const { operation, variables } = context.admittedRequest;
    const { body } = await apollo.executeOperation(
      { query: operation.document.query, variables, operationName: operation.node.name?.value },
      { contextValue: context },
    );
    if (body.kind !== 'single') throw new Error('an answer in several parts was not asked for');
    return body.singleResult as ExecutionResult; // `toClientErrors` formatted the errors
  };
}

const ignore = (): void => undefined;
/** Drops Apollo's log lines: each arrives as an error too, and is logged with the request's id. */
const silentLogger = { debug: ignore, info: ignore, warn: ignore, error: ignore };

const createRequestPlugin = (schema: GraphQLSchema): ApolloServerPlugin<GatewayContext> => ({
  // Logged here because Apollo replaces the error by one without its message.
  unexpectedErrorProcessingRequest: async ({ requestContext: { contextValue }, error }) => {
    contextValue.log.error({ err: error, requestId: contextValue.requestId }, 'the GraphQL engine failed');
  },
  requestDidStart: async ({ contextValue }) => ({
    // With the document set, Apollo neither parses nor validates again.
    didResolveSource: async (request) =>
      void Object.assign(request, { document: contextValue.admittedRequest.operation.document.node }),
    didResolveOperation: async ({ request }) => {
      request.variables = await readVariables(schema, contextValue);
    },
    willSendResponse: async ({ response: { body }, errors }) => {
      if (body.kind === 'single' && errors)
        body.singleResult.errors = toClientErrors(errors, schema, contextValue);
    },
  }),
});
