import { AppError } from '../core/kernel/errors.ts';
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
