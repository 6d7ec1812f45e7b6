import { AppError } from '../core/errors.ts';
import type { Log, RequestReport } from '../core/runtime/log.ts';
import type { StreamRequest } from '../core/runtime/watch.ts';
import { addressKey } from '../core/text/email.ts';

/** A caller with a verified token. */
export interface Viewer {
  readonly sub: string;
  /** The caller's name in access lists: the `addressKey` of the e-mail address, else of the subject. */
  readonly identity: string;
  /** Subject and identity: identifies the caller in request records and rate limits. */
  readonly key: string;
  readonly scopes: ReadonlySet<string>;
  /** When the token expires (epoch ms); absent: never. */
  readonly expires?: number;
}

const roles: readonly AccessRole[] = ['none', 'freeBusyReader', 'reader', 'writer', 'owner'];

interface AccessList {
  readonly owner: string;
  readonly acl: readonly { readonly email: string; readonly role: AccessRole }[];
}

/** Whether a role includes the rights of another. */
export const includes = (role: AccessRole, needed: AccessRole): boolean =>
  roles.indexOf(role) >= roles.indexOf(needed);

/** The strongest role of a caller on a calendar, as its owner or by its access list. */
export function roleOn(calendar: AccessList, viewer: Viewer): AccessRole {
  if (isCaller(calendar.owner, viewer)) return 'owner';
  return calendar.acl
    .filter((entry) => isCaller(entry.email, viewer))
    .reduce<AccessRole>((best, entry) => (includes(entry.role, best) ? entry.role : best), 'none');
}

/** Whether a name in an access list is the caller's. */
export const isCaller = (name: string | undefined, { identity }: Pick<Viewer, 'identity'>): boolean =>
  name !== undefined && (name === identity || addressKey(name) === identity);

/** Rights of a caller on a calendar; each role includes those before it. */
export type AccessRole = 'none' | 'freeBusyReader' | 'reader' | 'writer' | 'owner';

/** Alternatives, each of them a set of scopes that are required together, as in `@requiresScopes`. */
export type ScopeRule = readonly (readonly string[])[];

/** Throws unless a caller has the scopes for all of these rules. Without rules (only `__typename`) everybody is allowed. */
export function requireScopes(viewer: Viewer | undefined, rules: readonly ScopeRule[]): void {
  if (rules.length === 0) return;
  if (!viewer) {
    throw new AppError(
      'UNAUTHENTICATED',
      'authError',
      'This needs an Authorization header: Bearer, a space, and a token.',
    );
  }
  const missing = rules.find((rule) => !rule.some((all) => all.every((scope) => viewer.scopes.has(scope))));
  if (!missing) return;
  const needed = missing.map((all) => all.join(' and ')).join(', or ');
  throw new AppError(
    'FORBIDDEN',
    'insufficientScope',
    `The token lacks the scope for this: it needs ${needed}.`,
  );
}

/** Claims of a token about the person it stands for. */
interface Claims {
  readonly sub: string;
  readonly email?: string | undefined;
  readonly email_verified?: unknown;
  /** Separated by spaces. */
  readonly scope?: string | undefined;
}

/** Values of `email_verified` with which the address counts; some identity providers send a string. */
const verifiedAddress: readonly unknown[] = [undefined, true, 'true'];

/** `expires`: when the token does (epoch ms). */
export function viewerOf<Expires extends number | undefined>(
  { sub, email, email_verified: verified, scope }: Claims,
  expires: Expires,
): Viewer & { readonly expires: Expires } {
  const isVerified = verifiedAddress.includes(verified);
  // A subject that repeats an address which is not verified does not stand for it.
  const isUnverified = !isVerified && email !== undefined && addressKey(email) === addressKey(sub);
  const identity = isUnverified
    ? `unverified ${addressKey(sub)}`
    : addressKey((isVerified ? email : undefined) ?? sub);
  const scopes = new Set(scope?.split(' ').filter(Boolean));
  return { sub, identity, key: JSON.stringify([sub, identity]), scopes, expires };
}

/** The sender of a request, and the context of the request beside its content. */
export interface Caller {
  readonly requestId: string;
  /** Absent for a caller without a token; operations that need one are refused before they run. */
  readonly viewer: Viewer | undefined;
  /** The caller's network address, for the rate limit of callers without a token. */
  readonly address: string;
  readonly log: Log;
  /** Resolves when the answer is sent, or its connection is gone. */
  readonly sent?: () => Promise<void>;
  /** Whether nobody waits for the answer any more: it was sent, or its connection is gone. */
  readonly isOver?: () => boolean;
  /** Filled in while the request runs. */
  readonly report: RequestReport;
  /** Opens a stream of events as the answer, once. Throws when the caller has too many of them. */
  readonly openStream?: () => StreamRequest;
}
