import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose';
import { unavailable } from '../core/errors.ts';
import type { Clock } from '../core/runtime/clock.ts';

/** Keys are reloaded when they are older than this (ms). */
const maxAgeMs = 10 * 60_000;
/** Minimum time (ms) between two loads, unless no keys were loaded yet. */
const cooldownMs = 30_000;
/** Time limit (ms) for the complete response of the key server. */
const timeoutMs = 5_000;
/** About 200 keys. */
const maxBodyBytes = 256 * 1024;

export interface FoundKey {
  readonly key: Awaited<ReturnType<JWTVerifyGetKey>>;
  /** Version of the key set that contains the key. */
  readonly version: number;
  /** The key may be cached until then (epoch ms). */
  readonly until: number;
}

/** The keys of an identity provider (RFC 7517), reloaded when old and for an unknown one. Loaded keys stay valid while its server is away. */
export function createKeySet(url: URL, clock: Clock) {
  // The library loads and finds keys; this module decides when to load.
  const remote = createRemoteJWKSet(url, {
    cacheMaxAge: Infinity,
    cooldownDuration: Infinity,
    timeoutDuration: timeoutMs,
    [customFetch]: boundedFetch,
  });
  let askedAt = -Infinity;
  let loadedAt = -Infinity;
  let version = 0;
  let known = '';
  let asking: Promise<void> | undefined;
  /** The error of the last load that failed. */
  let failure: unknown;

  async function load(now: number): Promise<void> {
    try {
      await remote.reload();
      loadedAt = now;
      const keys = JSON.stringify(remote.jwks());
      if (keys !== known) version += 1;
      known = keys;
    } catch (error) {
      failure = error;
    }
  }

  /** Starts a load unless one was started within the cooldown; waits for the last one. */
  async function refresh(): Promise<void> {
    const now = clock();
    if (loadedAt === -Infinity || now - askedAt >= cooldownMs) {
      askedAt = now;
      asking = load(now);
    }
    await asking;
  }

  async function findKnown(...token: Parameters<JWTVerifyGetKey>): Promise<FoundKey> {
    const found = { version, until: Math.max(loadedAt + maxAgeMs, askedAt + cooldownMs) };
    return { ...found, key: await remote(...token) };
  }

  return {
    /** Changes when a load gives other keys than the one before. */
    version: (): number => version,
    async find(...token: Parameters<JWTVerifyGetKey>): Promise<FoundKey> {
      if (clock() - loadedAt >= maxAgeMs) await refresh();
      if (loadedAt === -Infinity)
        throw unavailable('Tokens cannot be checked at the moment. Try again later.', {}, failure);
      try {
        return await findKnown(...token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        await refresh();
        return findKnown(...token);
      }
    },
  };
}

/** Fetches a body of at most `maxBodyBytes`. */
async function boundedFetch(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options);
  const parts: Uint8Array[] = [];
  let size = 0;
  // The type of `body` does not say that its chunks are bytes.
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.length;
    // Leaving the loop cancels the body and closes the connection.
    if (size > maxBodyBytes) throw new Error(`the keys have more than ${maxBodyBytes} bytes`);
    parts.push(part);
  }
  return new Response(Buffer.concat(parts), { status: response.status, headers: response.headers });
}
