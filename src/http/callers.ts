import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { Viewer } from '../access/permissions.ts';
import type { TokenVerifier } from '../access/token.ts';
import { AppError } from '../core/errors.ts';
import { rateLimited, type RateLimiter } from '../core/runtime/limits.ts';
import { networkOf } from '../core/text/address.ts';

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

declare module 'fastify' {
  interface FastifyRequest {
    viewer: Viewer | undefined;
    /** The caller's IPv4 address or IPv6 network: identifies callers without a token. */
    network: string;
  }
}

/** Sets the caller's network on every request. */
export function addCallers(app: FastifyInstance, { clientOf }: Proxies): void {
  app.decorateRequest('viewer', undefined);
  app.decorateRequest('network', '');
  app.addHook(
    'onRequest',
    atOnce((request) => void (request.network = clientOf(request.raw))),
  );
}

/**
 * Hooks of a route for callers with and without a token. The caller is identified by the head of the request, before a byte
 * of its body is read, and refused when the rate limit is used up. Requests that fail before they are run cost 1.
 */
export function callerHooks(verify: TokenVerifier, limiter: RateLimiter | undefined) {
  const checkBudget = (request: FastifyRequest): void => {
    const wait = limiter?.(keyOf(request), 0) ?? 0;
    if (wait > 0) throw rateLimited(wait);
  };
  return {
    onRequest: async (request: FastifyRequest): Promise<void> => {
      try {
        request.viewer = await verify(authorizationOf(request), () => checkBudget(request));
      } catch (error) {
        checkBudget(request);
        throw error;
      }
      checkBudget(request);
    },
    onError: async (request: FastifyRequest): Promise<void> => {
      limiter?.(keyOf(request), 1);
    },
  };
}

/** The key of the rate limit that a request is charged to. */
export const keyOf = ({ viewer, network }: Pick<FastifyRequest, 'viewer' | 'network'>): string =>
  viewer?.key ?? network;

/** Refuses several Authorization headers: they could name different callers (RFC 9110, section 5.3). */
function authorizationOf({ headers, raw }: FastifyRequest): string | undefined {
  if (isRepeated(raw.rawHeaders, 'authorization'))
    throw new AppError('UNAUTHENTICATED', 'authError', 'Send one Authorization header only.');
  return headers.authorization;
}

/** The proxies whose `X-Forwarded-For` is trusted. */
export interface Proxies {
  /** Whether connections from this address are a proxy's. */
  readonly has: (address: string | undefined) => boolean;
  /** The IPv4 address or IPv6 network of the client that sent a request. */
  readonly clientOf: (request: {
    readonly headers: IncomingHttpHeaders;
    readonly socket: Pick<Socket, 'remoteAddress'>;
  }) => string;
}

/** By addresses and networks in CIDR notation. */
export function createProxies(trusted: readonly string[]): Proxies {
  if (trusted.length === 0)
    return { has: () => false, clientOf: ({ socket }) => networkOf(socket.remoteAddress) };
  const list = new BlockList();
  for (const entry of trusted) {
    const [address = '', bits] = entry.split('/');
    const isIPv4 = isIP(address) === 4;
    list.addSubnet(address, Number(bits ?? (isIPv4 ? 32 : 128)), isIPv4 ? 'ipv4' : 'ipv6');
  }
  const has = (address = ''): boolean =>
    isIP(address) !== 0 && list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
  return {
    has,
    clientOf({ socket, headers }) {
      let client = socket.remoteAddress;
      // Each proxy appends the address that called it: entries before an address that is no proxy's can be forged.
      for (const hop of String(headers['x-forwarded-for'] ?? '')
        .split(',')
        .reverse()) {
        const address = has(client) ? addressIn(hop.trim()) : undefined;
        if (address === undefined) break;
        client = address;
      }
      return networkOf(client);
    },
  };
}

const withPort = /^(?:\[(?<six>[^\]]+)\](?::\d+)?|(?<four>[\d.]+):\d+)$/;

/** An address, as it stands in `X-Forwarded-For` with or without a port; undefined for what is none. */
function addressIn(hop: string): string | undefined {
  const { six, four } = withPort.exec(hop)?.groups ?? {};
  const address = six ?? four ?? hop;
  return isIP(address) === 0 ? undefined : address;
}
