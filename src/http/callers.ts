import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Viewer } from '../access/permissions.ts';
import type { TokenVerifier } from '../access/token.ts';
import { AppError } from '../core/errors.ts';
import { rateLimited, type RateLimiter } from '../core/runtime/limits.ts';
import { isRepeated } from './head.ts';
import { atOnce } from './hooks.ts';
import type { Proxies } from './proxies.ts';

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
