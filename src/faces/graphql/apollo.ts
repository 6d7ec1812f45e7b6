import { ApolloServer, HeaderMap, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import type { HttpAnswer, RequestHead } from '../../http/face.ts';
import type { Result } from './answer/answer.ts';
import { answers } from './answer/answers.ts';
import { maxErrors } from './answer/bounds.ts';
import type { GatewayContext } from './context.ts';
import type { Engine } from './execute.ts';
import { landingPage } from './landing-page.ts';
import type { Gateway } from './schema.ts';

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
