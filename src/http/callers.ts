import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Viewer } from '../access/permissions.ts';
import type { TokenVerifier } from '../access/token.ts';
import { AppError } from '../core/errors.ts';
import { rateLimitedError, type RateLimiter } from '../core/runtime/limits.ts';
import { isHeaderRepeated } from './request-head.ts';
import { syncHook } from './hooks.ts';
import type { Proxies } from './proxies.ts';

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
  app.addHook(
    'onRequest',
    syncHook((request) => void (request.network = clientOf(request.raw))),
  );
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
    onRequest: async (request: FastifyRequest): Promise<void> => {
      try {
        request.viewer = await verify?.(readAuthorization(request), () => checkRateLimit(request));
      } catch (error) {
        checkRateLimit(request);
        throw error;
      }
      checkRateLimit(request);
    },
    onError: async (request: FastifyRequest): Promise<void> => {
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
