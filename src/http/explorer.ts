import fastifyStatic from '@fastify/static';
import { randomBytes } from 'node:crypto';
import type { RenderOptions } from 'altair-static';
import type { FastifyInstance } from 'fastify';
import { createPageHeaders } from './html-page.ts';

/**
 * Script for the explorer's page that opens the variables and, if there is a token for loading the schema, the docs of each new tab.
 * Altair 8.5 has no option for either, and `schema.reloadOnStart` requests the schema without a token and on each switch of tabs. The
 * script clicks once per tab, so that panes closed by hand stay closed.
 */
const createPaneScript = (opensDocs: boolean): string => `
  const ids = ${JSON.stringify([...(opensDocs ? ['reload_docs', 'show_docs'] : []), 'toggle_variables'])};
  const preparedTabs = new WeakSet();
  new MutationObserver(() => {
    const tab = document.querySelector('.window-switcher__item--active');
    const buttons = ids.map((id) => document.querySelector('app-window [track-id="' + id + '"]'));
    if (!tab || preparedTabs.has(tab) || buttons.includes(null)) return;
    preparedTabs.add(tab);
    for (const button of buttons) button.click();
  }).observe(document.querySelector('app-root'), { childList: true, subtree: true, attributes: true, attributeFilter: ['class'] });
`;

/** Sample operations of one resource, which the explorer opens in a tab. */
export interface Sample {
  readonly name: string;
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

export interface ExplorerOptions {
  readonly samples: () => readonly Sample[];
  /** Signs the token with all scopes for a page of the demo. Each load of a page gets a new one, because tokens expire. */
  readonly signToken: (() => Promise<string>) | undefined;
}

/** Serves Altair at `/explorer`, without internet access, with a tab of sample operations for each resource. */
export async function addExplorer(
  app: FastifyInstance,
  { signToken, samples }: ExplorerOptions,
): Promise<void> {
  // Imported here, because most gateways do not show the explorer.
  const { getDistDirectory, renderAltair } = await import('altair-static');
  await app.register(fastifyStatic, {
    root: getDistDirectory(),
    prefix: '/explorer/',
    index: false,
    decorateReply: false,
    // Excludes the frame for scripts before and after requests.
    allowedPath: (path) => !path.includes('/iframe-sandbox/') && !path.endsWith('.html'),
    maxAge: '1h',
  });
  app.get('/explorer/', async (_request, reply) => reply.redirect('/explorer'));
  app.get('/explorer', async (_request, reply) => {
    const cspNonce = randomBytes(16).toString('base64url');
    const token = await signToken?.();
    const page = renderAltair({
      ...altairSettings,
      baseURL: '/explorer/',
      cspNonce,
      initialWindows: createTabs(samples(), token),
    });
    return reply
      .headers(createExplorerHeaders(cspNonce))
      .send(withScript(createPaneScript(token !== undefined), cspNonce, withAbsoluteUrls(page)));
  });
}

const altairSettings: RenderOptions = {
  preserveState: false,
  disableAccount: true,
  initialSettings: {
    'banners.disable': true,
    disablePushNotification: true,
    'alert.disableUpdateNotification': true,
    enableTablistScrollbar: true,
  },
};

/** Paths of the GraphQL face, as the tabs name them. */
const endpoint = '/graphql';
const streamEndpoint = '/graphql/stream';

/** Makes the browser add the page's origin to the endpoints, since Altair needs absolute URLs. */
const withAbsoluteUrls = (page: string): string =>
  [endpoint, streamEndpoint].reduce(
    (html, path) => html.replaceAll(`\`${path}\``, `location.origin + '${path}'`),
    page,
  );

const withScript = (script: string, nonce: string, page: string): string =>
  page.replace('</body>', () => `<script nonce="${nonce}">${script}</script></body>`);

/** Creates the tabs in reverse order, because Altair opens the last one. */
const createTabs = (samples: readonly Sample[], token: string | undefined): RenderOptions['initialWindows'] =>
  samples.toReversed().map(({ name, document, variables }) => ({
    initialName: name,
    endpointURL: endpoint,
    subscriptionsEndpoint: streamEndpoint,
    initialSubscriptionRequestHandlerId: 'graphql-sse',
    initialQuery: document,
    initialVariables: JSON.stringify(variables, null, 2),
    initialHeaders: { Authorization: `Bearer ${token ?? 'YOUR_TOKEN'}` },
  }));

/** Creates the headers of the page, which allow only resources of this server, and only this page's scripts. */
const createExplorerHeaders = (nonce: string): Readonly<Record<string, string>> =>
  createPageHeaders([
    `script-src 'self' 'nonce-${nonce}'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'self'",
  ]);
