import { randomBytes } from 'node:crypto';
import type { HttpResponse } from '../../http/face.ts';

const scriptOrigin = 'https://embeddable-sandbox.cdn.apollographql.com';
const frameOrigin = 'https://sandbox.embed.apollographql.com';

/** `Accept` header that Sandbox sends: JSON, and subscriptions in Apollo's multipart protocol. */
const sandboxAccept = 'multipart/mixed;subscriptionSpec=1.0, application/json';

/** Settings of the landing page of `/graphql`. */
export interface SandboxSettings {
  /** Whether browsers get Apollo Sandbox there. */
  readonly hasExplorer: boolean;
  /** Token that Sandbox sends unless the user enters another one. */
  readonly demoToken?: string;
  /** Operation that Sandbox shows first. */
  readonly sample?: () => { readonly document: string; readonly variables: object };
}

/** Renders the landing page for browsers: Apollo Sandbox, loaded from Apollo's CDN. */
export function renderSandboxPage({ demoToken, sample }: SandboxSettings): HttpResponse {
  const nonce = randomBytes(16).toString('hex');
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
  const body = `<!DOCTYPE html>
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
  return { status: 200, headers: { 'content-type': 'text/html' }, body };
}
