import { createSecretKey } from 'node:crypto';
import { decodeProtectedHeader, type JWTPayload, jwtVerify, type JWTVerifyGetKey, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { AppError } from '../core/errors.ts';
import type { Clock } from '../core/runtime/clock.ts';
import { createKeySet } from './key-set.ts';
import { type Viewer, viewerOf } from './permissions.ts';

/** Settings by which tokens are verified: a secret, published keys, or both. */
export interface TokenSettings {
  /** HS256 secret of at least 32 bytes. */
  readonly secret?: string;
  readonly jwksUrl?: string;
  readonly issuer?: string;
  readonly audience?: string;
}

/**
 * Verifies an `Authorization` header and returns the caller; undefined without a header. Throws UNAVAILABLE
 * if keys cannot be loaded. `beforeLookup`: called before a request to another service; may throw.
 */
export type TokenVerifier = (
  authorization: string | undefined,
  beforeLookup?: () => void,
) => Promise<Viewer | undefined>;

/** Algorithms for published keys; symmetric ones would let anybody sign. */
const asymmetricAlgorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

/** Header fields that would let a token choose its own key (RFC 7515, section 4.1). */
const keyHeaders = ['jku', 'jwk', 'x5u', 'x5c'] as const;

const claimsSchema = z.object({
  sub: z.string().min(1),
  exp: z.number(),
  email: z.string().min(1).optional(),
  email_verified: z.unknown().optional(),
  scope: z.string().optional(),
});

/** Tolerated clock difference (s) to the identity provider. */
const toleranceSeconds = 30;
/** Maximum time (ms) for which a verified token is cached. */
const maxCachedMs = 5 * 60_000;
/** Memory for verified tokens. */
const maxCachedBytes = 16 * 1024 * 1024;
/** Estimated memory (bytes) of a cache entry without its token: viewer, scopes, bookkeeping. */
const entryOverheadBytes = 1024;

interface CachedToken {
  readonly viewer: Viewer;
  /** Time until which the entry may be used (epoch ms). */
  readonly until: number;
  /** Version of the key set; 0 for the configured secret. */
  readonly keyVersion: number;
}

/** Verifies bearer JWTs (RFC 6750, RFC 8725). Verified tokens are cached as long as their key allows. */
export function createTokenVerifier(
  { secret, jwksUrl, issuer, audience }: TokenSettings,
  clock: Clock,
): TokenVerifier {
  const secretKey = secret === undefined ? undefined : createSecretKey(Buffer.from(secret, 'utf8'));
  const keySet = jwksUrl === undefined ? undefined : createKeySet(new URL(jwksUrl), clock);
  const cache = new LRUCache<string, CachedToken>({
    maxSize: maxCachedBytes,
    // Each character counts twice: in the token and in its claims.
    sizeCalculation: (_entry, token) => entryOverheadBytes + 2 * token.length,
  });

  async function verifySignature(token: string) {
    const header = decodeProtectedHeader(token);
    if (keyHeaders.some((name) => header[name] !== undefined))
      throw new Error('the token brings its own key');
    const usesSecret = header.alg === 'HS256' && secretKey !== undefined;
    // The configured secret never changes.
    let keyValidity = { version: 0, until: Infinity };
    const findKey: JWTVerifyGetKey = async (...tokenParts) => {
      if (usesSecret) return secretKey;
      if (!keySet) throw new Error('no key for this algorithm');
      const { key, ...validity } = await keySet.find(...tokenParts);
      keyValidity = validity;
      return key;
    };
    const { payload } = await jwtVerify(token, findKey, {
      algorithms: usesSecret ? ['HS256'] : asymmetricAlgorithms,
      issuer,
      audience,
      requiredClaims: ['sub', 'exp'],
      clockTolerance: toleranceSeconds,
      currentDate: new Date(clock()),
    });
    return { payload, keyValidity };
  }

  return async (authorization) => {
    if (authorization === undefined) return undefined;
    const token = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+) *$/i.exec(authorization)?.[1];
    if (!token)
      throw authError('The Authorization header must be: Bearer, a space, and a signed token (JWT).');
    const cachedToken = cache.get(token);
    if (
      cachedToken &&
      cachedToken.until > clock() &&
      (cachedToken.keyVersion === 0 || cachedToken.keyVersion === keySet?.version())
    )
      return cachedToken.viewer;
    cache.delete(token);
    const { payload, keyValidity } = await verifySignature(token).catch((error: unknown) => {
      if (error instanceof AppError) throw error;
      const isExpired = (error as { code?: string }).code === 'ERR_JWT_EXPIRED';
      throw authError(isExpired ? 'The token has expired. Sign in again.' : 'The token is not valid here.');
    });
    const viewer = parseViewer(payload);
    cache.set(token, {
      viewer,
      until: Math.min(viewer.expires, keyValidity.until, clock() + maxCachedMs),
      keyVersion: keyValidity.version,
    });
    return viewer;
  };
}

function parseViewer(payload: JWTPayload): Viewer & { readonly expires: number } {
  const parsedClaims = claimsSchema.safeParse(payload);
  if (!parsedClaims.success)
    throw authError(
      'The token must carry the claims sub and exp; email and scope, where it has them, must be strings.',
    );
  return viewerOf(parsedClaims.data, (parsedClaims.data.exp + toleranceSeconds) * 1000);
}

const authError = (message: string): AppError => new AppError('UNAUTHENTICATED', 'authError', message);

/** Signs a bearer token (HS256) for the demo and for developers. `expires`: epoch milliseconds. */
export function signToken(
  secret: string,
  claims: {
    readonly sub: string;
    readonly email?: string;
    readonly scopes: readonly string[];
    readonly expires: number;
    readonly issuer?: string;
    readonly audience?: string;
  },
): Promise<string> {
  const { sub, email, scopes, expires, issuer, audience } = claims;
  return new SignJWT({ sub, email, scope: scopes.join(' '), iss: issuer, aud: audience })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime(new Date(expires))
    .sign(Buffer.from(secret, 'utf8'));
}
