import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HttpError, type RequestHead } from './face.ts';
import { atOnce } from './hooks.ts';

const hostHeader = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;

/** The host of a Host header without its port; undefined for a malformed one. */
export const hostOf = (header: string | undefined): string | undefined => hostHeader.exec(header ?? '')?.[1];

/** Scheme and host before the path of a request to a proxy (RFC 9112, section 3.2.2). */
const origin = /^https?:\/\/[^/?#]*/i;

/** The path of a request's URL. The query may hold data of callers: it is never logged. */
export const pathOf = (url: string): string => url.replace(origin, '').replace(/[?#].*$/s, '');

/** The query of a request's URL, without its question mark. */
export const searchOf = (url: string): string => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');

export const headOf = ({ method, headers, url }: FastifyRequest): RequestHead => ({
  method,
  headers,
  path: pathOf(url),
  search: searchOf(url),
});

/** Whether a request has a header more than once, which Node's own `headers` do not tell. `name` is in lower case. */
export function isRepeated(rawHeaders: readonly string[], name: string): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index] as string;
    if (header.length === name.length && header.toLowerCase() === name) count += 1;
  }
  return count > 1;
}

/** Refuses malformed and repeated Host headers (RFC 9112, section 3.2). */
export function checkHosts(app: FastifyInstance): void {
  const check = ({ headers, raw }: FastifyRequest): void => {
    // HTTP/1.0 has no Host header: a name that nobody has stands in.
    if (raw.httpVersion === '1.0') headers.host ??= 'unknown.invalid';
    if (hostOf(headers.host) === undefined || isRepeated(raw.rawHeaders, 'host')) {
      throw new HttpError(
        400,
        'invalid',
        'There must be one Host header: a host name and, where needed, a port.',
      );
    }
  };
  app.addHook('onRequest', atOnce(check));
}
