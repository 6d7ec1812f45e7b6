import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import type { Viewer } from '../access/permissions.ts';
import type { TokenVerifier } from '../access/token.ts';
import { AppError } from '../core/kernel/errors.ts';
import { rateLimited, type RateLimiter } from '../core/runtime/limits.ts';
import { networkOf } from '../core/text/address.ts';
import { atOnce, isRepeated } from './requests.ts';

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
