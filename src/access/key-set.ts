import { createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import { AppError } from '../core/errors.ts';
import type { Clock } from '../core/clock.ts';

/** How long keys are used before the key server is asked whether they are still the ones. */
const maxAgeMs = 10 * 60_000;
/** With keys at hand the key server is asked once in this time at most, whatever tokens say and whether it answers. */
const cooldownMs = 30_000;

/**
 * The keys an identity provider publishes (RFC 7517). Asked again when they have grown old and when a token names an
 * unknown one. While the key server is away the keys that are known go on being used.
 */
export function createKeySet(url: URL, clock: Clock): JWTVerifyGetKey {
  // The library fetches and finds keys; when to fetch is decided here.
  const remote = createRemoteJWKSet(url, { cacheMaxAge: Infinity, cooldownDuration: Infinity });
  let askedAt = -Infinity;
  let loadedAt = -Infinity;
  let asking: Promise<void> | undefined;

  /** Asks if it is time to, else joins the question that was asked last. As long as there are no keys, it is time. */
  async function refresh(): Promise<void> {
    const now = clock();
    if (loadedAt === -Infinity || now - askedAt >= cooldownMs) {
      askedAt = now;
      asking = remote.reload().then(
        () => void (loadedAt = now),
        () => undefined,
      );
    }
    await asking;
  }

  return async (header, token) => {
    if (clock() - loadedAt >= maxAgeMs) await refresh();
    if (loadedAt === -Infinity) throw unavailable();
    try {
      return await remote(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await refresh();
      return remote(header, token);
    }
  };
}

const unavailable = (): AppError =>
  new AppError('UNAVAILABLE', 'backendError', 'Tokens cannot be checked at the moment. Try again later.');
