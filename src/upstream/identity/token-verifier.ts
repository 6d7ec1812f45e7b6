import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type Viewer, viewerOf } from '../../access/permissions.ts';
import type { TokenVerifier } from '../../access/token.ts';
import { AppError, serviceUnavailableError } from '../../core/errors.ts';
import { type CallerDependencies, callWithRetries, Circuit, systemTimer } from '../client/attempts.ts';
import { createOrigin, sendRequest } from '../client/http-exchange.ts';
import {
  type RawResponse,
  CallFailure,
  classifyFailure,
  parseJsonObject,
  retryAfterSecondsOf,
} from '../client/responses.ts';

/** Bearer tokens by viewer; not stored in the viewers, which may be logged. */
const bearerTokens = new WeakMap<Viewer, string>();

/** Remembers the token of a viewer, for calls on the viewer's behalf. */
export function rememberBearer(viewer: Viewer, token: string): Viewer {
  bearerTokens.set(viewer, token);
  return viewer;
}

export function bearerOf(viewer: Viewer): string {
  const token = bearerTokens.get(viewer);
  if (token === undefined) throw new Error('a viewer without a bearer token cannot be acted for');
  return token;
}

/** Service that validates tokens: Google's tokeninfo, or token introspection (RFC 7662). */
type IdentityService =
  | { readonly tokeninfo: string }
  | { readonly introspection: { readonly url: string; readonly id: string; readonly secret: string } };

/** Treats null and empty text as missing. */
const optionalTextSchema = z
  .string()
  .nullish()
  .transform((value) => value || undefined);
const optionalSecondsSchema = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^-?\d{1,12}$/)
      .transform(Number),
  ])
  .nullish()
  .transform((value) => value ?? undefined);

const tokenInfoSchema = z.object({
  sub: optionalTextSchema,
  email: optionalTextSchema,
  email_verified: z.unknown().optional(),
  scope: optionalTextSchema,
  exp: optionalSecondsSchema,
  expires_in: optionalSecondsSchema,
});

type TokenInfo = z.infer<typeof tokenInfoSchema>;

const invalidTokenError = (message: string): AppError =>
  new AppError('UNAUTHENTICATED', 'authError', message);

/** Returns where a token is sent to be validated, and with which credentials. */
function describeRequest(identity: IdentityService) {
  if ('tokeninfo' in identity)
    return { method: 'tokeninfo', url: identity.tokeninfo, tokenParameter: 'access_token' };
  const { url, id, secret } = identity.introspection;
  // RFC 6749, section 2.3.1.
  const credentials = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  return { method: 'introspect', url, tokenParameter: 'token', authorization };
}

/** Reads token info. Throws UNAUTHENTICATED for an unknown token, a CallFailure for an unusable response. */
function readTokenInfo(response: RawResponse, isIntrospection: boolean, now: number): TokenInfo {
  const { status, text } = response;
  const json = parseJsonObject(text);
  if (isIntrospection ? status === 200 && json?.active === false : status === 400 || status === 401)
    throw invalidTokenError('The token is unknown or has expired. Get a new one.');
  if (status !== 200) throw classifyFailure(response, now) ?? new CallFailure('unexpected', { status });
  if (!json) throw new CallFailure('malformed', { status });
  const parsed = tokenInfoSchema.safeParse(json);
  // `unexpected` is not retried and does not open the circuit, since only this token has such a response.
  if (!parsed.success || (isIntrospection && json.active !== true))
    throw new CallFailure('unexpected', { status });
  return parsed.data;
}

/** Time for which viewers are cached. */
const maxViewerAgeMs = 60_000;
/** Time for which refusals are cached, and their number. */
const [maxRefusalAgeMs, maxRefusals] = [5_000, 10_000];
/** Maximum memory of cached viewers. */
const maxCachedBytes = 16 * 1024 * 1024;
/** Estimated memory of a cache entry without its token. */
const entryOverheadBytes = 1024;

/** Verifies opaque bearer tokens (RFC 6750) with the service that issued them. */
export function createUpstreamVerifier({
  identity,
  clock,
  log,
  metrics,
  runTraced,
  timer = systemTimer,
}: CallerDependencies & { readonly identity: IdentityService }) {
  const { method, url, tokenParameter, authorization } = describeRequest(identity);
  const origin = createOrigin(url);
  const dependencies = { circuit: new Circuit(), metrics, timer };
  // Keys are digests, so that a dump of keys leaks no tokens.
  // Refusals have a cache of their own, so that unknown tokens evict no viewers. `expiresAt`: epoch milliseconds.
  const viewers = new LRUCache<string, { readonly viewer: Viewer; readonly expiresAt: number }>({
    maxSize: maxCachedBytes,
  });
  const refusals = new LRUCache<string, { readonly error: AppError; readonly expiresAt: number }>({
    max: maxRefusals,
  });
  const verificationsByKey = new Map<string, Promise<Viewer>>();

  const requestTokenInfo = (token: string): Promise<TokenInfo> =>
    runTraced(`identity ${method}`, { 'server.address': origin.host, 'http.request.method': 'POST' }, () =>
      callWithRetries(
        {
          service: 'identity',
          apiMethod: method,
          // Several requests may wait for one verification, so it has a retry budget of its own.
          request: {},
          repeatable: true,
          send: (timeoutMs) =>
            sendRequest(origin, {
              httpMethod: 'POST',
              path: origin.basePath || '/',
              timeoutMs,
              headers: {
                accept: 'application/json',
                'content-type': 'application/x-www-form-urlencoded',
                ...(authorization !== undefined && { authorization }),
              },
              body: `${tokenParameter}=${encodeURIComponent(token)}`,
            }),
          classify: (response) => readTokenInfo(response, 'introspection' in identity, clock()),
        },
        dependencies,
      ),
    ).catch((error: unknown) => {
      if (!(error instanceof CallFailure)) throw error;
      log.warn(
        { service: 'identity', method, status: error.status, reason: error.reason },
        'a token could not be checked',
      );
      const details = { retryAfter: retryAfterSecondsOf(error) };
      throw serviceUnavailableError(
        'Tokens cannot be checked at the moment. Try again later.',
        details,
        error,
      );
    });

  async function verifyToken(token: string, key: string): Promise<Viewer> {
    const requestedAt = clock();
    try {
      const viewer = rememberBearer(toViewer(await requestTokenInfo(token), requestedAt), token);
      const expiresAt = Math.min(viewer.expires ?? Infinity, requestedAt + maxViewerAgeMs);
      viewers.set(key, { viewer, expiresAt }, { size: entryOverheadBytes + 2 * token.length });
      return viewer;
    } catch (error) {
      if (error instanceof AppError && error.code === 'UNAUTHENTICATED')
        refusals.set(key, { error, expiresAt: requestedAt + maxRefusalAgeMs });
      throw error;
    }
  }

  const verify: TokenVerifier = async (header, beforeRequest) => {
    if (header === undefined) return undefined;
    const token = /^Bearer +([\w\-.~+/]+=*) *$/i.exec(header)?.[1];
    if (token === undefined)
      throw invalidTokenError('The Authorization header must be: Bearer, a space, and a token.');
    const key = digestOf(token);
    const cachedViewer = viewers.get(key);
    if (cachedViewer && cachedViewer.expiresAt > clock()) return cachedViewer.viewer;
    const refusal = refusals.get(key);
    if (refusal && refusal.expiresAt > clock()) throw refusal.error;
    // Known tokens do not count towards the rate limit of their network, which other callers may have used up.
    if (!cachedViewer) beforeRequest?.();
    const verification =
      verificationsByKey.get(key) ?? verifyToken(token, key).finally(() => verificationsByKey.delete(key));
    verificationsByKey.set(key, verification);
    return verification;
  };

  return {
    verify,
    /** Drops a token from the cache, since the service behind the gateway refused it. */
    forget: (token: string): void => void viewers.delete(digestOf(token)),
    close: () => origin.close(),
  };
}

const digestOf = (token: string): string => hash('sha256', token, 'base64url');

/** Creates a viewer from token info. `now`: time of the request, before the response. */
function toViewer({ sub, email, email_verified, scope, exp, expires_in }: TokenInfo, now: number): Viewer {
  const identity = sub ?? email;
  if (identity === undefined)
    throw invalidTokenError(
      'The token does not identify its owner: it needs the email scope (https://www.googleapis.com/auth/userinfo.email).',
    );
  const expires = Math.min(
    exp === undefined ? Infinity : exp * 1000,
    expires_in === undefined ? Infinity : now + expires_in * 1000,
  );
  if (expires <= now) throw invalidTokenError('The token has expired. Get a new one.');
  return viewerOf(
    { sub: identity, email, email_verified, scope },
    expires === Infinity ? undefined : expires,
  );
}
