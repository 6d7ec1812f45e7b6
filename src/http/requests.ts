import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';

type Work = (request: FastifyRequest, reply: FastifyReply) => void;

/** A synchronous hook: a promise for each hook and request would cost more than most hooks do. */
export const atOnce =
  (work: Work) =>
  (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    work(request, reply);
    done();
  };

/** A synchronous hook that runs before an answer is sent, and leaves its body as it is. */
export const beforeSending =
  (work: Work) =>
  (request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: HookHandlerDoneFunction): void => {
    work(request, reply);
    done();
  };

const hostHeader = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;

/** The host of a Host header without its port; undefined for a malformed one. */
export const hostOf = (header: string | undefined): string | undefined => hostHeader.exec(header ?? '')?.[1];

/** Scheme and host before the path of a request to a proxy (RFC 9112, section 3.2.2). */
const origin = /^https?:\/\/[^/?#]*/i;

/** The path of a request's URL. The query may hold data of callers: it is never logged. */
export const pathOf = (url: string): string => url.replace(origin, '').replace(/[?#].*$/s, '');

/** The query of a request's URL, without its question mark. */
export const searchOf = (url: string): string => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');

/** Whether a request has a header more than once, which Node's own `headers` do not tell. `name` is in lower case. */
export function isRepeated(rawHeaders: readonly string[], name: string): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index] as string;
    if (header.length === name.length && header.toLowerCase() === name) count += 1;
  }
  return count > 1;
}

/** Adds a request header to the response's `Vary`. */
export function addVary(reply: FastifyReply, header: string): void {
  const known = reply.getHeader('vary');
  const names = known === undefined ? [] : String(known).split(/, */);
  if (!names.includes(header)) void reply.header('vary', [...names, header].join(', '));
}
