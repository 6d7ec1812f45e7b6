import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { HttpError } from '../face.ts';

/** `npm run build` makes it from `examples/calendar`; seen from `src` and `dist` alike. */
const built = fileURLToPath(new URL('../../../dist/demo/', import.meta.url));
const tokenPlace = '<meta name="gateway-token" content="" />';

/** The example page at `/demo`: its files are anybody's, the page itself carries the token. */
export async function addDemo(app: FastifyInstance, token: string): Promise<void> {
  // Their names change with what is in them.
  await app.register(fastifyStatic, {
    root: `${built}assets`,
    prefix: '/demo/assets/',
    index: false,
    decorateReply: false,
    maxAge: '365d',
    immutable: true,
  });
  app.get('/demo/', async (_request, reply) => reply.redirect('/demo'));
  app.get('/demo', async (_request, reply) => {
    const page = await readFile(`${built}index.html`, 'utf8').catch(() => {
      throw new HttpError(404, 'notFound', 'The page is not built. Run "npm run build".');
    });
    return reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('content-security-policy', policy)
      .header('referrer-policy', 'no-referrer')
      .send(page.replace(tokenPlace, `<meta name="gateway-token" content="${token}" />`));
  });
}

/** Nothing inline and nothing from elsewhere. */
const policy = [
  "default-src 'none'",
  ...["script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'"],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join('; ');
