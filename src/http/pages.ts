import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { packagePath } from '../core/package-files.ts';
import { isLoopbackHost } from '../core/text/ip-address.ts';
import { addExplorer, type ExplorerOptions } from './explorer.ts';
import { type Face, HttpError, type PageLink } from './face.ts';
import { headOf, hostOf } from './request-head.ts';
import { createPageHeaders, readBuiltPage } from './html-page.ts';
import { addStartPage } from './start-page.ts';

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
