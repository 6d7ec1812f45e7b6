import { ApolloServer, HeaderMap } from '@apollo/server';
import { ApolloServerPluginCacheControlDisabled, ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';
import type { RateLimiter } from '../core/rate-limit.ts';
import type { Answer, Result } from './answer/answer.ts';
import { answers } from './answer/answers.ts';
import { maxErrors } from './answer/bounds.ts';
import { createCompiledEngine, type CompileWhen } from './compiled/engine.ts';
import type { GatewayContext } from './context.ts';
import { createExecute, type Engine, type Execute } from './execute.ts';
import type { ResourceModule } from './module.ts';
import { createAdmission } from './request/admission.ts';
import { createDocumentCache, createDocuments } from './request/documents.ts';
import type { Introspection } from './request/operation-scopes.ts';
import type { HttpRequest } from './request/params.ts';
import { createPersistedQueries } from './request/persisted-queries.ts';
import { sampleOperation } from './sample.ts';
import type { Gateway } from './schema.ts';

export interface ServerSettings {
  readonly introspection: Introspection;
  /** Shows Apollo Sandbox to a browser; with a demo token, it is filled in there. */
  readonly explorer: boolean;
  readonly demoToken?: string;
  /** Leaves out of messages what would tell of the schema. */
  readonly hideSchema: boolean;
  readonly compiled: CompileWhen | 'off';
  readonly limiter?: RateLimiter;
}

/** The GraphQL side as a whole: everything between a parsed HTTP request and its answer. */
export async function createApolloExecute(gateway: Gateway, modules: readonly ResourceModule[], settings: ServerSettings): Promise<Execute> {
  const { engine, page } = await createApolloEngine(gateway, modules, settings);
  return createExecute({
    modules,
    admit: createAdmission({ ...gateway, ...settings, documents: createDocuments(), persisted: createPersistedQueries() }),
    engine: settings.compiled === 'off' ? engine : createCompiledEngine(gateway.schema, engine, settings.compiled),
    page: settings.explorer ? page : undefined,
  });
}

/** Apollo Server as the engine that knows every document, and its page for browsers. */
export async function createApolloEngine(gateway: Gateway, modules: readonly ResourceModule[], settings: Pick<ServerSettings, 'explorer' | 'demoToken' | 'hideSchema'>) {
  const apollo = createApollo(gateway, modules, settings);
  await apollo.start();
  return { engine: engineOf(apollo), page: ({ search }: HttpRequest): Promise<Answer> => pageOf(apollo, search) };
}

function createApollo({ schema }: Gateway, modules: readonly ResourceModule[], { explorer, demoToken, hideSchema }: Pick<ServerSettings, 'explorer' | 'demoToken' | 'hideSchema'>): ApolloServer<GatewayContext> {
  const documents = createDocumentCache();
  return new ApolloServer<GatewayContext>({
    schema,
    // What a caller may ask for, documents by their hash and foreign pages are decided on before.
    introspection: true,
    csrfPrevention: false,
    persistedQueries: false,
    documentStore: {
      get: async (key) => documents.get(key),
      set: async (key, document) => void documents.set(key, document),
      delete: async (key) => documents.delete(key),
    },
    validationOptions: { maxErrors },
    includeStacktraceInErrorResponses: false,
    hideSchemaDetailsFromClientErrors: hideSchema,
    stopOnTerminationSignals: false,
    logger: silent,
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      explorer ? sandbox(demoToken) : ApolloServerPluginLandingPageDisabled(),
      answers(schema, Object.assign({}, ...modules.map(({ inputChecks }) => inputChecks)) as ResourceModule['inputChecks']),
    ],
  });
}

/** Whatever Apollo logs comes as an error as well, and is logged with the request's id. */
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

function engineOf(apollo: ApolloServer<GatewayContext>): Engine {
  return async ({ query, params: { variables, operationName } }, context) => {
    const { body } = await apollo.executeOperation({ query, variables, operationName }, { contextValue: context });
    if (body.kind !== 'single') throw new Error('an answer in several parts was not asked for');
    return body.singleResult as Result; // `answers` gave the errors their form
  };
}

/** Apollo makes the page for whoever asks it over HTTP. */
async function pageOf(apollo: ApolloServer<GatewayContext>, search: string): Promise<Answer> {
  const headers = new HeaderMap([['accept', 'text/html']]);
  const { status, headers: told, body } = await apollo.executeHTTPGraphQLRequest({
    httpGraphQLRequest: { method: 'GET', headers, search, body: undefined },
    context: () => Promise.reject(new Error('a page needs no context')),
  });
  return { status: status ?? 200, headers: Object.fromEntries(told), body: body.kind === 'complete' ? body.string : '' };
}

function sandbox(demoToken: string | undefined) {
  return ApolloServerPluginLandingPageLocalDefault({
    embed: { runTelemetry: false, endpointIsEditable: false },
    footer: false,
    document: sampleOperation.document,
    variables: sampleOperation.variables,
    ...(demoToken && { headers: { authorization: `Bearer ${demoToken}` } }),
  });
}
