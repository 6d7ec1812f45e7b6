import { createSecretKey } from 'node:crypto';
import {
  decodeProtectedHeader,
  type JWTPayload,
  jwtVerify,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  SignJWT,
} from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { AppError } from '../core/errors.ts';
import type { Clock } from '../core/runtime/clock.ts';
import { createKeySet, type FoundKey } from './key-set.ts';
import { type ScopeRule, type Viewer, viewerOf } from './permissions.ts';

export interface TokenSettings {
  /** HS256 secret, at least 32 bytes. */
  readonly secret?: string;
  readonly jwksUrl?: string;
  readonly issuer?: string;
  readonly audience?: string;
}

/**
 * Returns the viewer of an `Authorization` header, undefined without one. Throws UNAUTHENTICATED, or UNAVAILABLE while
 * there are no keys to verify it. `beforeAsking` is called before somebody else is asked about an unknown token, and may
 * throw.
 */
export type TokenVerifier = (
  authorization: string | undefined,
  beforeAsking?: () => void,
) => Promise<Viewer | undefined>;

/** Algorithms for the published keys of an identity provider: no symmetric ones. */
const asymmetric = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

/** Headers that would let a token choose its own key (RFC 7515, section 4.1). */
const keyHeaders = ['jku', 'jwk', 'x5u', 'x5c'] as const;

const claims = z.object({
  sub: z.string().min(1),
  exp: z.number(),
  email: z.string().min(1).optional(),
  email_verified: z.unknown().optional(),
  scope: z.string().optional(),
});

/** Tolerated difference (s) to the clock of the identity provider. */
const toleranceSeconds = 30;
/** Verified tokens are cached for at most this long (ms). */
const maxCachedMs = 5 * 60_000;
const maxCachedBytes = 16 * 1024 * 1024;
/** Estimated memory of a cache entry beside its token: viewer, set of scopes, bookkeeping. */
const entryBytes = 1024;

interface Verified {
  readonly payload: JWTPayload;
  readonly key: Pick<FoundKey, 'version' | 'until'>;
}

interface Known {
  readonly viewer: Viewer;
  readonly until: number;
  readonly keyVersion: number;
}

/** The configured secret never changes. */
const lasting = { version: 0, until: Infinity };

/** Verifies bearer JWTs (RFC 6750, RFC 8725). Verified tokens are cached as long as their key allows. */
export function createTokenVerifier(settings: TokenSettings, clock: Clock): TokenVerifier {
  const signatures = signatureVerifier(settings, clock);
  const cache = new LRUCache<string, Known>({
    maxSize: maxCachedBytes,
    // Two bytes a character: the token, and the claims taken from it.
    sizeCalculation: (_known, token) => entryBytes + 2 * token.length,
  });

  return async (authorization) => {
    if (authorization === undefined) return undefined;
    const token = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+) *$/i.exec(authorization)?.[1];
    if (!token) throw refused('The Authorization header must be: Bearer, a space, and a signed token (JWT).');
    const known = cache.get(token);
    if (
      known &&
      known.until > clock() &&
      (known.keyVersion === 0 || known.keyVersion === signatures.keyVersion())
    )
      return known.viewer;
    cache.delete(token);
    const { payload, key } = await signatures.verify(token);
    const viewer = viewerIn(payload);
    cache.set(token, {
      viewer,
      until: Math.min(viewer.expires, key.until, clock() + maxCachedMs),
      keyVersion: key.version,
    });
    return viewer;
  };
}

function viewerIn(payload: JWTPayload): Viewer & { readonly expires: number } {
  const parsed = claims.safeParse(payload);
  if (!parsed.success) {
    throw refused(
      'The token must carry the claims sub and exp; email and scope, where it has them, must be strings.',
    );
  }
  return viewerOf(parsed.data, (parsed.data.exp + toleranceSeconds) * 1000);
}

function signatureVerifier(
  settings: TokenSettings,
  clock: Clock,
): { verify(token: string): Promise<Verified>; keyVersion(): number } {
  const { secret, jwksUrl, issuer, audience } = settings;
  const key = secret === undefined ? undefined : createSecretKey(Buffer.from(secret, 'utf8'));
  const keys = jwksUrl === undefined ? undefined : createKeySet(new URL(jwksUrl), clock);

  const verify = async (token: string): Promise<Verified> => {
    const required: JWTVerifyOptions = {
      issuer,
      audience,
      requiredClaims: ['sub', 'exp'],
      clockTolerance: toleranceSeconds,
      currentDate: new Date(clock()),
    };
    try {
      const header = decodeProtectedHeader(token);
      if (keyHeaders.some((name) => header[name] !== undefined))
        throw new Error('the token brings its own key');
      if (header.alg === 'HS256' && key) {
        return {
          payload: (await jwtVerify(token, key, { ...required, algorithms: ['HS256'] })).payload,
          key: lasting,
        };
      }
      if (!keys) throw new Error('no key for this algorithm');
      let found: Verified['key'] = lasting;
      const find: JWTVerifyGetKey = async (...of) => {
        const { key: one, ...rest } = await keys.find(...of);
        found = rest;
        return one;
      };
      const { payload } = await jwtVerify(token, find, { ...required, algorithms: asymmetric });
      return { payload, key: found };
    } catch (error) {
      if (error instanceof AppError) throw error;
      const expired = (error as { code?: string }).code === 'ERR_JWT_EXPIRED';
      throw refused(expired ? 'The token has expired. Sign in again.' : 'The token is not valid here.');
    }
  };
  return { verify, keyVersion: () => keys?.version() ?? 0 };
}

const refused = (message: string): AppError => new AppError('UNAUTHENTICATED', 'authError', message);

interface TokenClaims {
  readonly sub: string;
  readonly email?: string;
  readonly scopes: readonly string[];
  /** Epoch milliseconds. */
  readonly expires: number;
  readonly issuer?: string;
  readonly audience?: string;
}

/** A bearer token (HS256) for the demo and for developers. */
export function signToken(
  secret: string,
  { sub, email, scopes, expires, issuer, audience }: TokenClaims,
): Promise<string> {
  const token = new SignJWT({ ...(email !== undefined && { email }), scope: scopes.join(' ') })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(sub)
    .setExpirationTime(new Date(expires));
  if (issuer !== undefined) token.setIssuer(issuer);
  if (audience !== undefined) token.setAudience(audience);
  return token.sign(Buffer.from(secret, 'utf8'));
}

/** A small set of scopes that satisfies all rules, chosen greedily: the alternative of most unsatisfied rules first. */
export function fewestScopes(rules: Iterable<ScopeRule>): string[] {
  const held = new Set<string>();
  const isOpen = (rule: ScopeRule): boolean => rule.some((all) => all.every((scope) => held.has(scope)));
  for (let closed = [...rules]; closed.length > 0; closed = closed.filter((rule) => !isOpen(rule))) {
    const uses = new Map<string, { scopes: readonly string[]; count: number }>();
    for (const scopes of closed.flat()) {
      const name = scopes.join(' ');
      uses.set(name, { scopes, count: (uses.get(name)?.count ?? 0) + 1 });
    }
    const [best] = [...uses.values()].sort((a, b) => b.count - a.count);
    for (const scope of best?.scopes ?? []) held.add(scope);
  }
  return [...held];
}
