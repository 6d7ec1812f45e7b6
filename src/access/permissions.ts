import { addressKey } from '../core/text/email.ts';
import type { AccessRole } from './role.ts';

/** Who is asking, as a verified token says. */
export interface Viewer {
  readonly sub: string;
  /** The name access lists know the caller by: the e-mail address, else the subject, in the form of `addressKey`. */
  readonly identity: string;
  /** Tells callers apart: subject and identity together. For request ids, rate limits and other things kept for a caller. */
  readonly key: string;
  readonly scopes: ReadonlySet<string>;
  /** Epoch milliseconds from which on the token is not valid any more; absent: it lasts. */
  readonly expires?: number;
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
  if (isCaller(calendar.owner, viewer)) return 'owner';
  return calendar.acl
    .filter((entry) => isCaller(entry.email, viewer))
    .reduce<AccessRole>((best, entry) => (includes(entry.role, best) ? entry.role : best), 'none');
}

/** Whether an address, or another name that a list holds, is the caller's. */
export const isCaller = (name: string | undefined, { identity }: Pick<Viewer, 'identity'>): boolean =>
  name !== undefined && (name === identity || addressKey(name) === identity);
