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
import { createKeySet, type VerificationKey } from './key-set.ts';
import { type ScopeRule, type Viewer, viewerOf } from './permissions.ts';

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

/** Claims of a token, and how long its key is valid. */
interface VerifiedToken {
  readonly payload: JWTPayload;
  readonly keyValidity: Pick<VerificationKey, 'version' | 'until'>;
}

interface CachedToken {
  readonly viewer: Viewer;
  /** Time until which the entry may be used (epoch ms). */
  readonly until: number;
  /** Version of the key set; 0 for the configured secret. */
  readonly keyVersion: number;
}

/** Validity of the configured secret, which never changes. */
const unlimitedValidity = { version: 0, until: Infinity };

/** Verifies bearer JWTs (RFC 6750, RFC 8725). Verified tokens are cached as long as their key allows. */
export function createTokenVerifier(settings: TokenSettings, clock: Clock): TokenVerifier {
  const signatureVerifier = createSignatureVerifier(settings, clock);
  const cache = new LRUCache<string, CachedToken>({
    maxSize: maxCachedBytes,
    // Each character counts twice: in the token and in its claims.
    sizeCalculation: (_entry, token) => entryOverheadBytes + 2 * token.length,
  });

  return async (authorization) => {
    if (authorization === undefined) return undefined;
    const token = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+) *$/i.exec(authorization)?.[1];
    if (!token)
      throw authError('The Authorization header must be: Bearer, a space, and a signed token (JWT).');
    const cachedToken = cache.get(token);
    if (
      cachedToken &&
      cachedToken.until > clock() &&
      (cachedToken.keyVersion === 0 || cachedToken.keyVersion === signatureVerifier.keyVersion())
    )
      return cachedToken.viewer;
    cache.delete(token);
    const { payload, keyValidity: validity } = await signatureVerifier.verify(token);
    const viewer = parseViewer(payload);
    cache.set(token, {
      viewer,
      until: Math.min(viewer.expires, validity.until, clock() + maxCachedMs),
      keyVersion: validity.version,
    });
    return viewer;
  };
}

function parseViewer(payload: JWTPayload): Viewer & { readonly expires: number } {
  const parsedClaims = claimsSchema.safeParse(payload);
  if (!parsedClaims.success) {
    throw authError(
      'The token must carry the claims sub and exp; email and scope, where it has them, must be strings.',
    );
  }
  return viewerOf(parsedClaims.data, (parsedClaims.data.exp + toleranceSeconds) * 1000);
}

function createSignatureVerifier(
  settings: TokenSettings,
  clock: Clock,
): { verify(token: string): Promise<VerifiedToken>; keyVersion(): number } {
  const { secret, jwksUrl, issuer, audience } = settings;
  const secretKey = secret === undefined ? undefined : createSecretKey(Buffer.from(secret, 'utf8'));
  const keySet = jwksUrl === undefined ? undefined : createKeySet(new URL(jwksUrl), clock);

  const verify = async (token: string): Promise<VerifiedToken> => {
    const verifyOptions: JWTVerifyOptions = {
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
      if (header.alg === 'HS256' && secretKey) {
        return {
          payload: (await jwtVerify(token, secretKey, { ...verifyOptions, algorithms: ['HS256'] })).payload,
          keyValidity: unlimitedValidity,
        };
      }
      if (!keySet) throw new Error('no key for this algorithm');
      let usedKeyValidity: VerifiedToken['keyValidity'] = unlimitedValidity;
      const findKey: JWTVerifyGetKey = async (...tokenParts) => {
        const { key, ...keyValidity } = await keySet.find(...tokenParts);
        usedKeyValidity = keyValidity;
        return key;
      };
      const { payload } = await jwtVerify(token, findKey, {
        ...verifyOptions,
        algorithms: asymmetricAlgorithms,
      });
      return { payload, keyValidity: usedKeyValidity };
    } catch (error) {
      if (error instanceof AppError) throw error;
      const isExpired = (error as { code?: string }).code === 'ERR_JWT_EXPIRED';
      throw authError(isExpired ? 'The token has expired. Sign in again.' : 'The token is not valid here.');
    }
  };
  return { verify, keyVersion: () => keySet?.version() ?? 0 };
}

const authError = (message: string): AppError => new AppError('UNAUTHENTICATED', 'authError', message);

interface TokenClaims {
  readonly sub: string;
  readonly email?: string;
  readonly scopes: readonly string[];
  /** Epoch milliseconds. */
  readonly expires: number;
  readonly issuer?: string;
  readonly audience?: string;
}

/** Signs a bearer token (HS256) for the demo and for developers. */
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

/** Chooses a small set of scopes that satisfies all rules, greedily by the number of unsatisfied rules. */
export function chooseMinimalScopes(rules: Iterable<ScopeRule>): string[] {
  const chosenScopes = new Set<string>();
  const isRuleMet = (rule: ScopeRule): boolean =>
    rule.some((scopeSet) => scopeSet.every((scope) => chosenScopes.has(scope)));
  for (
    let unmetRules = [...rules];
    unmetRules.length > 0;
    unmetRules = unmetRules.filter((rule) => !isRuleMet(rule))
  ) {
    // `count`: unmet rules that the set would satisfy.
    const scopeSets = new Map<string, { scopes: readonly string[]; count: number }>();
    for (const scopes of unmetRules.flat()) {
      const name = scopes.join(' ');
      scopeSets.set(name, { scopes, count: (scopeSets.get(name)?.count ?? 0) + 1 });
    }
    const [bestSet] = [...scopeSets.values()].sort((a, b) => b.count - a.count);
    for (const scope of bestSet?.scopes ?? []) chosenScopes.add(scope);
  }
  return [...chosenScopes];
}
