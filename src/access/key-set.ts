import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose';
import { AppError } from '../core/kernel/errors.ts';
import type { Clock } from '../core/runtime/clock.ts';

/** How long keys are used before the key server is asked whether they are still the ones. */
const maxAgeMs = 10 * 60_000;
/** With keys at hand the key server is asked once in this time at most, whatever tokens say and whether it answers. */
const cooldownMs = 30_000;
/** What a key server may take to answer in full, and how much it may say: some hundred keys. */
const timeoutMs = 5_000;
const maxBodyBytes = 256 * 1024;

export interface FoundKey {
  readonly key: Awaited<ReturnType<JWTVerifyGetKey>>;
  /** The version of the key set that it was found in. */
  readonly version: number;
  /** Epoch milliseconds up to which it may be used without asking for it again. */
  readonly until: number;
}

export interface KeySet {
  find(...token: Parameters<JWTVerifyGetKey>): Promise<FoundKey>;
  /** Another number once the key server has named other keys than before. */
  version(): number;
}

/**
 * The keys an identity provider publishes (RFC 7517). Asked again when they have grown old and when a token names an
 * unknown one. While the key server is away the keys that are known go on being used.
 */
export function createKeySet(url: URL, clock: Clock): KeySet {
  // The library fetches and finds keys; when to fetch is decided here.
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
  /** Why the key server could not be asked the last time. */
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
      // The keys that are known go on being used; without any, `find` says so.
    }
  }

  /** Asks if it is time to, else joins the question that was asked last. As long as there are no keys, it is time. */
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
    version: () => version,
    find: async (...token) => {
      if (clock() - loadedAt >= maxAgeMs) await refresh();
      if (loadedAt === -Infinity) throw unavailable(failure);
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

const unavailable = (cause: unknown): AppError =>
  new AppError('UNAVAILABLE', 'backendError', 'Tokens cannot be checked at the moment. Try again later.', [], {}, cause);

/** Fetches without redirects, and stops reading a body that is longer than any list of keys. */
async function boundedFetch(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options);
  const parts: Uint8Array[] = [];
  let size = 0;
  // The library's type of a body does not say that its parts are bytes.
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.length;
    // Leaving the loop cancels the body, which closes the connection.
    if (size > maxBodyBytes) throw new Error(`the keys have more than ${maxBodyBytes} bytes`);
    parts.push(part);
  }
  return new Response(Buffer.concat(parts), { status: response.status, headers: response.headers });
}
