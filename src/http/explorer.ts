import fastifyStatic from '@fastify/static';
import { randomBytes } from 'node:crypto';
import type { RenderOptions } from 'altair-static';
import type { FastifyInstance } from 'fastify';

/**
 * A script for the explorer's page: each tab that is shown for the first time has its variables open and, with a token to load the
 * schema with, its docs. Altair 8.5 has no option for either: whether they are open is state of a tab that only its buttons change,
 * and `schema.reloadOnStart` asks without a token too and again at each look at a tab. So this clicks, once for each tab: what is
 * closed by hand stays closed.
 */
const openPanes = (withDocs: boolean): string => `
  const ids = ${JSON.stringify([...(withDocs ? ['reload_docs', 'show_docs'] : []), 'toggle_variables'])};
  const seen = new WeakSet();
  new MutationObserver(() => {
    const tab = document.querySelector('.window-switcher__item--active');
    const buttons = ids.map((id) => document.querySelector('app-window [track-id="' + id + '"]'));
    if (!tab || seen.has(tab) || buttons.includes(null)) return;
    seen.add(tab);
    for (const button of buttons) button.click();
  }).observe(document.querySelector('app-root'), { childList: true, subtree: true, attributes: true, attributeFilter: ['class'] });
`;

/** Operations to try, and the variables they take. */
export interface Sample {
  readonly name: string;
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

export interface ExplorerOptions {
  readonly samples: () => readonly Sample[];
  /** Filled in as the caller's token. */
  readonly token: string | undefined;
}

/** The explorer that works without the internet, at `/explorer`, with the sample operations of each resource in a tab. */
export async function addExplorer(app: FastifyInstance, { token, samples }: ExplorerOptions): Promise<void> {
  // Loaded where the explorer is shown only.
  const { getDistDirectory, renderAltair } = await import('altair-static');
  await app.register(fastifyStatic, {
    root: getDistDirectory(),
    prefix: '/explorer/',
    index: false,
    decorateReply: false,
    // Scripts before and after requests need a frame of their own: they are left out.
    allowedPath: (path) => !path.includes('/iframe-sandbox/') && !path.endsWith('.html'),
    maxAge: '1h',
  });
  app.get('/explorer/', async (_request, reply) => reply.redirect('/explorer'));
  app.get('/explorer', async (_request, reply) => {
    const cspNonce = randomBytes(16).toString('base64url');
    const page = renderAltair({
      ...settings,
      baseURL: '/explorer/',
      cspNonce,
      initialWindows: tabs(samples(), token),
    });
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', policy(cspNonce))
      .header('referrer-policy', 'no-referrer')
      .send(withScript(openPanes(token !== undefined), cspNonce, atOrigin(page)));
  });
}

const settings: RenderOptions = {
  preserveState: false,
  disableAccount: true,
  initialSettings: {
    'banners.disable': true,
    disablePushNotification: true,
    'alert.disableUpdateNotification': true,
    enableTablistScrollbar: true,
  },
};

const endpoint = '/graphql';
const stream = '/graphql/stream';

/** The explorer takes whole URLs only; the browser adds the page's origin. */
const atOrigin = (page: string): string =>
  [endpoint, stream].reduce(
    (made, path) => made.replaceAll(`\`${path}\``, `location.origin + '${path}'`),
    page,
  );

const withScript = (script: string, nonce: string, page: string): string =>
  page.replace('</body>', () => `<script nonce="${nonce}">${script}</script></body>`);

/** The last tab is the one that is open at first. */
const tabs = (samples: readonly Sample[], token: string | undefined): RenderOptions['initialWindows'] =>
  samples.toReversed().map(({ name, document, variables }) => ({
    initialName: name,
    endpointURL: endpoint,
    subscriptionsEndpoint: stream,
    initialSubscriptionRequestHandlerId: 'graphql-sse',
    initialQuery: document,
    initialVariables: JSON.stringify(variables, null, 2),
    initialHeaders: { Authorization: `Bearer ${token ?? 'YOUR_TOKEN'}` },
  }));

/** Nothing from elsewhere, and no script that this page did not bring. */
const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
