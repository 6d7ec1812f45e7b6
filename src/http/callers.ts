import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP, type Socket, isIPv6 } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Viewer } from '../access/permissions.ts';
import type { TokenVerifier } from '../access/token.ts';
import { AppError } from '../core/errors.ts';
import { rateLimitedError, type RateLimiter } from '../core/runtime/limits.ts';
import { isHeaderRepeated } from './request-head.ts';

/** Set of trusted proxies. */
export type Proxies = ReturnType<typeof createProxies>;

/** Part of a request that names the client and the proxies on its way. */
interface ForwardedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly socket: Pick<Socket, 'remoteAddress'>;
}

/** Creates the set of trusted proxies, which knows the clients behind them. */
export function createProxies(trustedNetworks: readonly string[]) {
  const trustedAddresses = new BlockList();
  for (const entry of trustedNetworks) {
    const [address = '', bitCount] = entry.split('/');
    const isIPv4 = isIP(address) === 4;
    trustedAddresses.addSubnet(address, Number(bitCount ?? (isIPv4 ? 32 : 128)), isIPv4 ? 'ipv4' : 'ipv6');
  }
  /** Whether an address belongs to a trusted proxy. */
  const has = (address = ''): boolean =>
    trustedNetworks.length > 0 &&
    isIP(address) !== 0 &&
    trustedAddresses.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
  return {
    has,
    /** Returns the IPv4 address or IPv6 network of the client that sent a request. */
    clientOf: ({ socket, headers }: ForwardedRequest): string => {
      let client = socket.remoteAddress;
      if (!has(client)) return networkKeyOf(client);
      // Each proxy appends its caller's address. Entries before an untrusted address can be forged.
      for (const hop of String(headers['x-forwarded-for'] ?? '')
        .split(',')
        .reverse()) {
        const address = has(client) ? parseHop(hop.trim()) : undefined;
        if (address === undefined) break;
        client = address;
      }
      return networkKeyOf(client);
    },
  };
}

const addressWithPortPattern = /^(?:\[(?<ipv6>[^\]]+)\](?::\d+)?|(?<ipv4>[\d.]+):\d+)$/;

/** Parses an address in `X-Forwarded-For`, with or without a port; undefined for other text. */
function parseHop(hop: string): string | undefined {
  const { ipv6, ipv4 } = addressWithPortPattern.exec(hop)?.groups ?? {};
  const address = ipv6 ?? ipv4 ?? hop;
  return isIP(address) === 0 ? undefined : address;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller by token; undefined for anonymous requests, and before the token is verified. */
    viewer: Viewer | undefined;
    /** The caller's IPv4 address or IPv6 network: identifies callers without a token. */
    network: string;
  }
}

export function addClientNetworks(app: FastifyInstance, { clientOf }: Proxies): void {
  app.decorateRequest('viewer', undefined);
  app.decorateRequest('network', '');
  app.addHook('onRequest', (request, _reply, done) => {
    request.network = clientOf(request.raw);
    done();
  });
}

/**
 * Creates a route's hooks, which identify the caller before the body is read; without `verify` by network. A request that fails before
 * it runs is charged 1.
 */
export function createCallerHooks(verify: TokenVerifier | undefined, limiter: RateLimiter | undefined) {
  /** Checks without charging: a request is charged when it runs, or in `onError`. */
  const checkRateLimit = (request: FastifyRequest): void => {
    const waitSeconds = limiter?.(rateLimitKeyOf(request), 0) ?? 0;
    if (waitSeconds > 0) throw rateLimitedError(waitSeconds);
  };
  return {
    identifyCaller: async (request: FastifyRequest): Promise<void> => {
      try {
        request.viewer = await verify?.(readAuthorization(request), () => checkRateLimit(request));
      } finally {
        checkRateLimit(request); // RATE_LIMITED replaces any other error
      }
    },
    chargeFailure: async (request: FastifyRequest): Promise<void> => {
      limiter?.(rateLimitKeyOf(request), 1);
    },
  };
}

/** Returns the key under which a caller is charged: of the viewer, or without a token of the network. */
export const rateLimitKeyOf = ({ viewer, network }: Pick<FastifyRequest, 'viewer' | 'network'>): string =>
  viewer?.key ?? network;

/** Returns the Authorization header. Refuses several of them, which could identify different callers (RFC 9110, section 5.3). */
function readAuthorization({ headers, raw }: FastifyRequest): string | undefined {
  if (isHeaderRepeated(raw.rawHeaders, 'authorization'))
    throw new AppError('UNAUTHENTICATED', 'authError', 'Send one Authorization header only.');
  return headers.authorization;
}

/** An IPv4 address, alone or at the end of the IPv6 address that it is mapped to. */
const mappedIpv4Pattern = /(?:^|:)(\d{1,3}(?:\.\d{1,3}){3})$/;

/** Number of groups of 16 bits in an IPv6 address, and in its network. */
const groupCount = 8;

const networkGroupCount = 4;

/** Returns the key of a client's network: an IPv4 address (also mapped to IPv6), or the first 64 bits of IPv6; '' for a closed connection. */
export function networkKeyOf(address = ''): string {
  const [, ipv4] = mappedIpv4Pattern.exec(address) ?? [];
  if (ipv4 !== undefined || !isIPv6(address)) return ipv4 ?? address;
  const [head = '', tail = ''] = address.replace(/%.*$/, '').split('::');
  const headGroups = head.split(':').filter(Boolean);
  const tailGroups = tail.split(':').filter(Boolean);
  const zeroGroups = Array<string>(groupCount - headGroups.length - tailGroups.length).fill('0');
  return `${[...headGroups, ...zeroGroups, ...tailGroups]
    .slice(0, networkGroupCount)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
