import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isLoopbackHost } from '../core/address.ts';
import { HttpError } from './errors.ts';

const hostHeader = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;

/** The host of a Host header without its port; undefined for a header that is none. */
const hostOf = (header: string | undefined): string | undefined => hostHeader.exec(header ?? '')?.[1];

/** Refuses Host headers that no URL could have led to (RFC 9112, section 3.2). */
export function checkHosts(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ headers, raw }) => {
    // HTTP/1.0 has no Host header: a name that is nobody's.
    if (raw.httpVersion === '1.0') headers.host ??= 'unknown.invalid';
    if (hostOf(headers.host) === undefined) {
      throw new HttpError(400, 'invalid', 'The Host header must be a host name and, where needed, a port.');
    }
  });
}

const wantsPage = ({ method, headers }: FastifyRequest): boolean => method === 'GET' && /\btext\/html\b/.test(headers.accept ?? '');

/**
 * The demo's pages carry a token: they are for this machine's own names only, so that no page on the internet whose
 * name was made to lead here (DNS rebinding) can read them.
 */
export function guardPages(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    if (!wantsPage(request)) return;
    const host = hostOf(request.headers.host);
    if (host === undefined || !isLoopbackHost(host)) {
      throw new HttpError(421, 'invalid', 'Pages of the demo are for this machine only. Open them at http://127.0.0.1 or http://localhost, with the port.');
    }
  });
}

/** The ways to the explorer. */
export function addPages(app: FastifyInstance): void {
  app.get('/', async (_request, reply) => reply.redirect('/explorer', 302));
  app.get('/explorer', async (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', "default-src 'none'").send(explorer),
  );
}

const explorer = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Resource gateway</title>
<h1>Resource gateway</h1>
<p><a href="/graphql">Open Apollo Sandbox</a> (loaded from Apollo's servers: it needs the internet).</p>
</html>
`;
