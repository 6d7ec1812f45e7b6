import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose';
import { serviceUnavailableError } from '../core/errors.ts';
import type { Clock } from '../core/runtime/clock.ts';

/** Age (ms) after which keys are reloaded. */
const maxKeyAgeMs = 10 * 60_000;
/** Minimum time (ms) between two loads, once keys are loaded. */
const reloadCooldownMs = 30_000;
/** Time limit (ms) for the complete response of the key server. */
const timeoutMs = 5_000;
/** Maximum size of the response, about 200 keys. */
const maxBodyBytes = 256 * 1024;

/**
 * Creates the key set of an identity provider (RFC 7517). Reloads keys when they are old, and when a token
 * names an unknown key. Loaded keys stay valid while the key server is down.
 */
export function createKeySet(url: URL, clock: Clock) {
  // The library loads and finds keys; this module decides when to load.
  const remoteKeys = createRemoteJWKSet(url, {
    cacheMaxAge: Infinity,
    cooldownDuration: Infinity,
    timeoutDuration: timeoutMs,
    [customFetch]: fetchWithinLimit,
  });
  // Points in time are in epoch ms; -Infinity means never.
  let requestedAt = -Infinity;
  let loadedAt = -Infinity;
  let version = 0;
  let loadedKeysJson = '';
  let latestLoad: Promise<void> | undefined;
  let lastError: unknown;

  async function loadKeys(now: number): Promise<void> {
    try {
      await remoteKeys.reload();
      loadedAt = now;
      const keys = JSON.stringify(remoteKeys.jwks());
      if (keys !== loadedKeysJson) version += 1;
      loadedKeysJson = keys;
    } catch (error) {
      lastError = error;
    }
  }

  /** Starts a load outside the cooldown, and waits for the latest load. */
  async function refreshKeys(): Promise<void> {
    const now = clock();
    if (loadedAt === -Infinity || now - requestedAt >= reloadCooldownMs) {
      requestedAt = now;
      latestLoad = loadKeys(now);
    }
    await latestLoad;
  }

  /** Returns a key with the version of its key set, and the time until which it may be cached (epoch ms). */
  async function findLoadedKey(...headerAndToken: Parameters<JWTVerifyGetKey>) {
    // While the key server is down, loaded keys stay valid until the next load may start.
    const keyValidity = { version, until: Math.max(loadedAt + maxKeyAgeMs, requestedAt + reloadCooldownMs) };
    return { ...keyValidity, key: await remoteKeys(...headerAndToken) };
  }

  return {
    /** Number that changes whenever a load returns different keys. */
    version: (): number => version,
    async find(...token: Parameters<JWTVerifyGetKey>): ReturnType<typeof findLoadedKey> {
      if (clock() - loadedAt >= maxKeyAgeMs) await refreshKeys();
      if (loadedAt === -Infinity)
        throw serviceUnavailableError(
          'Tokens cannot be checked at the moment. Try again later.',
          {},
          lastError,
        );
      try {
        return await findLoadedKey(...token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        await refreshKeys();
        return findLoadedKey(...token);
      }
    },
  };
}

/** Fetches a response of at most `maxBodyBytes`. */
async function fetchWithinLimit(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options);
  const chunks: Uint8Array[] = [];
  let size = 0;
  // TypeScript does not know that the chunks are bytes.
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    // Leaving the loop cancels the body and closes the connection.
    if (size > maxBodyBytes) throw new Error(`the keys have more than ${maxBodyBytes} bytes`);
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks), { status: response.status, headers: response.headers });
}
