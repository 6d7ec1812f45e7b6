import { z } from 'zod';
import type { Viewer } from '../../access/permissions.ts';
import { AppError } from '../../core/errors.ts';
import { type Answer, CallFailure, failureOf, jsonOf } from '../client/responses.ts';

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

/** Who is asked about tokens. */
export type Identity =
  | { readonly tokeninfo: string }
  | { readonly introspection: { readonly url: string; readonly id: string; readonly secret: string } };

/** How somebody is asked about tokens. */
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

export type TokenInfo = z.infer<typeof tokenInfo>;

export const refused = (message: string): AppError => new AppError('UNAUTHENTICATED', 'authError', message);
const unknown = (): AppError => refused('The token is not known, or has expired. Get a new one.');

export function informantOf(identity: Identity): TokenInfoClient {
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
  // It would be the same again, and is of this token alone.
  if (!parsed.success) throw new CallFailure('unexpected', { status });
  return parsed.data;
}
