import { emailKey } from '../core/email.ts';
import type { AccessRole } from './role.ts';

/** Who is asking, as a verified token says. */
export interface Viewer {
  readonly sub: string;
  /** The name access lists know the caller by: the e-mail address, lower case, else the subject. */
  readonly identity: string;
  readonly scopes: ReadonlySet<string>;
}

const roles: readonly AccessRole[] = ['none', 'freeBusyReader', 'reader', 'writer', 'owner'];

/** Whose calendar it is, and who else may use it. */
export interface AccessList {
  readonly owner: string;
  readonly acl: readonly { readonly email: string; readonly role: AccessRole }[];
}

/** True when a role includes another: an owner may do what a writer may. */
export const includes = (role: AccessRole, needed: AccessRole): boolean =>
  roles.indexOf(role) >= roles.indexOf(needed);

/** The strongest role a caller has on a calendar: as its owner, or by its access list. */
export function roleOn(calendar: AccessList, viewer: Viewer): AccessRole {
  if (sameName(calendar.owner, viewer.identity)) return 'owner';
  return calendar.acl
    .filter((entry) => sameName(entry.email, viewer.identity))
    .reduce<AccessRole>((best, entry) => (includes(entry.role, best) ? entry.role : best), 'none');
}

/** True when the caller may manage the notifications of a bucket. */
export const manages = (bucket: { readonly managers: readonly string[] }, viewer: Viewer): boolean =>
  bucket.managers.some((email) => sameName(email, viewer.identity));

const sameName = (a: string, b: string): boolean => a === b || emailKey(a) === emailKey(b);
