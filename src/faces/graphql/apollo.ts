import { ApolloServer, type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import type { GraphQLSchema } from 'graphql';
import type { ExecutionResult } from './response.ts';
import { toClientErrors } from './errors.ts';
import type { GatewayContext } from './context.ts';
import type { Engine } from './execute.ts';
import { readVariables } from './input/variables.ts';
import { createLandingPagePlugin, type SandboxSettings } from './landing-page.ts';
import type { GatewaySchema } from './schema.ts';
import type { HttpResponse, RequestHead } from '../../http/face.ts';

/** Settings of the landing page. `hasExplorer`: browsers get Apollo Sandbox there. */
export interface PageSettings extends SandboxSettings {
  readonly hasExplorer: boolean;
}

/** Starts Apollo Server: the engine for all valid documents, and its landing page for browsers. */
export async function createApolloEngine({ schema }: GatewaySchema, settings: PageSettings) {
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
      settings.hasExplorer ? createLandingPagePlugin(settings) : ApolloServerPluginLandingPageDisabled(),
      createRequestPlugin(schema),
    ],
  });
  await apollo.start();
  const engine: Engine = async (context) => {
    const { operation, variables } = context.admittedRequest;
    const { body } = await apollo.executeOperation(
      { query: operation.document.query, variables, operationName: operation.node.name?.value },
      { contextValue: context },
    );
    if (body.kind !== 'single') throw new Error('an answer in several parts was not asked for');
    return body.singleResult as ExecutionResult; // `toClientErrors` formatted the errors
  };
  const renderPage = async ({ search }: RequestHead): Promise<HttpResponse> => {
    const headers = new HeaderMap([['accept', 'text/html']]);
    const page = await apollo.executeHTTPGraphQLRequest({
      httpGraphQLRequest: { method: 'GET', headers, search, body: undefined },
      context: () => Promise.reject(new Error('a page needs no context')),
    });
    const body = page.body.kind === 'complete' ? page.body.string : '';
    return { status: page.status ?? 200, headers: Object.fromEntries(page.headers), body };
  };
  return { engine, renderPage };
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
