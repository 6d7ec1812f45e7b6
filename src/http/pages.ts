import type { FastifyInstance, FastifyRequest } from 'fastify';
import { existsSync, readdirSync } from 'node:fs';
import { packagePath } from '../core/package-files.ts';
import { escapeHtml } from '../core/text/characters.ts';
import { type Face, HttpError, type PageLink } from './face.ts';
import { renderHtmlPage, pageHeaders, readBuiltPage, createPageHeaders } from './html-page.ts';
import fastifyStatic from '@fastify/static';
import { isLoopbackHost } from '../core/text/host.ts';
import { addExplorer, type ExplorerOptions } from './explorer.ts';
import { headOf, hostOf } from './request-head.ts';

/** Pages of docs/ as HTML, which `npm run build` renders. */
const docsFolder = packagePath('dist/docs/');

const healthLinks: readonly PageLink[] = [
  { path: '/health/live', title: 'Liveness', description: '200 while the process runs' },
  { path: '/health/ready', title: 'Readiness', description: '200 while requests are accepted' },
];

/** Body of the command on the start page. */
const sampleBody = JSON.stringify({ query: '{ __typename }' });

/** Renders the page at `/`: the endpoint, a command to try it, and links to everything that the gateway serves. */
function renderStartPage(origin: string, links: readonly PageLink[]): string {
  const endpoint = `${origin}/graphql`;
  const command = `curl -s ${endpoint} -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '${sampleBody}'`;
  return renderHtmlPage(
    'Resource gateway',
    `<h1>Resource gateway</h1>
<p>GraphQL for calendar events and for notifications of storage buckets. The endpoint is <code>${escapeHtml(endpoint)}</code>:</p>
<pre><code>${escapeHtml(command)}</code></pre>
<dl>
${links.map(({ path, title, description }) => `<dt><a href="${path}">${title}</a></dt>\n<dd>${description}</dd>`).join('\n')}
</dl>`,
  );
}

/** Serves the start page at `/`, and the documentation below `/docs/`. */
function addStartPage(
  app: FastifyInstance,
  faces: readonly Face[],
  developerPages: readonly PageLink[],
): void {
  const docFiles = new Set(existsSync(docsFolder) ? readdirSync(docsFolder) : []);
  const docsLink = { path: '/docs/README', title: 'Documentation', description: 'guides and reference' };
  const links = [
    ...developerPages,
    ...faces.flatMap((face) => face.links ?? []),
    ...(docFiles.size > 0 ? [docsLink] : []),
    ...healthLinks,
  ];
  app.get('/', async ({ protocol, headers }, reply) =>
    reply.headers(pageHeaders).send(renderStartPage(`${protocol}://${headers.host ?? 'localhost'}`, links)),
  );
  app.get('/docs/*', async ({ params }, reply) => {
    const path = (params as { readonly '*': string })['*'];
    const file = `${path.replaceAll('/', '-')}.html`;
    // The GraphQL face serves the page of the schema.
    if (!docFiles.has(file) || file === 'schema.html')
      throw new HttpError(404, 'notFound', 'There is no such page. Begin at /docs/README.');
    return reply.headers(pageHeaders).send(renderHtmlPage(path, await readBuiltPage(docsFolder + file)));
  });
}

/** Folder of the built `examples/calendar`. */
const demoFolder = packagePath('dist/demo/');

/** Fills in a `<meta>` that the built page leaves empty. */
const fillMeta = (page: string, name: string, content: string): string =>
  page.replace(`<meta name="${name}" content="" />`, () => `<meta name="${name}" content="${content}" />`);

/** Serves the example app at `/demo`. Its assets are public. Each load gets a new token, because tokens expire after a day. */
async function addDemo(
  app: FastifyInstance,
  signToken: () => Promise<string>,
  sendsMail: boolean,
): Promise<void> {
  // File names contain a content hash.
  await app.register(fastifyStatic, {
    root: `${demoFolder}assets`,
    prefix: '/demo/assets/',
    index: false,
    decorateReply: false,
    maxAge: '365d',
    immutable: true,
  });
  app.get('/demo/', async (_request, reply) => reply.redirect('/demo'));
  app.get('/demo', async (_request, reply) => {
    const page = await readBuiltPage(`${demoFolder}index.html`);
    const pageWithToken = fillMeta(page, 'gateway-token', await signToken());
    return reply.headers(demoHeaders).send(fillMeta(pageWithToken, 'gateway-mail', sendsMail ? 'on' : 'off'));
  });
}

/** Headers of the demo: no inline scripts or styles, and only resources of this server. */
const demoHeaders = createPageHeaders([
  ...["script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'"],
  "base-uri 'none'",
]);

/** Refuses pages of the demo under any host other than this machine, since DNS rebinding would expose their token. */
function requireLoopbackHost({ headers }: FastifyRequest): void {
  const host = hostOf(headers.host);
  if (host === undefined || !isLoopbackHost(host)) {
    throw new HttpError(
      421,
      'invalid',
      'Pages of the demo are for this machine only. Open them at http://127.0.0.1 or http://localhost, with the port.',
    );
  }
}

/** Refuses pages of faces under other hosts. For the demo. */
export function guardPages(app: FastifyInstance, faces: readonly Face[]): void {
  app.addHook('onRequest', async (request) => {
    if (faces.some(({ isPageRequest }) => isPageRequest?.(headOf(request)))) requireLoopbackHost(request);
  });
}

/** Settings of the pages for developers. */
export interface PageOptions extends ExplorerOptions {
  readonly isDemo: boolean;
  /** Whether guests get mail: from this gateway, or from the service behind it. */
  readonly sendsMail: boolean;
  readonly faces: readonly Face[];
}

const demoLink: PageLink = {
  path: '/demo',
  title: 'Demo',
  description: 'a calendar in the browser, live in several windows',
};
const explorerLink: PageLink = {
  path: '/explorer',
  title: 'Explorer',
  description: 'samples of every operation, without internet',
};

/** Adds the pages for developers. In the demo all of them are guarded, whatever a request accepts. */
export async function addPages(app: FastifyInstance, options: PageOptions): Promise<void> {
  await app.register(async (pages) => {
    if (options.isDemo) pages.addHook('onRequest', async (request) => requireLoopbackHost(request));
    const { signToken } = options;
    const hasDemo = options.isDemo && signToken !== undefined;
    addStartPage(pages, options.faces, [...(hasDemo ? [demoLink] : []), explorerLink]);
    await addExplorer(pages, options);
    if (hasDemo) await addDemo(pages, signToken, options.sendsMail);
  });
}
