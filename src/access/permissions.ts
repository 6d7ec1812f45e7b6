import { addressKey } from '../core/text/email.ts';
import type { AccessRole } from './role.ts';

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

export interface AccessList {
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
