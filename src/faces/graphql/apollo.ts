import { ApolloServer, type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import type { GraphQLSchema } from 'graphql';
import type { Result } from './answer/answer.ts';
import { maxErrors } from './errors.ts';
import { clientErrors } from './errors.ts';
import type { GatewayContext } from './context.ts';
import type { Engine } from './execute.ts';
import { readVariables } from './input/variables.ts';
import { landingPage } from './landing-page.ts';
import type { Gateway } from './schema.ts';
import type { HttpAnswer, RequestHead } from '../../http/face.ts';

export interface PageSettings {
  /** Whether browsers get Apollo Sandbox, with the demo token filled in where there is one. */
  readonly explorer: boolean;
  readonly demoToken?: string;
}

/** Apollo Server as the engine for all documents, and its page for browsers. */
export async function createApolloEngine(gateway: Gateway, settings: PageSettings) {
  const apollo = createApollo(gateway, settings);
  await apollo.start();
  return {
    engine: engineOf(apollo),
    page: ({ search }: RequestHead): Promise<HttpAnswer> => pageOf(apollo, search),
  };
}

function createApollo(
  { schema }: Gateway,
  { explorer, demoToken }: PageSettings,
): ApolloServer<GatewayContext> {
  return new ApolloServer<GatewayContext>({
    schema,
    // Introspection, persisted queries and CSRF are decided in the admission, suggestions for each caller in `answers`.
    introspection: true,
    csrfPrevention: false,
    persistedQueries: false,
    documentStore: null, // `knownDocuments` takes its place
    validationOptions: { maxErrors },
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    logger: silent,
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      explorer ? landingPage(demoToken) : ApolloServerPluginLandingPageDisabled(),
      knownDocuments,
      answers(schema),
    ],
  });
}

/** Gives Apollo the parsed document of a request, or else has it validated. */
const knownDocuments: ApolloServerPlugin<GatewayContext> = {
  requestDidStart: async ({ contextValue: { admitted } }) => {
    const { document } = admitted.operation;
    return {
      didResolveSource: async (request) =>
        void (document.isValid && Object.assign(request, { document: document.node })),
      didResolveOperation: async () => void (document.isValid = true),
    };
  },
};

/** Apollo's log lines are dropped: each comes as an error too, and is logged with the request's id. */
const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

function engineOf(apollo: ApolloServer<GatewayContext>): Engine {
  return async (context) => {
    const { operation, variables } = context.admitted;
    const { body } = await apollo.executeOperation(
      { query: operation.document.query, variables, operationName: operation.node.name?.value },
      { contextValue: context },
    );
    if (body.kind !== 'single') throw new Error('an answer in several parts was not asked for');
    return body.singleResult as Result; // `answers` gave the errors their form
  };
}

/** Apollo's page for browsers. */
async function pageOf(apollo: ApolloServer<GatewayContext>, search: string): Promise<HttpAnswer> {
  const headers = new HeaderMap([['accept', 'text/html']]);
  const {
    status,
    headers: given,
    body,
  } = await apollo.executeHTTPGraphQLRequest({
    httpGraphQLRequest: { method: 'GET', headers, search, body: undefined },
    context: () => Promise.reject(new Error('a page needs no context')),
  });
  return {
    status: status ?? 200,
    headers: Object.fromEntries(given),
    body: body.kind === 'complete' ? body.string : '',
  };
}

/** Coerces the variables of operations that fit the schema, and gives errors their final form. */
export const answers = (schema: GraphQLSchema): ApolloServerPlugin<GatewayContext> => ({
  // Apollo replaces the error by one without its message.
  unexpectedErrorProcessingRequest: async ({ requestContext: { contextValue }, error }) => {
    contextValue.log.error({ err: error, requestId: contextValue.requestId }, 'the GraphQL engine failed');
  },
  requestDidStart: async () => ({
    didResolveOperation: async ({ request, contextValue }) => {
      request.variables = await readVariables(schema, contextValue);
    },
    willSendResponse: async ({ response: { body }, errors, document, contextValue }) => {
      if (body.kind === 'single' && errors)
        body.singleResult.errors = clientErrors(errors, schema, contextValue, document);
    },
  }),
});
