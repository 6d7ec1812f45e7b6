import { createSecretKey } from 'node:crypto';
import { decodeProtectedHeader, jwtVerify, type JWTPayload, type JWTVerifyOptions } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { AppError } from '../core/errors.ts';
import type { Clock } from '../core/clock.ts';
import { createKeySet } from './key-set.ts';
import type { Viewer } from './permissions.ts';

export interface TokenSettings {
  /** HS256 secret, at least 32 bytes. */
  readonly secret?: string;
  readonly jwksUrl?: string;
  readonly issuer?: string;
  readonly audience?: string;
}

/**
 * The viewer an `Authorization` header speaks for; none without the header.
 * Throws UNAUTHENTICATED, or UNAVAILABLE while the keys to judge the token by cannot be had.
 */
export type TokenVerifier = (authorization: string | undefined) => Promise<Viewer | undefined>;

/** Signatures an identity provider's published keys can make: never the symmetric ones. */
const asymmetric = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];

/** Headers by which a token could bring or name its own key (RFC 7515, section 4.1). */
const keyHeaders = ['jku', 'jwk', 'x5u', 'x5c'] as const;

const claims = z.object({
  sub: z.string().min(1),
  exp: z.number(),
  email: z.string().min(1).optional(),
  scope: z.string().optional(),
});

const maxCached = 10_000;

/** Verifies bearer JWTs (RFC 6750, RFC 8725); a token that passed is remembered until it expires. */
export function createTokenVerifier(settings: TokenSettings, clock: Clock): TokenVerifier {
  const verify = signatureVerifier(settings, clock);
  const known = new LRUCache<string, Viewer & { readonly expires: number }>({ max: maxCached });

  return async (authorization) => {
    if (authorization === undefined) return undefined;
    const token = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+) *$/i.exec(authorization)?.[1];
    if (!token) throw refused('The Authorization header must be: Bearer, a space, and a signed token (JWT).');
    const cached = known.get(token);
    if (cached && cached.expires > clock()) return cached;
    known.delete(token);
    const payload = claims.safeParse(await verify(token));
    if (!payload.success) throw refused('The token must carry the claims sub and exp; email and scope, where it has them, must be texts.');
    const { sub, exp, email, scope } = payload.data;
    const viewer = {
      sub,
      identity: (email ?? sub).toLowerCase(),
      scopes: new Set(scope?.split(' ').filter(Boolean)),
      expires: exp * 1000,
    };
    known.set(token, viewer);
    return viewer;
  };
}

function signatureVerifier(settings: TokenSettings, clock: Clock): (token: string) => Promise<JWTPayload> {
  const { secret, jwksUrl, issuer, audience } = settings;
  const key = secret === undefined ? undefined : createSecretKey(Buffer.from(secret, 'utf8'));
  const keys = jwksUrl === undefined ? undefined : createKeySet(new URL(jwksUrl), clock);

  return async (token) => {
    const required: JWTVerifyOptions = { issuer, audience, requiredClaims: ['sub', 'exp'], currentDate: new Date(clock()) };
    try {
      const header = decodeProtectedHeader(token);
      if (keyHeaders.some((name) => header[name] !== undefined)) throw new Error('the token brings its own key');
      if (header.alg === 'HS256' && key) return (await jwtVerify(token, key, { ...required, algorithms: ['HS256'] })).payload;
      if (!keys) throw new Error('no key for this algorithm');
      return (await jwtVerify(token, keys, { ...required, algorithms: asymmetric })).payload;
    } catch (error) {
      if (error instanceof AppError) throw error;
      const expired = (error as { code?: string }).code === 'ERR_JWT_EXPIRED';
      throw refused(expired ? 'The token has expired. Sign in again.' : 'The token is not valid here.');
    }
  };
}

const refused = (message: string): AppError => new AppError('UNAUTHENTICATED', 'authError', message);
