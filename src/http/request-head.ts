import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HttpError, type RequestHead } from './face.ts';

/** Syntax of a Host header: a name or address, and an optional port. */
const hostHeaderPattern = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;

/** Returns the host of a Host header without its port; undefined for a malformed header. */
export const hostOf = (header: string | undefined): string | undefined =>
  hostHeaderPattern.exec(header ?? '')?.[1];

/** Scheme and host before the path in absolute-form (RFC 9112, section 3.2.2). */
const absoluteFormPrefix = /^https?:\/\/[^/?#]*/i;

/** Returns the path of a URL, for logs too; the query may contain callers' data and must not be logged. */
export const pathOf = (url: string): string => url.replace(absoluteFormPrefix, '').replace(/[?#].*$/s, '');

/** Returns the query of a URL without its question mark; empty if there is none. */
export const searchOf = (url: string): string => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');

/** Returns the head of a request as faces read it, to whom HEAD is GET: Fastify drops the body. */
export const headOf = ({ method, headers, url }: FastifyRequest): RequestHead => ({
  method: method === 'HEAD' ? 'GET' : method,
  headers,
  path: pathOf(url),
  search: searchOf(url),
});

/** Whether a request repeats a header, which Node's `headers` hide. `name` is in lower case. */
export const isHeaderRepeated = (rawHeaders: readonly string[], name: string): boolean =>
  rawHeaders.filter(
    (header, index) => index % 2 === 0 && header.length === name.length && header.toLowerCase() === name,
  ).length > 1;

/** Refuses malformed and repeated Host headers (RFC 9112, section 3.2). */
export function checkHosts(app: FastifyInstance): void {
  app.addHook('onRequest', ({ headers, raw }, _reply, done) => {
    // HTTP/1.0 does not require a Host header; the default is a reserved name.
    if (raw.httpVersion === '1.0') headers.host ??= 'unknown.invalid';
    if (hostOf(headers.host) === undefined || isHeaderRepeated(raw.rawHeaders, 'host')) {
      throw new HttpError(
        400,
        'invalid',
        'There must be one Host header: a host name and, where needed, a port.',
      );
    }
    done();
  });
}
