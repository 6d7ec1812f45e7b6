import { AppError } from '../core/errors.ts';
import type { GetSelection } from '../core/fields/table.ts';
import type { RequestKey } from '../core/runtime/request-loader.ts';
import type { Log, RequestReport } from '../core/runtime/log.ts';
import type { StreamRequest } from '../core/runtime/streams.ts';
import { addressKey } from '../core/text/email.ts';

/** A caller with a verified token. */
export interface Viewer {
  /** Subject of the token, unique at the identity provider. */
  readonly sub: string;
  /** Name in access lists: the `addressKey` of the e-mail address, else of the subject. */
  readonly identity: string;
  /** Key of request records and rate limits: subject and identity. */
  readonly key: string;
  readonly scopes: ReadonlySet<string>;
  /** Expiry of the token (epoch ms); absent: never. */
  readonly expires?: number;
}

/** Roles on a calendar; each includes the rights of those before it. */
const roles = ['none', 'freeBusyReader', 'reader', 'writer', 'owner'] as const;
export type AccessRole = (typeof roles)[number];

export const includesRole = (role: AccessRole, requiredRole: AccessRole): boolean =>
  roles.indexOf(role) >= roles.indexOf(requiredRole);

/** Returns the strongest role of a caller on a calendar, as its owner or by its access list. */
export function roleOn(
  calendar: { readonly owner: string; readonly acl: readonly { email: string; role: AccessRole }[] },
  viewer: Pick<Viewer, 'identity'>,
): AccessRole {
  if (isCaller(calendar.owner, viewer)) return 'owner';
  const callerRoles = calendar.acl.flatMap(({ email, role }) => (isCaller(email, viewer) ? [role] : []));
  return roles.findLast((role) => callerRoles.includes(role)) ?? 'none';
}

/** Whether a name in an access list identifies the caller. */
export const isCaller = (name: string | undefined, { identity }: Pick<Viewer, 'identity'>): boolean =>
  name !== undefined && (name === identity || addressKey(name) === identity);

/** Alternative sets of scopes; all scopes of one set are required, as in `@requiresScopes`. */
export type ScopeRule = readonly (readonly string[])[];

/** Throws unless the caller satisfies all rules. Without rules (only `__typename`) everybody is allowed. */
export function requireScopes(viewer: Viewer | undefined, rules: readonly ScopeRule[]): void {
  if (rules.length === 0) return;
  if (!viewer)
    throw new AppError(
      'UNAUTHENTICATED',
      'authError',
      'This needs an Authorization header: Bearer, a space, and a token.',
    );
  const unmetRule = rules.find(
    (rule) => !rule.some((scopeSet) => scopeSet.every((scope) => viewer.scopes.has(scope))),
  );
  if (!unmetRule) return;
  const requiredScopes = unmetRule.map((scopeSet) => scopeSet.join(' and ')).join(', or ');
  throw new AppError(
    'FORBIDDEN',
    'insufficientScope',
    `The token lacks the scope for this: it needs ${requiredScopes}.`,
  );
}

/** Claims of a verified token that identify the caller and name the scopes. */
interface Claims {
  readonly sub: string;
  readonly email?: string | undefined;
  readonly email_verified?: unknown;
  /** Scopes separated by spaces. */
  readonly scope?: string | undefined;
}

/** Values of `email_verified` for a trusted address; some identity providers send a string. */
const verifiedValues: readonly unknown[] = [undefined, true, 'true'];

/** Builds the viewer of a token; `expires` is in epoch ms. */
export function viewerOf<Expires extends number | undefined>(
  { sub, email, email_verified: emailVerified, scope }: Claims,
  expires: Expires,
): Viewer & { readonly expires: Expires } {
  const isEmailVerified = verifiedValues.includes(emailVerified);
  // A subject equal to an unverified address must not be taken for that address.
  const isUnverifiedSubject =
    !isEmailVerified && email !== undefined && addressKey(email) === addressKey(sub);
  const identity = isUnverifiedSubject
    ? `unverified ${addressKey(sub)}`
    : addressKey((isEmailVerified ? email : undefined) ?? sub);
  const scopes = new Set(scope?.split(' ').filter(Boolean));
  return { sub, identity, key: JSON.stringify([sub, identity]), scopes, expires };
}

/** Operation on behalf of a viewer. `selected`: the part of the result that is used. */
export type ViewerOperation<Args, Result> = (
  viewer: Viewer,
  args: Args,
  request: RequestKey,
  selected?: GetSelection,
) => Promise<Result>;

/** Caller of a request, with what operations may do with the request's connection. */
export interface Caller {
  readonly requestId: string;
  /** Undefined without a token; operations that need one are refused before they run. */
  readonly viewer: Viewer | undefined;
  /** Network address, the key of the rate limit for callers without a token. */
  readonly address: string;
  readonly log: Log;
  /** Resolves when the response was sent or the connection is closed. */
  readonly waitUntilSent?: () => Promise<void>;
  /** Whether the response was sent or the connection is closed. */
  readonly isOver?: () => boolean;
  /** Gives the request this time (ms) until it is ended without a response. */
  readonly setTimeLimitMs?: (ms: number) => void;
  /** Data for log and metrics, set while the request runs. */
  readonly report: RequestReport;
  /** Opens a stream of events as the response, once. Throws if the caller has too many streams. */
  readonly openStream?: () => StreamRequest;
}
