import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Viewer, viewerOf } from '../../access/permissions.ts';
import type { TokenVerifier } from '../../access/token.ts';
import { AppError } from '../../core/errors.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import type { Log } from '../../core/runtime/log.ts';
import { attempted, type CallFigures, Circuit, realWaiting, type Waiting } from '../client/attempts.ts';
import type { Traced } from '../client/client.ts';
import { createOrigin, exchange } from '../client/exchange.ts';
import { CallFailure, retryAfterOf } from '../client/responses.ts';
import { type Identity, informantOf, refused, rememberBearer, type TokenInfo } from './informant.ts';

/** For how long (ms) what was told of a token is believed. */
const believedMs = 60_000;
/** For how long (ms) and of how many it is remembered that they were refused. */
const [refusedMs, mostRefused] = [5_000, 10_000];
const maxCachedBytes = 16 * 1024 * 1024;
/** Estimated memory of a cache entry beside its token. */
const entryBytes = 1024;

interface UpstreamVerifierParts {
  readonly identity: Identity;
  readonly clock: Clock;
  readonly log: Log;
  readonly figures: CallFigures;
  readonly traced: Traced;
  readonly waiting?: Waiting;
}

interface UpstreamVerifier {
  readonly verify: TokenVerifier;
  /** Whoever comes with this token next is asked about anew. */
  readonly forget: (token: string) => void;
  close(): void;
}

interface Known {
  readonly viewer: Viewer;
  /** The token, as long as it is remembered beside the viewer (bytes). */
  readonly bytes: number;
  readonly until: number;
}

/** Verifies opaque bearer tokens (RFC 6750): whoever issued them is asked. */
export function createUpstreamVerifier({
  identity,
  clock,
  log,
  figures,
  traced,
  waiting = realWaiting,
}: UpstreamVerifierParts): UpstreamVerifier {
  const informant = informantOf(identity);
  const { method } = informant;
  const origin = createOrigin(informant.url);
  const parts = { circuit: new Circuit(), figures, waiting };
  // By digest, so that no dump of a key is a token.
  const cache = new LRUCache<string, Known>({
    maxSize: maxCachedBytes,
    sizeCalculation: ({ bytes }) => entryBytes + bytes,
  });
  const refusals = new LRUCache<string, { readonly error: AppError; readonly until: number }>({
    max: mostRefused,
  });
  const asking = new Map<string, Promise<Viewer>>();

  const ask = (token: string): Promise<TokenInfo> =>
    traced(`identity ${method}`, { 'server.address': origin.host, 'http.request.method': 'POST' }, () =>
      attempted(
        {
          service: 'identity',
          method,
          request: {},
          repeatable: true,
          send: (timeout) =>
            exchange(origin, {
              verb: 'POST',
              path: origin.base || '/',
              timeout,
              headers: {
                accept: 'application/json',
                'content-type': 'application/x-www-form-urlencoded',
                ...informant.headers,
              },
              body: `${informant.field}=${encodeURIComponent(token)}`,
            }),
          judge: (answer) => informant.read(answer, clock()),
        },
        parts,
      ),
    ).catch((error: unknown) => {
      if (!(error instanceof CallFailure)) throw error;
      log.warn(
        { service: 'identity', method, status: error.status, reason: error.reason },
        'a token could not be checked',
      );
      throw new AppError(
        'UNAVAILABLE',
        'backendError',
        'Tokens cannot be checked at the moment. Try again later.',
        [],
        { retryAfter: retryAfterOf(error) },
        error,
      );
    });

  async function learn(token: string, key: string): Promise<Viewer> {
    const asked = clock();
    try {
      const viewer = rememberBearer(viewerIn(await ask(token), asked), token);
      cache.set(key, {
        viewer,
        bytes: 2 * token.length,
        until: Math.min(viewer.expires ?? Infinity, asked + believedMs),
      });
      return viewer;
    } catch (error) {
      if (error instanceof AppError && error.code === 'UNAUTHENTICATED')
        refusals.set(key, { error, until: asked + refusedMs });
      throw error;
    }
  }

  return {
    async verify(authorization, beforeAsking) {
      if (authorization === undefined) return undefined;
      const token = /^Bearer +([\w\-.~+/]+=*) *$/i.exec(authorization)?.[1];
      if (token === undefined)
        throw refused('The Authorization header must be: Bearer, a space, and a token.');
      const key = keyOf(token);
      const known = cache.get(key);
      if (known && known.until > clock()) return known.viewer;
      const refusal = refusals.get(key);
      if (refusal && refusal.until > clock()) throw refusal.error;
      // Neighbours may have used up what is left to a network.
      if (!known) beforeAsking?.();
      const under = asking.get(key) ?? learn(token, key).finally(() => asking.delete(key));
      asking.set(key, under);
      return under;
    },
    forget: (token) => void cache.delete(keyOf(token)),
    close: () => origin.close(),
  };
}

const keyOf = (token: string): string => hash('sha256', token, 'base64url');

/** `now`: when the token was asked about, before its answer. */
function viewerIn({ sub, email, email_verified, scope, exp, expires_in }: TokenInfo, now: number): Viewer {
  const name = sub ?? email;
  if (name === undefined)
    throw refused(
      'Nobody says whose token this is: it needs the email scope (https://www.googleapis.com/auth/userinfo.email).',
    );
  const ends = [
    ...(exp === undefined ? [] : [exp * 1000]),
    ...(expires_in === undefined ? [] : [now + expires_in * 1000]),
  ];
  const expires = ends.length === 0 ? undefined : Math.min(...ends);
  if (expires !== undefined && expires <= now) throw refused('The token has expired. Get a new one.');
  return viewerOf({ sub: name, email, email_verified, scope }, expires);
}
