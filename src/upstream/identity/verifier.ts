import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type Viewer, viewerOf } from '../../access/permissions.ts';
import type { TokenVerifier } from '../../access/token.ts';
import { AppError } from '../../core/errors.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import type { Log } from '../../core/runtime/log.ts';
import { attempted, type CallFigures, Circuit, realWaiting, type Waiting } from '../client/attempts.ts';
import type { Traced } from '../client/client.ts';
import { createOrigin, exchange } from '../client/exchange.ts';
import { type Answer, CallFailure, failureOf, jsonOf, retryAfterOf } from '../client/responses.ts';

// The tokens of viewers are kept beside them: a viewer may be logged.
const tokens = new WeakMap<Viewer, string>();

/** Remembers the token that a viewer came with. */
export function rememberBearer(viewer: Viewer, token: string): Viewer {
  tokens.set(viewer, token);
  return viewer;
}

/** The token to call a service with, on behalf of a viewer. */
export function bearerOf(viewer: Viewer): string {
  const token = tokens.get(viewer);
  if (token === undefined) throw new Error('a viewer without a bearer token cannot be acted for');
  return token;
}

/** Services that are asked about tokens. */
type Identity =
  | { readonly tokeninfo: string }
  | { readonly introspection: { readonly url: string; readonly id: string; readonly secret: string } };

/** The way in which a service is asked about tokens. */
interface TokenInfoClient {
  readonly method: 'tokeninfo' | 'introspect';
  readonly url: string;
  /** The field of the form that holds the token. */
  readonly field: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Throws UNAUTHENTICATED for a token that is not known, a CallFailure for an answer that leaves it open. */
  read(answer: Answer, now: number): TokenInfo;
}

/** Null and an empty text tell nothing. */
const told = z
  .string()
  .nullish()
  .transform((value) => value || undefined);
const seconds = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^-?\d{1,12}$/)
      .transform(Number),
  ])
  .nullish()
  .transform((value) => value ?? undefined);

const tokenInfo = z.object({
  sub: told,
  email: told,
  email_verified: z.unknown().optional(),
  scope: told,
  exp: seconds,
  expires_in: seconds,
});

type TokenInfo = z.infer<typeof tokenInfo>;

const refused = (message: string): AppError => new AppError('UNAUTHENTICATED', 'authError', message);
const unknown = (): AppError => refused('The token is not known, or has expired. Get a new one.');

function tokenInfoClientOf(identity: Identity): TokenInfoClient {
  if ('tokeninfo' in identity) {
    return {
      method: 'tokeninfo',
      url: identity.tokeninfo,
      field: 'access_token',
      headers: {},
      read: (answer, now) => infoIn(answer, [400, 401], now),
    };
  }
  const { url, id, secret } = identity.introspection;
  // RFC 6749, section 2.3.1.
  const basic = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64');
  return {
    method: 'introspect',
    url,
    field: 'token',
    headers: { authorization: `Basic ${basic}` },
    read: activeInfo,
  };
}

function activeInfo(answer: Answer, now: number): TokenInfo {
  const { active } = (answer.status === 200 && jsonOf(answer.text)) || {};
  if (active === false) throw unknown();
  const info = infoIn(answer, [], now);
  if (active !== true) throw new CallFailure('unexpected', { status: answer.status });
  return info;
}

/** `unknowing`: the statuses that say that there is no such token. */
function infoIn(answer: Answer, unknowing: readonly number[], now: number): TokenInfo {
  const { status, text } = answer;
  if (unknowing.includes(status)) throw unknown();
  if (status !== 200) throw failureOf(answer, now) ?? new CallFailure('unexpected', { status });
  const json = jsonOf(text);
  if (!json) throw new CallFailure('malformed', { status });
  const parsed = tokenInfo.safeParse(json);
  // A second answer would be the same, and it is of this token alone.
  if (!parsed.success) throw new CallFailure('unexpected', { status });
  return parsed.data;
}

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
  const informant = tokenInfoClientOf(identity);
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
