import type { FastifyInstance } from 'fastify';
import { existsSync, readdirSync } from 'node:fs';
import { packagePath } from '../core/package-files.ts';
import { escapeHtml } from '../core/text/html.ts';
import { type Face, HttpError, type PageLink } from './face.ts';
import { renderHtmlPage, pageHeaders, readBuiltPage } from './html-page.ts';

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
export function addStartPage(
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
