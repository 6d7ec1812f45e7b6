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
import type { GatewaySchema } from './schema.ts';
import type { HttpResponse, RequestHead } from '../../http/face.ts';
import { randomBytes } from 'node:crypto';

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

const scriptOrigin = 'https://embeddable-sandbox.cdn.apollographql.com';
const frameOrigin = 'https://sandbox.embed.apollographql.com';

/** `Accept` header that Sandbox sends: JSON, and subscriptions in Apollo's multipart protocol. */
const sandboxAccept = 'multipart/mixed;subscriptionSpec=1.0, application/json';

interface SandboxSettings {
  /** Token that Sandbox sends unless the user enters another one. */
  readonly demoToken?: string;
  /** Operation that Sandbox shows first. */
  readonly sample?: () => { readonly document: string; readonly variables: object };
}

/** Serves Apollo Sandbox, loaded from Apollo's CDN, as the landing page. */
const createLandingPagePlugin = (settings: SandboxSettings): ApolloServerPlugin => ({
  serverWillStart: async () => ({
    renderLandingPage: async () => ({
      html: async () => renderSandboxPage(settings, randomBytes(16).toString('hex')),
    }),
  }),
});

function renderSandboxPage({ demoToken, sample }: SandboxSettings, nonce: string): string {
  const { document, variables } = sample?.() ?? {};
  const headers = demoToken && { authorization: `Bearer ${demoToken}` };
  const config = {
    target: '#sandbox',
    initialState: { document, variables, ...(headers && { headers }) },
    endpointIsEditable: false,
    hideCookieToggle: true,
    runTelemetry: false,
    allowDynamicStyles: false,
  };
  const contentSecurityPolicy = `default-src 'none'; script-src 'nonce-${nonce}' ${scriptOrigin}; style-src 'nonce-${nonce}'; frame-src ${frameOrigin}; connect-src 'self'`;
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="description" content="Explore the GraphQL API of the resource gateway: bucket notifications and calendar events." />
    <title>Resource gateway: GraphQL</title>
    <style nonce="${nonce}">
      body { margin: 0; font-family: sans-serif; }
      main { padding: 1em; }
      iframe { position: absolute; inset: 0; width: 100%; height: 100%; border: 0; background: #fff; }
      .offline { position: fixed; right: 1em; bottom: 0; z-index: 1; margin: 0; padding: 0.3em; background: #fff; }
    </style>
  </head>
  <body>
    <main>
      <h1>Resource gateway</h1>
      <p>
        Apollo Sandbox could not be loaded. It needs internet.
        <a href="/explorer">The explorer</a> works without internet.
      </p>
    </main>
    <div id="sandbox"></div>
    <p class="offline"><a href="/explorer">Explore without internet</a></p>
    <script nonce="${nonce}" src="${scriptOrigin}/v2/embeddable-sandbox.umd.production.min.js"></script>
    <script nonce="${nonce}">
      var embeddedSandboxConfig = ${JSON.stringify(config).replaceAll('<', '\\u003c')};
      var endpoint = window.location.origin + window.location.pathname;
      function isStream(body) {
        const { query, operationName } = JSON.parse(body);
        return new RegExp('\\\\bsubscription\\\\s+' + operationName + '\\\\b').test(query) || (!operationName && /^\\s*subscription\\b/.test(query));
      }
      /** Wraps an error response as a stream of one part, because Sandbox shows only streams. */
      async function asStream(response) {
        if (response.headers.get('content-type').startsWith('multipart/')) return response;
        const { errors } = await response.json();
        const part = JSON.stringify({ payload: null, errors }).replaceAll('--', '\\\\u002d-');
        return new Response('--graphql\\r\\nContent-Type: application/json\\r\\n\\r\\n' + part + '\\r\\n--graphql--\\r\\n', {
          status: response.status,
          headers: { 'content-type': 'multipart/mixed;boundary=graphql;subscriptionSpec=1.0' },
        });
      }
      if (window.EmbeddedSandbox)
        new window.EmbeddedSandbox({
          ...embeddedSandboxConfig,
          initialEndpoint: endpoint,
          initialSubscriptionEndpoint: endpoint,
          async handleRequest(url, options) {
            const headers = new Headers(options.headers);
            headers.set('accept', '${sandboxAccept}');
            const response = await fetch(url, { ...options, headers });
            return isStream(options.body) ? asStream(response) : response;
          },
        });
    </script>
  </body>
</html>
`;
}
